// The rewrites of one graph, and the pass pipeline.
#include "engine/optimize/rewrite.h"

#include <algorithm>

namespace footlight::optimize {

const char* name_of(Change::Action action) {
  switch (action) {
    case Change::Action::kReplaced: return "replaced";
    case Change::Action::kInserted: return "inserted";
    case Change::Action::kRemoved: return "removed";
    case Change::Action::kFused: return "fused";
  }
  return "";
}

Rewrite::Rewrite(const Graph& graph) : graph_(graph) {
  live_.reserve(graph.size());
  first_output_.reserve(graph.size());
  replacement_.reserve(graph.size());
  for (uint32_t i = 0; i < graph.size(); ++i) add_outputs(graph.node(NodeId(i)));
}

void Rewrite::add_outputs(const Node& node) {
  live_.push_back(true);
  first_output_.push_back(static_cast<uint32_t>(replacement_.size()));
  replacement_.resize(replacement_.size() + node.dtypes.size());
}

Edge Rewrite::resolve(Edge edge) const {
  while (replaced(edge)) edge = replacement_[slot(edge)];
  return edge;
}

const Tensor* Rewrite::constant(Edge edge) const {
  static const AttrName kValue("value");
  const Node& from = node(resolve(edge).node);
  return from.op->execution == Execution::kConstant ? &from.attrs.get<Tensor>(kValue) : nullptr;
}

void Rewrite::note(Change::Action action, Edge value, Edge by) {
  changes_.push_back({static_cast<uint16_t>(passes_.size() - 1), action, value, by});
}

void Rewrite::replace(Edge value, Edge by) {
  by = resolve(by);
  FL_CHECK(!(resolve(value) == by));  // it would replace itself
  replacement_[slot(value)] = by;
  note(Change::Action::kReplaced, value, by);
}

void Rewrite::remove(NodeId id) {
  if (!live_[id.value]) return;
  live_[id.value] = false;
  note(Change::Action::kRemoved, {id, 0});
}

NodeId Rewrite::insert(Node node, NodeId before) {
  const NodeId id(static_cast<uint32_t>(size()));
  add_outputs(node);
  inserted_.push_back({std::move(node), before});
  note(Change::Action::kInserted, {id, 0}, {before, 0});
  return id;
}

std::vector<NodeId> Rewrite::order() const {
  std::vector<NodeId> order;
  order.reserve(size());
  // A node may be inserted before an inserted node.
  std::vector<std::vector<NodeId>> before(inserted_.empty() ? 0 : size());
  for (uint32_t i = 0; i < inserted_.size(); ++i)
    before[inserted_[i].before.value].push_back(NodeId(static_cast<uint32_t>(graph_.size()) + i));
  const auto place = [&](auto&& self, NodeId id) -> void {
    if (!before.empty())
      for (NodeId earlier : before[id.value]) self(self, earlier);
    order.push_back(id);
  };
  for (uint32_t i = 0; i < graph_.size(); ++i) place(place, NodeId(i));
  return order;
}

std::vector<Node> Rewrite::take_inserted() {
  std::vector<Node> nodes;
  for (Inserted& each : inserted_) nodes.push_back(std::move(each.node));
  return nodes;
}

Rewrite optimize(const Graph& graph, Evaluator evaluate, Keep keep) {
  Rewrite rewrite(graph);
  forward_identities(rewrite);
  prune(rewrite, keep);  // before folding, so that unused values are not computed
  fold_constants(rewrite, evaluate);
  prune(rewrite, keep);
  return rewrite;
}

}  // namespace footlight::optimize
