// Turns stored events into rows of the recording's tables.
#include "engine/foreign/rows.h"

#include "engine/session/run_times.h"

#include <bit>

namespace footlight::foreign {
namespace {

const char* device_kind(EventKind kind) {
  switch (kind) {
    case EventKind::kRuntime: return "runtime";
    case EventKind::kDriver: return "driver";
    case EventKind::kMemcpy: return "memcpy";
    case EventKind::kMemset: return "memset";
    case EventKind::kSync: return "sync";
    case EventKind::kOverhead: return "overhead";
    default: return "kernel";
  }
}

}  // namespace

template <class Chunk>
void Builder::Rows::put(Chunk& rows) {
  if (rows.size() == 0) return;
  builder_.writer_.add_rows(std::move(rows));
  rows = Chunk();
  builder_.writer_.flush();
}

void Builder::Rows::flush() {
  put(ops_);
  put(device_);
  put(spans_);
  put(counters_);
}

void Builder::Rows::add(const SortKey& key, std::string_view record) {
  Stored s;
  std::memcpy(static_cast<void*>(&s), record.data(), sizeof s);
  record.remove_prefix(sizeof s);
  const int64_t start = -key.second + shift_, end = key.first + shift_;
  if (!session::is_possible_time(start) || !session::is_possible_time(end) || start == 0) {
    ++impossible_;
    return;
  }
  const auto text = [&](uint32_t number, uint32_t size) {
    if (number != Texts::kNone) return builder_.texts_.text(number);
    const std::string_view own = record.substr(0, size);
    record.remove_prefix(size);
    return own;
  };
  const std::string_view name = text(s.name, s.name_size);
  const std::string_view category = text(s.category, s.category_size);
  if (s.kind == EventKind::kOp) add_op(s, start, end);
  else if (is_device_event(s.kind)) add_device_event(s, start, end, name);
  else if (s.kind == EventKind::kCounter)
    counters_.push_back({builder_.counters_[s.lane].track, end, std::bit_cast<double>(s.bytes)});
  else add_span(s, start, end, name, category, record.substr(0, s.args_size));
  if (ops_.size() >= session::kUsualChunkRows) put(ops_);
  if (device_.size() >= session::kUsualChunkRows) put(device_);
  if (spans_.size() >= session::kUsualChunkRows) put(spans_);
  if (counters_.size() >= session::kUsualChunkRows) put(counters_);
}

void Builder::Rows::add_op(const Stored& s, int64_t start, int64_t end) {
  const LocationNumber location = builder_.nesting_.location(s.number);
  const uint32_t device = builder_.nesting_.device(s.number);
  ops_.start_ns.push_back(start);
  ops_.end_ns.push_back(end);
  ops_.id.push_back(uint64_t{s.number} + 1);
  ops_.call.emplace_back();
  ops_.code.emplace_back();
  ops_.offset.push_back(0);
  ops_.graph.emplace_back();
  ops_.node.emplace_back();
  ops_.bytes.push_back(0);
  session::OpNumber op;
  op.value = s.op;
  ops_.op.push_back(op);
  ops_.thread.push_back(builder_.lanes_[s.lane].thread);
  ops_.device.push_back(session::DeviceNumber(device == Nesting::kNone ? 0 : builder_.shown_device(device) + 1));
  ops_.signature.push_back(s.signature == UINT32_MAX ? SignatureId() : SignatureId(s.signature));
  ops_.location.push_back(location == kNoLocation ? session::LocationId() : session::LocationId(location));
}

void Builder::Rows::add_device_event(const Stored& s, int64_t start, int64_t end, std::string_view name) {
  session::DeviceRecord d;
  d.kind = device_kind(s.kind);
  d.name = name;
  d.start_ns = start;
  d.end_ns = end;
  d.correlation = static_cast<uint32_t>(s.correlation);
  d.bytes = s.bytes;
  if (is_device_work(s.kind) || s.kind == EventKind::kSync) {
    d.device = builder_.shown_device(s.device);
    d.context = s.context;
    d.stream = s.stream;
  } else {
    d.thread = builder_.system_id(builder_.lanes_[s.lane]);
  }
  const Nesting::Cause cause = builder_.nesting_.cause(s.correlation, s.external, start - shift_);
  if (cause.op != Nesting::kNone) d.op_event = uint64_t{cause.op} + 1;
  d.annotation = builder_.texts_.text(s.annotation == Texts::kNone ? cause.note : s.annotation);
  device_.push_back(std::move(d));
}

void Builder::Rows::add_span(const Stored& s, int64_t start, int64_t end, std::string_view name,
                             std::string_view category, std::string_view args) {
  session::SpanRecord span;
  span.track = builder_.lanes_[s.lane].track;
  span.start_ns = start;
  span.end_ns = end;
  span.name = name;
  span.category = category;
  span.args = args;
  if (s.frame != Locations::kNoFrame) {
    const LocationNumber location = builder_.locations_.called(kNoLocation, s.frame);
    if (location != kNoLocation) span.location = session::LocationId(location);
  }
  const Nesting::Flow flow = builder_.nesting_.flow(s.number);
  span.flow_in = flow.in;
  span.flow_out = flow.out;
  spans_.push_back(std::move(span));
}

}  // namespace footlight::foreign
