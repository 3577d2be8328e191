// Searches back from what is wanted, then copies in the graph's own order, in which nodes can run.
#include "engine/trace/inline.h"

#include "engine/base/text.h"
#include "engine/tensor/random_state.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace footlight::trace {
namespace {

uint64_t number_of(Edge edge) { return uint64_t{edge.node.value} << 32 | edge.output; }

class Copy {
 public:
  Copy(GraphBuilder& builder, const Graph& graph, bool any_shapes, OwnStates* states)
      : builder_(builder), graph_(graph), any_shapes_(any_shapes), states_(states), made_(graph.size()) {}

  void feed(Edge edge, const Tensor& value) {
    const Node& node = graph_.node(edge.node);
    const DType dtype = node.dtypes[edge.output];
    const Shape& shape = node.shapes[edge.output];
    if (value.dtype() != dtype)
      fail(ErrorKind::kType, "the tensor '", node.name, ":", edge.output, "' is ", name_of(dtype), ", it was given ",
           name_of(value.dtype()));
    if (!any_shapes_ && !is_subshape(value.shape(), shape) && dtype != DType::kResource && dtype != DType::kVariant)
      fail(ErrorKind::kValue, "the tensor '", node.name, ":", edge.output, "' has the shape ", shape.to_string(),
           ", it was given ", value.shape().to_string());
    const bool here = value.is_symbolic() && value.graph() == builder_.graph().get();
    const Tensor own = here ? value : builder_.capture(value, node.name, {});
    fed_.emplace(number_of(edge), Edge{own.node(), own.output()});
    given_.insert(edge.node.value);
  }

  void need(NodeId id) {
    if (given_.contains(id.value) && graph_.node(id).op->execution == Execution::kPlaceholder) return;
    if (needed_.empty()) needed_.resize(graph_.size(), false);
    if (needed_[id.value]) return;
    needed_[id.value] = true;
    queue_.push_back(id);
  }
  void need(Edge edge) {
    if (!fed_.contains(number_of(edge))) need(edge.node);
  }

  void run() {
    while (!queue_.empty()) {
      const Node& node = graph_.node(queue_.back());
      queue_.pop_back();
      if (node.op->execution == Execution::kPlaceholder)
        invalid("You must feed a value for placeholder tensor '", node.name, "' with dtype ",
                short_name(node.dtypes[0]),
                node.shapes[0].has_rank() ? str(" and shape ", node.shapes[0].brackets()) : std::string());
      for (Edge edge : node.inputs) need(edge);
      for (NodeId control : node.control_inputs) need(control);
    }
    for (uint32_t i = 0; i < needed_.size(); ++i)
      if (needed_[i]) copy(NodeId(i));
    for (uint32_t i = 0; i < needed_.size(); ++i)
      if (needed_[i]) wait_as(NodeId(i));
  }

  Edge result(Edge edge) {
    const auto fed = fed_.find(number_of(edge));
    return fed != fed_.end() ? fed->second : Edge{made_[edge.node.value], edge.output};
  }

 private:
  void copy(NodeId id) {
    if (made_[id.value].valid()) return;
    const Node& from = graph_.node(id);
    Node node = from;
    node.control_inputs.clear();
    for (Edge& edge : node.inputs) {
      // A node without inputs may come after nodes that use it.
      if (!fed_.contains(number_of(edge)) && graph_.node(edge.node).inputs.empty()) copy(edge.node);
      edge = result(edge);
    }
    if (any_shapes_ && !node.inputs.empty()) forget_shapes(node);
    if (states_) give_own_state(node);
    node.name = builder_.graph()->unique_name(from.name);
    made_[id.value] = builder_.adopt(std::move(node));
  }

  void give_own_state(Node& node) const {
    const Tensor state = node.attrs.get_or("_state"_attr, Tensor());
    if (!state || state.dtype() != DType::kResource) return;
    Tensor& own = (*states_)[state.resource_object()];
    if (!own)
      own = Tensor::resource(new RandomState(static_cast<uint64_t>(node.attrs.get_or("seed"_attr, int64_t{0})),
                                             static_cast<uint64_t>(node.attrs.get_or("seed2"_attr, int64_t{0}))));
    node.attrs.set("_state"_attr, own);
  }

  void forget_shapes(Node& node) const {
    for (const auto& [name, value] : node.attrs)
      if (std::holds_alternative<GraphPtr>(value))
        fail(ErrorKind::kUnimplemented, "'", node.name,
             "' calls a graph, whose shapes are those that it was traced for");
    node.shapes = builder_.graph()->shared(std::vector<Shape>(node.dtypes.size(), Shape::unknown_rank()));
  }

  // Copies control inputs. A node may wait for a later one: an output waits for all effects.
  void wait_as(NodeId id) {
    Graph& graph = *builder_.graph();
    auto& controls = graph.node(made_[id.value]).control_inputs;
    for (NodeId control : graph_.node(id).control_inputs) {
      const NodeId own = made_[control.value];
      if (own.valid() && std::ranges::find(controls, own) == controls.end()) controls.push_back(own);
    }
  }

  GraphBuilder& builder_;
  const Graph& graph_;
  const bool any_shapes_;
  OwnStates* const states_;
  std::vector<NodeId> made_;                // the copy of each node
  std::unordered_map<uint64_t, Edge> fed_;  // by the tensors that they replace
  std::unordered_set<uint32_t> given_;      // nodes of these tensors
  std::vector<bool> needed_;
  std::vector<NodeId> queue_;
};

}  // namespace

std::vector<Tensor> inline_graph(GraphBuilder& builder, const Graph& graph,
                                 std::span<const std::pair<Edge, Tensor>> feeds, std::span<const Edge> fetches,
                                 std::span<const NodeId> targets, FedShapes fed, OwnStates* states) {
  Copy copy(builder, graph, fed == FedShapes::kAnyShapes, states);
  for (const auto& [edge, value] : feeds) copy.feed(edge, value);
  for (Edge edge : fetches) copy.need(edge);
  for (NodeId id : targets) copy.need(id);
  copy.run();
  std::vector<Tensor> results;
  for (Edge edge : fetches) results.push_back(builder.graph()->tensor(copy.result(edge)));
  return results;
}

}  // namespace footlight::trace
