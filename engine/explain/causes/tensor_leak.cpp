// tensor_leak: a trace stored a symbolic tensor outside of its function. Where the body reads what was there before,
// the graph keeps that, and later calls use the old value. Fix: keep it in a tf.Variable, or pass it in and return it.
// Where something else uses the tensor after the trace. Fix: return it.
#include "engine/explain/causes/later_calls.h"
#include "engine/explain/causes/wrong_results.h"
#include "engine/explain/words.h"
#include "engine/session/records/leak_notes.h"

#include <algorithm>
#include <set>

namespace footlight::explain {
namespace {

using session::ObservationKind;
using session::ObservationRecord;

using Place = std::pair<std::string, Line>;

// Lines that made nodes: what they use there is a tensor of the trace that they are in.
std::set<Line> traced_lines(const Evidence& evidence) {
  std::set<Line> lines;
  for (const session::GraphRecord& graph : evidence.records().graphs)
    for (const session::NodeRecord& node : graph.nodes) lines.insert(evidence.line(node.source));
  return lines;
}

bool is_leak(const ObservationRecord& o) { return o.kind == ObservationKind::kTensorLeak; }
// Whether it was seen at a later call, not while tracing.
bool is_of_call(const ObservationRecord& o) { return o.note == session::kUsedOldValue || o.note == session::kPutBack; }
bool is_store(const ObservationRecord& o) { return is_leak(o) && !o.path.empty() && !is_of_call(o); }
bool is_read_before(const ObservationRecord& o) {
  return std::ranges::any_of(o.lines, [](const session::ObservedLine& l) { return l.role == "read"; });
}

// What later calls of a trace found at a place that the trace had read and then stored a tensor in.
struct LaterLooks {
  bool used_old_value = false;
  bool is_exact = true;  // each call looked
  size_t put_back = 0;   // calls before which the program had stored the old value again
};

using LooksByTrace = std::map<std::pair<TraceId, std::string>, LaterLooks>;

LooksByTrace later_looks(const Evidence& evidence) {
  LooksByTrace all;
  for (const ObservationRecord& o : evidence.records().observations) {
    if (!is_leak(o) || !is_of_call(o)) continue;
    LaterLooks& looks = all[{o.trace, o.path}];
    looks.used_old_value |= o.note == session::kUsedOldValue;
    looks.put_back += o.note == session::kPutBack;
    looks.is_exact &= o.count <= 1;
  }
  return all;
}

// A line that stores the state which the next call should read; traces of several functions may contain it.
struct FrozenState {
  Finding finding;
  std::set<TraceId> traces;
  std::set<std::string> readers;
  size_t put_back = 0;
  bool is_exact = true;
  bool is_used_outside = false;
};

// "", " of outer", where calls of other functions ran the graph.
std::string of_callers(const Evidence& evidence, const LaterCalls& later, const FrozenState& state) {
  std::set<std::string> names;
  for (const FunctionId function : later.functions(state.traces)) names.insert(short_name(evidence, function));
  return names == state.readers || names.empty() ? "" : " of " + listed({names.begin(), names.end()});
}

void describe(const Evidence& evidence, const LaterCalls& later, FrozenState& state) {
  Finding& f = state.finding;
  const std::string name = name_in(f.path), value = f.values.front();
  const std::string readers = listed({state.readers.begin(), state.readers.end()});
  const bool several = state.readers.size() > 1, known = value == "None" || is_scalar(value);
  // Whether None was stored once more cannot be seen.
  state.is_exact &= !known || !state.put_back;
  f.title = name + " is frozen in the graph" + (several ? "s of " : " of ") + readers;
  f.detail = readers + " read " + name + (known ? " = " + short_value(value) : "") + " while " +
             (several ? "they were" : "it was") + " traced, and stored a tensor of the trace there; a graph stores " +
             "nothing in " + name + ", so " + (state.is_exact ? "" : "about ") + later_calls(f.calls) +
             of_callers(evidence, later, state) + " still used " +
             (known ? short_value(value) : "what it held before the trace");
  if (state.is_used_outside)
    f.detail += ", and what reads it outside of the graph finds a tensor that has no value";
  const std::string pass = "Pass " + name + " to " + readers + " as an argument, return the new value, and store it " +
                           "in " + name + " where " + readers + (several ? " are" : " is") + " called";
  if (value == "a variable") {
    f.fix = "Assign to the variable that " + name + " held, with " + name + ".assign()";
    return;
  }
  const bool of_library = is_step_of_library(evidence, f.function);  // nobody passes it an argument
  const bool grows = value.starts_with('[') || value.starts_with('{');
  if (grows && !of_library) {
    f.fix = pass;
    return;
  }
  const bool made_late = value == "None" || value == "nothing";
  f.fix = "Keep " + name + " in a tf.Variable" + (made_late ? " that is made before the first call" : "") +
          " and assign to it in " + readers;
  if (!of_library) add_alternative(f, pass, f.checked);
}

// Adds the findings of state that a trace froze; returns their places.
std::set<Place> find_frozen_state(const Evidence& evidence, const LaterCalls& later, const std::set<Line>& traced,
                                  Findings& findings) {
  const LooksByTrace looks = later_looks(evidence);
  std::map<Place, FrozenState> all;
  for (const ObservationRecord& o : evidence.records().observations) {
    if (!is_store(o) || !is_read_before(o) || o.values.empty()) continue;
    const auto at = looks.find({o.trace, o.path});
    if (at == looks.end() || !at->second.used_old_value) continue;
    const Line line{o.file, o.line};
    const auto made = all.try_emplace({o.path, line}, FrozenState{wrong_result(evidence, o, 0), {}, {}}).first;
    FrozenState& state = made->second;
    if (!state.traces.insert(o.trace).second) continue;
    state.readers.insert(name_at(evidence, o.function, line));
    state.put_back += at->second.put_back;
    state.is_exact &= at->second.is_exact;
    if (std::ranges::find(state.finding.values, o.values.front()) == state.finding.values.end())
      state.finding.values.push_back(o.values.front());
    relate(state.finding, o, "read", "use");
    const size_t reads = state.finding.related.size();
    ObservationRecord others = o;
    std::erase_if(others.lines, [&](const session::ObservedLine& l) { return traced.contains({l.file, l.line}); });
    relate(state.finding, others, "use", "use");
    state.is_used_outside |= state.finding.related.size() > reads;
  }
  std::set<Place> places;
  for (auto& [place, state] : all) {
    const size_t calls = later.count(state.traces);
    if (calls <= state.put_back) continue;
    state.finding.calls = calls - state.put_back;
    describe(evidence, later, state);
    places.insert(place);
    findings.found.push_back(std::move(state.finding));
  }
  return places;
}

void find_tensor_leak(const Evidence& evidence, Findings& findings) {
  const LaterCalls later(evidence);
  const auto& all = evidence.records().observations;
  if (std::ranges::none_of(all, is_leak)) return;
  const std::set<Line> traced = traced_lines(evidence);
  const std::set<Place> frozen = find_frozen_state(evidence, later, traced, findings);
  std::map<Place, Finding> found;
  for (ObservationRecord stored : all) {
    if (!is_store(stored) || frozen.contains({stored.path, {stored.file, stored.line}})) continue;
    std::erase_if(stored.lines, [&](const session::ObservedLine& l) { return traced.contains({l.file, l.line}); });
    Finding f = wrong_result(evidence, stored, later.count({stored.trace}));
    // Where a use was seen comes before where the source has one.
    for (const ObservationRecord& used : all)
      if (is_leak(used) && used.path.empty() && used.trace == stored.trace) relate(f, used, "use", "use");
    relate(f, stored, "use", "use");
    if (f.related.empty()) continue;
    const std::string name = name_in(f.path), function = short_name(evidence, f.function);
    f.values = stored.values;
    f.title = name + " keeps a symbolic tensor of " + function;
    f.detail = "What this line stores exists only while " + function + " is traced: it has no value afterwards, " +
               "and the calls that the graph serves do not store anything";
    f.fix = "Return the tensor from " + function + " and store it in " + name + " where it is called";
    found.try_emplace({stored.path, f.line}, std::move(f));
  }
  for (auto& [key, f] : found) findings.found.push_back(std::move(f));
}

const Cause tensor_leak("tensor_leak", find_tensor_leak);

}  // namespace
}  // namespace footlight::explain
