// identical_graphs: a number or text that differs from call to call does not reach the graph at all. Fix: drop it.
#include "engine/explain/causes/changing_literals.h"
#include "engine/explain/words.h"

namespace footlight::explain {
namespace {

void find(const Evidence& evidence, const FunctionRun& run, Findings& to) {
  for (ChangingLiteral& literal : changing_literals(evidence, run)) {
    Finding& f = literal.finding;
    if (f.graphs != GraphRelation::kIdentical) continue;
    if (!conclude(evidence, run, try_fix(evidence, run, literal, {leave_out(literal.places), {}, false}), f)) continue;
    const std::string& name = f.parameter.empty() ? f.path : f.parameter;
    f.title = name + " changes, and the graph does not";
    f.detail = values_text(literal) + "; the graphs are identical";
    if (!f.also_paths.empty()) f.detail += "; with it " + joined(f.also_paths, ", ");
    f.fix = "leave " + name + " out of the call";
    to.found.push_back(std::move(f));
  }
}

const Cause cause("identical_graphs", find);

}  // namespace
}  // namespace footlight::explain
