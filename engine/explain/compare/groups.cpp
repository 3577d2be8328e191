// Rows of the table, by line and op.
#include "engine/explain/compare/groups.h"
#include "engine/explain/engines.h"
#include "engine/explain/words.h"

#include <algorithm>

namespace footlight::explain {
namespace {

using session::Fate;

// Nodes that stand for values, not for work.
bool is_value(const session::NodeRecord& node) {
  return node.op == "Const" || node.op == "Placeholder" || node.op == "_Arg" || node.op == "NoOp";
}

// A node that runs once for a whole loop, or for several calls of its function.
bool runs_less_often(Fate fate) { return fate == Fate::kHoisted || fate == Fate::kEqualNode; }

// The user's line; a node of another engine knows it by its location.
session::Reader::SourcePlace place_of_node(const session::Reader& reader, const session::NodeRecord& node) {
  const session::LocationRecord* location = reader.location(node.location);
  if (node.source.code.valid() || !location) return reader.place(node.source);
  return {location->file, static_cast<int>(location->line)};
}

std::string times(uint64_t count, const std::string& name) {
  return count > 1 ? std::to_string(count) + " x " + name : name;
}

// "matmul", "2 x Sum"; where a loop repeats nodes or passes removed some, "while/MatMul, 9 runs", "23 x RealDiv, 13
// runs".
std::string nodes_text(const std::vector<std::string>& names, const std::string& op, uint64_t runs) {
  if (names.empty()) return times(runs, op);  // kernels of another engine belong to no node
  const std::string text = times(names.size(), names.size() == 1 ? names.front() : op);
  if (!runs || runs == names.size()) return text;
  return text + ", " + with_commas(runs) + (runs == 1 ? " run" : " runs");
}

}  // namespace

std::vector<const session::TraceRecord*> traces_within(const session::Reader& reader, FunctionId outer) {
  constexpr int kMaxDepth = 100;
  if (!is_torch(reader.function(outer))) return {};
  const auto is_within = [&](FunctionId function) {
    for (int depth = 0; depth < kMaxDepth; ++depth) {
      const session::FunctionRecord* record = reader.function(function);
      if (!record || !record->parent.valid()) return false;
      if (record->parent == outer) return true;
      function = record->parent;
    }
    return false;
  };
  std::map<FunctionId, const session::TraceRecord*> last;
  for (const session::TraceRecord& trace : reader.contents().traces)
    if (trace.graph().valid() && is_within(trace.function)) last[trace.function] = &trace;
  std::vector<const session::TraceRecord*> found;
  for (const auto& [function, trace] : last) found.push_back(trace);
  return found;
}

Groups::Groups(const session::Reader& reader, const session::ComparisonRecord& record, const std::vector<Run>& eager,
               const std::vector<Run>& traced)
    : reader_(reader) {
  take_changes(record);
  // Every repetition does the same work: the first without losses is counted.
  const auto whole = [](const std::vector<Run>& runs) -> const Run* {
    for (const Run& run : runs)
      if (!run.record->lost) return &run;
    return runs.empty() ? nullptr : &runs.front();
  };
  if (const Run* run = whole(eager)) count(*run);
  if (const Run* run = whole(traced)) count(*run);
  std::set<GraphId> seen;
  const session::FunctionRecord* function = reader.function(record.function);
  one_executable_ = is_of_another_engine(function, reader.contents().processes);
  if (const session::TraceRecord* trace = reader.trace(record.trace)) add_graph(trace->graph(), seen);
  for (const session::TraceRecord* trace : traces_within(reader, record.function)) add_graph(trace->graph(), seen);
  for (const auto& [key, times_run] : ran_) add_graph(key.first, seen);
  make_rows();
}

void Groups::take_changes(const session::ComparisonRecord& record) {
  for (const session::PassChange& change : record.changes) {
    if (change.fate == Fate::kInserted) continue;
    // The first thing that happened to it says most: what is replaced is pruned as well.
    const auto [at, first] = changes_.try_emplace({change.graph, change.node}, &change);
    // That it is computed in another way is no answer.
    if (!first && at->second->fate == Fate::kRewritten) at->second = &change;
  }
}

Groups::LineOp Groups::place_of(const OpRun& op) const {
  if (op.node.graph.valid()) {
    if (const session::GraphRecord* graph = reader_.graph(op.node.graph);
        graph && op.node.node.value < graph->nodes.size()) {
      const session::NodeRecord& node = graph->nodes[op.node.node.value];
      const session::Reader::SourcePlace place = place_of_node(reader_, node);
      return {{place.file, place.line}, node.op.empty() ? "unknown" : node.op};
    }
  }
  const session::OpNameRecord* record = reader_.op_name(op.op);
  const session::Reader::SourcePlace place = reader_.place(op.source);
  return {{place.file, place.line}, record && !record->name.empty() ? record->name : "unknown"};
}

void Groups::count(const Run& run) {
  size_t order = 0;
  for (const OpRun& op : run.ops) {
    const LineOp place = place_of(op);
    ++order;
    if (!run.record->traced) {
      Ops& ops = ops_[place];
      ++ops.ran;
      ops.first = std::min(ops.first, order);
      ops.source = op.source;
      continue;
    }
    Nodes& nodes = nodes_[place];
    nodes.first = std::min(nodes.first, order);
    ++nodes.ran;
    if (op.node.graph.valid()) ++ran_[{op.node.graph, op.node.node}];
    else ++nodes.inserted;
  }
}

// With the graphs that it runs.
void Groups::add_graph(GraphId root, std::set<GraphId>& seen) {
  std::vector<GraphId> open{root};
  while (!open.empty()) {
    const GraphId id = open.back();
    open.pop_back();
    const session::GraphRecord* graph = reader_.graph(id);
    if (graph && seen.insert(id).second) add_nodes(id, *graph, open);
  }
}

void Groups::add_nodes(GraphId id, const session::GraphRecord& graph, std::vector<GraphId>& called) {
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const session::NodeRecord& node = graph.nodes[i];
    for (const session::NodeFunction& f : node.functions) called.push_back(f.graph);
    const bool ran = ran_.contains({id, NodeId(i)});
    if (is_value(node) && !ran) continue;
    const session::Reader::SourcePlace place = place_of_node(reader_, node);
    Nodes& nodes = nodes_[{{place.file, place.line}, node.op}];
    if (place.file.valid()) lines_of_nodes_.insert({place.file, place.line});
    nodes.all.push_back({id, NodeId(i)});
    nodes.names.push_back(node.name);
    const auto change = changes_.find({id, NodeId(i)});
    if (change == changes_.end()) continue;
    if (ran && change->second->fate == Fate::kFusedWith) ++nodes.together;
    if (ran && !runs_less_often(change->second->fate)) continue;
    ++nodes.fates[change->second->fate];
    nodes.passes[change->second->fate] = change->second->pass;
  }
}

void Groups::decide(Row& row, const Ops* ops, const Nodes* nodes) const {
  const uint64_t eager = ops ? ops->ran : 0, traced = nodes ? nodes->ran : 0;
  if (!eager && one_executable_ && nodes->all.empty()) {
    row.group = Group::kCompiled;
    row.why = "A kernel of the executable";
    return;
  }
  if (!eager) {
    row.group = Group::kOnlyTraced;
    row.why = "Tracing added it";
    return;
  }
  if (one_executable_ && !traced) {
    row.group = Group::kCompiled;
    row.why = nodes                           ? "The executable of the trace computes it"
              : lines_of_nodes_.contains(row.at) ? "The trace has other nodes at this line"
                                                 : "The trace has no node at this line";
    return;
  }
  if (!nodes) {
    row.group = Group::kUnmatched;
    row.why = "No node was made at this line";
    return;
  }
  const auto ran_words = [&] {
    return "It ran " + how_often(eager) + " eagerly, " + how_often(traced) + " in the graph";
  };
  const auto by_pass = [&](const std::string& pass) {
    return (traced ? ran_words() + ": by" : std::string("By")) + " the pass " + pass;
  };
  for (const Fate fate : {Fate::kHoisted, Fate::kEqualNode}) {
    if (!traced || traced >= eager || !nodes->fates.contains(fate)) continue;
    row.group = fate == Fate::kHoisted ? Group::kHoisted : Group::kJoined;
    row.why = by_pass(nodes->passes.at(fate));
    return;
  }
  if (traced && traced >= eager) {
    row.group = nodes->together ? Group::kFused : Group::kSame;
    if (traced > eager) row.why = ran_words();
    return;
  }
  if (nodes->inserted && traced == nodes->inserted && eager > traced) {
    row.group = nodes->fates.contains(Fate::kFused) ? Group::kFused : Group::kHoisted;
    row.why = ran_words();
    return;
  }
  const auto most = std::ranges::max_element(nodes->fates, {}, [](const auto& f) { return f.second; });
  if (most == nodes->fates.end()) {
    row.group = traced ? Group::kSame : Group::kUnmatched;
    row.why = ran_words();
    return;
  }
  size_t changed = 0;
  for (const auto& [fate, count] : nodes->fates) changed += count;
  if (traced > changed) {  // most of them ran
    row.group = nodes->together ? Group::kFused : Group::kSame;
    row.why = ran_words();
    return;
  }
  switch (most->first) {
    case Fate::kConstant: row.group = Group::kFolded; break;
    case Fate::kFused: row.group = Group::kFused; break;
    case Fate::kEqualNode: row.group = Group::kJoined; break;
    case Fate::kHoisted: row.group = Group::kHoisted; break;
    case Fate::kInput:
    case Fate::kInlined:
    case Fate::kRewritten:
    case Fate::kNothing:
    case Fate::kFusedWith:
    case Fate::kInserted: row.group = Group::kPruned; break;
  }
  row.why = by_pass(nodes->passes.at(most->first));
}

void Groups::make_rows() {
  std::vector<std::tuple<Line, size_t, LineOp>> order;
  const auto add = [&](const LineOp& place, size_t first) { order.emplace_back(place.at, first, place); };
  for (const auto& [place, ops] : ops_) add(place, ops.first);
  for (const auto& [place, nodes] : nodes_)
    if (!ops_.contains(place) && nodes.ran) add(place, nodes.first);
  std::ranges::sort(order);
  for (const auto& [at, first, place] : order) {
    const auto ops = ops_.find(place);
    const auto nodes = nodes_.find(place);
    const bool has_ops = ops != ops_.end(), has_nodes = nodes != nodes_.end();
    Row row;
    row.at = place.at;
    row.eager_count = has_ops ? ops->second.ran : 0;
    row.traced_count = has_nodes ? nodes->second.ran : 0;
    if (has_ops) {
      row.eager_ops = times(ops->second.ran, place.op);
      if (const session::CodeRecord* code = reader_.code(ops->second.source.code)) row.function = code->qualname;
    }
    if (has_nodes) {
      row.graph_nodes = nodes_text(nodes->second.names, place.op, nodes->second.ran);
      row.nodes = nodes->second.all;
    }
    decide(row, has_ops ? &ops->second : nullptr, has_nodes ? &nodes->second : nullptr);
    row_at_[place] = static_cast<int32_t>(rows_.size());
    rows_.push_back(std::move(row));
  }
}

int32_t Groups::row_of(const Run& run, size_t op) const {
  const auto at = row_at_.find(place_of(run.ops[op]));
  return at == row_at_.end() ? -1 : at->second;
}

}  // namespace footlight::explain
