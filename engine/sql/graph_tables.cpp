// Tables of graphs: nodes, edges, and what passes changed.
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
  c.add("graph", "Name of the graph", [](L&, const Row& r) { return Kept{r.of->name}; });
  c.add("graph_id", "Number of the graph in the recording", [](L&, const Row& r) { return r.of->id; });
}

Columns<Graph> graph_columns() {
  Columns<Graph> c;
  c.add("graph", "Name of the graph", [](L&, const Graph& r) { return Kept{r->name}; });
  c.add("graph_id", "Number of the graph in the recording", [](L&, const Graph& r) { return r->id; });
  c.add("function", "Name of the traced function", [](L& l, const Graph& r) {
    const TraceRecord* trace = l.names.trace_of(r->id);
    return trace ? l.names.function(trace->function) : std::string();
  });
  c.add("trace", "Number of the trace, among its function's", [](L& l, const Graph& r) {
    const TraceRecord* trace = l.names.trace_of(r->id);
    return trace ? std::optional(trace->number) : std::nullopt;
  });
  c.add("trace_id", "Number of the trace in the recording", [](L& l, const Graph& r) {
    const TraceRecord* trace = l.names.trace_of(r->id);
    return trace ? trace->id : TraceId();
  });
  c.add("stage", "Stage of the graph, such as traced or optimised", [](L& l, const Graph& r) {
    if (const TraceRecord* trace = l.names.trace_of(r->id))
      for (const TraceGraph& g : trace->graphs)
        if (g.graph == r->id) return Kept{g.stage};
    return Kept{};
  });
  c.add("nodes", "Count of its nodes", [](L&, const Graph& r) { return r->nodes.size(); });
  c.add("inputs", "Count of its inputs", [](L&, const Graph& r) { return r->inputs.size(); });
  c.add("outputs", "Count of its results", [](L&, const Graph& r) { return r->outputs.size(); });
  return c;
}

Columns<Node> node_columns() {
  Columns<Node> c;
  add_graph(c);
  c.add("node", "Name of its node, such as hidden/Relu", [](L&, const Node& r) { return Kept{r.it->name}; });
  c.add("node_id", "Number of the node in its graph", [](L&, const Node& r) { return r.it->id; });
  c.add("op", "Name of the op, such as Relu", [](L&, const Node& r) { return Kept{r.it->op}; });
  c.add("family", "Family of the op, such as elementwise", [](L&, const Node& r) { return Kept{r.it->family}; });
  c.add("outputs", "Types and shapes of its results, such as float32 (32, 16)",
        [](L&, const Node& r) { return joined(r.it->outputs); });
  c.add("attributes", "Attributes of the node, such as T=float32",
        [](L&, const Node& r) { return Kept{r.it->attributes}; });
  c.add("constant", "Value of a constant, or a summary of it", [](L&, const Node& r) { return Kept{r.it->constant}; });
  c.add("source", "Line of the program, such as train.py:14", [](L& l, const Node& r) {
    return Kept{l.names.place(r.it->source, r.it->location)};
  });
  return c;
}

std::vector<Edge> edges(L& l) {
  std::vector<Edge> out;
  for (const GraphRecord& g : l.reader.contents().graphs)
    for (const NodeRecord& n : g.nodes) {
      for (size_t i = 0; i < n.inputs.size(); ++i)
        add_row(out, {&g, &n, n.inputs[i].from, n.inputs[i].output, static_cast<int32_t>(i)});
      for (const uint32_t from : n.control_inputs) add_row(out, {&g, &n, from});
    }
  return out;
}

Columns<Edge> edge_columns() {
  Columns<Edge> c;
  add_graph(c);
  c.add("from_id", "Number of the node that gives the value", [](L&, const Edge& r) { return r.from; });
  c.add("output", "Position among that node's results; NULL for a control edge",
        [](L&, const Edge& r) { return r.output < 0 ? std::nullopt : std::optional(r.output); });
  c.add("to_id", "Number of the node that takes it", [](L&, const Edge& r) { return r.to->id; });
  c.add("input", "Position among that node's inputs",
        [](L&, const Edge& r) { return r.input < 0 ? std::nullopt : std::optional(r.input); });
  return c;
}

Columns<Change> change_columns() {
  Columns<Change> c;
  add_graph(c);
  c.add("pass", "Name of the pass that changed the graph", [](L&, const Change& r) {
    return Kept{r.it->pass < r.of->passes.size() ? std::string_view(r.of->passes[r.it->pass]) : std::string_view()};
  });
  c.add("position", "Position of the pass, from 0", [](L&, const Change& r) { return r.it->pass; });
  c.add("fate", "What became of the node", [](L&, const Change& r) { return Kept{query::word(r.it->fate)}; });
  c.add("node_id", "Number of the node in its graph", [](L&, const Change& r) { return r.it->node; });
  c.add("by_id", "Number of the node that is used instead", [](L&, const Change& r) { return r.it->by; });
  return c;
}

Columns<Value> memory_columns() {
  Columns<Value> c;
  add_graph(c);
  c.add("node_id", "Number of the node that gives the value", [](L&, const Value& r) { return r.it->node; });
  c.add("output", "Position among that node's results", [](L&, const Value& r) { return r.it->output; });
  c.add("slot", "Number of its place in memory", [](L&, const Value& r) { return r.it->slot; });
  c.add("place", "How it lies in memory", [](L&, const Value& r) { return Kept{query::word(r.it->place)}; });
  c.add("bytes", "Size in bytes; NULL where only the run knows it",
        [](L&, const Value& r) { return r.it->bytes < 0 ? std::nullopt : std::optional(r.it->bytes); });
  c.add("of_id", "Number of the node whose memory it uses", [](L&, const Value& r) { return r.it->of; });
  c.add("made", "Step that makes it", [](L&, const Value& r) { return r.it->made; });
  c.add("last", "Last step that uses it", [](L&, const Value& r) { return r.it->last; });
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
