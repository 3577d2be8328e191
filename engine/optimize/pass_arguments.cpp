// s = 2; y, t = While(x, s; body (a, b) -> (a * b, b)); z = t
//   ->   s = 2; y, t = While(x, s; body (a, b) -> (a * 2, b)); z = s
// Replaces the result of a loop for a variable that never changes by its initial value, and a parameter that is the
// same constant at every call by that constant.
#include "engine/optimize/loops.h"
#include "engine/optimize/optimize.h"
#include "engine/optimize/values.h"

namespace footlight::optimize {
namespace {

void forward_loop_invariants(Rewrite& rewrite, const ProgramRewrite& program) {
  for (const NodeId id : rewrite.control_flow_nodes()) {
    const Node& node = rewrite.node(id);
    if (!rewrite.is_live(id) || node.op->execution != Execution::kWhile) continue;
    const std::vector<bool> unchanged = loop_invariants(program.rewrite_of(*callees_of(node)[1]));
    for (uint32_t k = 0; k < node.dtypes.size(); ++k)
      if (unchanged[k] && !rewrite.is_replaced({id, k})) rewrite.replace({id, k}, node.inputs[k]);
  }
}

// The constant that every call site passes as an input; null if they do not agree on one.
const Tensor* constant_argument(const Rewrite& callee, size_t input, const ProgramRewrite& program) {
  const Tensor* common = nullptr;
  for (const ProgramRewrite::CallSite& site : program.call_sites(callee)) {
    const Node& node = site.caller->node(site.node);
    const Execution execution = node.op->execution;
    const Tensor* constant = site.caller->constant(node.inputs[input + (execution == Execution::kIf ? 1 : 0)]);
    if (!constant || (common && !equal_constants(*common, *constant))) return nullptr;
    const auto unchanged = [&] {
      const Rewrite& body = program.rewrite_of(*callees_of(node)[1]);
      return body.resolve(body.outputs[input]) == Edge{body.inputs[input], 0};
    };
    if (execution == Execution::kWhile && !unchanged()) return nullptr;
    common = constant;
  }
  return common;
}

void replace_constant_parameters(Rewrite& callee, const ProgramRewrite& program) {
  std::vector<std::pair<NodeId, const Tensor*>> found;
  for (size_t i = 0; i < callee.inputs.size(); ++i) {
    const NodeId input = callee.inputs[i];
    if (callee.is_replaced({input, 0}) || !callee.is_live(input)) continue;
    if (const Tensor* constant = constant_argument(callee, i, program)) found.emplace_back(input, constant);
  }
  for (const auto& [input, constant] : found)
    callee.replace({input, 0}, {callee.insert_constant(*constant, input, callee.name(input) + "/known"), 0});
}

}  // namespace

void pass_arguments(ProgramRewrite& program) {
  for (Rewrite* rewrite : program.reachable()) forward_loop_invariants(*rewrite, program);
  // Callers before callees, so that a constant reaches the innermost graph in one round.
  for (auto at = program.reachable().rbegin(); at != program.reachable().rend(); ++at)
    if (*at != &program.root()) replace_constant_parameters(**at, program);
}

}  // namespace footlight::optimize
