// python_side_effect: the body changed state outside of itself, which happened while it was traced and not in the calls
// that the trace served later, and the program reads that state. Fix: change it in the caller, or in a tf.Variable.
#include "engine/explain/causes/observed.h"
#include "engine/explain/engines.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::ObservationKind;

// A trace that is called once runs its body as often as the program does.
constexpr size_t kMinHits = 1;

// A value as the recorder writes it: a list or dictionary that was changed may hold tensors of the trace.
bool has_symbolic_tensor(const std::string& value) { return value.find("a symbolic tensor") != value.npos; }

void find_python_side_effect(const Evidence& evidence, Findings& to) {
  const Hits served(evidence);
  std::map<std::pair<std::string, Line>, Finding> all;
  for (const session::ObservationRecord& o : evidence.records().observations) {
    if (o.kind != ObservationKind::kSideEffect) continue;
    const size_t hits = served.of(o.trace);
    if (hits < kMinHits) {
      suppress(evidence, o, to);
      continue;
    }
    const std::pair<std::string, Line> key{o.path, Line{o.file, o.line}};
    const auto [at, fresh] = all.try_emplace(key, wrong_result(evidence, o, 0));
    Finding& f = at->second;
    f.calls += hits;
    relate(f, o, "read", "use");
  }
  // All values that it took, also those of traces that no later call hit.
  for (const session::ObservationRecord& o : evidence.records().observations) {
    if (o.kind != ObservationKind::kSideEffect) continue;
    const auto at = all.find({o.path, Line{o.file, o.line}});
    if (at != all.end()) at->second.values.insert(at->second.values.end(), o.values.begin(), o.values.end());
  }
  for (auto& [key, f] : all) {
    const std::string name = name_in(f.path), function = short_name(evidence, f.function);
    f.title = name + " changes only while " + function + " is traced";
    f.detail = "This line ran when " + function + " was traced, and not in the " + later_calls(f.calls) +
               " that its graph served, so what reads " + name + " gets a wrong value";
    const bool of_tensors = std::ranges::any_of(f.values, has_symbolic_tensor);
    const char* const tensor = is_jax(evidence, f.function) ? "array" : "tensor";
    f.fix = of_tensors ? std::string("Return the ") + tensor + " from " + function + " and put it in " + name +
                             " where it is called"
                       : "Change " + name + " where " + function + " is called";
    if (of_tensors) f.detail += std::string(", and the ") + tensor + "s that it holds have no value after the trace";
    else if (is_jax(evidence, f.function))
      also(f, "Return the value from " + function + ", and keep it where it is called", f.checked);
    else also(f, "Keep " + name + " in a tf.Variable and assign to that", f.checked);
    to.found.push_back(std::move(f));
  }
}

const Cause python_side_effect("python_side_effect", find_python_side_effect);

}  // namespace
}  // namespace footlight::explain
