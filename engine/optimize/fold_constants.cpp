// a = Const 2; b = Const 3; c = Mul(a, b)   ->   c = Const 6
// Folds ops without effects whose results are small. An op that fails stays, to fail when it runs or to be pruned.
#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/optimize/optimize.h"

#include <algorithm>

namespace footlight::optimize {
namespace {

constexpr size_t kMaxBytes = 4096;

bool may_fold(const Rewrite& rewrite, NodeId id) {
  const Node& node = rewrite.node(id);
  if (node.inputs.empty() || node.op->stateful() || node.op->execution != Execution::kKernel) return false;
  switch (node.op->family) {
    case OpFamily::kElementwise:
    case OpFamily::kMove:
    case OpFamily::kReduction:
    case OpFamily::kConstant: break;
    default: return false;
  }
  size_t bytes = 0;
  for (size_t k = 0; k < node.dtypes.size(); ++k) {
    if (!is_plain(node.dtypes[k]) || !node.shapes[k].fully_known()) return false;
    bytes += static_cast<size_t>(node.shapes[k].elements()) * size_of(node.dtypes[k]);
  }
  return bytes <= kMaxBytes && std::ranges::all_of(node.inputs, [&](Edge e) { return rewrite.constant(e); });
}

}  // namespace

void fold_constants(Rewrite& rewrite, Evaluator evaluate) {
  if (!evaluate) return;
  for (const NodeId id : rewrite.order()) {
    const Node& node = rewrite.node(id);
    if (!rewrite.is_live(id) || !may_fold(rewrite, id) || node.dtypes.empty() || rewrite.is_replaced({id, 0})) continue;
    std::vector<Tensor> inputs, values;
    for (Edge edge : node.inputs) inputs.push_back(*rewrite.constant(edge));
    try {
      values = evaluate(*node.op, inputs, node.attrs);
    } catch (const Error&) {
      continue;
    }
    for (uint32_t k = 0; k < values.size(); ++k) {
      const std::string name = rewrite.name(id) + (k ? str("/folded_", k) : "/folded");
      if (!rewrite.is_replaced({id, k})) rewrite.replace({id, k}, {rewrite.insert_constant(values[k], id, name), 0});
    }
  }
}

}  // namespace footlight::optimize
