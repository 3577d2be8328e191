// identical_graphs: a number or text that differs from call to call does not reach the graph at all. Fix: pass one
// value, or drop it.
#include "engine/explain/causes/changing_literals.h"
#include "engine/explain/words.h"

namespace footlight::explain {
namespace {

void propose_identical_graphs(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  for (ChangingLiteral& literal : changing_literals(evidence, run)) {
    const std::string few = few_text(literal);
    Candidate c = std::move(literal.candidate);
    if (!few.empty()) c.few = few + ", which the graph does not depend on";
    Finding& f = c.finding;
    const std::string name = argument_name(f.path, f.parameter);
    f.title = name + " changes, and the graph does not";
    f.detail = values_text(f) + "; the graphs are identical" + with_it(f.also_paths);
    // The function may read it, and then cannot do without: only its value is of no account.
    f.fix = "Pass the same " + name + " in each call, or remove it from the function where nothing reads it";
    c.fix.call = leave_out(literal.places);
    c.most = GraphRelation::kIdentical;
    candidates.push_back(std::move(c));
  }
}

const Cause identical_graphs("identical_graphs", propose_identical_graphs);

}  // namespace
}  // namespace footlight::explain
