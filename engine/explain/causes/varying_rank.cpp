// varying_rank: the rank of an argument differs from call to call, so relaxing its shape would lose the rank. Fix:
// reshape to one rank at the call.
#include "engine/explain/engines.h"
#include "engine/explain/findings.h"
#include "engine/explain/words.h"

#include "engine/base/dtype_names.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::KeyLeaf;
using session::TraceRecord;

constexpr size_t kFewShapes = 8;
constexpr size_t kOftenUsed = 4;  // the call that traced, and three hits

std::string shape_text(const KeyLeaf* leaf) { return leaf ? '[' + leaf->shape + ']' : ""; }

// Tensors of one dtype whose ranks differ; ranks and dtype are empty for anything else.
struct Ranks {
  std::set<size_t> ranks;
  std::string dtype;
};

Ranks ranks_of(const LeafSeries& s) {
  Ranks found;
  for (const KeyLeaf* leaf : s.leaves) {
    if (!leaf || leaf->kind != "tensor" || leaf->shape == "<unknown>") return {};
    if (!found.dtype.empty() && found.dtype != leaf->type) return {};
    found.dtype = leaf->type;
    found.ranks.insert(sizes_of(leaf->shape).size());
  }
  return found;
}

void propose_varying_rank(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& candidates) {
  const std::vector<LeafSeries> all = leaf_series(run);
  std::set<std::string> taken;
  for (const LeafSeries& s : all) {
    const auto [ranks, dtype] = ranks_of(s);
    if (ranks.size() < 2 || !taken.insert(s.path).second) continue;
    Candidate c;
    Finding& f = c.finding;
    f.path = s.path + ".shape";
    f.parameter = s.parameter;
    f.values = distinct(s, shape_text);
    c.paths = {s.path};
    for (const LeafSeries& other : all) {
      const auto [other_ranks, other_dtype] = ranks_of(other);
      if (other_ranks.size() < 2 || other_dtype != dtype || taken.contains(other.path)) continue;
      if (!change_together(s, other, shape_text)) continue;
      taken.insert(other.path);
      c.paths.insert(other.path);
      f.also_paths.push_back(other.path + ".shape");
    }
    const std::set<std::string> places = places_of(evidence, run, c.paths);
    const bool relaxes = !is_jax(run) && !is_torch(run);  // sizes that differ still make traces
    c.fix.call = is_torch(run) ? become_tensor(places, dtype_number(dtype)) : widen_to(places, *ranks.rbegin());
    c.fix.reduce_retracing = relaxes;
    c.most = GraphRelation::kStructure;
    c.steady = recurring(uses(run, at_path(s.path, shape_text)), kFewShapes, kOftenUsed);
    f.title = s.name() + " has " + with_commas(ranks.size()) + " different ranks";
    f.detail = s.path + ": " + with_commas(f.values.size()) + " shapes of " + with_commas(ranks.size()) +
               " ranks, " + progression(f.values) + with_it(f.also_paths);
    f.fix = (is_jax(run) ? "jnp.reshape(" : "tf.reshape(") + s.name() + ", ...) to one rank at the call";
    if (relaxes) f.fix += ", and @tf.function(reduce_retracing=True)";
    candidates.push_back(std::move(c));
  }
}

const Cause varying_rank("varying_rank", propose_varying_rank);

}  // namespace
}  // namespace footlight::explain
