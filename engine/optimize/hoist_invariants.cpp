// y = While(x, w; body (a, b) -> (a + Exp(b), b))
//   ->   e = Exp(w); y = While(x, w, e; body (a, b, c) -> (a + c, b, c))
// Moves out of a loop what depends only on values that it never changes, if that cannot fail, or if the loop surely
// runs once and so would have failed anyway. Variables are read before the loop if nothing in it has effects.
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

// Moves nodes out of one of the two graphs of a loop.
class Hoister {
 public:
  Hoister(const ProgramRewrite& program, Rewrite& caller, NodeId loop, Rewrite& graph,
          const std::vector<bool>& unchanged)
      : program_(program),
        caller_(caller),
        loop_(loop),
        graph_(graph),
        outside_(graph.num_values()),
        moved_(graph.size(), false) {
    for (size_t k = 0; k < unchanged.size(); ++k)
      if (unchanged[k]) outside_[graph.value_index({graph.inputs[k], 0})] = caller.resolve(caller.node(loop).inputs[k]);
  }

  // Finds the nodes to move; returns whether there are any. `surely_runs`: the graph runs at least once. `no_effects`:
  // nothing in the loop changes a variable.
  bool find(bool surely_runs, bool no_effects) {
    bool any = false;
    order_ = graph_.order();
    for (const NodeId id : order_) {
      if (!graph_.is_live(id) || !may_move(id, surely_runs, no_effects)) continue;
      moved_[id.value] = any = true;
    }
    return any;
  }

  // Moves the nodes. Returns the moved values that remaining nodes read: the new edge in the caller, and the old one.
  std::vector<std::pair<Edge, Edge>> move() {
    for (const NodeId id : order_)
      if (moved_[id.value]) copy(id);
    std::vector<bool> read(graph_.num_values(), false);
    for (const NodeId id : order_)
      if (graph_.is_live(id) && !moved_[id.value])
        for (const Edge edge : graph_.node(id).inputs) read[graph_.value_index(graph_.resolve(edge))] = true;
    for (const Edge edge : graph_.outputs) read[graph_.value_index(graph_.resolve(edge))] = true;
    std::vector<std::pair<Edge, Edge>> values;
    for (const NodeId id : order_)
      for (uint32_t k = 0; moved_[id.value] && k < graph_.node(id).dtypes.size(); ++k)
        if (read[graph_.value_index({id, k})]) values.emplace_back(outside_[graph_.value_index({id, k})], Edge{id, k});
    return values;
  }

 private:
  bool may_move(NodeId id, bool surely_runs, bool no_effects) const {
    const Node& node = graph_.node(id);
    const bool reads = node.op->effect == Effect::kReads;
    if (node.op->execution != Execution::kKernel || node.inputs.empty() || node.op->host_only || node.dtypes.empty() ||
        (node.op->stateful() && !(reads && no_effects && surely_runs)))
      return false;
    if (!std::ranges::all_of(node.dtypes, [](DType d) { return is_plain(d); })) return false;
    bool inputs_available = true;
    for (const Edge edge : node.inputs) {
      const Edge from = graph_.resolve(edge);
      inputs_available &=
          moved_[from.node.value] || outside_[graph_.value_index(from)].node.valid() || graph_.constant(from);
    }
    return inputs_available && (surely_runs || cannot_fail(id, node));
  }

  bool cannot_fail(NodeId id, const Node& node) const {
    const DType dtype = node.op->dispatch >= 0 && static_cast<size_t>(node.op->dispatch) < node.inputs.size()
                            ? graph_.dtype(node.inputs[static_cast<size_t>(node.op->dispatch)])
                            : node.dtypes[0];
    if (!accepts_all_values(*node.op, dtype)) return false;
    for (uint32_t k = 0; k < node.dtypes.size(); ++k)
      if (!certain_shape(graph_, program_, {id, k})) return false;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!certain_shape(graph_, program_, node.inputs[i])) return false;
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
      Edge& here = outside_[graph_.value_index(from)];
      if (!here.node.valid())
        here = {caller_.insert_constant(*graph_.constant(from), loop_, graph_.name(from.node) + "/hoisted"), 0};
      edge = here;
    }
    const NodeId made = caller_.insert(std::move(node), loop_, graph_.origin(id));
    for (uint32_t k = 0; k < graph_.node(id).dtypes.size(); ++k) outside_[graph_.value_index({id, k})] = {made, k};
  }

  const ProgramRewrite& program_;
  Rewrite& caller_;
  const NodeId loop_;
  Rewrite& graph_;
  std::vector<Edge> outside_;  // for each invariant value, the one in the caller
  std::vector<bool> moved_;
  std::vector<NodeId> order_;
};

void hoist(ProgramRewrite& program, Rewrite& caller, NodeId loop) {
  const std::vector<const Graph*> graphs = callees_of(caller.node(loop));
  Rewrite &condition = program.rewrite_of(*graphs[0]), &body = program.rewrite_of(*graphs[1]);
  if (&condition == &body || !has_own_graphs(program, caller, loop)) return;
  const std::vector<bool> unchanged = loop_invariants(body);
  Effects effects;
  const bool no_effects = !effects.has_effect(condition.graph()) && !effects.has_effect(body.graph());
  Hoister from_condition(program, caller, loop, condition, unchanged),
      from_body(program, caller, loop, body, unchanged);
  const bool condition_changes = from_condition.find(true, no_effects);
  const bool body_changes = from_body.find(first_condition(caller, loop, program) == true, no_effects);
  if (!condition_changes && !body_changes) return;
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
  if (condition_changes)
    for (const auto& [outside, inside] : from_condition.move()) add(outside, inside, condition, body);
  if (body_changes)
    for (const auto& [outside, inside] : from_body.move()) add(outside, inside, body, condition);
  change_interface(caller, loop, std::move(changed), old, "/hoisted");
}

}  // namespace

void hoist_invariants(ProgramRewrite& program) {
  for (Rewrite* rewrite : program.reachable()) {
    const size_t count = rewrite->control_flow_nodes().size();
    for (size_t i = 0; i < count; ++i) {
      const NodeId id = rewrite->control_flow_nodes()[i];
      if (rewrite->is_live(id) && rewrite->node(id).op->execution == Execution::kWhile) hoist(program, *rewrite, id);
    }
  }
}

}  // namespace footlight::optimize
