// Adds pushes to the forward graph, and as many pops to a copy of the backward graph, before its nodes.
#include "engine/trace/saved_values.h"

#include "engine/ops/functions.h"
#include "engine/trace/inline.h"

#include <array>
#include <map>

namespace footlight::trace {
namespace {

const AttrName kElementDType{"element_dtype"};

// The shapes that pops request: one constant per shape.
class Asked {
 public:
  explicit Asked(GraphBuilder& builder) : builder_(builder) {}
  const Tensor& of(const Shape& shape) {
    Tensor& known = known_[shape.to_string()];
    if (!known) known = builder_.as_own(shape.has_rank() ? ops::ints(shape.dims()) : ops::integer(-1));
    return known;
  }

 private:
  GraphBuilder& builder_;
  std::map<std::string, Tensor> known_;
};

}  // namespace

size_t most_saved_apart = 64;

NodeId add_list(Graph& graph, DType dtype, const Shape& element) {
  Node node;
  node.op = &"EmptyValueList"_op.row();
  node.attrs.set(kElementDType, dtype);
  node.attrs.set("element_shape"_attr, element);
  node.dtypes = {DType::kVariant};
  node.shapes = {Shape()};
  return graph.add(std::move(node));
}

NodeId add_push(Graph& graph, NodeId list, Edge value, DType dtype) {
  Node node;
  node.op = &"TensorListPushBack"_op.row();
  node.inputs = {{list, 0}, value};
  node.dtypes = {DType::kVariant};
  if (const Node& before = graph.node(list);
      before.op == node.op && before.attrs.get<DType>(kElementDType) == dtype) {  // the list may have many values
    node.attrs = before.attrs;
    node.shapes = before.shapes;
  } else {
    node.attrs.set(kElementDType, dtype);
    node.shapes = {Shape()};
  }
  return graph.add(std::move(node));
}

SavedLists save_as_lists(Graph& forward, const Graph& backward, std::span<const SavedValue> saved) {
  SavedLists result;
  std::map<DType, std::vector<SavedValue>> groups;
  std::vector<bool> listed(backward.inputs.size(), false);
  for (const SavedValue& each : saved) {
    groups[forward.node(each.value.node).dtypes[each.value.output]].push_back(each);
    listed[each.input] = true;
  }
  GraphBuilder builder(backward.name(), GraphBuilder::Kind::kGradient);
  const Building building(&builder);
  std::vector<std::pair<Edge, Tensor>> feeds;
  for (size_t i = 0; i < backward.inputs.size(); ++i) {
    if (listed[i]) continue;
    const Node& input = backward.node(backward.inputs[i]);
    feeds.emplace_back(Edge{backward.inputs[i], 0},
                       builder.parameter(input.dtypes[0], input.shapes[0], input.name, {}));
  }
  std::vector<Tensor> lists;
  for (size_t k = 0; k < groups.size(); ++k) lists.push_back(builder.parameter(DType::kVariant, {}, "saved", {}));
  Asked asked(builder);
  size_t group = 0;
  for (const auto& [dtype, values] : groups) {
    NodeId list = add_list(forward, dtype, Shape::unknown_rank());
    for (const SavedValue& each : values) list = add_push(forward, list, each.value, dtype);
    result.lists.push_back({list, 0});
    Tensor rest = lists[group++];
    for (size_t k = values.size(); k-- > 0;) {
      const NodeId input = backward.inputs[values[k].input];
      const std::vector<Tensor> both =
          apply_all("TensorListPopBack"_op.row(), std::array{rest, asked.of(backward.node(input).shapes[0])},
                    {{kElementDType, dtype}});
      rest = both[0];
      feeds.emplace_back(Edge{input, 0}, both[1]);
    }
  }
  builder.finish_marked(inline_graph(builder, backward, feeds, backward.outputs, backward.control_outputs));
  result.backward = builder.graph();
  return result;
}

}  // namespace footlight::trace
