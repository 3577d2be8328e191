// python_side_effect: the body changed state outside of itself, which happened while it was traced and not in the calls
// that the trace served later, and the program reads that state. Fix: change it in the caller, or in a tf.Variable.
#include "engine/explain/causes/later_calls.h"
#include "engine/explain/causes/wrong_results.h"
#include "engine/explain/engines.h"
#include "engine/explain/words.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::ObservationKind;
using session::TraceRecord;

// A trace that is called once runs its body as often as the program does.
constexpr size_t kMinLaterCalls = 1;

// A value as the recorder writes it: a list or dictionary that was changed may hold tensors of the trace.
bool has_symbolic_tensor(const std::string& value) { return value.find("a symbolic tensor") != value.npos; }

// A change at one line: a helper may be traced as a part of several functions.
struct Change {
  Finding finding;
  std::set<TraceId> traces;      // in which it was seen, and which later calls ran again
  std::set<std::string> traced;  // the names of their functions
};

void describe(const Evidence& evidence, const LaterCalls& later, Change& change) {
  Finding& f = change.finding;
  f.calls = later.count(change.traces);
  const std::string name = name_in(f.path);
  const std::string traced = listed({change.traced.begin(), change.traced.end()});
  const std::string called = listed(short_names(evidence, later.functions(change.traces)));
  const bool several = change.traced.size() > 1;
  const std::string they = several ? "they were" : "it was";
  f.title = traced + (several ? " change " : " changes ") + name + " only while " +
            (several ? "they are" : "it is") + " traced";
  f.detail = traced + " changed " + name + " at this line when " + they + " traced, and not in the " +
             later_calls(f.calls) + (called == traced ? "" : " of " + called) + " that ran " +
             (several ? "their graphs" : "its graph") + ", so what reads " + name + " sees nothing of those";
  const bool of_tensors = std::ranges::any_of(f.values, has_symbolic_tensor);
  const bool jax = is_jax(evidence, f.function);
  const char* const tensor = jax ? "array" : "tensor";
  const std::string where_called = " where " + called + (called.find(" and ") == called.npos ? " is" : " are") +
                                   " called";
  if (of_tensors) {
    f.fix = std::string("Return the ") + tensor + " from " + called + " and put it in " + name + " where it is called";
    f.detail += std::string(", and the ") + tensor + "s that it holds have no value after the trace";
    return;
  }
  f.fix = "Change " + name +
          (is_of_dataset(evidence, f.function)       ? " where the elements are taken"
           : is_step_of_library(evidence, f.function) ? " in a callback, which runs in every step"
                                                      : where_called);
  if (jax)
    add_alternative(f, "Return the value from " + called + ", and keep it where it is called", f.checked);
  else if (std::ranges::all_of(f.values, is_scalar))
    add_alternative(f, "Keep " + name + " in a tf.Variable and assign to that", f.checked);
}

void find_python_side_effect(const Evidence& evidence, Findings& findings) {
  const LaterCalls later(evidence);
  std::map<std::pair<std::string, Line>, Change> all;
  for (const session::ObservationRecord& o : evidence.records().observations) {
    if (o.kind != ObservationKind::kSideEffect) continue;
    if (later.count({o.trace}) < kMinLaterCalls) {
      suppress(evidence, o, findings);
      continue;
    }
    if (adds_the_same(evidence, o)) continue;
    const auto at = all.try_emplace({o.path, Line{o.file, o.line}}, Change{wrong_result(evidence, o, 0), {}, {}}).first;
    Change& change = at->second;
    change.traces.insert(o.trace);
    change.traced.insert(name_at(evidence, o.function, {o.file, o.line}));
    relate(change.finding, o, "read", "use");
  }
  // All values that it took, also those of traces that no later call ran.
  for (const session::ObservationRecord& o : evidence.records().observations) {
    if (o.kind != ObservationKind::kSideEffect) continue;
    const auto at = all.find({o.path, Line{o.file, o.line}});
    if (at == all.end()) continue;
    std::vector<std::string>& values = at->second.finding.values;
    values.insert(values.end(), o.values.begin(), o.values.end());
  }
  for (auto& [key, change] : all) {
    describe(evidence, later, change);
    findings.found.push_back(std::move(change.finding));
  }
}

const Cause python_side_effect("python_side_effect", find_python_side_effect);

}  // namespace
}  // namespace footlight::explain
