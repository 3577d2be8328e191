// layout_change: the same shape and dtype come with other strides, and PyTorch makes a trace for each. Fix: make the
// tensor contiguous where the view is made.
#include "engine/explain/causes/layouts.h"
#include "engine/explain/edits.h"
#include "engine/explain/engines.h"
#include "engine/explain/words.h"

namespace footlight::explain {
namespace {

void propose_layout_change(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  for (LayoutChange& change : layout_changes(evidence, run, LayoutPart::kOrder)) {
    Candidate c = std::move(change.candidate);
    Finding& f = c.finding;
    const std::string name = argument_name(change.path, change.parameter);
    f.path = change.path + ".stride";
    c.edit_at = Candidate::EditAt::kValue;
    f.title = name + " lies in memory in " + with_commas(f.values.size()) + " ways";
    f.detail = f.path + ": " + joined(f.values, ", then ") + "; shape and dtype are the same";
    f.fix = "Call .contiguous() where the view is made: " + name + ".contiguous()";
    c.complete = [&evidence, &run, path = change.path](Finding& made, const ReplayResult&) {
      Finding at_call = made;
      at_call.path = path;
      made.edit = wrap_argument(evidence, run, at_call, "", ".contiguous()");
    };
    candidates.push_back(std::move(c));
  }
}

const Cause layout_change("layout_change", propose_layout_change, "torch");

}  // namespace
}  // namespace footlight::explain
