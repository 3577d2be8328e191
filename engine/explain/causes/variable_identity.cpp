// variable_identity: which of the variables that are passed are the same one differs. Fix: pass values, assign outside.
#include "engine/explain/engines.h"
#include "engine/explain/findings.h"
#include "engine/explain/words.h"

#include "engine/base/dtype_names.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::KeyLeaf;
using session::TraceRecord;

std::string alias_text(const KeyLeaf* leaf) { return leaf->value; }

// Under PyTorch: the same tensor at two parameters. The leaf says "args[1] is args[0]".
void propose_same_tensor(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  for (const LeafSeries& s : leaf_series(run)) {
    const auto text = [](const KeyLeaf* leaf) { return leaf ? leaf->value : std::string(); };
    if (s.path != "alias" || distinct(s, text).size() < 2) continue;
    Candidate c;
    Finding& f = c.finding;
    f.values = distinct(s, text);
    for (const std::string& value : f.values)
      if (const size_t is = value.find(" is "); is != value.npos && f.path.empty()) f.path = value.substr(0, is);
    if (f.path.empty()) continue;
    for (const LeafSeries& other : leaf_series(run))
      if (other.path == f.path) f.parameter = other.parameter;
    c.paths = {s.path};
    c.fix.call = leave_out(places_of(evidence, run, c.paths));
    c.most = GraphRelation::kStructure;
    c.fewest = 1;
    f.title = argument_name(f.path, f.parameter) + " is the same tensor as another argument at times";
    f.detail = "Which tensors are the same one: " + joined(f.values, ", then ");
    candidates.push_back(std::move(c));
  }
}

void propose_variable_identity(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  if (is_torch(run)) return propose_same_tensor(evidence, run, candidates);
  std::vector<LeafSeries> variables;
  bool differs = false;
  for (LeafSeries& s : leaf_series(run)) {
    if (!std::ranges::all_of(s.leaves, [](const KeyLeaf* l) { return l && l->kind == "variable"; })) continue;
    variables.push_back(std::move(s));
    differs |= distinct(variables.back(), alias_text).size() > 1;
  }
  if (!differs) return;
  Candidate c;
  Finding& f = c.finding;
  for (const LeafSeries& s : variables) {
    c.paths.insert(s.path);
    const bool own = distinct(s, alias_text).size() > 1;
    if (own && f.path.empty()) {
      f.path = s.path;
      f.parameter = s.parameter;
    } else if (own) {
      f.also_paths.push_back(s.path);
    }
    c.fix = both(c.fix, {become_tensor(places_of(evidence, run, {s.path}), dtype_number(s.leaves.front()->type)), {}});
  }
  for (const TraceRecord* t : run.traces) {
    std::string pattern;
    for (const LeafSeries& s : variables) pattern += (pattern.empty() ? "" : " ") + leaf_at(*t, s.path)->value;
    if (std::ranges::find(f.values, pattern) == f.values.end()) f.values.push_back(std::move(pattern));
  }
  c.most = GraphRelation::kStructure;
  c.captures_may_differ = true;
  f.title = "Which of the variables are the same differs from call to call";
  f.detail = "There are " + with_commas(f.values.size()) + " patterns of equal variables, " + progression(f.values);
  f.fix = "Pass values (tf.identity(" + argument_name(f.path, f.parameter) + ")), and assign outside of the function";
  candidates.push_back(std::move(c));
}

const Cause variable_identity("variable_identity", propose_variable_identity);

}  // namespace
}  // namespace footlight::explain
