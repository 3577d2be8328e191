// new_object_identity: an argument, or the object of a method, is a new object in each call and counts by its identity.
// Fix: make it once, or pass the tensors and variables that it holds.
#include "engine/explain/causes/changing_objects.h"
#include "engine/explain/engines.h"
#include "engine/explain/words.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::KeyLeaf;

bool are_objects(const LeafSeries& s) {
  return std::ranges::all_of(s.leaves, [](const KeyLeaf* l) {
    return l && l->kind == "object" && l->value.starts_with('<') && l->type != "type";
  }) && std::ranges::none_of(s.leaves, [](const KeyLeaf* l) { return is_value(*l); });
}

void propose_new_object_identity(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  for (Candidate& c : changing_objects(evidence, run, are_objects)) {
    Finding& f = c.finding;
    c.edit_at = Candidate::EditAt::kValue;
    const std::string name = argument_name(f.path, f.parameter);
    const bool each = f.calls == f.values.size();
    f.title = name + (each ? " is a new object in each call" : " is a new object again and again");
    f.detail = f.path + ": " + with_commas(f.values.size()) + " objects, " + progression(f.values) +
               "; each counts by its identity" + with_it(f.also_paths);
    const bool self = f.path == "args[0]" && f.parameter == "self";
    f.fix = self ? "Make the object once, before the loop" : "Make " + name + " once";
    if (is_jax(run)) f.fix += ", or give its class __eq__ and __hash__: a frozen dataclass has them";
    c.complete = [self, name, &run, jax = is_jax(run)](Finding& made, const ReplayResult&) {
      if (jax) return add_alternative(made, "Pass the arrays that it holds to a function", made.checked);
      add_alternative(made,
                      self ? "Pass the tensors and variables that it holds to a function"
                           : "Pass the tensors and variables that " + name + " holds",
                      made.checked);
      // Objects that hold different values cannot be one.
      const auto captures_alike = [&](const session::TraceRecord* t) {
        return t->captured == run.traces.front()->captured;
      };
      const bool values_differ = made.graphs != GraphRelation::kIdentical;
      if (values_differ)
        made.alternatives.back().fix =
            "Pass the values that " + (self ? std::string("it") : name) + " holds as tensors";
      if (values_differ || (!self && !std::ranges::all_of(run.traces, captures_alike)))
        std::swap(made.fix, made.alternatives.back().fix);
    };
    candidates.push_back(std::move(c));
  }
}

const Cause new_object_identity("new_object_identity", propose_new_object_identity);

}  // namespace
}  // namespace footlight::explain
