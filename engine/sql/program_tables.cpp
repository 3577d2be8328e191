// Functions, traces, and what was decided and seen while they were made.
#include "engine/sql/columns.h"

namespace footlight::sql {
namespace {

using namespace session;
using L = Lookup;
using Function = const FunctionRecord*;
using Trace = const TraceRecord*;
using Decision = const DecisionRecord*;
using Observation = const ObservationRecord*;
using Comparison = const ComparisonRecord*;
using Phase = Within<TraceRecord, PhaseRecord>;
using Leaf = Within<TraceRecord, KeyLeaf>;
using Miss = Within<TraceRecord, MissRecord>;
using Repetition = Within<ComparisonRecord, ComparisonRun>;

Columns<Function> function_columns() {
  Columns<Function> c;
  c.add("function", "its __qualname__", [](L& l, const Function& r) { return l.names.function(r->id); });
  c.add("function_id", "other tables name it so", [](L&, const Function& r) { return r->id; });
  c.add("kind", "tf.function, dataset, internal", [](L&, const Function& r) { return Kept{r->kind}; });
  c.add("options", "that it was made with", [](L&, const Function& r) { return Kept{r->options}; });
  c.add("parameters", "its parameters", [](L&, const Function& r) { return joined(r->parameters); });
  c.add("traces", "how many traces it has", [](L& l, const Function& r) {
    const auto& all = l.reader.contents().traces;
    return std::count_if(all.begin(), all.end(), [&](const TraceRecord& t) { return t.function == r->id; });
  });
  c.add("file", "where it is defined", [](L& l, const Function& r) { return l.names.path(r->file); });
  c.add("line", "of its def", [](L&, const Function& r) { return r->line; });
  c.add("parent_id", "the function that made it", [](L&, const Function& r) { return r->parent; });
  return c;
}

Columns<Trace> trace_columns() {
  Columns<Trace> c;
  c.add("function", "that was traced", [](L& l, const Trace& r) { return l.names.function(r->function); });
  c.add("function_id", "number of that function", [](L&, const Trace& r) { return r->function; });
  c.add("trace", "its number in the function", [](L&, const Trace& r) { return r->number; });
  c.add("trace_id", "other tables name it so", [](L&, const Trace& r) { return r->id; });
  c.add("reason", "what asked for it", [](L&, const Trace& r) { return Kept{query::word(r->reason)}; });
  c.add("kind", "trace, lower, compile", [](L&, const Trace& r) { return Kept{query::word(r->kind)}; });
  c.add("start_ns", "when it began", [](L&, const Trace& r) { return Time{r->start_ns}; });
  c.add("duration_ns", "how long it took", [](L&, const Trace& r) { return length(r->start_ns, r->end_ns); });
  c.add("signature", "f32[32,8] 0.1", [](L&, const Trace& r) { return Kept{r->signature}; });
  c.add("why", "why it was made", [](L&, const Trace& r) { return Kept{r->why}; });
  c.add("differing", "paths of the leaves in which its key differs from the nearest trace's",
        [](L&, const Trace& r) { return joined(r->differing); });
  c.add("captures", "what it uses that is no argument", [](L&, const Trace& r) { return joined(r->captures); });
  c.add("cached", "how many traces the function had before it", [](L&, const Trace& r) { return r->cached; });
  c.add("graph", "as it was traced", [](L& l, const Trace& r) {
    const GraphRecord* graph = l.reader.graph(r->graph());
    return Kept{graph ? std::string_view(graph->name) : std::string_view()};
  });
  c.add("graph_id", "number of that graph", [](L&, const Trace& r) { return r->graph(); });
  c.add("nodes", "how many nodes that graph has", [](L& l, const Trace& r) {
    const GraphRecord* graph = l.reader.graph(r->graph());
    return graph ? graph->nodes.size() : size_t{0};
  });
  c.add("error", "class and message, if it failed", [](L&, const Trace& r) { return Kept{r->error}; });
  c.add("source", "of the call", [](L& l, const Trace& r) { return Kept{l.names.place(r->source, r->location)}; });
  return c;
}

// The columns that say which trace a row belongs to.
template <class Row>
void add_trace(Columns<Row>& c) {
  c.add("function", "that was traced", [](L& l, const Row& r) { return l.names.function(r.of->function); });
  c.add("function_id", "number of that function", [](L&, const Row& r) { return r.of->function; });
  c.add("trace", "its number in the function", [](L&, const Row& r) { return r.of->number; });
  c.add("trace_id", "id of the trace", [](L&, const Row& r) { return r.of->id; });
}

Columns<Phase> phase_columns() {
  Columns<Phase> c;
  add_trace(c);
  c.add("phase", "python, autograph, optimize, compile", [](L&, const Phase& r) { return Kept{r.it->name}; });
  c.add("category", "trace, lower, compile", [](L&, const Phase& r) { return Kept{r.it->category}; });
  c.add("part_of", "the phase in which it lies", [](L&, const Phase& r) {
    const auto parent = static_cast<size_t>(r.it->parent);
    return Kept{parent < r.of->phases.size() ? std::string_view(r.of->phases[parent].name) : std::string_view()};
  });
  c.add("start_ns", "when it began", [](L&, const Phase& r) { return Time{r.it->start_ns}; });
  c.add("duration_ns", "how long it took", [](L&, const Phase& r) { return length(r.it->start_ns, r.it->end_ns); });
  return c;
}

Columns<Leaf> key_columns() {
  Columns<Leaf> c;
  add_trace(c);
  c.add("path", "args[0]", [](L&, const Leaf& r) { return Kept{r.it->path}; });
  c.add("parameter", "batch", [](L&, const Leaf& r) { return Kept{r.it->parameter}; });
  c.add("kind", "tensor, variable, literal, structure, object, callable, context, none",
        [](L&, const Leaf& r) { return Kept{r.it->kind}; });
  c.add("type", "float32", [](L&, const Leaf& r) { return Kept{r.it->type}; });
  c.add("shape", "32,8", [](L&, const Leaf& r) { return Kept{r.it->shape}; });
  c.add("value", "0.1", [](L&, const Leaf& r) { return Kept{r.it->value}; });
  c.add("side", "used: of the trace; asked: of the call",
        [](L&, const Leaf& r) { return Kept{query::word(r.it->side)}; });
  c.add("role", "key, guard, static, context", [](L&, const Leaf& r) { return Kept{query::word(r.it->role)}; });
  return c;
}

Columns<Miss> miss_columns() {
  Columns<Miss> c;
  add_trace(c);
  c.add("existing", "number of the trace that was there",
        [](L& l, const Miss& r) { return number_of(l, r.it->existing); });
  c.add("path", "of the leaf that differs", [](L&, const Miss& r) { return Kept{r.it->path}; });
  c.add("was", "in that trace", [](L&, const Miss& r) { return Kept{r.it->was}; });
  c.add("now", "in the call", [](L&, const Miss& r) { return Kept{r.it->now}; });
  c.add("words", "the engine's own", [](L&, const Miss& r) { return Kept{r.it->words}; });
  return c;
}

Columns<Decision> decision_columns() {
  Columns<Decision> c;
  c.add("function", "that was traced", [](L& l, const Decision& r) {
    const TraceRecord* trace = l.trace(r->trace);
    return trace ? l.names.function(trace->function) : std::string();
  });
  c.add("trace", "its number in the function", [](L& l, const Decision& r) { return number_of(l, r->trace); });
  c.add("trace_id", "id of the trace", [](L&, const Decision& r) { return r->trace; });
  c.add("file", "of the statement", [](L& l, const Decision& r) { return l.names.path(r->file); });
  c.add("line", "of the statement", [](L&, const Decision& r) { return r->line; });
  c.add("statement", "if, while, for", [](L&, const Decision& r) { return Kept{r->kind}; });
  c.add("fate", "staged, python, fallback", [](L&, const Decision& r) { return Kept{r->fate}; });
  c.add("note", "why", [](L&, const Decision& r) { return Kept{r->note}; });
  return c;
}

Columns<Observation> observation_columns() {
  Columns<Observation> c;
  c.add("kind", "what was seen", [](L&, const Observation& r) { return Kept{query::word(r->kind)}; });
  c.add("function", "that was traced", [](L& l, const Observation& r) { return l.names.function(r->function); });
  c.add("function_id", "number of that function", [](L&, const Observation& r) { return r->function; });
  c.add("trace_id", "the trace that it is about", [](L&, const Observation& r) { return r->trace; });
  c.add("time_ns", "when it was seen", [](L&, const Observation& r) { return Time{r->time_ns}; });
  c.add("path", "global RATE, self.scale, numpy.random", [](L&, const Observation& r) { return Kept{r->path}; });
  c.add("file", "where the line is", [](L& l, const Observation& r) { return l.names.path(r->file); });
  c.add("line", "that did it", [](L&, const Observation& r) { return r->line; });
  c.add("count", "how often", [](L&, const Observation& r) { return r->count; });
  c.add("spent_ns", "how long that took in all", [](L&, const Observation& r) { return r->spent_ns; });
  c.add("note", "more about it", [](L&, const Observation& r) { return Kept{r->note}; });
  return c;
}

Columns<Comparison> comparison_columns() {
  Columns<Comparison> c;
  c.add("comparison_id", "repetitions name it so", [](L&, const Comparison& r) { return r->id; });
  c.add("function", "that was called", [](L& l, const Comparison& r) { return l.names.function(r->function); });
  c.add("function_id", "number of that function", [](L&, const Comparison& r) { return r->function; });
  c.add("trace_id", "the trace that served it", [](L&, const Comparison& r) { return r->trace; });
  c.add("call", "whose arguments, from 1", [](L&, const Comparison& r) { return r->call; });
  c.add("start_ns", "when it began", [](L&, const Comparison& r) { return Time{r->start_ns}; });
  c.add("duration_ns", "how long it took", [](L&, const Comparison& r) { return length(r->start_ns, r->end_ns); });
  c.add("simulated", "1: the device is simulated", [](L&, const Comparison& r) { return r->simulated; });
  c.add("stopped", "why there were not more repetitions", [](L&, const Comparison& r) { return Kept{r->stopped}; });
  c.add("error", "why a repetition failed", [](L&, const Comparison& r) { return Kept{r->error}; });
  return c;
}

Columns<Repetition> repetition_columns() {
  Columns<Repetition> c;
  c.add("comparison_id", "that it belongs to", [](L&, const Repetition& r) { return r.of->id; });
  c.add("pair", "an eager and a traced one share it", [](L&, const Repetition& r) { return r.it->pair; });
  c.add("traced", "1: by the graph, 0: op by op", [](L&, const Repetition& r) { return r.it->traced; });
  c.add("warm_up", "1: it does not count", [](L&, const Repetition& r) { return r.it->warm_up; });
  c.add("with_events", "1: it was recorded in detail", [](L&, const Repetition& r) { return r.it->with_events; });
  c.add("start_ns", "when it began", [](L&, const Repetition& r) { return Time{r.it->start_ns}; });
  c.add("duration_ns", "how long it took",
        [](L&, const Repetition& r) { return length(r.it->start_ns, r.it->end_ns); });
  return c;
}

}  // namespace

void add_program_tables(Lookup& lookup, std::vector<std::unique_ptr<Table>>& to) {
  add_list<Function>(lookup, to, "functions", "Functions that are traced.",
                     [](L& l) { return all_of(l.reader.contents().functions); }, function_columns());
  add_list<Trace>(lookup, to, "traces", "Traces of functions.",
                  [](L& l) { return all_of(l.reader.contents().traces); }, trace_columns());
  add_list<Phase>(lookup, to, "phases", "What the time of traces went into.",
                  [](L& l) { return all_within(l.reader.contents().traces, &TraceRecord::phases); }, phase_columns());
  add_list<Leaf>(lookup, to, "keys", "The leaves of the keys of traces.",
                 [](L& l) { return all_within(l.reader.contents().traces, &TraceRecord::key); }, key_columns());
  add_list<Miss>(lookup, to, "misses", "Why the traces that were there did not serve.",
                 [](L& l) { return all_within(l.reader.contents().traces, &TraceRecord::misses); }, miss_columns());
  add_list<Decision>(lookup, to, "decisions", "What became of statements while tracing.",
                     [](L& l) { return all_of(l.reader.contents().decisions); }, decision_columns());
  add_list<Observation>(lookup, to, "observations", "What a program did around its traces that no graph shows.",
                        [](L& l) { return all_of(l.reader.contents().observations); }, observation_columns());
  add_list<Comparison>(lookup, to, "comparisons", "Calls that were repeated eagerly and traced.",
                       [](L& l) { return all_of(l.reader.contents().comparisons); }, comparison_columns());
  add_list<Repetition>(lookup, to, "repetitions", "The repetitions of those calls.",
                       [](L& l) { return all_within(l.reader.contents().comparisons, &ComparisonRecord::runs); },
                       repetition_columns());
}

}  // namespace footlight::sql
