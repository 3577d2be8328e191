// y = While(x, w; body (a, b) -> (a + Exp(b), b))
//   ->   e = Exp(w); y = While(x, w, e; body (a, b, c) -> (a + c, b, c))
// What a loop computes from values that it never changes is computed once, before it: if it cannot fail, or if the
// loop surely runs once, so that it would have failed there. Variables are read before it if nothing in it has effects.
#include "engine/ops/algebra.h"
#include "engine/ops/shape_inputs.h"
#include "engine/optimize/effects.h"
#include "engine/optimize/first_condition.h"
#include "engine/optimize/loops.h"
#include "engine/optimize/optimize.h"
#include "engine/optimize/values.h"

#include <algorithm>

namespace footlight::optimize {
namespace {

// One of the two graphs of a loop, and what moves out of it.
class Hoisted {
 public:
  Hoisted(const Unit& unit, Rewrite& caller, NodeId loop, Rewrite& graph, const std::vector<bool>& unchanged)
      : unit_(unit), caller_(caller), loop_(loop), graph_(graph), outside_(graph.slots()), moved_(graph.size(), false) {
    for (size_t k = 0; k < unchanged.size(); ++k)
      if (unchanged[k]) outside_[graph.slot({graph.inputs[k], 0})] = caller.resolve(caller.node(loop).inputs[k]);
  }

  // `runs`: the graph surely runs. `quiet`: nothing changes a variable while it runs.
  bool find(bool runs, bool quiet) {
    bool any = false;
    order_ = graph_.order();
    for (const NodeId id : order_) {
      if (!graph_.live(id) || !may_move(id, runs, quiet)) continue;
      moved_[id.value] = any = true;
    }
    return any;
  }

  // Moves the nodes; returns the values that remaining nodes read: in the caller, and in the graph as before.
  std::vector<std::pair<Edge, Edge>> move() {
    for (const NodeId id : order_)
      if (moved_[id.value]) copy(id);
    std::vector<bool> read(graph_.slots(), false);
    for (const NodeId id : order_)
      if (graph_.live(id) && !moved_[id.value])
        for (const Edge edge : graph_.node(id).inputs) read[graph_.slot(graph_.resolve(edge))] = true;
    for (const Edge edge : graph_.outputs) read[graph_.slot(graph_.resolve(edge))] = true;
    std::vector<std::pair<Edge, Edge>> values;
    for (const NodeId id : order_)
      for (uint32_t k = 0; moved_[id.value] && k < graph_.node(id).dtypes.size(); ++k)
        if (read[graph_.slot({id, k})]) values.emplace_back(outside_[graph_.slot({id, k})], Edge{id, k});
    return values;
  }

 private:
  bool may_move(NodeId id, bool runs, bool quiet) const {
    const Node& node = graph_.node(id);
    const bool reads = node.op->effect == Effect::kReads;
    if (node.op->execution != Execution::kKernel || node.inputs.empty() || node.op->host_only || node.dtypes.empty() ||
        (node.op->stateful() && !(reads && quiet && runs)))
      return false;
    if (!std::ranges::all_of(node.dtypes, [](DType d) { return is_plain(d); })) return false;
    bool all = true;
    for (const Edge edge : node.inputs) {
      const Edge from = graph_.resolve(edge);
      all &= moved_[from.node.value] || outside_[graph_.slot(from)].node.valid() || graph_.constant(from);
    }
    return all && (runs || cannot_fail(id, node));
  }

  bool cannot_fail(NodeId id, const Node& node) const {
    const DType dtype = node.op->dispatch >= 0 && static_cast<size_t>(node.op->dispatch) < node.inputs.size()
                            ? graph_.dtype(node.inputs[static_cast<size_t>(node.op->dispatch)])
                            : node.dtypes[0];
    if (!takes_all_values(*node.op, dtype)) return false;
    for (uint32_t k = 0; k < node.dtypes.size(); ++k)
      if (!certain_shape(graph_, unit_, {id, k})) return false;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!certain_shape(graph_, unit_, node.inputs[i])) return false;
      if (shape_depends_on_value(*node.op, i, graph_.dtype(node.inputs[i])) &&
          !graph_.constant(node.inputs[i]))
        return false;
    }
    return true;
  }

  void copy(NodeId id) {
    Node node = graph_.node(id);
    node.name = graph_.name(id) + "/hoisted";
    node.control_inputs.clear();
    for (Edge& edge : node.inputs) {
      const Edge from = graph_.resolve(edge);
      Edge& here = outside_[graph_.slot(from)];
      if (!here.node.valid())
        here = {caller_.insert_constant(*graph_.constant(from), loop_, graph_.name(from.node) + "/hoisted"), 0};
      edge = here;
    }
    const NodeId made = caller_.insert(std::move(node), loop_, graph_.origin(id));
    for (uint32_t k = 0; k < graph_.node(id).dtypes.size(); ++k) outside_[graph_.slot({id, k})] = {made, k};
  }

  const Unit& unit_;
  Rewrite& caller_;
  const NodeId loop_;
  Rewrite& graph_;
  std::vector<Edge> outside_;  // for each invariant value, the one in the caller
  std::vector<bool> moved_;
  std::vector<NodeId> order_;
};

void hoist(Unit& unit, Rewrite& caller, NodeId loop) {
  const std::vector<const Graph*> graphs = callees_of(caller.node(loop));
  Rewrite &condition = unit.of(*graphs[0]), &body = unit.of(*graphs[1]);
  if (&condition == &body || !has_own_graphs(unit, caller, loop)) return;
  const std::vector<bool> unchanged = unchanged_variables(body);
  Effects effects;
  const bool quiet = !effects.has_effect(condition.graph()) && !effects.has_effect(body.graph());
  Hoisted from_condition(unit, caller, loop, condition, unchanged), from_body(unit, caller, loop, body, unchanged);
  const bool test = from_condition.find(true, quiet);
  const bool steps = from_body.find(first_condition(caller, loop, unit) == true, quiet);
  if (!test && !steps) return;
  Node changed = caller.node(loop);
  std::vector<uint32_t> old(changed.dtypes.size());
  for (uint32_t k = 0; k < old.size(); ++k) old[k] = k;
  const auto add = [&](Edge outside, Edge inside, Rewrite& in, Rewrite& other) {
    const DType dtype = in.dtype(inside);
    const Shape& shape = in.shape(inside);
    const std::string name = in.name(inside.node) + "/hoisted";
    const NodeId here = add_parameter(in, dtype, shape, inside.node, name);
    const NodeId there = add_parameter(other, dtype, shape, other.inputs[0], name);
    in.replace(inside, {here, 0});
    body.outputs.push_back({&in == &body ? here : there, 0});
    changed.inputs.push_back(outside);
    changed.dtypes.push_back(dtype);
    changed.shapes.own().push_back(shape);
  };
  if (test)
    for (const auto& [outside, inside] : from_condition.move()) add(outside, inside, condition, body);
  if (steps)
    for (const auto& [outside, inside] : from_body.move()) add(outside, inside, body, condition);
  change_interface(caller, loop, std::move(changed), old, "/hoisted");
}

}  // namespace

void hoist_invariants(Unit& unit) {
  for (Rewrite* rewrite : unit.members()) {
    const size_t count = rewrite->controls().size();
    for (size_t i = 0; i < count; ++i) {
      const NodeId id = rewrite->controls()[i];
      if (rewrite->live(id) && rewrite->node(id).op->execution == Execution::kWhile) hoist(unit, *rewrite, id);
    }
  }
}

}  // namespace footlight::optimize
