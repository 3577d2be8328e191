// callable_made_at_call: an argument is a lambda, local function, partial or bound method that was made for the call.
// Fix: a function of the module; what it captured as tensor arguments.
#include "engine/explain/causes/changing_objects.h"
#include "engine/explain/engines.h"
#include "engine/explain/words.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::KeyLeaf;

bool are_callables(const LeafSeries& s) {
  return std::ranges::all_of(s.leaves, [](const KeyLeaf* l) { return l && l->kind == "callable"; });
}

void propose_callable_made_at_call(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& to) {
  for (Candidate& c : changing_objects(evidence, run, are_callables)) {
    Finding& f = c.finding;
    const std::string name = argument_name(f.path, f.parameter);
    c.most = GraphRelation::kConstants;
    f.title = name + " is a function that is made for each call";
    f.detail = f.path + ": " + joined(f.values, ", ") + "; what it captured differs, and is part of the key" +
               with_it(f.also_paths);
    f.fix = "Pass a function of the module, and what " + name + " captures as " + (is_jax(run) ? "arrays" : "tensors");
    to.push_back(std::move(c));
  }
}

const Cause callable_made_at_call("callable_made_at_call", propose_callable_made_at_call);

}  // namespace
}  // namespace footlight::explain
