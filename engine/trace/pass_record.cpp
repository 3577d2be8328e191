// Derives what a pass meant for a node from the change and the nodes, not from the name of the pass.
#include "engine/trace/pass_record.h"

#include "engine/compile/print.h"
#include "engine/trace/graph_record.h"
#include "engine/trace/memory_record.h"

#include <algorithm>
#include <set>

namespace footlight::trace {
namespace {

using compile::Program;
using optimize::Change;
using session::Fate;
using session::GraphChange;

// The fate of a node, given the new node that computes its value now.
Fate fate_by_new(const Program& program, uint32_t node, size_t inserted) {
  const size_t size = program.graph->size();
  if (inserted >= program.inserted.size()) return Fate::kFused;
  const Node& was = node < size ? program.graph->node(NodeId(node)) : program.inserted[node - size].node;
  switch (program.inserted[inserted].node.op->execution) {
    case Execution::kConstant:  // a constant can only have been replaced by another one
      return was.op->execution == Execution::kConstant ? Fate::kEqualNode : Fate::kConstant;
    case Execution::kPlaceholder: return Fate::kHoisted;
    default: break;
  }
  const optimize::Origin own =
      node < size ? optimize::Origin{program.graph.get(), NodeId(node)} : program.inserted[node - size].origin;
  const optimize::Origin origin = program.inserted[inserted].origin;
  if (origin.graph && origin.graph == own.graph && origin.node == own.node) return Fate::kRewritten;
  return optimize::runs_graphs(*was.op) ? Fate::kInlined : Fate::kFused;
}

// For each new node, the pass that added it.
std::vector<uint16_t> passes_of_new(const Program& program) {
  std::vector<uint16_t> passes(program.inserted.size(), 0);
  const size_t size = program.graph->size();
  for (const Change& change : program.changes)
    if (change.action == Change::Action::kInserted && change.value.node.value - size < passes.size())
      passes[change.value.node.value - size] = change.pass;
  return passes;
}

Fate fate_of(const Program& program, const Change& change, const std::vector<uint16_t>& made_in) {
  if (change.action == Change::Action::kInserted) return Fate::kInserted;
  if (change.action == Change::Action::kRemoved) return Fate::kNothing;
  const size_t size = program.graph->size();
  const uint32_t by = change.by.node.value, node = change.value.node.value;
  if (by >= size) {
    const Fate fate = fate_by_new(program, node, by - size);
    const bool earlier = by - size < made_in.size() && made_in[by - size] < change.pass;
    return earlier && (fate == Fate::kRewritten || fate == Fate::kFused) ? Fate::kEqualNode : fate;
  }
  if (node >= size) return Fate::kInput;
  const bool input = std::ranges::any_of(program.graph->node(NodeId(node)).inputs,
                                         [&](const Edge& edge) { return edge.node.value == by; });
  return input ? Fate::kInput : Fate::kEqualNode;
}

GraphChange change_record(const Program& program, const Change& change, const std::vector<uint16_t>& made_in) {
  Edge value = change.value, by = change.by;
  if (change.action == Change::Action::kInserted) std::swap(value, by);
  return {change.pass, fate_of(program, change, made_in), value.node.value, static_cast<uint16_t>(value.output),
          by.node.value, static_cast<uint16_t>(by.output)};
}

// The changes of all passes, of which fusion is the last.
std::vector<GraphChange> changes_of(const Program& program) {
  std::vector<GraphChange> changes;
  const std::vector<uint16_t> made_in = passes_of_new(program);
  for (const Change& change : program.changes) changes.push_back(change_record(program, change, made_in));
  const auto last = static_cast<uint16_t>(program.passes.size() - 1);
  for (size_t i = 0; i < program.code.size(); i += size_t{1} + program.code[i].skip)
    for (size_t m = 1; m <= program.code[i].skip; ++m) {
      const compile::Instruction &in = program.code[i + m], &with = program.code[i + (m == 1 ? 2 : 1)];
      changes.push_back({last, Fate::kFusedWith, program.node_number(in), 0, program.node_number(with), 0});
    }
  return changes;
}

void gather(const Program& program, std::set<const Graph*>& seen, std::vector<const Program*>& all) {
  if (!seen.insert(program.graph.get()).second) return;
  all.push_back(&program);
  for (const compile::ProgramPtr& callee : program.callees) gather(*callee, seen, all);
  for (const compile::ProgramPtr& replaced : program.replaced) gather(*replaced, seen, all);
}

}  // namespace

std::vector<const Program*> programs_of(const Program& program) {
  std::set<const Graph*> seen;
  std::vector<const Program*> all;
  gather(program, seen, all);
  return all;
}

std::vector<session::PassChange> pass_changes(const Program& program) {
  std::vector<std::pair<uint16_t, session::PassChange>> found;
  for (const Program* each : programs_of(program)) {
    for (const GraphChange& made : changes_of(*each)) {
      const char* pass = each->passes[made.pass];
      // A change to a node that works for a node of another graph counts as a change of that node.
      const size_t size = each->graph->size();
      const optimize::Origin origin = made.node < size ? optimize::Origin() : each->inserted[made.node - size].origin;
      if (origin.graph) found.push_back({made.pass, {origin.graph->id, origin.node, pass, made.fate, NodeId()}});
      else found.push_back({made.pass, {each->graph->id, NodeId(made.node), pass, made.fate, NodeId(made.by)}});
    }
  }
  // Passes run over one graph after the other.
  std::ranges::stable_sort(found, {}, &std::pair<uint16_t, session::PassChange>::first);
  std::vector<session::PassChange> all;
  for (auto& [pass, change] : found) all.push_back(std::move(change));
  return all;
}

void add_passes(const Program& program, session::GraphRecord& record, size_t most) {
  for (const char* pass : program.passes) record.passes.emplace_back(pass);
  std::vector<GraphChange> changes = changes_of(program);
  if (changes.size() > most) return;
  record.changes = std::move(changes);
  for (const optimize::Inserted& each : program.inserted) {
    const size_t id = program.graph->size() + record.new_nodes.size();
    session::NodeRecord made = node_record(each.node, static_cast<uint32_t>(id));
    record.new_nodes.push_back({made.id, each.name(), std::move(made.op), std::move(made.family),
                                std::move(made.inputs), std::move(made.outputs), std::move(made.attributes),
                                std::move(made.constant), made.source, std::move(made.functions)});
  }
  if (program.passes.empty()) return;
  record.memory = memory_plan(program);
  for (size_t i = 0; i < program.code.size(); i += size_t{1} + program.code[i].skip) {
    const compile::Instruction& in = program.code[i];
    const char* const why = compile::why_not_fusible(program, in);
    const uint32_t node = program.node_number(in);
    const auto last = static_cast<uint16_t>(program.passes.size() - 1);
    if (*why) record.alone.push_back({last, node, why});
  }
}

}  // namespace footlight::trace
