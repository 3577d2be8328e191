// Rebuilds the nodes on which the outputs' shapes depend in a temporary graph, with what is known of the inputs.
#include "engine/trace/call_shapes.h"

#include "engine/base/errors.h"
#include "engine/trace/concrete.h"
#include "engine/trace/graph_builder.h"

#include <algorithm>

namespace footlight::trace {
namespace {

constexpr size_t kMaxNodes = 4096;    // nodes of a callee; larger ones are not analysed
constexpr int kMaxCalls = 200;        // nested calls, each of which takes stack space
constexpr int64_t kMaxElements = 64;  // elements of a constant that may be a shape

bool fully_known(const std::vector<Shape>& shapes) {
  return std::ranges::all_of(shapes, [](const Shape& shape) { return shape.fully_known(); });
}

// The value of a small integer tensor that is known while tracing: it may become a shape.
Tensor small_constant(const Tensor& input) {
  if (!is_integer(input.dtype()) || !input.shape().fully_known() || input.shape().elements() > kMaxElements)
    return {};
  if (!input.is_symbolic()) return input.body()->python_number ? input : Tensor();
  Builder* const builder = this_thread.builder;
  return builder ? builder->constant_value(input) : Tensor();
}

class Inference {
 public:
  Inference(const Graph& callee, std::span<const Tensor> inputs)
      : callee_(callee), scratch_("shapes", GraphBuilder::Kind::kScratch), made_(callee.size()) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Node& placeholder = callee.node(callee.inputs[i]);
      const Tensor constant = small_constant(inputs[i]);
      const bool resource = inputs[i].dtype() == DType::kResource;
      made_[callee.inputs[i].value] = {
          constant
              ? scratch_.as_own(constant.as_constant())
              : scratch_.parameter(inputs[i].dtype(), merged(placeholder.shapes[0], inputs[i].shape()),
                                   placeholder.name, {}, resource ? inputs[i].resource_object() : nullptr)};
    }
  }

  std::vector<Shape> run() {
    const Building building(&scratch_);
    std::vector<bool> needed(callee_.size(), false);
    for (Edge edge : callee_.outputs)
      if (!shape_in_callee(edge).fully_known()) mark(edge.node, needed);
    for (uint32_t i = 0; i < callee_.size(); ++i)
      if (needed[i]) make(NodeId(i));
    std::vector<Shape> shapes;
    for (Edge edge : callee_.outputs)
      shapes.push_back(made_[edge.node.value].empty() ? shape_in_callee(edge)
                                                      : made_[edge.node.value][edge.output].shape());
    return shapes;
  }

 private:
  const Shape& shape_in_callee(Edge edge) const { return callee_.node(edge.node).shapes[edge.output]; }
  static Shape merged(const Shape& declared, const Shape& found) {
    return compatible(declared, found) ? merge(declared, found) : declared;
  }

  void mark(NodeId from, std::vector<bool>& needed) const {
    std::vector<NodeId> queue{from};
    while (!queue.empty()) {
      const NodeId id = queue.back();
      queue.pop_back();
      if (needed[id.value]) continue;
      needed[id.value] = true;
      for (Edge edge : callee_.node(id).inputs) queue.push_back(edge.node);
    }
  }

  void make(NodeId id) {
    if (!made_[id.value].empty()) return;
    const Node& node = callee_.node(id);
    std::vector<Tensor> inputs;
    for (Edge edge : node.inputs) {
      if (callee_.node(edge.node).inputs.empty()) make(edge.node);  // it may come after nodes that use it
      inputs.push_back(made_[edge.node.value].at(edge.output));
    }
    std::vector<Tensor> results;
    const GraphPtr* called = nullptr;
    for (const auto& [name, value] : node.attrs)
      if (const GraphPtr* graph = std::get_if<GraphPtr>(&value)) called = graph;
    const std::vector<DType> dtypes = node.dtypes.to_vector();
    if (called || node.op->execution == Execution::kPlaceholder) {
      const bool call = called && node.op == &call_row(**called);
      results = scratch_.add_known(*node.op, inputs, node.attrs, dtypes,
                                   call ? call_shapes(**called, inputs) : node.shapes.all(), node.name);
    } else {
      results = scratch_.emit(*node.op, inputs, node.attrs, node.name);
    }
    Graph& scratch = *scratch_.graph();
    for (size_t k = 0; k < results.size(); ++k) {
      const Edge edge{results[k].node(), results[k].output()};
      scratch.node(edge.node).shapes.own()[edge.output] = merged(node.shapes[k], results[k].shape());
      results[k] = scratch.tensor(edge);
    }
    made_[id.value] = std::move(results);
  }

  const Graph& callee_;
  GraphBuilder scratch_;
  std::vector<std::vector<Tensor>> made_;  // outputs of each node
};

}  // namespace

std::vector<Shape> call_shapes(const Graph& callee, std::span<const Tensor> inputs) {
  std::vector<Shape> declared = output_shapes(callee);
  const bool small = callee.size() <= kMaxNodes && this_thread.call_shapes_depth < kMaxCalls;
  if (fully_known(declared) || !small || inputs.size() != callee.inputs.size()) return declared;
  bool more = false;
  for (size_t i = 0; i < inputs.size() && !more; ++i)
    more = !(inputs[i].shape() == callee.node(callee.inputs[i]).shapes[0]) || small_constant(inputs[i]);
  if (!more) return declared;
  struct Inside {
    Inside() { ++this_thread.call_shapes_depth; }
    ~Inside() { --this_thread.call_shapes_depth; }
  } inside;
  try {
    return Inference(callee, inputs).run();
  } catch (const Error&) {
    return declared;  // a mismatch is reported when the call runs
  }
}

}  // namespace footlight::trace
