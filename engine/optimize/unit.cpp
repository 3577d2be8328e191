// Finds which graphs a program runs, and from which nodes.
#include "engine/optimize/unit.h"

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

Unit::Unit(const Graph& root, Evaluator e, Keep k) : Unit(Rewrite(root), e, k) {}

Unit::Unit(Rewrite root, Evaluator e, Keep k) : evaluate(e), keep(k) {
  auto own = std::make_unique<Rewrite>(std::move(root));
  root_ = own.get();
  made_.push_back(root_);
  all_.emplace(&root_->graph(), std::move(own));
  doubt_ = root_->any_shape_said();
  find_members();
}

Rewrite& Unit::add(const Graph& graph) {
  auto& at = all_[&graph];
  if (!at) {
    at = std::make_unique<Rewrite>(graph);
    made_.push_back(at.get());
    doubt_ |= at->any_shape_said();
  }
  return *at;
}

void Unit::find_members() {
  members_.clear();
  sites_.clear();
  struct Open {
    explicit Open(Rewrite* r) : rewrite(r) {}
    Rewrite* rewrite;
    size_t control = 0;                 // the next to look at
    std::vector<const Graph*> callees;  // called by the control at the same index
    size_t callee = 0;                  // the next of them
  };
  std::unordered_set<const Rewrite*> seen{root_};
  std::vector<Open> open{Open(root_)};
  sites_[root_];
  while (!open.empty()) {
    Open& now = open.back();
    const std::vector<NodeId>& controls = now.rewrite->controls();
    if (now.callee == now.callees.size()) {
      if (now.control == controls.size()) {
        members_.push_back(now.rewrite);
        open.pop_back();
        continue;
      }
      const NodeId id = controls[now.control++];
      now.callees.clear();
      now.callee = 0;
      if (now.rewrite->live(id)) now.callees = callees_of(now.rewrite->node(id));
      continue;
    }
    Rewrite& callee = add(*now.callees[now.callee++]);
    sites_[&callee].push_back({now.rewrite, controls[now.control - 1]});
    if (seen.insert(&callee).second) open.emplace_back(&callee);
  }
}

std::vector<Rewrite*> Unit::replaced_members() const {
  std::vector<Rewrite*> gone;
  for (Rewrite* each : made_)
    if (std::ranges::find(members_, each) == members_.end()) gone.push_back(each);
  return gone;
}

}  // namespace footlight::optimize
