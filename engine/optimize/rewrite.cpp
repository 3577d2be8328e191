// The rewrites of one graph.
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
  if (runs_graphs(*node.op)) controls_.push_back(NodeId(static_cast<uint32_t>(live_.size())));
  shape_said_ |= node.shape_said;
  live_.push_back(true);
  first_output_.push_back(static_cast<uint32_t>(replacement_.size()));
  replacement_.resize(replacement_.size() + node.dtypes.size());
}

Edge Rewrite::resolve(Edge edge) const {
  while (replaced(edge)) edge = replacement_[slot(edge)];
  return edge;
}

const Tensor* Rewrite::constant(Edge edge) const {
  const Node& from = node(resolve(edge).node);
  return from.op->execution == Execution::kConstant ? &from.attrs.get<Tensor>("value"_attr) : nullptr;
}

void Rewrite::note(Change::Action action, Edge value, Edge by) {
  changes_.push_back({static_cast<uint16_t>(passes_.size() - 1), action, value, by});
}

void Rewrite::replace(Edge value, Edge by) {
  by = resolve(by);
  FL_CHECK(!(resolve(value) == by));  // a node cannot replace itself
  replacement_[slot(value)] = by;
  note(Change::Action::kReplaced, value, by);
}

void Rewrite::remove(NodeId id) {
  if (!live_[id.value]) return;
  live_[id.value] = false;
  note(Change::Action::kRemoved, {id, 0});
}

void Rewrite::remove(NodeId id, NodeId by) {
  live_[id.value] = false;
  note(Change::Action::kRemoved, {id, 0}, {by, 0});
}

NodeId Rewrite::insert(Node node, NodeId before, Origin origin, NodeName inside) {
  const NodeId id(static_cast<uint32_t>(size()));
  add_outputs(node);
  inserted_.push_back({std::move(node), before, origin, std::move(inside)});
  note(Change::Action::kInserted, {id, 0}, {before, 0});
  return id;
}

NodeId Rewrite::insert_constant(Tensor value, NodeId before, std::string name) {
  Node made;
  made.op = &"Const"_op.row();
  made.name = std::move(name);
  made.dtypes = {value.dtype()};
  made.shapes = {value.shape()};
  made.attrs = {{"value"_attr, std::move(value)}, {"dtype"_attr, made.dtypes[0]}};
  made.source = node(before).source;
  return insert(std::move(made), before);
}

std::vector<NodeId> Rewrite::order() const {
  std::vector<NodeId> order;
  order.reserve(size());
  if (inserted_.empty()) {
    for (uint32_t i = 0; i < graph_.size(); ++i) order.push_back(NodeId(i));
    return order;
  }
  // The last one inserted before each node, and the one before that: nodes may be inserted before inserted ones.
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
      const size_t own = open.size();
      for (uint32_t at = last[id]; at != kNone; at = previous[at - graph_.size()]) open.push_back(at);
      last[id] = kNone;
      FL_CHECK(open.size() > own);
    }
  }
  return order;
}

}  // namespace footlight::optimize
