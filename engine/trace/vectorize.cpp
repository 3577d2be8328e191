// Each node becomes one node on the batch where its op has a rule; calls are gone into; all else becomes a loop that
// runs the node for one element after the other.
#include "engine/trace/vectorize.h"

#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/ops/control_gradients.h"
#include "engine/ops/functions.h"
#include "engine/trace/control_flow.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace footlight::trace {
namespace {

using ops::Batched;

const AttrName kElementDType("element_dtype"), kF("f");

class Replay {
 public:
  Replay(Vectorized& result, const Tensor& size, bool loops) : result_(result), size_(size), loops_(loops) {}

  std::vector<Batched> run(const Graph& graph, std::span<const Batched> inputs) {
    std::vector<std::vector<Batched>> values(graph.size());
    for (size_t i = 0; i < graph.inputs.size(); ++i) values[graph.inputs[i].value] = {inputs[i]};
    for (uint32_t n = 0; n < graph.size(); ++n) {
      const Node& node = graph.node(NodeId(n));
      if (!values[n].empty() || node.op->execution == Execution::kNoOp) continue;
      std::vector<Batched> given;
      for (const Edge edge : node.inputs) {
        std::vector<Batched>& made = values[edge.node.value];
        // A list that was added to a loop for its gradient comes after it, and has no inputs.
        if (made.empty()) made = apply_node(graph.node(edge.node), {});
        given.push_back(made[edge.output]);
      }
      values[n] = apply_node(node, given);
    }
    std::vector<Batched> outputs;
    for (const Edge edge : graph.outputs) outputs.push_back(values[edge.node.value][edge.output]);
    return outputs;
  }

 private:
  std::vector<Batched> apply_node(const Node& node, std::span<const Batched> given) {
    static const AttrName kValue("value");
    const OpRow& row = *node.op;
    if (row.execution == Execution::kConstant) return {{constant(node.attrs.get<Tensor>(kValue)), false}};
    const bool batched = std::ranges::any_of(given, &Batched::batched);
    // What draws a random number does so for each element; all other effects of values that all share come once.
    const bool draws = row.effect == Effect::kOther && row.family == OpFamily::kRandom;
    if (!batched && !draws) return once(node, given);
    if (row.execution == Execution::kCall) return run(*node.attrs.get<GraphPtr>(kF), given);
    if (row.execution == Execution::kIf && !given[0].batched) return branch(node, given);
    if (batched && row.execution == Execution::kKernel)
      if (auto results = ops::apply_to_batch(row, node.attrs, given, size_)) return *results;
    return in_turn(node, given);
  }

  // The condition is the same for all: the branches are replayed, and give a copy for each element.
  std::vector<Batched> branch(const Node& node, std::span<const Batched> given) {
    const std::vector<AttrName> names = branches_of(node.attrs);
    std::vector<Branch> branches;
    for (const AttrName name : names)
      branches.push_back([&, name] {
        std::vector<Tensor> results;
        for (const Batched& output : run(*node.attrs.get<GraphPtr>(name), given.subspan(1)))
          results.push_back(ops::for_each_element(output, size_));
        return results;
      });
    const bool by_number = !node.attrs.find(AttrName("then_branch"));
    std::vector<Batched> results;
    for (const Tensor& output : by_number ? build_case(given[0].tensor, branches)
                                          : build_cond(given[0].tensor, branches[0], branches[1]))
      results.push_back({output, true});
    return results;
  }

  static Tensor constant(const Tensor& value) {
    return is_plain(value.dtype()) || value.dtype() == DType::kString ? value.alias().as_constant() : value;
  }

  static std::vector<Tensor> outputs_of(const Node& node, std::span<const Tensor> inputs) {
    if (node.op->execution == Execution::kKernel) return apply_all(*node.op, inputs, node.attrs);
    // Branches and loops come with their dtypes and shapes.
    GraphBuilder& builder = *GraphBuilder::innermost();
    const std::vector<Tensor> outputs =
        builder.add_known(*node.op, inputs, node.attrs, node.dtypes.to_vector(), node.shapes, node.op->name);
    if (tape_hook) tape_hook(*node.op, node.attrs, inputs, outputs);
    return outputs;
  }

  static std::vector<Batched> once(const Node& node, std::span<const Batched> given) {
    std::vector<Tensor> inputs;
    for (const Batched& input : given) inputs.push_back(input.tensor);
    std::vector<Batched> results;
    for (const Tensor& output : outputs_of(node, inputs)) results.push_back({output, false});
    return results;
  }

  // The loop's variables: the number of the element, a list for each output.
  std::vector<Batched> in_turn(const Node& node, std::span<const Batched> given) {
    static const Op reserve{"TensorListReserve"}, set{"TensorListSetItem"}, stack{"TensorListStack"}, less{"Less"};
    const std::string name = node.op->name;
    if (!loops_)
      fail(ErrorKind::kValue, "vectorized_map: there is no batched form of ", name, " (node '", node.name,
           "'); allow fallback_to_while_loop=True, which runs it for one element after the other");
    if (std::ranges::find(result_.one_by_one, name) == result_.one_by_one.end()) result_.one_by_one.push_back(name);
    std::vector<Tensor> variables{ops::integer(0)};
    std::vector<Shape> shapes(node.shapes);
    for (size_t k = 0; k < node.dtypes.size(); ++k)
      variables.push_back(apply(reserve, {dims_of(node.shapes[k]), size_}, {{kElementDType, node.dtypes[k]}}));
    WhileOptions options;
    options.name = "one_by_one/" + name;
    const std::vector<Tensor> done = build_while(
        variables, [&](std::span<const Tensor> now) { return apply(less, {now[0], size_}); },
        [&](std::span<const Tensor> now) {
          std::vector<Tensor> inputs;
          for (const Batched& input : given)
            inputs.push_back(input.batched ? ops::gather(input.tensor, now[0]) : input.tensor);
          const std::vector<Tensor> outputs = outputs_of(node, inputs);
          std::vector<Tensor> next{ops::add(now[0], ops::integer(1))};
          for (size_t k = 0; k < outputs.size(); ++k)
            next.push_back(apply(set, {now[k + 1], now[0], outputs[k]}, {{kElementDType, node.dtypes[k]}}));
          return next;
        },
        options);
    std::vector<Batched> results;
    for (size_t k = 0; k < node.dtypes.size(); ++k)
      results.push_back(
          {apply(stack, {done[k + 1], dims_of(node.shapes[k])}, {{kElementDType, node.dtypes[k]}}), true});
    return results;
  }

  static Tensor dims_of(const Shape& shape) {
    return shape.has_rank() ? ops::ints(shape.dims()) : ops::integer(-1);
  }

  Vectorized& result_;
  const Tensor& size_;
  const bool loops_;
};

}  // namespace

Vectorized vectorize(const Graph& graph, std::span<const Batched> inputs, const Tensor& size, bool loops) {
  Vectorized result;
  result.outputs = Replay(result, size, loops).run(graph, inputs);
  return result;
}

}  // namespace footlight::trace
