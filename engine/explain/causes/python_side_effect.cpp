// python_side_effect: the body changed state outside of itself, which happened while it was traced and not in the calls
// that the trace served later, and the program reads that state. Fix: change it in the caller, or in a tf.Variable.
#include "engine/explain/causes/observed.h"
#include "engine/explain/engines.h"

#include "engine/source/line.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::ObservationKind;
using session::TraceRecord;

// A trace that is called once runs its body as often as the program does.
constexpr size_t kMinHits = 1;

// A value as the recorder writes it: a list or dictionary that was changed may hold tensors of the trace.
bool has_symbolic_tensor(const std::string& value) { return value.find("a symbolic tensor") != value.npos; }

// `seen.add(name)` of an argument that is a Python value: the later calls of the trace have the same one, so the set is
// as it would be, unless something is taken out of it.
bool adds_the_same(const Evidence& evidence, const session::ObservationRecord& o) {
  const std::string name = name_in(o.path);
  const std::string_view line = source::trimmed(evidence.text({o.file, o.line}));
  if (!line.starts_with(name + ".add(")) return false;
  const auto arguments = source::arguments_from(line, name.size() + 5);
  const TraceRecord* trace = evidence.trace(o.trace);
  if (!arguments || arguments->size() != 1 || !trace) return false;
  const auto is_argument = [&](const session::KeyLeaf& leaf) {
    return leaf.kind == "literal" && leaf.parameter == source::trimmed(arguments->front()) &&
           leaf.path.find('[') == leaf.path.rfind('[');
  };
  if (std::ranges::none_of(trace->key, is_argument)) return false;
  int stores = 0;
  for (int at = 1; at <= evidence.line_count(o.file); ++at) {
    const std::string_view text = source::without_comment(evidence.text({o.file, at}));
    for (const char* taken : {".discard(", ".remove(", ".pop(", ".clear(", "_update("})
      if (text.find(name + taken) != text.npos) return false;
    stores += source::assigns(text, name);
  }
  return stores <= 1;
}

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
    if (adds_the_same(evidence, o)) continue;
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
               " that its graph served, so what reads " + name + " sees nothing of those";
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
