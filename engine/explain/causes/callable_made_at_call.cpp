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

constexpr size_t kManyCells = 3;

// PyTorch compares functions by their code and by what their cells hold: another number there is another trace.
void propose_cells(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  const auto text = [](const KeyLeaf* leaf) { return leaf ? leaf->value : std::string("absent"); };
  for (const LeafSeries& s : leaf_series(run)) {
    if (!s.path.starts_with("args[") || s.path.find(".closure ") == s.path.npos) continue;
    const auto is_literal = [](const KeyLeaf* leaf) { return !leaf || leaf->kind == "literal"; };
    if (!std::ranges::all_of(s.leaves, is_literal) || distinct(s, text).size() < kManyCells) continue;
    Candidate c;
    Finding& f = c.finding;
    f.path = s.path;
    f.parameter = s.parameter;
    f.values = distinct(s, text);
    c.paths = {s.path};
    c.fix.call = leave_out(places_of(evidence, run, c.paths));
    c.most = GraphRelation::kConstants;
    f.title = s.path.substr(0, s.path.find(".closure ")) + " is a function that is made for each call";
    f.detail = s.path + ": " + with_commas(f.values.size()) + " values, " + progression(f.values) +
               "; functions with the same code are told apart by what they capture";
    candidates.push_back(std::move(c));
  }
}

void propose_callable_made_at_call(const Evidence& evidence, const FunctionRun& run,
                                   std::vector<Candidate>& candidates) {
  if (is_torch(run)) propose_cells(evidence, run, candidates);
  for (Candidate& c : changing_objects(evidence, run, are_callables)) {
    Finding& f = c.finding;
    const std::string name = argument_name(f.path, f.parameter);
    c.most = GraphRelation::kConstants;
    f.title = name + " is a function that is made for each call";
    f.detail = f.path + ": " + joined(f.values, ", ") + "; what it captured differs, and is part of the key" +
               with_it(f.also_paths);
    f.fix = "Pass a function of the module, and what " + name + " captures as " + (is_jax(run) ? "arrays" : "tensors");
    candidates.push_back(std::move(c));
  }
}

const Cause callable_made_at_call("callable_made_at_call", propose_callable_made_at_call);

}  // namespace
}  // namespace footlight::explain
