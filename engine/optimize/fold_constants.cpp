// a = Const 2; b = Const 3; c = Mul(a, b)   ->   c = Const 6
// Only small results of ops without effects; an op that fails is left in place, to fail when it runs or to be pruned.
#include "engine/optimize/rewrite.h"

#include "engine/base/errors.h"

namespace footlight::optimize {
namespace {

constexpr size_t kMostBytes = 4096;

bool may_fold(const Node& node) {
  if (node.op->stateful() || node.inputs.empty() || node.dtypes.size() != 1 || !node.shapes[0].fully_known())
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

Node constant_node(const Node& folded, Tensor value) {
  static const Op kConst{"Const"};
  static const AttrName kValue("value"), kDType("dtype");
  Node node;
  node.op = &kConst.row();
  node.name = folded.name + "/folded";
  node.dtypes = {value.dtype()};
  node.shapes = {value.shape()};
  node.attrs = {{kValue, std::move(value)}, {kDType, node.dtypes[0]}};
  node.source = folded.source;
  return node;
}

}  // namespace

void fold_constants(Rewrite& rewrite, Evaluator evaluate) {
  if (!evaluate) return;
  rewrite.begin("fold_constants");
  for (const NodeId id : rewrite.order()) {
    const Node& node = rewrite.node(id);
    if (!rewrite.live(id) || !may_fold(node) || rewrite.replaced({id, 0})) continue;
    std::vector<Tensor> inputs;
    for (Edge edge : node.inputs) {
      const Tensor* known = rewrite.constant(edge);
      if (!known) break;
      inputs.push_back(*known);
    }
    if (inputs.size() != node.inputs.size()) continue;
    Tensor value;
    try {
      value = evaluate(*node.op, inputs, node.attrs)[0];
    } catch (const Error&) {
      continue;
    }
    rewrite.replace({id, 0}, {rewrite.insert(constant_node(node, std::move(value)), id), 0});
  }
}

}  // namespace footlight::optimize
