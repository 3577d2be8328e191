// What a change of a pass means for the node: read off the change and the nodes, not the name of the pass.
#include "engine/trace/pass_record.h"

#include <algorithm>
#include <set>

namespace footlight::trace {
namespace {

using optimize::Change;
using session::Fate;

class Fates {
 public:
  explicit Fates(const compile::Program& program) : program_(program), size_(program.graph->size()) {}

  Fate fate_of(const Change& change) const {
    if (change.action == Change::Action::kInserted) return Fate::kInserted;
    if (change.action == Change::Action::kRemoved) return Fate::kNothing;
    const uint32_t by = change.by.node.value;
    if (by >= size_) {
      const size_t inserted = by - size_;
      if (inserted < program_.inserted.size() && program_.inserted[inserted].inputs.empty()) return Fate::kConstant;
      return Fate::kFused;
    }
    const uint32_t node = change.value.node.value;
    if (node >= size_) return Fate::kInput;
    const bool input = std::ranges::any_of(program_.graph->node(NodeId(node)).inputs,
                                           [&](const Edge& edge) { return edge.node.value == by; });
    return input ? Fate::kInput : Fate::kEqualNode;
  }

  void add_to(std::vector<session::PassChange>& all) const {
    for (const Change& change : program_.changes) {
      const bool inserted = change.action == Change::Action::kInserted;
      const NodeId node = inserted ? change.by.node : change.value.node;
      const NodeId by = inserted ? change.value.node : change.by.node;
      all.push_back({program_.graph->id, node, change.pass, fate_of(change), by});
    }
  }

 private:
  const compile::Program& program_;
  const uint32_t size_;
};

void gather(const compile::Program& program, std::set<const compile::Program*>& seen,
            std::vector<session::PassChange>& all) {
  if (!seen.insert(&program).second) return;
  Fates(program).add_to(all);
  for (const compile::ProgramPtr& callee : program.callees) gather(*callee, seen, all);
}

}  // namespace

std::vector<session::PassChange> pass_changes(const compile::Program& program) {
  std::vector<session::PassChange> all;
  std::set<const compile::Program*> seen;
  gather(program, seen, all);
  return all;
}

}  // namespace footlight::trace
