// Finds which graphs a program runs, and from which nodes.
#include "engine/optimize/program_rewrite.h"

#include "engine/base/errors.h"
#include "engine/ops/branches.h"

#include <algorithm>
#include <unordered_set>

namespace footlight::optimize {

std::vector<const Graph*> callees_of(const Node& node) {
  const auto graph = [&](AttrName name) -> const Graph* { return node.attrs.get<GraphPtr>(name).get(); };
  switch (node.op->execution) {
    case Execution::kIf: {
      std::vector<const Graph*> branches;
      for (const AttrName name : branches_of(node.attrs)) branches.push_back(graph(name));
      return branches;
    }
    case Execution::kWhile: return {graph("cond"_attr), graph("body"_attr)};
    case Execution::kCall: return {graph("f"_attr)};
    default: return {};
  }
}

ProgramRewrite::ProgramRewrite(const Graph& root, Evaluator e, Keep k) : ProgramRewrite(Rewrite(root), e, k) {}

ProgramRewrite::ProgramRewrite(Rewrite root, Evaluator e, Keep k) : evaluate(e), keep(k) {
  auto own = std::make_unique<Rewrite>(std::move(root));
  root_ = own.get();
  in_order_.push_back(root_);
  by_graph_.emplace(&root_->graph(), std::move(own));
  shapes_uncertain_ = root_->has_user_set_shape();
  find_reachable();
}

Rewrite& ProgramRewrite::add(const Graph& graph) {
  auto& at = by_graph_[&graph];
  if (!at) {
    at = std::make_unique<Rewrite>(graph);
    in_order_.push_back(at.get());
    shapes_uncertain_ |= at->has_user_set_shape();
  }
  return *at;
}

void ProgramRewrite::find_reachable() {
  reachable_.clear();
  call_sites_.clear();
  struct Visit {  // of a depth-first search
    explicit Visit(Rewrite* r) : rewrite(r) {}
    Rewrite* rewrite;
    size_t next_node = 0;               // index into its control_flow_nodes()
    std::vector<const Graph*> callees;  // those of the node before `next_node`
    size_t next_callee = 0;
  };
  std::unordered_set<const Rewrite*> seen{root_};
  std::vector<Visit> open{Visit(root_)};
  call_sites_[root_];
  while (!open.empty()) {
    Visit& now = open.back();
    const std::vector<NodeId>& control_flow = now.rewrite->control_flow_nodes();
    if (now.next_callee == now.callees.size()) {
      if (now.next_node == control_flow.size()) {
        reachable_.push_back(now.rewrite);
        open.pop_back();
        continue;
      }
      const NodeId id = control_flow[now.next_node++];
      now.callees.clear();
      now.next_callee = 0;
      if (now.rewrite->is_live(id)) now.callees = callees_of(now.rewrite->node(id));
      continue;
    }
    Rewrite& callee = add(*now.callees[now.next_callee++]);
    call_sites_[&callee].push_back({now.rewrite, control_flow[now.next_node - 1]});
    if (seen.insert(&callee).second) open.emplace_back(&callee);
  }
}

std::vector<Rewrite*> ProgramRewrite::unreachable() const {
  std::vector<Rewrite*> result;
  for (Rewrite* each : in_order_)
    if (std::ranges::find(reachable_, each) == reachable_.end()) result.push_back(each);
  return result;
}

}  // namespace footlight::optimize
