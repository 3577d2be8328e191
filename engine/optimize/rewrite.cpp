// Records the changes to one graph and resolves replaced values.
#include "engine/optimize/rewrite.h"

#include "engine/base/errors.h"

namespace footlight::optimize {

const char* name_of(Change::Action action) {
  switch (action) {
    case Change::Action::kReplaced: return "replaced";
    case Change::Action::kInserted: return "inserted";
    case Change::Action::kRemoved: return "removed";
  }
  return "";
}

Rewrite::Rewrite(const Graph& graph) : inputs(graph.inputs), outputs(graph.outputs), graph_(graph) {
  live_.reserve(graph.size());
  first_output_.reserve(graph.size());
  replacement_.reserve(graph.size());
  for (uint32_t i = 0; i < graph.size(); ++i) add_outputs(graph.node(NodeId(i)));
}

void Rewrite::add_outputs(const Node& node) {
  if (runs_graphs(*node.op)) control_flow_nodes_.push_back(NodeId(static_cast<uint32_t>(live_.size())));
  has_user_set_shape_ |= node.shape_said;
  live_.push_back(true);
  first_output_.push_back(static_cast<uint32_t>(replacement_.size()));
  replacement_.resize(replacement_.size() + node.dtypes.size());
}

Edge Rewrite::resolve(Edge edge) const {
  while (is_replaced(edge)) edge = replacement_[value_index(edge)];
  return edge;
}

const Tensor* Rewrite::constant(Edge edge) const {
  const Node& from = node(resolve(edge).node);
  return from.op->execution == Execution::kConstant ? &from.attrs.get<Tensor>("value"_attr) : nullptr;
}

void Rewrite::add_change(Change::Action action, Edge value, Edge by) {
  changes_.push_back({static_cast<uint16_t>(passes_.size() - 1), action, value, by});
}

void Rewrite::replace(Edge value, Edge by) {
  by = resolve(by);
  FL_CHECK(!(resolve(value) == by));  // a node cannot replace itself
  replacement_[value_index(value)] = by;
  add_change(Change::Action::kReplaced, value, by);
}

void Rewrite::remove(NodeId id) {
  if (!live_[id.value]) return;
  live_[id.value] = false;
  add_change(Change::Action::kRemoved, {id, 0});
}

void Rewrite::remove(NodeId id, NodeId by) {
  live_[id.value] = false;
  add_change(Change::Action::kRemoved, {id, 0}, {by, 0});
}

NodeId Rewrite::insert(Node node, NodeId before, Origin origin, NodeName name_prefix) {
  const NodeId id(static_cast<uint32_t>(size()));
  add_outputs(node);
  inserted_.push_back({std::move(node), before, origin, std::move(name_prefix)});
  add_change(Change::Action::kInserted, {id, 0}, {before, 0});
  return id;
}

NodeId Rewrite::insert_constant(Tensor value, NodeId before, std::string name) {
  Node constant;
  constant.op = &"Const"_op.row();
  constant.name = std::move(name);
  constant.dtypes = {value.dtype()};
  constant.shapes = {value.shape()};
  constant.attrs = {{"value"_attr, std::move(value)}, {"dtype"_attr, constant.dtypes[0]}};
  constant.source = node(before).source;
  return insert(std::move(constant), before);
}

std::vector<NodeId> Rewrite::order() const {
  std::vector<NodeId> order;
  order.reserve(size());
  if (inserted_.empty()) {
    for (uint32_t i = 0; i < graph_.size(); ++i) order.push_back(NodeId(i));
    return order;
  }
  // A linked list for each node of those inserted before it, the last one first. It may itself be an inserted one.
  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> last(size(), kNone), previous(inserted_.size(), kNone);
  for (uint32_t i = 0; i < inserted_.size(); ++i) {
    uint32_t& at = last[inserted_[i].before.value];
    previous[i] = at;
    at = static_cast<uint32_t>(graph_.size()) + i;
  }
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < graph_.size(); ++i) {
    open.assign(1, i);
    while (!open.empty()) {
      const uint32_t id = open.back();
      if (last[id] == kNone) {
        open.pop_back();
        order.push_back(NodeId(id));
        continue;
      }
      const size_t before = open.size();
      for (uint32_t at = last[id]; at != kNone; at = previous[at - graph_.size()]) open.push_back(at);
      last[id] = kNone;
      FL_CHECK(open.size() > before);
    }
  }
  return order;
}

}  // namespace footlight::optimize
