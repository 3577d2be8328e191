// Tables of functions, traces, and decisions and observations about them.
#include "engine/base/place.h"
#include "engine/query/names.h"
#include "engine/sql/columns.h"

#include <map>
#include <string_view>
#include <tuple>

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

std::string title_of(L& l, const FunctionRecord& f) {
  const FileRecord* file = l.reader.file(f.file);
  if (!file || f.line < 1) return query::function_title(f, {}, {});
  return query::function_title(f, l.def_text(f), place_text(file->path, f.line));
}

Columns<Function> function_columns() {
  Columns<Function> c;
  c.add("function", "Name of the function, as __qualname__ says it",
        [](L& l, const Function& r) { return l.names.function(r->id); });
  c.add("title", "Name that the window shows; of a lambda its text", [](L& l, const Function& r) {
    return title_of(l, *r);
  });
  c.add("function_id", "Number of the function in the recording", [](L&, const Function& r) { return r->id; });
  c.add("kind",
        "Kind of function: tf.function, keras, dataset or internal; under JAX jit, or eager for the body of a loop "
        "outside of jit; under PyTorch dynamo, or resume for what follows a graph break",
        [](L&, const Function& r) { return Kept{r->kind}; });
  c.add("options", "Options that it was made with", [](L&, const Function& r) { return Kept{r->options}; });
  c.add("parameters", "Names of its parameters", [](L&, const Function& r) { return joined(r->parameters); });
  c.add("traces", "Count of its traces", [](L& l, const Function& r) { return l.traces_of(r->id); });
  c.add("file", "File of that line", [](L& l, const Function& r) { return l.names.path(r->file); });
  c.add("line", "Line of its def; of a function that a library made, the line of yours that called the library",
        [](L&, const Function& r) { return r->line; });
  c.add("parent_id", "Number of the function that made it", [](L&, const Function& r) { return r->parent; });
  return c;
}

Columns<Trace> trace_columns() {
  Columns<Trace> c;
  c.add("function", "Name of the traced function", [](L& l, const Trace& r) { return l.names.function(r->function); });
  c.add("function_id", "Number of that function", [](L&, const Trace& r) { return r->function; });
  c.add("trace", "Number of the trace, among its function's", [](L&, const Trace& r) { return r->number; });
  c.add("trace_id", "Number of the trace in the recording", [](L&, const Trace& r) { return r->id; });
  c.add("reason", "What asked for the trace", [](L&, const Trace& r) { return Kept{query::word(r->reason)}; });
  c.add("kind", "Kind of step: trace, lower or compile", [](L&, const Trace& r) { return Kept{query::word(r->kind)}; });
  c.add("start_ns", "When it began", [](L&, const Trace& r) { return Time{r->start_ns}; });
  c.add("duration_ns", "How long it took", [](L&, const Trace& r) { return length(r->start_ns, r->end_ns); });
  c.add("signature", "Types, shapes and values of its arguments, such as f32[32,8] 0.1",
        [](L&, const Trace& r) { return Kept{r->signature}; });
  c.add("why", "Why it was made", [](L&, const Trace& r) { return Kept{r->why}; });
  c.add("differing", "Arguments in which it differs from the nearest earlier trace",
        [](L&, const Trace& r) { return joined(r->differing); });
  c.add("captures", "Variables and tensors that it uses besides its arguments",
        [](L&, const Trace& r) { return joined(r->captures); });
  c.add("cached", "Count of the traces that the function had before", [](L&, const Trace& r) { return r->cached; });
  c.add("graph", "Name of its graph, as traced", [](L& l, const Trace& r) {
    const GraphRecord* graph = l.reader.graph(r->graph());
    return Kept{graph ? std::string_view(graph->name) : std::string_view()};
  });
  c.add("graph_id", "Number of that graph", [](L&, const Trace& r) { return r->graph(); });
  c.add("nodes", "Count of the nodes of that graph", [](L& l, const Trace& r) {
    const GraphRecord* graph = l.reader.graph(r->graph());
    return graph ? graph->nodes.size() : size_t{0};
  });
  c.add("error", "Class and message of the error with which it failed",
        [](L&, const Trace& r) { return Kept{r->error}; });
  c.add("source", "Line of the call, such as train.py:14",
        [](L& l, const Trace& r) { return Kept{l.names.place(r->source, r->location)}; });
  return c;
}

// The columns that say which trace a row belongs to.
template <class Row>
void add_trace(Columns<Row>& c) {
  c.add("function", "Name of the traced function", [](L& l, const Row& r) { return l.names.function(r.of->function); });
  c.add("function_id", "Number of that function", [](L&, const Row& r) { return r.of->function; });
  c.add("trace", "Number of the trace, among its function's", [](L&, const Row& r) { return r.of->number; });
  c.add("trace_id", "Number of the trace in the recording", [](L&, const Row& r) { return r.of->id; });
}

Columns<Phase> phase_columns() {
  Columns<Phase> c;
  add_trace(c);
  c.add("phase", "Name of the phase: python, autograph, concrete, compile, optimize or record",
        [](L&, const Phase& r) { return Kept{r.it->name}; });
  c.add("category", "Kind of step: trace, lower or compile", [](L&, const Phase& r) { return Kept{r.it->category}; });
  c.add("part_of", "Phase of which it is a part", [](L&, const Phase& r) {
    const auto parent = static_cast<size_t>(r.it->parent);
    return Kept{parent < r.of->phases.size() ? std::string_view(r.of->phases[parent].name) : std::string_view()};
  });
  c.add("start_ns", "When it began", [](L&, const Phase& r) { return Time{r.it->start_ns}; });
  c.add("duration_ns", "How long it took", [](L&, const Phase& r) { return length(r.it->start_ns, r.it->end_ns); });
  return c;
}

Columns<Leaf> key_columns() {
  Columns<Leaf> c;
  add_trace(c);
  c.add("path", "Path of the argument, such as args[0]", [](L&, const Leaf& r) { return Kept{r.it->path}; });
  c.add("parameter", "Name of the parameter, such as batch", [](L&, const Leaf& r) { return Kept{r.it->parameter}; });
  c.add("kind", "Kind of argument: tensor, variable, literal, structure, object, element, callable, context or none",
        [](L&, const Leaf& r) { return Kept{r.it->kind}; });
  c.add("type", "Type of the argument, such as float32", [](L&, const Leaf& r) { return Kept{r.it->type}; });
  c.add("shape", "Shape of a tensor, such as 32,8", [](L&, const Leaf& r) { return Kept{r.it->shape}; });
  c.add("value", "Value of a Python argument, such as 0.1", [](L&, const Leaf& r) { return Kept{r.it->value}; });
  c.add("side", "Whose key it is: used by the trace, or asked for by the call",
        [](L&, const Leaf& r) { return Kept{query::word(r.it->side)}; });
  c.add("role", "Role in the key: key, guard, static or context",
        [](L&, const Leaf& r) { return Kept{query::word(r.it->role)}; });
  return c;
}

Columns<Miss> miss_columns() {
  Columns<Miss> c;
  add_trace(c);
  c.add("existing", "Number of the trace that existed, among its function's",
        [](L& l, const Miss& r) { return number_of(l, r.it->existing); });
  c.add("path", "Path of the argument that differs", [](L&, const Miss& r) { return Kept{r.it->path}; });
  c.add("was", "Value in that trace", [](L&, const Miss& r) { return Kept{r.it->was}; });
  c.add("now", "Value in the call", [](L&, const Miss& r) { return Kept{r.it->now}; });
  c.add("words", "Text in which the engine said it", [](L&, const Miss& r) { return Kept{r.it->words}; });
  return c;
}

Columns<Decision> decision_columns() {
  Columns<Decision> c;
  c.add("function", "Name of the traced function", [](L& l, const Decision& r) {
    const TraceRecord* trace = l.trace(r->trace);
    return trace ? l.names.function(trace->function) : std::string();
  });
  c.add("trace", "Number of the trace, among its function's",
        [](L& l, const Decision& r) { return number_of(l, r->trace); });
  c.add("trace_id", "Number of the trace in the recording", [](L&, const Decision& r) { return r->trace; });
  c.add("file", "File of the statement", [](L& l, const Decision& r) { return l.names.path(r->file); });
  c.add("line", "Line of the statement", [](L&, const Decision& r) { return r->line; });
  c.add("statement", "Kind of statement, such as if, while or for",
        [](L&, const Decision& r) { return Kept{r->kind}; });
  c.add("fate", "What became of it: staged, python or fallback", [](L&, const Decision& r) { return Kept{r->fate}; });
  c.add("note", "Why, in words", [](L&, const Decision& r) { return Kept{r->note}; });
  return c;
}

Columns<Observation> observation_columns() {
  Columns<Observation> c;
  c.add("kind", "Kind of observation", [](L&, const Observation& r) { return Kept{query::word(r->kind)}; });
  c.add("function", "Name of the traced function",
        [](L& l, const Observation& r) { return l.names.function(r->function); });
  c.add("function_id", "Number of that function", [](L&, const Observation& r) { return r->function; });
  c.add("trace_id", "Number of the trace that it is about", [](L&, const Observation& r) { return r->trace; });
  c.add("time_ns", "When it was seen", [](L&, const Observation& r) { return Time{r->time_ns}; });
  c.add("path", "Name of the value, such as global RATE or self.scale",
        [](L&, const Observation& r) { return Kept{r->path}; });
  c.add("file", "File of the line", [](L& l, const Observation& r) { return l.names.path(r->file); });
  c.add("line", "Line that did it", [](L&, const Observation& r) { return r->line; });
  c.add("count", "How often it happened; of a Python call, in the whole run",
        [](L&, const Observation& r) { return r->count; });
  c.add("spent_ns", "Time that it took altogether; of a Python call, inside the Python function",
        [](L&, const Observation& r) { return r->spent_ns; });
  c.add("busy_ns", "Part of that time in which its thread computed and did not wait",
        [](L&, const Observation& r) { return r->busy_ns; });
  c.add("note", "Further facts, in words", [](L&, const Observation& r) { return Kept{r->note}; });
  return c;
}

// While a Python function runs more often, its observation is written again with all runs until then: the last counts.
std::vector<Observation> last_observations(const std::vector<ObservationRecord>& all) {
  std::map<std::tuple<TraceId, std::string_view, FileId, int>, Observation> last;
  const auto key = [](const ObservationRecord& o) {
    return std::tuple(o.trace, std::string_view(o.note), o.file, o.line);
  };
  for (const ObservationRecord& o : all) {
    if (o.kind != ObservationKind::kPythonCall) continue;
    Observation& known = last[key(o)];
    if (!known || known->count <= o.count) known = &o;
  }
  std::vector<Observation> out;
  for (const ObservationRecord& o : all)
    if (o.kind != ObservationKind::kPythonCall || last[key(o)] == &o) add_row(out, &o);
  return out;
}

Columns<Comparison> comparison_columns() {
  Columns<Comparison> c;
  c.add("comparison_id", "Number of the comparison, as in the table repetitions",
        [](L&, const Comparison& r) { return r->id; });
  c.add("function", "Name of the function that was called",
        [](L& l, const Comparison& r) { return l.names.function(r->function); });
  c.add("function_id", "Number of that function", [](L&, const Comparison& r) { return r->function; });
  c.add("trace_id", "Number of the trace that served the call", [](L&, const Comparison& r) { return r->trace; });
  c.add("call", "Number of the call whose arguments were used, from 1",
        [](L&, const Comparison& r) { return r->call; });
  c.add("start_ns", "When it began", [](L&, const Comparison& r) { return Time{r->start_ns}; });
  c.add("duration_ns", "How long it took", [](L&, const Comparison& r) { return length(r->start_ns, r->end_ns); });
  c.add("simulated", "1 where the device is simulated", [](L&, const Comparison& r) { return r->simulated; });
  c.add("stopped", "Why it ended after these repetitions", [](L&, const Comparison& r) { return Kept{r->stopped}; });
  c.add("error", "Error with which a repetition failed", [](L&, const Comparison& r) { return Kept{r->error}; });
  return c;
}

Columns<Repetition> repetition_columns() {
  Columns<Repetition> c;
  c.add("comparison_id", "Number of the comparison that it belongs to",
        [](L&, const Repetition& r) { return r.of->id; });
  c.add("pair", "Number that an eager and a traced repetition share",
        [](L&, const Repetition& r) { return r.it->pair; });
  c.add("traced", "1 where the graph ran, 0 where the ops ran one by one",
        [](L&, const Repetition& r) { return r.it->traced; });
  c.add("warm_up", "1 for a warm-up, which does not count", [](L&, const Repetition& r) { return r.it->warm_up; });
  c.add("with_events", "1 where every op was recorded", [](L&, const Repetition& r) { return r.it->with_events; });
  c.add("interruptions", "How often another program took the processor from the calling thread",
        [](L&, const Repetition& r) { return r.it->interruptions; });
  c.add("start_ns", "When it began", [](L&, const Repetition& r) { return Time{r.it->start_ns}; });
  c.add("duration_ns", "How long it took",
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
                        [](L& l) { return last_observations(l.reader.contents().observations); },
                        observation_columns());
  add_list<Comparison>(lookup, to, "comparisons", "Calls that were repeated eagerly and traced.",
                       [](L& l) { return all_of(l.reader.contents().comparisons); }, comparison_columns());
  add_list<Repetition>(lookup, to, "repetitions", "The repetitions of those calls.",
                       [](L& l) { return all_within(l.reader.contents().comparisons, &ComparisonRecord::runs); },
                       repetition_columns());
}

}  // namespace footlight::sql
