// Tables of frequent events: ops, calls, device work, spans, counters, waits.
#include "engine/session/users_line.h"
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

// The line itself where it is the user's own, and where it is not known which one called the library.
Kept user_place_of_op(L& l, const Op& r) {
  if (const NodeRecord* node = l.names.node(r.chunk->graph[r.at], r.chunk->node[r.at]))
    return {l.names.place(session::users_line(l.reader, *node))};
  const session::LocationId caller = r.chunk->location[r.at];
  return caller.valid() ? Kept{l.names.place({}, caller)} : place_of_op(l, r);
}

Columns<Op> op_columns() {
  Columns<Op> c;
  c.add_start("start_ns", "When it began", [](L&, const Op& r) { return Time{r.chunk->start_ns[r.at]}; });
  c.add("duration_ns", "How long it took",
        [](L&, const Op& r) { return length(r.chunk->start_ns[r.at], r.chunk->end_ns[r.at]); });
  c.add("op_id", "Number of this run of the op, as in the table device",
        [](L&, const Op& r) { return r.chunk->id[r.at]; });
  c.add("op", "Name of the op, such as MatMul", [](L& l, const Op& r) { return l.names.op(r.chunk->op[r.at]); });
  c.add("family", "Family of the op, such as product", [](L& l, const Op& r) {
    const OpNameRecord* op = l.reader.op_name(r.chunk->op[r.at]);
    return Kept{op ? std::string_view(op->family) : std::string_view()};
  });
  c.add("traced", "1 inside a traced call, 0 where the op ran eagerly or while tracing",
        [](L&, const Op& r) { return r.chunk->call[r.at].valid(); });
  c.add("while_tracing", "1 outside of a traced call where its thread was tracing: it was evaluated for a graph",
        [](L& l, const Op& r) {
          return !r.chunk->call[r.at].valid() && l.tracing().contain(r.chunk->thread[r.at], r.chunk->start_ns[r.at]);
        });
  c.add("thread", "Name of the thread that started it",
        [](L& l, const Op& r) { return l.names.thread(r.chunk->thread[r.at]); });
  c.add("thread_id", "Number of that thread", [](L&, const Op& r) { return r.chunk->thread[r.at]; });
  c.add("device", "Name of the device that it ran on",
        [](L& l, const Op& r) { return l.names.device(r.chunk->device[r.at]); });
  c.add("inputs", "Types and shapes of its inputs, such as float32[32,784]", [](L& l, const Op& r) {
    const SignatureRecord* s = signature_of(l, r);
    return Kept{s ? std::string_view(s->inputs) : std::string_view()};
  });
  c.add("outputs", "Types and shapes of its results, such as float32[32,128]", [](L& l, const Op& r) {
    const SignatureRecord* s = signature_of(l, r);
    return Kept{s ? std::string_view(s->outputs) : std::string_view()};
  });
  c.add("input_bytes", "Bytes of all inputs together", [](L& l, const Op& r) {
    const SignatureRecord* s = signature_of(l, r);
    return s ? std::optional(s->input_bytes) : std::nullopt;
  });
  c.add("output_bytes", "Bytes of all results together", [](L& l, const Op& r) {
    const SignatureRecord* s = signature_of(l, r);
    return s ? s->output_bytes : uint64_t{r.chunk->bytes[r.at]};
  });
  c.add("flops", "Floating-point operations", [](L& l, const Op& r) {
    const SignatureRecord* s = signature_of(l, r);
    return s ? std::optional(s->flops) : std::nullopt;
  });
  c.add("call_id", "Number of the traced call that it belongs to", [](L&, const Op& r) { return r.chunk->call[r.at]; });
  c.add("graph", "Name of the graph that has its node",
        [](L& l, const Op& r) { return graph_name(l, r.chunk->graph[r.at]); });
  c.add("graph_id", "Number of that graph", [](L&, const Op& r) { return r.chunk->graph[r.at]; });
  c.add("node", "Name of its node, such as hidden/Relu",
        [](L& l, const Op& r) { return node_name(l, r.chunk->graph[r.at], r.chunk->node[r.at]); });
  c.add("node_id", "Number of the node in its graph", [](L&, const Op& r) { return r.chunk->node[r.at]; });
  c.add("source", "Line of the program, such as train.py:14", [](L& l, const Op& r) { return place_of_op(l, r); });
  c.add("user_source", "The same line, or where a library ran the op the line that called the library",
        [](L& l, const Op& r) { return user_place_of_op(l, r); });
  return c;
}

Columns<Call> call_columns() {
  Columns<Call> c;
  c.add_start("start_ns", "When it began", [](L&, const Call& r) { return Time{r->start_ns}; });
  c.add("duration_ns", "How long it took", [](L&, const Call& r) { return length(r->start_ns, r->end_ns); });
  c.add("call_id", "Number of the call, as in the table ops", [](L&, const Call& r) { return r->id; });
  c.add("function", "Name of the function that was called",
        [](L& l, const Call& r) { return l.names.function(r->function); });
  c.add("function_id", "Number of that function", [](L&, const Call& r) { return r->function; });
  c.add("trace", "Number of the trace that served it, among its function's",
        [](L& l, const Call& r) { return number_of(l, r->trace); });
  c.add("trace_id", "Number of that trace in the recording", [](L&, const Call& r) { return r->trace; });
  c.add("outcome", "How it was served: hit, trace, eager or failed",
        [](L&, const Call& r) { return Kept{query::word(r->outcome)}; });
  c.add("thread", "Name of the thread that called", [](L& l, const Call& r) { return l.names.thread(r->thread); });
  c.add("thread_id", "Number of that thread", [](L&, const Call& r) { return r->thread; });
  c.add("parent_id", "Number of the call in which it was made", [](L&, const Call& r) { return r->parent; });
  c.add("source", "Line of the program, such as train.py:14",
        [](L& l, const Call& r) { return Kept{l.names.place(r->source, r->location)}; });
  return c;
}

Columns<Device> device_columns() {
  Columns<Device> c;
  c.add_start("start_ns", "When it began", [](L&, const Device& r) { return Time{r->start_ns}; });
  c.add("duration_ns", "How long it took", [](L&, const Device& r) { return length(r->start_ns, r->end_ns); });
  c.add("device_row", "Number of the row", [](L&, const Device& r) { return r.row; });
  c.add("kind", "Kind of work: kernel, memcpy, memset, runtime, driver, overhead or sync",
        [](L&, const Device& r) { return std::string(r->kind); });
  c.add("name", "Name of the kernel or of the API call", [](L&, const Device& r) { return std::string(r->name); });
  c.add("device", "Number of the device, as CUPTI counts", [](L&, const Device& r) { return r->device; });
  c.add("stream", "Number of the stream, as CUPTI counts", [](L&, const Device& r) { return r->stream; });
  c.add("context", "Number of the context, as CUPTI counts", [](L&, const Device& r) { return r->context; });
  c.add("system_thread", "Number of the calling thread, as the system counts",
        [](L&, const Device& r) { return r->thread; });
  c.add("correlation", "Number that an API call and the work that it started share",
        [](L&, const Device& r) { return r->correlation; });
  c.add("op_id", "Number of the run of the op that caused it",
        [](L&, const Device& r) { return r->op_event ? std::optional(r->op_event) : std::nullopt; });
  c.add("call_id", "Number of the traced call that caused it", [](L&, const Device& r) { return r->call; });
  c.add("bytes", "Bytes that were moved", [](L&, const Device& r) { return r->bytes; });
  c.add("graph", "Name of the graph that has the node", [](L& l, const Device& r) { return graph_name(l, r->graph); });
  c.add("graph_id", "Number of that graph", [](L&, const Device& r) { return r->graph; });
  c.add("node", "Name of the node that caused it, where no op is known", [](L& l, const Device& r) {
    return node_name(l, r->graph, r->node);
  });
  c.add("node_id", "Number of that node in its graph", [](L&, const Device& r) { return r->node; });
  c.add("annotation", "Name that the program gave this part of itself",
        [](L&, const Device& r) { return std::string(r->annotation); });
  return c;
}

Columns<Spans> span_columns() {
  Columns<Spans> c;
  c.add_start("start_ns", "When it began", [](L&, const Spans& r) { return Time{r->start_ns}; });
  c.add("duration_ns", "How long it took", [](L&, const Spans& r) { return length(r->start_ns, r->end_ns); });
  c.add("track", "Name of the track that it lies on", [](L& l, const Spans& r) { return track_name(l, r->track); });
  c.add("track_id", "Number of that track", [](L&, const Spans& r) { return r->track; });
  c.add("name", "Text that the timeline shows", [](L&, const Spans& r) { return std::string(r->name); });
  c.add("category", "Name that spans of one kind share",
        [](L&, const Spans& r) { return std::string(r->category); });
  c.add("args", "Further facts, as a JSON object", [](L&, const Spans& r) { return std::string(r->args); });
  c.add("stage", "Stage of a pipeline, with the function that it runs, such as map(parse)", [](L& l, const Spans& r) {
    const Lookup::Stage* stage = l.stage(r->track);
    return Kept{stage ? std::string_view(stage->name) : std::string_view()};
  });
  c.add("stage_id", "Number of that stage: the same in all iterations over its pipeline", [](L& l, const Spans& r) {
    const Lookup::Stage* stage = l.stage(r->track);
    return stage ? stage->number : session::TrackId();
  });
  c.add("source", "Line of the program, such as train.py:14; of a stage, where it was added",
        [](L& l, const Spans& r) {
          const TrackRecord* track = l.stage(r->track) ? l.reader.track(r->track) : nullptr;
          return Kept{track && !r->location.valid() ? l.names.place(track->source) : l.names.place({}, r->location)};
        });
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
  counters.add_start("time_ns", "When it was counted", [](L&, const Counter& r) { return Time{r->time_ns}; });
  counters.add("counter", "Name of what is counted", [](L& l, const Counter& r) { return track_name(l, r->track); });
  counters.add("track_id", "Number of its track", [](L&, const Counter& r) { return r->track; });
  counters.add("value", "Value from this time on", [](L&, const Counter& r) { return r->value; });
  add_chunks<std::vector<CounterRecord>>(lookup, to, "counters",
                                         "Numbers over time: bytes in use, elements in a queue.", std::move(counters));
  Columns<Wait> waits;
  waits.add_start("start_ns", "When it began", [](L&, const Wait& r) { return Time{r->start_ns}; });
  waits.add("duration_ns", "How long it took", [](L&, const Wait& r) { return length(r->start_ns, r->end_ns); });
  waits.add("function", "Name of the function that was being traced",
        [](L& l, const Wait& r) { return l.names.function(r->function); });
  waits.add("function_id", "Number of that function", [](L&, const Wait& r) { return r->function; });
  waits.add("thread", "Name of the thread that waited", [](L& l, const Wait& r) { return l.names.thread(r->thread); });
  waits.add("thread_id", "Number of that thread", [](L&, const Wait& r) { return r->thread; });
  waits.add("source", "Line of the call, such as train.py:14",
        [](L& l, const Wait& r) { return Kept{l.names.place(r->source)}; });
  add_chunks<std::vector<WaitRecord>>(lookup, to, "waits", "Waits of threads until another one had traced a function.",
                                      std::move(waits));
}

}  // namespace footlight::sql
