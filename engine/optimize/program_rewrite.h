// The rewrites of all graphs of a program: of the root, and of the graphs that its nodes run.
#pragma once

#include "engine/optimize/rewrite.h"

#include <memory>
#include <unordered_map>

namespace footlight::optimize {

class ProgramRewrite {
 public:
  explicit ProgramRewrite(const Graph& root, Evaluator = nullptr, Keep = Keep::kOutputsAndEffects);
  explicit ProgramRewrite(Rewrite root, Evaluator = nullptr, Keep = Keep::kOutputsAndEffects);

  const Evaluator evaluate;  // null: nothing is folded
  const Keep keep;
  // Whether the user set the shape of some tensor, which may be wrong: then no known shape is certain.
  bool shapes_uncertain() const { return shapes_uncertain_; }

  Rewrite& root() const { return *root_; }
  Rewrite& rewrite_of(const Graph& graph) const { return *by_graph_.at(&graph); }
  // The graphs that live nodes run: callees before their callers, the root last.
  const std::vector<Rewrite*>& reachable() const { return reachable_; }
  // The graphs that no node runs any more, because passes copied them into their callers or removed the calls.
  std::vector<Rewrite*> unreachable() const;

  struct CallSite {
    Rewrite* caller;
    NodeId node;
  };
  // The live nodes that run a graph.
  const std::vector<CallSite>& call_sites(const Rewrite& callee) const { return call_sites_.at(&callee); }
  // Recomputes reachable() and call_sites() after nodes that run graphs were changed.
  void find_reachable();

 private:
  Rewrite& add(const Graph&);

  std::unordered_map<const Graph*, std::unique_ptr<Rewrite>> by_graph_;
  std::vector<Rewrite*> in_order_;  // the same in the order in which they were found
  Rewrite* root_;
  bool shapes_uncertain_ = false;
  std::vector<Rewrite*> reachable_;
  std::unordered_map<const Rewrite*, std::vector<CallSite>> call_sites_;
};

// The graphs that a node runs: those of a branch (`then`, `else`, or by number), two of a loop (condition, body), one
// of a call.
std::vector<const Graph*> callees_of(const Node&);

}  // namespace footlight::optimize
