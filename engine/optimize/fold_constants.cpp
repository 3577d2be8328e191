// a = Const 2; b = Const 3; c = Mul(a, b)   ->   c = Const 6
// Only small results of ops without effects; an op that fails is left to fail when it runs, or to be pruned.
#include "engine/optimize/rewrite.h"

#include "engine/base/errors.h"

#include <string_view>

namespace footlight::optimize {
namespace {

constexpr size_t kMostBytes = 4096;

bool may_fold(const Node& node) {
  if (node.op->stateful || node.inputs.empty() || node.dtypes.size() != 1 || !node.shapes[0].fully_known())
    return false;
  if (!is_plain(node.dtypes[0])) return false;
  if (static_cast<size_t>(node.shapes[0].elements()) * size_of(node.dtypes[0]) > kMostBytes) return false;
  switch (node.op->family) {
    case OpFamily::kElementwise:
    case OpFamily::kMove:
    case OpFamily::kReduction: return true;
    default: return false;
  }
}

}  // namespace

void fold_constants(Rewrite& rewrite, Evaluator evaluate) {
  static const AttrName kValue("value");
  for (uint32_t i = 0; i < rewrite.graph.size(); ++i) {
    const Node& node = rewrite.graph.node(NodeId(i));
    if (std::string_view(node.op->name) == "Const") {
      rewrite.value[i] = node.attrs.get<Tensor>(kValue);
      continue;
    }
    if (!evaluate || !rewrite.live[i] || rewrite.forward[i].node.valid() || !may_fold(node)) continue;
    std::vector<Tensor> inputs;
    for (Edge edge : node.inputs) {
      const Edge from = rewrite.resolve(edge);
      if (from.output != 0 || !rewrite.value[from.node.value]) break;
      inputs.push_back(rewrite.value[from.node.value]);
    }
    if (inputs.size() != node.inputs.size()) continue;
    try {
      rewrite.value[i] = evaluate(*node.op, inputs, node.attrs)[0];
    } catch (const Error&) {
      rewrite.value[i] = Tensor();
    }
  }
}

}  // namespace footlight::optimize
