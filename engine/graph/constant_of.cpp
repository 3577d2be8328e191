// Folds small arithmetic on shapes by running it, so that `tf.shape(x)[0] * 2` is known if x's shape is.
#include "engine/graph/constant_of.h"

#include "engine/base/errors.h"
#include "engine/tensor/gpu.h"

namespace footlight {
namespace {

// Limits the nodes that one question visits: it doubles with each step if values use another one twice.
constexpr int kMaxNodes = 512;

Tensor shape_value(const Node& node, const Shape& shape) {
  if (!shape.fully_known()) return {};
  if (node.dtypes[0] == DType::kInt64) return Tensor::vector<int64_t>(shape.dims());
  std::vector<int32_t> dims(shape.dims().begin(), shape.dims().end());
  return Tensor::vector<int32_t>(dims);
}

Tensor look(const Graph& graph, Edge at, const KnownInput& input, int& left) {
  const Node& node = graph.node(at.node);
  if (node.op->execution == Execution::kConstant) return node.attrs.get<Tensor>("value"_attr);
  if (input && node.op->execution == Execution::kPlaceholder) return input(at.node);
  if (node.op == &"PlaceholderWithDefault"_op.row()) return {};  // a session may feed another value
  if (--left < 0 || node.op->stateful() || !node.control_inputs.empty() || node.inputs.empty()) return {};
  const Node& first = graph.node(node.inputs[0].node);
  if (node.op == &"Shape"_op.row()) return shape_value(node, first.shapes[node.inputs[0].output]);
  const bool cheap = node.op->family == OpFamily::kMove || node.op->family == OpFamily::kElementwise;
  if (!cheap || node.dtypes.size() != 1 || node.inputs.size() > 8 || !node.shapes[0].fully_known() ||
      node.shapes[0].elements() > 16 || !ops::hooks.eager_builder)
    return {};
  std::vector<Tensor> inputs;
  for (Edge edge : node.inputs) {
    const Shape& shape = graph.node(edge.node).shapes[edge.output];
    if (!shape.fully_known() || shape.elements() > 16) return {};
    Tensor known = look(graph, edge, input, left);
    if (!known) return {};
    inputs.push_back(std::move(known));
  }
  try {
    // Runs on the host: tf.device may have chosen another device.
    return gpu::on_host(ops::hooks.eager_builder->emit_one(*node.op, inputs, node.attrs, {}));
  } catch (const Error&) {
    return {};  // the op will raise when it runs
  }
}

}  // namespace

Tensor constant_of(const Graph& graph, Edge edge, const KnownInput& input) {
  int left = kMaxNodes;
  return look(graph, edge, input, left);
}

}  // namespace footlight
