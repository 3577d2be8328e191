// weak_value_died: an argument is a new object in each call, and its class defines equality; an equal one had a trace,
// which was evicted when that object died. Fix: keep it alive.
#include "engine/explain/causes/changing_objects.h"
#include "engine/explain/words.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::KeyLeaf;

bool are_dead_equals(const LeafSeries& s) {
  return std::ranges::all_of(s.leaves, [](const KeyLeaf* l) { return l && l->kind == "object"; }) &&
         std::ranges::any_of(s.leaves, [](const KeyLeaf* l) { return replaces_dead_equal(*l); });
}

void propose_weak_value_died(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  for (Candidate& c : changing_objects(evidence, run, are_dead_equals)) {
    Finding& f = c.finding;
    const std::string name = argument_name(f.path, f.parameter);
    f.title = name + " is equal to an object that had a trace and died";
    f.detail = f.path + ": " + with_commas(f.values.size()) + " objects, " + progression(f.values) +
               "; a trace lives as long as the object that it was made for" + with_it(f.also_paths);
    f.fix = "Keep " + name + " alive between the calls: make it once";
    candidates.push_back(std::move(c));
  }
}

const Cause weak_value_died("weak_value_died", propose_weak_value_died);

}  // namespace
}  // namespace footlight::explain
