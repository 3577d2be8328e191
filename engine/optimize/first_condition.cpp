// Runs the condition on the loop's initial values, if these are constants.
#include "engine/optimize/first_condition.h"

#include "engine/base/errors.h"

namespace footlight::optimize {
namespace {

constexpr size_t kMaxNodes = 64;       // nodes of a condition that is run
constexpr int64_t kMaxElements = 256;  // elements of any value in the condition

class ConditionEvaluator {
 public:
  ConditionEvaluator(const Rewrite& caller, const Node& loop, const Rewrite& condition, Evaluator evaluate)
      : condition_(condition), evaluate_(evaluate), values_(condition.num_values()) {
    for (size_t i = 0; i < condition.inputs.size(); ++i)
      if (const Tensor* start = caller.constant(loop.inputs[i]))
        values_[condition.value_index({condition.inputs[i], 0})] = *start;
  }

  Tensor result() {
    std::vector<NodeId> order = condition_.order();
    std::erase_if(order, [&](NodeId id) { return !condition_.is_live(id); });
    if (order.size() > kMaxNodes + condition_.inputs.size()) return {};
    for (const NodeId id : order) run(id);
    return value(condition_.outputs[0]);
  }

 private:
  Tensor value(Edge edge) const {
    const Edge from = condition_.resolve(edge);
    const Tensor* constant = condition_.constant(from);
    return constant ? *constant : values_[condition_.value_index(from)];
  }

  void run(NodeId id) {
    const Node& node = condition_.node(id);
    const OpFamily family = node.op->family;
    if (node.op->stateful() || node.op->execution != Execution::kKernel || node.op->host_only || node.inputs.empty() ||
        (family != OpFamily::kElementwise && family != OpFamily::kMove && family != OpFamily::kReduction))
      return;
    std::vector<Tensor> inputs;
    for (const Edge edge : node.inputs) {
      inputs.push_back(value(edge));
      if (!inputs.back() || !is_plain(inputs.back().dtype()) || inputs.back().elements() > kMaxElements) return;
    }
    for (const Shape& shape : node.shapes)
      if (!shape.fully_known() || shape.elements() > kMaxElements) return;
    const std::vector<Tensor> results = evaluate_(*node.op, inputs, node.attrs);
    for (uint32_t k = 0; k < results.size(); ++k) values_[condition_.value_index({id, k})] = results[k];
  }

  const Rewrite& condition_;
  const Evaluator evaluate_;
  std::vector<Tensor> values_;
};

}  // namespace

std::optional<bool> first_condition(const Rewrite& caller, NodeId loop, const ProgramRewrite& program) {
  const Node& node = caller.node(loop);
  const Rewrite& condition = program.rewrite_of(*callees_of(node)[0]);
  if (!program.evaluate || condition.inputs.size() != node.inputs.size()) return std::nullopt;
  try {
    const Tensor result = ConditionEvaluator(caller, node, condition, program.evaluate).result();
    if (result && result.dtype() == DType::kBool && result.elements() == 1) return *result.data<bool>();
  } catch (const Error&) {
  }
  return std::nullopt;  // a condition that fails here will fail at run time
}

}  // namespace footlight::optimize
