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

void propose_varying_rank(const Evidence& evidence, const FunctionRun& run, std::vector<Candidate>& to) {
  for (const LeafSeries& s : leaf_series(run)) {
    std::set<size_t> ranks;
    std::string dtype;
    bool tensors = true;
    for (const KeyLeaf* leaf : s.leaves) {
      tensors &= leaf && leaf->kind == "tensor" && leaf->shape != "<unknown>" && (dtype.empty() || dtype == leaf->type);
      if (!tensors) break;
      dtype = leaf->type;
      ranks.insert(sizes_of(leaf->shape).size());
    }
    if (!tensors || ranks.size() < 2) continue;
    Candidate c;
    Finding& f = c.finding;
    f.path = s.path + ".shape";
    f.parameter = s.parameter;
    f.values = distinct(s, shape_text);
    c.paths = {s.path};
    c.fix.call = become_tensor(places_of(evidence, run, c.paths), dtype_number(dtype));
    c.most = GraphRelation::kStructure;
    c.steady = recurring(uses(run, at_path(s.path, shape_text)), kFewShapes, kOftenUsed);
    f.title = s.name() + " has " + with_commas(ranks.size()) + " different ranks";
    f.detail = s.path + ": " + with_commas(f.values.size()) + " shapes of " + with_commas(ranks.size()) +
               " ranks, " + progression(f.values);
    f.fix = (is_jax(run) ? "jnp.reshape(" : "tf.reshape(") + s.name() + ", ...) to one rank at the call";
    to.push_back(std::move(c));
  }
}

const Cause varying_rank("varying_rank", propose_varying_rank);

}  // namespace
}  // namespace footlight::explain
