// Graphs with their nodes and edges, and what passes made of them.
#include "engine/sql/columns.h"

namespace footlight::sql {
namespace {

using namespace session;
using L = Lookup;
using Graph = const GraphRecord*;
using Node = Within<GraphRecord, NodeRecord>;
using Change = Within<GraphRecord, GraphChange>;
using Value = Within<GraphRecord, PlannedValue>;

struct Edge {
  const GraphRecord* of = nullptr;
  const NodeRecord* to = nullptr;
  uint32_t from = 0;
  int32_t output = -1, input = -1;  // -1: a control edge
};

template <class Row>
void add_graph(Columns<Row>& c) {
  c.add("graph", "its name", [](L&, const Row& r) { return Kept{r.of->name}; });
  c.add("graph_id", "number of the graph", [](L&, const Row& r) { return r.of->id; });
}

Columns<Graph> graph_columns() {
  Columns<Graph> c;
  c.add("graph", "its name", [](L&, const Graph& r) { return Kept{r->name}; });
  c.add("graph_id", "other tables name it so", [](L&, const Graph& r) { return r->id; });
  c.add("function", "that was traced", [](L& l, const Graph& r) {
    const TraceRecord* trace = l.names.trace_of(r->id);
    return trace ? l.names.function(trace->function) : std::string();
  });
  c.add("trace", "its number in the function", [](L& l, const Graph& r) {
    const TraceRecord* trace = l.names.trace_of(r->id);
    return trace ? std::optional(trace->number) : std::nullopt;
  });
  c.add("trace_id", "id of the trace", [](L& l, const Graph& r) {
    const TraceRecord* trace = l.names.trace_of(r->id);
    return trace ? trace->id : TraceId();
  });
  c.add("stage", "traced, optimised", [](L& l, const Graph& r) {
    if (const TraceRecord* trace = l.names.trace_of(r->id))
      for (const TraceGraph& g : trace->graphs)
        if (g.graph == r->id) return Kept{g.stage};
    return Kept{};
  });
  c.add("nodes", "how many it has", [](L&, const Graph& r) { return r->nodes.size(); });
  c.add("inputs", "how many it takes", [](L&, const Graph& r) { return r->inputs.size(); });
  c.add("outputs", "how many it gives", [](L&, const Graph& r) { return r->outputs.size(); });
  return c;
}

Columns<Node> node_columns() {
  Columns<Node> c;
  add_graph(c);
  c.add("node", "hidden/Relu", [](L&, const Node& r) { return Kept{r.it->name}; });
  c.add("node_id", "its number in the graph", [](L&, const Node& r) { return r.it->id; });
  c.add("op", "Relu", [](L&, const Node& r) { return Kept{r.it->op}; });
  c.add("family", "elementwise", [](L&, const Node& r) { return Kept{r.it->family}; });
  c.add("outputs", "float32 (32, 16)", [](L&, const Node& r) { return joined(r.it->outputs); });
  c.add("attributes", "T=float32", [](L&, const Node& r) { return Kept{r.it->attributes}; });
  c.add("constant", "value or summary of a constant", [](L&, const Node& r) { return Kept{r.it->constant}; });
  c.add("source", "train.py:14", [](L& l, const Node& r) {
    return Kept{l.names.place(r.it->source, r.it->location)};
  });
  return c;
}

std::vector<Edge> edges(L& l) {
  std::vector<Edge> out;
  for (const GraphRecord& g : l.reader.contents().graphs)
    for (const NodeRecord& n : g.nodes) {
      for (size_t i = 0; i < n.inputs.size(); ++i)
        out.push_back({&g, &n, n.inputs[i].from, n.inputs[i].output, static_cast<int32_t>(i)});
      for (const uint32_t from : n.control_inputs) out.push_back({&g, &n, from});
    }
  return out;
}

Columns<Edge> edge_columns() {
  Columns<Edge> c;
  add_graph(c);
  c.add("from_id", "number of the node that gives the value", [](L&, const Edge& r) { return r.from; });
  c.add("output", "which of its outputs; NULL: the edge is a control edge",
        [](L&, const Edge& r) { return r.output < 0 ? std::nullopt : std::optional(r.output); });
  c.add("to_id", "number of the node that takes it", [](L&, const Edge& r) { return r.to->id; });
  c.add("input", "which of its inputs",
        [](L&, const Edge& r) { return r.input < 0 ? std::nullopt : std::optional(r.input); });
  return c;
}

Columns<Change> change_columns() {
  Columns<Change> c;
  add_graph(c);
  c.add("pass", "what changed it", [](L&, const Change& r) {
    return Kept{r.it->pass < r.of->passes.size() ? std::string_view(r.of->passes[r.it->pass]) : std::string_view()};
  });
  c.add("position", "of the pass, from 0", [](L&, const Change& r) { return r.it->pass; });
  c.add("fate", "what became of the node", [](L&, const Change& r) { return Kept{query::word(r.it->fate)}; });
  c.add("node_id", "number of the node", [](L&, const Change& r) { return r.it->node; });
  c.add("by_id", "number of the node that is used instead", [](L&, const Change& r) { return r.it->by; });
  return c;
}

Columns<Value> memory_columns() {
  Columns<Value> c;
  add_graph(c);
  c.add("node_id", "number of the node that gives the value", [](L&, const Value& r) { return r.it->node; });
  c.add("output", "which of its values", [](L&, const Value& r) { return r.it->output; });
  c.add("slot", "where it lies", [](L&, const Value& r) { return r.it->slot; });
  c.add("place", "how it lies there", [](L&, const Value& r) { return Kept{query::word(r.it->place)}; });
  c.add("bytes", "NULL: known only when it runs",
        [](L&, const Value& r) { return r.it->bytes < 0 ? std::nullopt : std::optional(r.it->bytes); });
  c.add("of_id", "number of the node whose memory it uses", [](L&, const Value& r) { return r.it->of; });
  c.add("made", "the step that makes it", [](L&, const Value& r) { return r.it->made; });
  c.add("last", "the last step that uses it", [](L&, const Value& r) { return r.it->last; });
  return c;
}

}  // namespace

void add_graph_tables(Lookup& lookup, std::vector<std::unique_ptr<Table>>& to) {
  add_list<Graph>(lookup, to, "graphs", "Graphs of traces, and those that their nodes run.",
                  [](L& l) { return all_of(l.reader.contents().graphs); }, graph_columns());
  add_list<Node>(lookup, to, "nodes", "Nodes of graphs.",
                 [](L& l) { return all_within(l.reader.contents().graphs, &GraphRecord::nodes); }, node_columns());
  add_list<Edge>(lookup, to, "edges", "Which node takes whose value.", edges, edge_columns());
  add_list<Change>(lookup, to, "changes", "What passes made of nodes.",
                   [](L& l) { return all_within(l.reader.contents().graphs, &GraphRecord::changes); },
                   change_columns());
  add_list<Value>(lookup, to, "memory", "Where values lie while a graph runs.",
                  [](L& l) { return all_within(l.reader.contents().graphs, &GraphRecord::memory); }, memory_columns());
}

}  // namespace footlight::sql
