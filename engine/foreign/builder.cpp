// Keeps what an importer hands in, and writes it in the order in which a recorder would have: by end.
#include "engine/foreign/builder.h"

#include "engine/base/text.h"
#include "engine/foreign/rows.h"
#include "engine/foreign/stored.h"
#include "engine/session/run_times.h"

#include <algorithm>
#include <bit>
#include <charconv>

namespace footlight::foreign {
namespace {

constexpr size_t kMaxLanes = 20'000, kMaxCounters = 5'000, kMaxSignatures = 200'000, kMaxOps = 100'000;
constexpr size_t kMaxName = 1 << 16, kMaxArgs = 1 << 14;  // names of kernels hold whole templates
constexpr size_t kMaxOpName = 4096;
constexpr int64_t kFurthest = int64_t{1} << 62;

uint32_t number_in(std::string_view text, uint32_t otherwise) {
  const size_t first = text.find_first_of("0123456789");
  uint32_t number = otherwise;
  if (first != text.npos) std::from_chars(text.data() + first, text.data() + text.size(), number);
  return number;
}

}  // namespace

Builder::Builder(session::Writer& writer, std::string beside, std::set<uint32_t>& kept)
    : writer_(writer), kept_(kept), events_(beside), nesting_(beside) {}

uint32_t Builder::process(std::string_view key) {
  const auto [at, added] = process_of_.try_emplace(std::string(key), static_cast<uint32_t>(processes_.size()));
  if (!added) return at->second;
  if (processes_.size() >= kMaxLanes) {
    process_of_.erase(at);
    return 0;
  }
  processes_.push_back({std::string(key), "", {}});
  return at->second;
}

uint32_t Builder::lane(std::string_view process_key, std::string_view thread) {
  const auto [at, added] =
      lane_of_.try_emplace(str(process_key, '\n', thread), static_cast<uint32_t>(lanes_.size()));
  if (!added) return at->second;
  if (lanes_.size() >= kMaxLanes) {
    lane_of_.erase(at);
    leave_out("rows of the timeline", "the file has too many of them; their events lie on the last one");
    return static_cast<uint32_t>(lanes_.size() - 1);
  }
  Lane made;
  made.process = process(process_key);
  made.key = thread;
  lanes_.push_back(std::move(made));
  return at->second;
}

void Builder::name_process(std::string_view key, std::string_view name) {
  processes_[process(key)].name = name.substr(0, kMaxName);
}
void Builder::name_lane(uint32_t lane, std::string_view name) { lanes_[lane].name = name.substr(0, kMaxName); }

uint32_t Builder::counter(std::string_view process_key, std::string_view name, bool is_memory, uint32_t device) {
  const auto [at, added] =
      counter_of_.try_emplace(str(process_key, '\n', name), static_cast<uint32_t>(counters_.size()));
  if (!added) return at->second;
  if (counters_.size() >= kMaxCounters) {
    counter_of_.erase(at);
    leave_out("counters", "the file has too many of them; their values lie on the last one");
    return static_cast<uint32_t>(counters_.size() - 1);
  }
  counters_.push_back({process(process_key), std::string(name.substr(0, kMaxName)), is_memory, device, {}});
  return at->second;
}

void Builder::name_device(uint32_t device, std::string_view description) {
  if (devices_.size() < 1000) devices_[device] = description.substr(0, kMaxName);
}

void Builder::add_flow(uint32_t lane, int64_t time_ns, uint64_t number, bool ends) {
  nesting_.add_flow(lane, time_ns, number & ((uint64_t{1} << 56) - 1), ends);
}

void Builder::add_signature(const Event& e, Stored& s) {
  const auto [at, added] =
      op_of_.try_emplace(std::string(e.name.substr(0, kMaxOpName)), static_cast<uint32_t>(op_of_.size()));
  s.op = at->second;
  if (added && op_of_.size() > kMaxOps) {
    s.op = 0;
    op_of_.erase(at);
    leave_out("names of ops", "the file has too many of them; their events are called like the first one");
  } else if (added) {
    session::OpNameRecord record;
    record.id.value = s.op;
    record.name = at->first;
    writer_.add(std::move(record));
  }
  if (e.inputs.empty() && e.outputs.empty()) return;
  const auto [signature, is_new] =
      signature_of_.try_emplace(str(s.op, ' ', e.inputs, "->", e.outputs), static_cast<uint32_t>(signature_of_.size()));
  s.signature = signature->second;
  if (!is_new) return;
  if (signature_of_.size() > kMaxSignatures) {
    s.signature = UINT32_MAX;
    signature_of_.erase(signature);
    return leave_out("shapes of ops", "the file has too many different ones");
  }
  session::SignatureRecord record;
  record.id = SignatureId(s.signature);
  record.op.value = s.op;
  record.inputs = e.inputs;
  record.outputs = e.outputs;
  record.input_bytes = e.input_bytes;
  record.output_bytes = e.output_bytes;
  record.flops = e.flops;
  writer_.add(std::move(record));
  if (signature_of_.size() % 4096 == 0) writer_.flush();
}

void Builder::add(const Event& e) {
  int64_t start = e.start_ns, end = e.end_ns;
  if (start <= -kFurthest || start >= kFurthest || end >= kFurthest)
    return leave_out("events", "their times are impossible");
  if (end < start) {
    leave_out("durations", "they were negative; such events are shown without one");
    end = start;
  }
  if (ops_ == UINT32_MAX || spans_ == UINT32_MAX) return leave_out("events", "the file has too many");
  first_ = std::min(first_, start);
  last_ = std::max(last_, end);
  Stored s;
  s.kind = e.kind;
  s.lane = e.lane;
  s.correlation = e.correlation;
  s.external = e.external;
  s.bytes = e.kind == EventKind::kCounter ? std::bit_cast<uint64_t>(e.value) : e.bytes;
  s.device = e.device;
  s.context = e.context;
  s.stream = e.stream;
  const std::string_view name = e.name.substr(0, kMaxName), category = e.category.substr(0, kMaxName);
  std::string_view args = e.args;
  if (args.size() > kMaxArgs) {
    args = {};
    leave_out("arguments of events", "they were too large");
  }
  switch (e.kind) {
    case EventKind::kOp:
      s.number = ops_++;
      add_signature(e, s);
      args = {};
      nesting_.add_op(e.lane, start, end, s.number);
      if (e.sequence) nesting_.add_sequence(s.number, e.sequence, e.is_gradient);
      if (e.external) nesting_.add_external(s.number, e.external);
      if (e.location != kNoLocation) nesting_.set_location(s.number, locations_.users(e.location));
      ++lanes_[e.lane].ops;
      break;
    case EventKind::kSpan:
      s.number = spans_++;
      nesting_.add_span(e.lane, start, end, s.number);
      ++lanes_[e.lane].spans;
      break;
    case EventKind::kNote:
      s.number = spans_++;
      s.name = texts_.number(name);
      nesting_.add_note(e.lane, start, end, s.number, s.name);
      ++lanes_[e.lane].spans;
      break;
    case EventKind::kFrame:
      s.number = spans_++;
      s.frame = locations_.frame(name);
      if (s.frame != Locations::kNoFrame) nesting_.add_frame(e.lane, start, end, s.frame);
      ++lanes_[e.lane].spans;
      break;
    case EventKind::kRuntime:
    case EventKind::kDriver:
      ++lanes_[e.lane].calls;
      if (e.correlation) nesting_.add_launch(e.lane, start, end, e.correlation);
      args = {};
      break;
    default:
      args = {};
      if (!e.annotation.empty()) s.annotation = texts_.number(e.annotation.substr(0, kMaxName));
      if (is_device_work(e.kind)) {
        devices_.try_emplace(e.device);
        if (e.correlation) nesting_.add_work(e.correlation, e.device);
      }
      break;
  }
  if (e.kind != EventKind::kOp && e.kind != EventKind::kCounter) {
    s.name = texts_.number(name);
    s.category = texts_.number(category);
  } else {
    s.name = s.category = texts_.number("");
  }
  s.name_size = s.name == Texts::kNone ? static_cast<uint32_t>(name.size()) : 0;
  s.category_size = s.category == Texts::kNone ? static_cast<uint32_t>(category.size()) : 0;
  s.args_size = static_cast<uint32_t>(args.size());
  record_.assign(reinterpret_cast<const char*>(&s), sizeof s);
  if (s.name_size) record_ += name;
  if (s.category_size) record_ += category;
  record_ += args;
  // When two end at once, the inner one comes first.
  events_.add({end, -start, 0}, record_);
}

uint32_t Builder::system_id(const Lane& lane) const { return number_in(lane.key, 0); }

// The device's number in the recording: its own, or a free one if another file has taken that.
uint32_t Builder::shown_device(uint32_t device) {
  const auto [at, added] = shown_devices_.try_emplace(device, device);
  if (added) {
    if (device >= (1u << 24)) at->second = 0;
    while (!kept_.insert(at->second).second) ++at->second;
  }
  return at->second;
}

void Builder::write_names(const FileFacts& facts) {
  uint32_t tracks = 0, threads = 0;
  for (Process& p : processes_) {
    p.track = session::TrackId(tracks++);
    session::TrackRecord record;
    record.id = p.track;
    record.process = writer_.process();
    record.kind = "process";
    record.name = p.name.empty() ? "process " + p.key : p.name;
    writer_.add(std::move(record));
  }
  // The thread with the number of its process is the main one, and comes first.
  std::vector<uint32_t> order(lanes_.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](uint32_t i) { return lanes_[i].key != processes_[lanes_[i].process].key; });
  for (const uint32_t i : order) {
    Lane& lane = lanes_[i];
    const std::string name = lane.name.empty() ? "thread " + lane.key : lane.name;
    if (lane.ops || lane.calls) {
      lane.thread = session::ThreadId(threads++);
      writer_.add(session::ThreadRecord{lane.thread, system_id(lane), name, writer_.process()});
    }
    if (!lane.spans) continue;
    lane.track = session::TrackId(tracks++);
    session::TrackRecord record;
    record.id = lane.track;
    record.process = writer_.process();
    record.parent = processes_[lane.process].track;
    record.kind = "thread";
    record.name = name;
    record.thread = lane.thread;
    writer_.add(std::move(record));
  }
  for (Counter& c : counters_) {
    c.track = session::TrackId(tracks++);
    session::TrackRecord record;
    record.id = c.track;
    record.process = writer_.process();
    record.parent = processes_[c.process].track;
    record.kind = c.is_memory ? session::TrackRecord::kMemory : "counter";
    record.name = c.name;
    if (c.device) record.device = session::DeviceNumber(shown_device(c.device - 1) + 1);
    writer_.add(std::move(record));
  }
  for (const auto& [device, description] : devices_) {
    const uint32_t shown = shown_device(device);
    std::string words = description;
    if (shown != device) words += str(words.empty() ? "" : ", ", "device ", device, " of rank ", facts.rank);
    writer_.add(session::DeviceNameRecord{session::DeviceNumber(shown + 1), str("/gpu:", shown), words,
                                          writer_.process()});
  }
}

Builder::Times Builder::finish(FileFacts facts, Progress& progress) {
  progress.part(0.5, 0.6);
  nesting_.sweep(locations_, progress, ops_ + spans_);
  write_names(facts);
  // Without a base, times may count from anywhere.
  int64_t shift = facts.base_ns;
  if (events_.size()) {
    int64_t begins = 0;
    if (__builtin_add_overflow(first_, shift, &begins) || begins <= 0) shift = begins <= 0 ? 1 - first_ : 0;
    if (first_ + shift <= 0 || last_ > session::kLatestTime - std::max<int64_t>(shift, 0)) shift = 1 - first_;
  }
  session::ProcessRecord process;
  process.id = writer_.process();
  process.rank = facts.rank;
  process.world = facts.world;
  process.host = facts.host;
  process.pid = facts.pid;
  process.engine = facts.engine;
  process.engine_version = facts.engine_version;
  process.adapter = facts.format;
  writer_.add(std::move(process));
  progress.part(0.6, 0.95);
  const uint64_t count = events_.size();
  uint64_t seen = 0;
  Rows rows(*this, shift);
  events_.merge([&](const SortKey& key, std::string_view record) {
    if ((seen++ & 0x3FFF) == 0) progress.at(static_cast<double>(seen) / static_cast<double>(count));
    rows.add(key, record);
  });
  rows.flush();
  locations_.write(writer_);
  if (locations_.is_full()) leave_out("stacks", "the file has too many different ones");
  if (rows.impossible()) leave_out("events", "their times are impossible", rows.impossible());
  for (const auto& [what, number] : left_out_) writer_.add_dropped(what.first, what.second, number);
  writer_.flush();
  if (!count) return {};
  return {first_ + shift, last_ + shift};
}

}  // namespace footlight::foreign
