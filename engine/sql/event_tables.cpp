// What happened at a high rate: ops, calls, device work, spans, counters, waits.
#include "engine/sql/columns.h"

namespace footlight::sql {
namespace {

using namespace session;
using L = Lookup;
using Op = ChunkRow<OpColumns>;
using Call = ChunkRow<std::vector<CallRecord>>;
using Device = ChunkRow<std::vector<DeviceRecord>>;
using Spans = ChunkRow<std::vector<SpanRecord>>;
using Counter = ChunkRow<std::vector<CounterRecord>>;
using Wait = ChunkRow<std::vector<WaitRecord>>;

const SignatureRecord* signature_of(L& l, const Op& r) { return l.reader.signature(r.chunk->signature[r.at]); }
Kept graph_name(L& l, GraphId id) {
  const GraphRecord* graph = l.reader.graph(id);
  return {graph ? std::string_view(graph->name) : std::string_view()};
}
Kept node_name(L& l, GraphId graph, NodeId id) {
  const NodeRecord* node = l.names.node(graph, id);
  return {node ? std::string_view(node->name) : std::string_view()};
}
Kept track_name(L& l, TrackId id) {
  const TrackRecord* track = l.reader.track(id);
  return {track ? std::string_view(track->name) : std::string_view()};
}

Kept place_of_op(L& l, const Op& r) {
  if (const NodeRecord* node = l.names.node(r.chunk->graph[r.at], r.chunk->node[r.at]))
    return {l.names.place(node->source, node->location)};
  return {l.names.place(r.chunk->source(r.at), r.chunk->location[r.at])};
}

Columns<Op> op_columns() {
  Columns<Op> c;
  c.add_start("start_ns", "when it began", [](L&, const Op& r) { return Time{r.chunk->start_ns[r.at]}; });
  c.add("duration_ns", "how long it took",
        [](L&, const Op& r) { return length(r.chunk->start_ns[r.at], r.chunk->end_ns[r.at]); });
  c.add("op_id", "device work names it so", [](L&, const Op& r) { return r.chunk->id[r.at]; });
  c.add("op", "MatMul", [](L& l, const Op& r) { return l.names.op(r.chunk->op[r.at]); });
  c.add("family", "product", [](L& l, const Op& r) {
    const OpNameRecord* op = l.reader.op_name(r.chunk->op[r.at]);
    return Kept{op ? std::string_view(op->family) : std::string_view()};
  });
  c.add("traced", "1 inside a traced call, 0 if it ran eagerly",
        [](L&, const Op& r) { return r.chunk->call[r.at].valid(); });
  c.add("thread", "that started it", [](L& l, const Op& r) { return l.names.thread(r.chunk->thread[r.at]); });
  c.add("thread_id", "number of that thread", [](L&, const Op& r) { return r.chunk->thread[r.at]; });
  c.add("device", "that it ran on", [](L& l, const Op& r) { return l.names.device(r.chunk->device[r.at]); });
  c.add("inputs", "float32[32,784], float32[784,128]", [](L& l, const Op& r) {
    const SignatureRecord* s = signature_of(l, r);
    return Kept{s ? std::string_view(s->inputs) : std::string_view()};
  });
  c.add("outputs", "float32[32,128]", [](L& l, const Op& r) {
    const SignatureRecord* s = signature_of(l, r);
    return Kept{s ? std::string_view(s->outputs) : std::string_view()};
  });
  c.add("input_bytes", "of all inputs", [](L& l, const Op& r) {
    const SignatureRecord* s = signature_of(l, r);
    return s ? std::optional(s->input_bytes) : std::nullopt;
  });
  c.add("output_bytes", "of all outputs", [](L& l, const Op& r) {
    const SignatureRecord* s = signature_of(l, r);
    return s ? s->output_bytes : uint64_t{r.chunk->bytes[r.at]};
  });
  c.add("flops", "operations on numbers", [](L& l, const Op& r) {
    const SignatureRecord* s = signature_of(l, r);
    return s ? std::optional(s->flops) : std::nullopt;
  });
  c.add("call_id", "the traced call that it belongs to", [](L&, const Op& r) { return r.chunk->call[r.at]; });
  c.add("graph", "that has its node", [](L& l, const Op& r) { return graph_name(l, r.chunk->graph[r.at]); });
  c.add("graph_id", "number of that graph", [](L&, const Op& r) { return r.chunk->graph[r.at]; });
  c.add("node", "hidden/Relu",
        [](L& l, const Op& r) { return node_name(l, r.chunk->graph[r.at], r.chunk->node[r.at]); });
  c.add("node_id", "number of the node in its graph", [](L&, const Op& r) { return r.chunk->node[r.at]; });
  c.add("source", "train.py:14", [](L& l, const Op& r) { return place_of_op(l, r); });
  return c;
}

Columns<Call> call_columns() {
  Columns<Call> c;
  c.add_start("start_ns", "when it began", [](L&, const Call& r) { return Time{r->start_ns}; });
  c.add("duration_ns", "how long it took", [](L&, const Call& r) { return length(r->start_ns, r->end_ns); });
  c.add("call_id", "ops name it so", [](L&, const Call& r) { return r->id; });
  c.add("function", "that was called", [](L& l, const Call& r) { return l.names.function(r->function); });
  c.add("function_id", "number of that function", [](L&, const Call& r) { return r->function; });
  c.add("trace", "number of the trace that served it", [](L& l, const Call& r) { return number_of(l, r->trace); });
  c.add("trace_id", "id of that trace", [](L&, const Call& r) { return r->trace; });
  c.add("outcome", "hit, trace, eager, failed", [](L&, const Call& r) { return Kept{query::word(r->outcome)}; });
  c.add("thread", "that called", [](L& l, const Call& r) { return l.names.thread(r->thread); });
  c.add("thread_id", "number of that thread", [](L&, const Call& r) { return r->thread; });
  c.add("parent_id", "the call in which it was made", [](L&, const Call& r) { return r->parent; });
  c.add("source", "train.py:14", [](L& l, const Call& r) { return Kept{l.names.place(r->source, r->location)}; });
  return c;
}

Columns<Device> device_columns() {
  Columns<Device> c;
  c.add_start("start_ns", "when it began", [](L&, const Device& r) { return Time{r->start_ns}; });
  c.add("duration_ns", "how long it took", [](L&, const Device& r) { return length(r->start_ns, r->end_ns); });
  c.add("device_row", "number of the row", [](L&, const Device& r) { return r.row; });
  c.add("kind", "kernel, memcpy, memset, runtime, driver, overhead, sync",
        [](L&, const Device& r) { return std::string(r->kind); });
  c.add("name", "of the kernel or the call", [](L&, const Device& r) { return std::string(r->name); });
  c.add("device", "as CUPTI numbers it", [](L&, const Device& r) { return r->device; });
  c.add("stream", "as CUPTI numbers it", [](L&, const Device& r) { return r->stream; });
  c.add("context", "as CUPTI numbers it", [](L&, const Device& r) { return r->context; });
  c.add("system_thread", "as the system knows it, of calls", [](L&, const Device& r) { return r->thread; });
  c.add("correlation", "the same for a call and the work it asked for",
        [](L&, const Device& r) { return r->correlation; });
  c.add("op_id", "the op that caused it",
        [](L&, const Device& r) { return r->op_event ? std::optional(r->op_event) : std::nullopt; });
  c.add("call_id", "the traced call that caused it", [](L&, const Device& r) { return r->call; });
  c.add("bytes", "that were moved", [](L&, const Device& r) { return r->bytes; });
  c.add("graph", "that has the node", [](L& l, const Device& r) { return graph_name(l, r->graph); });
  c.add("graph_id", "number of that graph", [](L&, const Device& r) { return r->graph; });
  c.add("node", "that caused it, where there is no op", [](L& l, const Device& r) {
    return node_name(l, r->graph, r->node);
  });
  c.add("node_id", "number of that node in its graph", [](L&, const Device& r) { return r->node; });
  c.add("annotation", "what the program called this part of itself",
        [](L&, const Device& r) { return std::string(r->annotation); });
  return c;
}

Columns<Spans> span_columns() {
  Columns<Spans> c;
  c.add_start("start_ns", "when it began", [](L&, const Spans& r) { return Time{r->start_ns}; });
  c.add("duration_ns", "how long it took", [](L&, const Spans& r) { return length(r->start_ns, r->end_ns); });
  c.add("track", "that it lies on", [](L& l, const Spans& r) { return track_name(l, r->track); });
  c.add("track_id", "number of that track", [](L&, const Spans& r) { return r->track; });
  c.add("name", "what is shown", [](L&, const Spans& r) { return std::string(r->name); });
  c.add("category", "what spans of one kind have in common",
        [](L&, const Spans& r) { return std::string(r->category); });
  c.add("args", "more about it, as a JSON object", [](L&, const Spans& r) { return std::string(r->args); });
  c.add("source", "train.py:14", [](L& l, const Spans& r) { return Kept{l.names.place({}, r->location)}; });
  return c;
}

}  // namespace

void add_event_tables(Lookup& lookup, std::vector<std::unique_ptr<Table>>& to) {
  add_chunks<std::vector<CallRecord>>(lookup, to, "calls", "Calls of functions that are traced.", call_columns());
  add_chunks<OpColumns>(lookup, to, "ops", "Ops that ran.", op_columns());
  add_chunks<std::vector<DeviceRecord>>(lookup, to, "device", "Work on devices, and the calls that asked for it.",
                                        device_columns());
  add_chunks<std::vector<SpanRecord>>(lookup, to, "spans",
                                      "What took time and is no op and no call: stages of a pipeline, for example.",
                                      span_columns());
  Columns<Counter> counters;
  counters.add_start("time_ns", "when", [](L&, const Counter& r) { return Time{r->time_ns}; });
  counters.add("counter", "what is counted", [](L& l, const Counter& r) { return track_name(l, r->track); });
  counters.add("track_id", "number of its track", [](L&, const Counter& r) { return r->track; });
  counters.add("value", "how much, from here on", [](L&, const Counter& r) { return r->value; });
  add_chunks<std::vector<CounterRecord>>(lookup, to, "counters",
                                         "Numbers over time: bytes in use, elements in a queue.", std::move(counters));
  Columns<Wait> waits;
  waits.add_start("start_ns", "when it began", [](L&, const Wait& r) { return Time{r->start_ns}; });
  waits.add("duration_ns", "how long it took", [](L&, const Wait& r) { return length(r->start_ns, r->end_ns); });
  waits.add("function", "that was being traced", [](L& l, const Wait& r) { return l.names.function(r->function); });
  waits.add("function_id", "number of that function", [](L&, const Wait& r) { return r->function; });
  waits.add("thread", "that waited", [](L& l, const Wait& r) { return l.names.thread(r->thread); });
  waits.add("thread_id", "number of that thread", [](L&, const Wait& r) { return r->thread; });
  waits.add("source", "of the call", [](L& l, const Wait& r) { return Kept{l.names.place(r->source)}; });
  add_chunks<std::vector<WaitRecord>>(lookup, to, "waits", "Waits of threads until another one had traced a function.",
                                      std::move(waits));
}

}  // namespace footlight::sql
