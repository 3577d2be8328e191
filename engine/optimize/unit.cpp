// Which graphs a program runs, and from where.
#include "engine/optimize/unit.h"

#include "engine/base/errors.h"
#include "engine/ops/control_gradients.h"

#include <algorithm>
#include <unordered_set>

namespace footlight::optimize {

std::vector<const Graph*> callees_of(const Node& node) {
  static const AttrName kCond("cond"), kBody("body"), kFunction("f");
  const auto graph = [&](AttrName name) -> const Graph* { return node.attrs.get<GraphPtr>(name).get(); };
  switch (node.op->execution) {
    case Execution::kIf: {
      std::vector<const Graph*> branches;
      for (const AttrName name : branches_of(node.attrs)) branches.push_back(graph(name));
      return branches;
    }
    case Execution::kWhile: return {graph(kCond), graph(kBody)};
    case Execution::kCall: return {graph(kFunction)};
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
    Rewrite* rewrite;
    size_t control = 0, callee = 0;  // the next to look at
  };
  std::unordered_set<const Rewrite*> seen{root_};
  std::vector<Open> open{{root_}};
  sites_[root_];
  while (!open.empty()) {
    Open& now = open.back();
    const std::vector<NodeId>& controls = now.rewrite->controls();
    if (now.control == controls.size()) {
      members_.push_back(now.rewrite);
      open.pop_back();
      continue;
    }
    const NodeId id = controls[now.control];
    const std::vector<const Graph*> callees =
        now.rewrite->live(id) ? callees_of(now.rewrite->node(id)) : std::vector<const Graph*>();
    if (now.callee == callees.size()) {
      ++now.control;
      now.callee = 0;
      continue;
    }
    Rewrite& callee = add(*callees[now.callee++]);
    sites_[&callee].push_back({now.rewrite, id});
    if (seen.insert(&callee).second) open.push_back({&callee});
  }
}

std::vector<Rewrite*> Unit::replaced_members() const {
  std::vector<Rewrite*> gone;
  for (Rewrite* each : made_)
    if (std::ranges::find(members_, each) == members_.end()) gone.push_back(each);
  return gone;
}

}  // namespace footlight::optimize
