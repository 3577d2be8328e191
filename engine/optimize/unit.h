// All graphs of a program that is being optimized: the root, and those that its nodes run.
#pragma once

#include "engine/optimize/rewrite.h"

#include <memory>
#include <unordered_map>

namespace footlight::optimize {

class Unit {
 public:
  explicit Unit(const Graph& root, Evaluator = nullptr, Keep = Keep::kOutputsAndEffects);
  explicit Unit(Rewrite root, Evaluator = nullptr, Keep = Keep::kOutputsAndEffects);

  const Evaluator evaluate;  // null: nothing is folded
  const Keep keep;
  // The user set the shape of some tensor: no known shape is certain.
  bool doubt() const { return doubt_; }

  Rewrite& root() const { return *root_; }
  Rewrite& of(const Graph& graph) const { return *all_.at(&graph); }
  // The graphs that still run: callees before their callers, the root last.
  const std::vector<Rewrite*>& members() const { return members_; }
  // The graphs that nodes ran which passes have put in the place of those nodes.
  std::vector<Rewrite*> replaced_members() const;

  struct Site {
    Rewrite* caller;
    NodeId node;
  };
  // The nodes that run a graph.
  const std::vector<Site>& sites(const Rewrite& callee) const { return sites_.at(&callee); }
  // After nodes that run graphs were changed.
  void find_members();

 private:
  Rewrite& add(const Graph&);

  std::unordered_map<const Graph*, std::unique_ptr<Rewrite>> all_;
  std::vector<Rewrite*> made_;  // in the order in which they were found
  Rewrite* root_;
  bool doubt_ = false;
  std::vector<Rewrite*> members_;
  std::unordered_map<const Rewrite*, std::vector<Site>> sites_;
};

// The graphs that a node runs: those of a branch (`then`, `else`, or by number), two of a loop (condition, body), one
// of a call.
std::vector<const Graph*> callees_of(const Node&);

}  // namespace footlight::optimize
