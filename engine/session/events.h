// Events that come at a high rate and are kept in chunks of columns: ops, calls, device work, spans, counters. A new
// kind needs its record here, a line in EventChunks below, and code that writes it.
#pragma once

#include "engine/base/recording.h"
#include "engine/session/records/ids.h"

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace footlight::session {

// Op events as a struct of arrays; all vectors are equally long.
struct OpColumns {
  std::vector<int64_t> start_ns, end_ns;
  std::vector<uint64_t> id;      // unique in the session; DeviceRecord::op_event names it
  std::vector<CallId> call;      // the traced call; none: eager
  std::vector<CodeId> code;      // with offset, the SourceRef of an eager op
  std::vector<uint32_t> offset;
  std::vector<GraphId> graph;    // with node, the place of a traced op
  std::vector<NodeId> node;
  std::vector<uint32_t> bytes;   // bytes of the outputs in sessions of version 1; later the signature has them
  std::vector<OpNumber> op;
  std::vector<ThreadId> thread;
  std::vector<DeviceNumber> device;
  std::vector<SignatureId> signature;
  std::vector<LocationId> location;  // of an op with a code object: the user's line, where a library ran the op

  size_t size() const { return start_ns.size(); }
  SourceRef source(size_t i) const { return {code[i], offset[i]}; }
  void append(uint16_t thread_number, uint64_t event_id, const OpEvent& event, LocationId caller = {});

  static constexpr TableNote kTable{"op_chunk", "Ops that ran."};
  static constexpr const char* kPlural = "op events";
  static void describe(auto& f) {
    using R = OpColumns;
    f.column("start_ns", &R::start_ns, "when it began", {.unit = "ns"});
    f.duration("duration_ns", &R::end_ns, &R::start_ns, "how long it took", {.unit = "ns"});
    f.column("id", &R::id, "device work names by it what caused it", {.of_process = true});
    f.column("call", &R::call, "the traced call that it belongs to; none: eager");
    f.column("code", &R::code, "eager: code object of the user's line");
    f.column("offset", &R::offset, "eager: instruction in it", {.unit = "bytes"});
    f.column("graph", &R::graph, "traced: the graph that holds the node", {.since = 3});
    f.column("node", &R::node, "traced: the node that ran");
    f.column("bytes", &R::bytes, "of the outputs, in version 1", {.unit = "bytes"});
    f.column("op", &R::op, "which op");
    f.column("thread", &R::thread, "that started it");
    f.column("device", &R::device, "it ran on");
    f.column("signature", &R::signature, "what it ran on", {.since = 2});
    f.column("location", &R::location, "where it was called, if it has no code object or a library ran it",
             {.since = 3});
  }
};

constexpr const char* kCallOutcomes[] = {"hit", "trace", "eager", "failed", "dispatch miss", "compile"};
constexpr std::span<const char* const> enumerators(CallOutcome) { return kCallOutcomes; }

struct CallRecord {
  CallId id;
  FunctionId function;
  TraceId trace;
  CallOutcome outcome = CallOutcome::kHit;
  ThreadId thread;
  int64_t start_ns = 0, end_ns = 0;
  SourceRef source;
  CallId parent = {};
  KeyId key = {};
  LocationId location = {};

  static constexpr TableNote kTable{"call_chunk", "Calls of functions that are traced."};
  static constexpr const char* kPlural = "calls";
  static void describe(auto& f) {
    using R = CallRecord;
    f.column("start_ns", &R::start_ns, "when it began", {.unit = "ns"});
    f.duration("duration_ns", &R::end_ns, &R::start_ns, "how long it took", {.unit = "ns"});
    f.column("id", &R::id, "op events name it so");
    f.column("function", &R::function, "that was called");
    f.column("trace", &R::trace, "that served it");
    f.column("outcome", &R::outcome, "how it ended");
    f.column("thread", &R::thread, "that called");
    f.column("source", &R::source, "code object and instruction of the call");
    f.column("parent", &R::parent, "the call in which it was made", {.since = 3});
    f.column("key", &R::key, "what it asked for, in call_key", {.since = 3});
    f.column("location", &R::location, "of the call, where there is no code object", {.since = 3});
  }
};

// A kernel, copy, memset or API call as CUPTI reported it.
struct DeviceRecord {
  std::string kind;
  std::string name;
  int64_t start_ns = 0, end_ns = 0;
  uint32_t device = 0, context = 0, stream = 0, thread = 0;
  uint32_t correlation = 0;
  uint64_t op_event = 0;  // 0: unknown
  CallId call;
  uint64_t bytes = 0;
  GraphId graph = {};
  NodeId node = {};
  std::string annotation = {};

  static constexpr TableNote kTable{"device_chunk", "Work on devices, and the calls that asked for it."};
  static constexpr const char* kPlural = "device events";
  static void describe(auto& f) {
    using R = DeviceRecord;
    f.column("kind", &R::kind, "kernel, memcpy, memset, runtime, driver, overhead, sync");
    f.column("name", &R::name, "of the kernel or the call");
    f.column("start_ns", &R::start_ns, "when it began; 0: unknown", {.unit = "ns"});
    f.duration("duration_ns", &R::end_ns, &R::start_ns, "how long it took", {.unit = "ns"});
    f.column("device", &R::device, "as CUPTI numbers it");
    f.column("context", &R::context, "as CUPTI numbers it");
    f.column("stream", &R::stream, "as CUPTI numbers it");
    f.column("thread", &R::thread, "as the system knows it, of calls");
    f.column("correlation", &R::correlation, "the same for a call and the work it asked for");
    f.column("op_event", &R::op_event, "id of the op event that caused it; 0: unknown", {.of_process = true});
    f.column("call", &R::call, "the traced call that caused it");
    f.column("bytes", &R::bytes, "that were moved", {.unit = "bytes"});
    f.column("graph", &R::graph, "that holds the node", {.since = 3});
    f.column("node", &R::node, "that caused it, where there is no op event", {.since = 3});
    f.column("annotation", &R::annotation, "what the program called this part of itself", {.since = 3});
  }
};

// Anything but an op or a call: a phase of a start-up, a step of training, a wait for data.
struct SpanRecord {
  TrackId track;
  int64_t start_ns = 0, end_ns = 0;
  std::string name, category;
  std::string args = {};  // a JSON object, or nothing
  LocationId location = {};
  uint64_t flow_in = 0, flow_out = 0;
  SpanId id = {}, link = {};

  static constexpr const char* kMachineCode = "machine code";  // name and category: a fused loop was compiled

  static constexpr TableNote kTable{"span_chunk", "What took time and is no op and no call.", 3};
  static constexpr const char* kPlural = "spans";
  static void describe(auto& f) {
    using R = SpanRecord;
    f.column("track", &R::track, "that it lies on");
    f.column("start_ns", &R::start_ns, "when it began", {.unit = "ns"});
    f.duration("duration_ns", &R::end_ns, &R::start_ns, "how long it took", {.unit = "ns"});
    f.column("name", &R::name, "what is shown");
    f.column("category", &R::category, "what spans of one kind have in common");
    f.column("args", &R::args, "more about it, as a JSON object");
    f.column("location", &R::location, "of the code that it is about");
    f.column("flow_in", &R::flow_in, "number of an arrow that ends here; 0: none", {.of_process = true});
    f.column("flow_out", &R::flow_out, "number of an arrow that begins here; 0: none", {.of_process = true});
    f.column("id", &R::id, "other spans name it so");
    f.column("link", &R::link, "a span that belongs to it");
  }
};

struct CounterRecord {
  TrackId track;
  int64_t time_ns = 0;
  double value = 0;

  static constexpr TableNote kTable{"counter_chunk",
                                    "Numbers over time: memory in use, the loss, a queue's length.", 3};
  static constexpr const char* kPlural = "counters";
  static void describe(auto& f) {
    using R = CounterRecord;
    f.column("track", &R::track, "that says what is counted");
    f.column("time_ns", &R::time_ns, "when", {.unit = "ns"});
    f.column("value", &R::value, "how much, from here on");
  }
};

// A thread that called a function while another was tracing it.
struct WaitRecord {
  FunctionId function;
  ThreadId thread;
  int64_t start_ns = 0, end_ns = 0;
  SourceRef source = {};

  static constexpr TableNote kTable{"wait_chunk", "Waits of threads until another one had traced a function.", 3};
  static constexpr const char* kPlural = "waits";
  static void describe(auto& f) {
    using R = WaitRecord;
    f.column("function", &R::function, "that was being traced");
    f.column("thread", &R::thread, "that waited");
    f.column("start_ns", &R::start_ns, "when it began", {.unit = "ns"});
    f.duration("duration_ns", &R::end_ns, &R::start_ns, "how long it took", {.unit = "ns"});
    f.column("source", &R::source, "code object and instruction of the call");
  }
};

// The kinds of chunks. Their place in this list is their number in a chunk's header: append only.
using EventChunks = std::tuple<OpColumns, std::vector<CallRecord>, std::vector<DeviceRecord>, std::vector<SpanRecord>,
                               std::vector<CounterRecord>, std::vector<WaitRecord>>;

// What is known of a chunk without decoding it.
struct ChunkInfo {
  int64_t first_ns = 0, last_ns = 0;  // least start, greatest end
  uint32_t count = 0;
  uint64_t first_row = 0;             // number of rows in the chunks before it
};

}  // namespace footlight::session
