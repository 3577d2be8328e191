// weak_type_flip: an argument is sometimes made from a Python number, whose dtype JAX calls weak (an operation takes
// the other operand's dtype instead), and sometimes not. JAX traces each. Fix: an array of that dtype from the start.
#include "engine/explain/edits.h"
#include "engine/explain/engines.h"
#include "engine/explain/words.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::KeyLeaf;
using session::TraceRecord;

constexpr size_t kOftenUsed = 3;

bool is_weak(const KeyLeaf* leaf) { return leaf && !leaf->value.empty(); }

std::string strength(const KeyLeaf* leaf) {
  if (!leaf) return "absent";
  return is_weak(leaf) ? "weak " + leaf->type : leaf->type;
}

// Two keys that are alike at this path but for the weak type.
bool flips(const LeafSeries& s) {
  std::map<std::string, std::set<bool>> strengths;  // by dtype and shape
  for (const KeyLeaf* leaf : s.leaves) {
    if (!leaf) continue;
    if (leaf->kind != "tensor") return false;
    strengths[leaf->type + ' ' + leaf->shape].insert(is_weak(leaf));
  }
  return std::ranges::any_of(strengths, [](const auto& both) { return both.second.size() > 1; });
}

// Whether each trace has both of them weak or neither.
bool change_together(const LeafSeries& a, const LeafSeries& b) {
  for (size_t i = 0; i < a.leaves.size(); ++i)
    if (is_weak(a.leaves[i]) != is_weak(b.leaves[i])) return false;
  return true;
}

void propose_weak_type_flip(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  if (!is_jax(run)) return;
  const std::vector<LeafSeries> all = leaf_series(run);
  std::set<std::string> taken;
  for (const LeafSeries& s : all) {
    if (taken.count(s.path) || !flips(s)) continue;
    Candidate c;
    Finding& f = c.finding;
    for (const LeafSeries& other : all) {
      if (taken.count(other.path) || !flips(other) || !change_together(s, other)) continue;
      taken.insert(other.path);
      c.paths.insert(other.path);
      if (other.path != s.path) f.also_paths.push_back(other.path);
    }
    const TraceText text = at_path(s.path, strength);
    const auto counts = uses(run, text);
    const bool rare = std::ranges::any_of(counts, [](const auto& count) { return count.second < kOftenUsed; });
    // Two uses of the function, one with numbers and one with arrays, are two traces rightly.
    c.variants = !rare && most_from_one_line(evidence, run, text) < 2;
    f.path = s.path;
    f.parameter = s.parameter;
    f.values = distinct(s, strength);
    c.fix.call = become_strong(places_of(evidence, run, c.paths));
    c.most = GraphRelation::kStructure;
    c.fewest = 1;
    c.edit_at = Candidate::EditAt::kValue;
    const auto weak = std::ranges::find_if(s.leaves, is_weak);
    const std::string dtype = weak == s.leaves.end() ? "float32" : (*weak)->type;
    f.title = s.name() + " comes from a Python number at times";
    f.detail = s.path + ": " + joined(f.values, ", ") + "; only the weak type differs" + with_it(f.also_paths);
    f.fix = "Make it an array of this dtype where the number is made: jnp." + dtype + "(...)";
    c.complete = [&evidence, &run, dtype](Finding& made, const ReplayResult&) {
      if (made.also_paths.empty() && made.path.find(']') + 1 == made.path.size())
        made.edit = wrap_argument(evidence, run, made, "jnp.asarray(", ", dtype=jnp." + dtype + ")");
    };
    candidates.push_back(std::move(c));
  }
}

const Cause weak_type_flip("weak_type_flip", propose_weak_type_flip, "jax");

}  // namespace
}  // namespace footlight::explain
