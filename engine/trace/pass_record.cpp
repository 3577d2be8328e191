// What a change of a pass means for the node: read off the change and the nodes, not the name of the pass.
#include "engine/trace/pass_record.h"

#include "engine/trace/graph_record.h"

#include <algorithm>
#include <set>

namespace footlight::trace {
namespace {

using compile::Program;
using optimize::Change;
using session::Fate;
using session::GraphChange;

Fate fate_of(const Program& program, const Change& change) {
  if (change.action == Change::Action::kInserted) return Fate::kInserted;
  if (change.action == Change::Action::kRemoved) return Fate::kNothing;
  if (change.action == Change::Action::kFused) return Fate::kFusedWith;
  const size_t size = program.graph->size();
  const uint32_t by = change.by.node.value, node = change.value.node.value;
  if (by >= size) {
    const size_t inserted = by - size;
    if (inserted < program.inserted.size() && program.inserted[inserted].inputs.empty()) return Fate::kConstant;
    return Fate::kFused;
  }
  if (node >= size) return Fate::kInput;
  const bool input = std::ranges::any_of(program.graph->node(NodeId(node)).inputs,
                                         [&](const Edge& edge) { return edge.node.value == by; });
  return input ? Fate::kInput : Fate::kEqualNode;
}

GraphChange change_record(const Program& program, const Change& change) {
  Edge value = change.value, by = change.by;
  if (change.action == Change::Action::kInserted) std::swap(value, by);
  return {change.pass, fate_of(program, change), value.node.value, static_cast<uint16_t>(value.output),
          by.node.value, static_cast<uint16_t>(by.output)};
}

void gather(const Program& program, std::set<const Graph*>& seen, std::vector<const Program*>& all) {
  if (!seen.insert(program.graph.get()).second) return;
  all.push_back(&program);
  for (const compile::ProgramPtr& callee : program.callees) gather(*callee, seen, all);
}

}  // namespace

std::vector<const Program*> programs_of(const Program& program) {
  std::set<const Graph*> seen;
  std::vector<const Program*> all;
  gather(program, seen, all);
  return all;
}

std::vector<session::PassChange> pass_changes(const Program& program) {
  std::vector<session::PassChange> all;
  for (const Program* each : programs_of(program)) {
    for (const Change& change : each->changes) {
      const GraphChange made = change_record(*each, change);
      all.push_back({each->graph->id, NodeId(made.node), each->passes[made.pass], made.fate, NodeId(made.by)});
    }
  }
  return all;
}

void add_passes(const Program& program, session::GraphRecord& record, size_t most) {
  for (const char* pass : program.passes) record.passes.emplace_back(pass);
  if (program.changes.size() > most) return;
  for (const Change& change : program.changes) record.changes.push_back(change_record(program, change));
  for (const Node& node : program.inserted) {
    const size_t id = program.graph->size() + record.new_nodes.size();
    session::NodeRecord made = node_record(node, static_cast<uint32_t>(id));
    record.new_nodes.push_back({made.id, std::move(made.name), std::move(made.op), std::move(made.family),
                                std::move(made.inputs), std::move(made.outputs), std::move(made.attributes),
                                std::move(made.constant), made.source});
  }
}

}  // namespace footlight::trace
