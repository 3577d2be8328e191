// Opens what the fuzzer made and touches everything in it.
#include "tests/fuzz/session_input.h"

#include "engine/base/errors.h"
#include "engine/explain/compare/recorded.h"
#include "engine/explain/report.h"
#include "engine/explain/values.h"
#include "engine/query/line_sums.h"
#include "engine/session/bytes.h"
#include "engine/session/chunk.h"
#include "engine/session/log.h"
#include "engine/session/reader.h"
#include "engine/session/schema.h"
#include "engine/session/writer.h"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace footlight::fuzz {
namespace {
using namespace session;

const std::string& scratch_file() {
  static const std::string path = [] {
    const char* base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    return std::string(base) + "/footlight-fuzz-" + std::to_string(getpid());
  }();
  return path;
}

void put(std::string_view bytes, const char* suffix = "") {
  Descriptor file(open((scratch_file() + suffix).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file || write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) _exit(77);
}

Compared seen;

// What the Compare view and its command do: errors are for the user.
void compare(const Reader& r) {
  try {
    for (const explain::Comparison& c : explain::comparisons_of(r))
      if (explain::sentence_of(c).empty() || explain::worth_of(c).size() > 4096) std::abort();
      else seen.repeated += c.pairs > 0;
  } catch (const Error&) {
  }
  std::vector<std::string> sides{""};
  for (const auto& [name, id] : explain::function_names(r.contents().functions))
    if (sides.size() < 4) sides.insert(sides.end(), {name, name + "#1", name + ":1"});
  for (const std::string& side : sides) {
    try {
      const explain::Recorded what = explain::recorded_named(side);
      const explain::Comparison c = explain::compare_recorded({r, "a", what}, {r, "b", what}, [] {});
      if (c.difference.mean != 0) std::abort();  // of a thing with itself
      ++seen.recorded;
    } catch (const Error&) {
    }
  }
}

void touch(Reader& r) {
  uint64_t sum = 0;
  for (const GraphRecord& g : r.contents().graphs) {
    for (const NodeRecord& n : g.nodes) {
      const auto place = r.place(n.source);
      sum += static_cast<uint64_t>(place.line) + (r.file(place.file) != nullptr);
    }
  }
  for (const TraceRecord& t : r.contents().traces)
    sum += (r.trace(t.nearest) != nullptr) + (r.graph(t.graph()) != nullptr) + (r.function(t.function) != nullptr);
  sum += static_cast<uint64_t>(r.first_time()) + static_cast<uint64_t>(r.last_time());
  const auto each = [&](const auto& store) {
    for (size_t i = 0; i < std::min<size_t>(store.index().size(), 50); ++i) {
      try {
        sum += store.chunk(i)->size();
      } catch (const Error&) {
      }
    }
  };
  const explain::FindNode nodes = [&](GraphId graph, NodeId node) -> const NodeRecord* {
    const GraphRecord* const g = r.graph(graph);
    return g && node.value < g->nodes.size() ? &g->nodes[node.value] : nullptr;
  };
  for (const CallValues& call : r.contents().values) {
    sum += explain::story_text(nodes, explain::story_of(call)).size();
    sum += explain::checked_text(explain::checked_calls(r.contents().checked_calls, call.function)).size();
    for (const TensorValue& value : call.values) {
      sum += explain::why_not_finite(nodes, value).size() + explain::non_finite_text(value).size();
      for (const ValuePlace& place : value.places)
        sum += explain::place_text(explain::sizes_of_value(value), place.index).size();
      sum += explain::kept_element(value, explain::kept_elements(value) - 1) > 0;
    }
  }
  each(r.op_events());
  each(r.calls());
  each(r.device_events());
  each(r.spans());
  each(r.counters());
  sum += explain::make_report(r).findings.size();
  compare(r);
  std::vector<TraceId> traces;
  for (const TraceRecord& t : r.contents().traces)
    if (traces.size() < 8) traces.push_back(t.id);
  sum += query::line_sums(r, traces, {}).lines.size();
  r.refresh();
  volatile uint64_t kept = sum;
  static_cast<void>(kept);
}

// Making a database is slow: only one input in eight, always the same ones.
void open_and_finish(bool finish) {
  try {
    touch(*Reader::open(scratch_file()));
    if (!finish) return;
    const std::string finished = scratch_file() + ".finished";
    finish_log(scratch_file(), finished);
    touch(*Reader::open(finished));
    unlink(finished.c_str());
  } catch (const Error&) {
  }
}

// Reading must not change the files beside the session, whatever they contain.
void side_files(std::string_view input) {
  const char* const suffixes[] = {"", "-wal", "-journal"};
  std::string_view parts[3];
  for (std::string_view& part : parts) {
    uint32_t length;
    if (input.size() < sizeof length) break;
    std::memcpy(&length, input.data(), sizeof length);
    input.remove_prefix(sizeof length);
    part = input.substr(0, length);
    input.remove_prefix(part.size());
  }
  for (int i = 0; i < 3; ++i) put(parts[i], suffixes[i]);
  try {
    touch(*Reader::open(scratch_file()));
  } catch (const Error&) {
  }
  std::string is;
  for (int i = 0; i < 3; ++i) {
    is.assign(parts[i].size() + 1, '\0');
    const Descriptor file(open((scratch_file() + suffixes[i]).c_str(), O_RDONLY | O_CLOEXEC));
    const ssize_t n = read(file.get(), is.data(), is.size());
    if (n != static_cast<ssize_t>(parts[i].size()) || parts[i] != std::string_view(is).substr(0, parts[i].size()))
      std::abort();
  }
}

// Input: payloads, each preceded by its length in two bytes.
void frames(std::string_view input) {
  std::string log(kHeaderSize, '\0');
  std::copy(kLogMagic.begin(), kLogMagic.end(), log.begin());
  std::memcpy(log.data() + 16, &kVersion, 4);
  std::memcpy(log.data() + 20, &kHeaderSize, 4);
  while (input.size() > 2) {
    uint16_t length;
    std::memcpy(&length, input.data(), 2);
    input.remove_prefix(2);
    const std::string_view payload = input.substr(0, length);
    append_frame(log, payload);
    input.remove_prefix(payload.size());
  }
  put(log);
  open_and_finish(checksum(log) % 8 == 0);
}

// Input: two bytes of row count (highest bit: version 1, whose columns have no names), then the bytes to compress.
template <class Chunk>
void columns(uint8_t kind, std::string_view input) {
  if (input.size() < 2) return;
  uint16_t rows;
  std::memcpy(&rows, input.data(), 2);
  input.remove_prefix(2);
  ByteWriter out;
  out.u8(rows & 0x8000 ? 1 : 3);
  rows &= 0x7fff;
  out.u8(kind);
  out.u32(rows);
  out.u32(static_cast<uint32_t>(input.size()));
  std::string frame(ZSTD_compressBound(input.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), input.data(), input.size(), 1));
  out.raw(frame.data(), frame.size());
  Chunk chunk;
  try {
    decode_chunk(out.bytes(), rows, chunk);
    if (rows) decode_chunk(encode_chunk(chunk), rows, chunk);
  } catch (const Error&) {
  }
}

}  // namespace

const Compared& compared() { return seen; }

void read_session(std::string_view input) {
  if (input.empty()) return;
  const auto mode = static_cast<uint8_t>(input[0]);
  input.remove_prefix(1);
  struct Cleanup {
    ~Cleanup() {
      for (const char* suffix : {"", "-wal", "-journal"}) unlink((scratch_file() + suffix).c_str());
    }
  } cleanup;
  switch (mode % kModes) {
    case kFile:
      put(input);
      open_and_finish(checksum(input) % 8 == 0);
      break;
    case kFrames: frames(input); break;
    case kOpColumns: columns<OpColumns>(1, input); break;
    case kCallColumns: columns<std::vector<CallRecord>>(2, input); break;
    case kDeviceColumns: columns<std::vector<DeviceRecord>>(3, input); break;
    case kSpanColumns: columns<std::vector<SpanRecord>>(4, input); break;
    case kCounterColumns: columns<std::vector<CounterRecord>>(5, input); break;
    case kSideFiles: side_files(input); break;
    default: break;
  }
}

}  // namespace footlight::fuzz
