// y, z = If(p, x, w; then (a, b) -> (a, b * b), else (a, b) -> (-a, b)); return y
//   ->   y = If(p, x; then (a) -> a, else (a) -> -a)
// Drops arguments that no graph of a node reads, outputs that nobody reads, and loop variables on which only they
// themselves depend.
#include "engine/optimize/effects.h"
#include "engine/optimize/loops.h"
#include "engine/optimize/optimize.h"

#include <algorithm>

namespace footlight::optimize {
namespace {

// For each value of a graph, whether a live node reads it.
std::vector<bool> read_values(const Rewrite& rewrite) {
  std::vector<bool> read(rewrite.num_values(), false);
  for (uint32_t i = 0; i < rewrite.size(); ++i)
    if (rewrite.is_live(NodeId(i)))
      for (const Edge edge : rewrite.node(NodeId(i)).inputs) read[rewrite.value_index(rewrite.resolve(edge))] = true;
  for (const Edge edge : rewrite.outputs) read[rewrite.value_index(rewrite.resolve(edge))] = true;
  return read;
}

template <class List>
void erase_unless(List& list, const std::vector<bool>& kept, size_t skip = 0) {
  size_t to = skip;
  for (size_t i = skip; i < list.size(); ++i)
    if (kept[i - skip]) {
      if (to != i) list[to] = std::move(list[i]);
      ++to;
    }
  list.resize(to);
}

bool all_true(const std::vector<bool>& kept) { return std::ranges::find(kept, false) == kept.end(); }

// Finds the variables of a loop on which its results, its condition and its effects depend, directly or through other
// variables.
class LoopUse {
 public:
  LoopUse(const Rewrite& condition, const Rewrite& body) : body_(body), needed_(body.inputs.size(), false) {
    Effects effects;
    for (const Rewrite* graph : {&condition, &body}) {
      reached_.assign(graph->size(), false);
      input_of_.clear();
      for (size_t k = 0; k < graph->inputs.size(); ++k) input_of_.emplace(graph->inputs[k].value, k);
      for (uint32_t i = 0; i < graph->size(); ++i)
        if (graph->is_live(NodeId(i)) && effects.has_effect(graph->node(NodeId(i)))) reach(*graph, NodeId(i));
      if (graph == &condition) reach(*graph, graph->resolve(graph->outputs[0]).node);
      follow(*graph);
    }
    // `reached_` now belongs to the body, in which needed() continues.
  }

  void need(size_t variable) {
    if (needed_[variable]) return;
    needed_[variable] = true;
    unfollowed_.push_back(variable);
  }

  const std::vector<bool>& needed() {
    while (!unfollowed_.empty()) {
      const size_t next = unfollowed_.back();
      unfollowed_.pop_back();
      reach(body_, body_.resolve(body_.outputs[next]).node);
      follow(body_);
    }
    return needed_;
  }

 private:
  void reach(const Rewrite&, NodeId id) {
    if (reached_[id.value]) return;
    reached_[id.value] = true;
    open_.push_back(id);
  }
  void follow(const Rewrite& graph) {
    while (!open_.empty()) {
      const NodeId id = open_.back();
      open_.pop_back();
      if (const auto at = input_of_.find(id.value); at != input_of_.end()) need(at->second);
      for (const Edge edge : graph.node(id).inputs) reach(graph, graph.resolve(edge).node);
    }
  }

  const Rewrite& body_;
  std::vector<bool> needed_, reached_;
  std::vector<size_t> unfollowed_;  // variables whose values in the body have not been followed
  std::vector<NodeId> open_;
  std::unordered_map<uint32_t, size_t> input_of_;
};

class Dropper {
 public:
  explicit Dropper(ProgramRewrite& program) : program_(program) {
    for (Rewrite* rewrite : program.reachable()) read_.emplace(rewrite, read_values(*rewrite));
  }

  void drop_from_loop(Rewrite& caller, NodeId id) {
    const Node& node = caller.node(id);
    const std::vector<const Graph*> graphs = callees_of(node);
    Rewrite &condition = program_.rewrite_of(*graphs[0]), &body = program_.rewrite_of(*graphs[1]);
    if (&condition == &body || !has_own_graphs(program_, caller, id)) return;
    LoopUse use(condition, body);
    for (uint32_t k = 0; k < node.dtypes.size(); ++k)
      if (is_read(caller, {id, k})) use.need(k);
    const std::vector<bool> kept = use.needed();
    if (all_true(kept)) return;
    erase_unless(condition.inputs, kept);
    erase_unless(body.inputs, kept);
    erase_unless(body.outputs, kept);
    change(caller, id, kept, kept);
  }

  void drop_from_branch(Rewrite& caller, NodeId id) {
    if (!has_own_graphs(program_, caller, id)) return;
    std::vector<Rewrite*> branches;
    for (const Graph* graph : callees_of(caller.node(id))) branches.push_back(&program_.rewrite_of(*graph));
    drop({{&caller, id}}, branches);
  }

  // All nodes that run the graph are calls, and change together.
  void drop_from_function(Rewrite& callee) {
    const std::vector<ProgramRewrite::CallSite>& sites = program_.call_sites(callee);
    if (sites.empty() || !std::ranges::all_of(sites, [](const ProgramRewrite::CallSite& site) {
          return site.caller->node(site.node).op->execution == Execution::kCall;
        }))
      return;
    drop(sites, {&callee});
  }

 private:
  bool is_read(const Rewrite& rewrite, Edge edge) const {
    const std::vector<bool>& read = read_.at(&rewrite);
    const size_t slot = rewrite.value_index(edge);
    return slot >= read.size() || read[slot];
  }

  void drop(const std::vector<ProgramRewrite::CallSite>& sites, const std::vector<Rewrite*>& graphs) {
    std::vector<bool> inputs(graphs[0]->inputs.size(), false), outputs(graphs[0]->outputs.size(), false);
    for (const Rewrite* graph : graphs)
      for (size_t i = 0; i < inputs.size(); ++i)
        if (is_read(*graph, {graph->inputs[i], 0})) inputs[i] = true;
    for (const ProgramRewrite::CallSite& site : sites)
      for (uint32_t k = 0; k < outputs.size(); ++k)
        if (is_read(*site.caller, {site.node, k})) outputs[k] = true;
    if (all_true(inputs) && all_true(outputs)) return;
    for (Rewrite* graph : graphs) {
      erase_unless(graph->inputs, inputs);
      erase_unless(graph->outputs, outputs);
    }
    for (const ProgramRewrite::CallSite& site : sites) change(*site.caller, site.node, inputs, outputs);
  }

  static void change(Rewrite& caller, NodeId id, const std::vector<bool>& inputs, const std::vector<bool>& outputs) {
    Node changed = caller.node(id);
    std::vector<uint32_t> old(changed.dtypes.size());
    for (uint32_t k = 0; k < old.size(); ++k) old[k] = k;
    erase_unless(old, outputs);
    erase_unless(changed.inputs, inputs, changed.inputs.size() - inputs.size());
    erase_unless(changed.dtypes, outputs);
    erase_unless(changed.shapes.own(), outputs);
    change_interface(caller, id, std::move(changed), old, "/needed");
  }

  ProgramRewrite& program_;
  std::unordered_map<const Rewrite*, std::vector<bool>> read_;
};

}  // namespace

void drop_unused(ProgramRewrite& program) {
  if (program.reachable().size() == 1) return;
  Dropper dropper(program);
  for (Rewrite* rewrite : program.reachable()) {
    const size_t count = rewrite->control_flow_nodes().size();
    for (size_t i = 0; i < count; ++i) {
      const NodeId id = rewrite->control_flow_nodes()[i];
      if (!rewrite->is_live(id)) continue;
      const Execution execution = rewrite->node(id).op->execution;
      if (execution == Execution::kIf) dropper.drop_from_branch(*rewrite, id);
      if (execution == Execution::kWhile) dropper.drop_from_loop(*rewrite, id);
    }
  }
  for (Rewrite* rewrite : program.reachable())
    if (rewrite != &program.root()) dropper.drop_from_function(*rewrite);
}

}  // namespace footlight::optimize
