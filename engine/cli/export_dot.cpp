// The graph of a trace in Graphviz' language: a cluster for every graph that a node runs, shapes on the edges.
#include "engine/base/text.h"
#include "engine/cli/export.h"
#include "engine/cli/text.h"
#include "engine/cli/trace_name.h"
#include "engine/explain/node_hashes.h"
#include "engine/explain/stages.h"

#include <algorithm>
#include <map>

namespace footlight::cli {
namespace {

using namespace session;

constexpr size_t kLongestLabel = 60, kLongestTip = 300, kLongestList = 20;
constexpr int kDeepest = 32;  // clusters in one another
// The window cuts the same edges (app/models/graph_plan.cpp): a node of that degree in a graph of so many edges.
constexpr size_t kHubDegree = 8, kCutFrom = 40, kKept = 2;

// Families by tone, with its border and its fill: the window's light theme (resources/themes/footlight.json).
struct Tone {
  const char *border, *fill, *families;
};
constexpr Tone kTones[] = {
    {"#6236cf", "#eee9fd", " product convolution matmul linalg "},
    {"#1a58c4", "#e4edfd", " elementwise unary binary reduction comparison random "},
    {"#256b2b", "#e5f4e6", " variable resource state "},
    {"#8a4f00", "#fdf0d3", " control function fused "},
    {"#a42c62", "#fbe7ef", " compile optimize "},
    {"#525c6a", "#e9ebef", ""},  // all others
};

const Tone& tone_of(const std::string& family) {
  return *std::find_if(std::begin(kTones), std::end(kTones), [&](const Tone& tone) {
    return !*tone.families || std::string_view(tone.families).find(" " + family + " ") != std::string_view::npos;
  });
}

// For a quoted string: Graphviz reads escapes and HTML's entities in it.
std::string escaped(std::string_view text, size_t most = kLongestLabel) {
  std::string out;
  for (const char c : label_text(text, most)) {
    if (c == '&') out += "&amp;";
    else if (c == '"' || c == '\\') (out += '\\') += c;
    else out += c;
  }
  return out;
}

class DotWriter {
 public:
  DotWriter(const Reader& reader, size_t passes, bool sparse)
      : names_(reader), graphs_([&reader](GraphId id) { return reader.graph(id); }, passes), sparse_(sparse) {}

  std::string write(GraphId root, const std::string& title) {
    const GraphRecord& graph = *graphs_(root);
    // The limits are those of the window: without them Graphviz may take minutes.
    out_ = str("digraph {\n  label=\"", escaped(title, kLongestTip),
               "\"; labelloc=t; labeljust=l; compound=true; fontname=\"sans-serif\";\n"
               "  nslimit=2; nslimit1=2; mclimit=0.5; searchsize=20; nodesep=0.34; ranksep=0.46;\n"
               "  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\", fontsize=11, "
               "margin=\"0.12,0.06\"];\n"
               "  edge [fontname=\"sans-serif\", fontsize=9, color=\"#525c6a\", arrowsize=0.6];\n");
    numbers_.emplace(graph.id, 0);
    body(graph, 1);
    return std::move(out_) + "}\n";
  }

 private:
  struct Edge {
    uint32_t from = 0, to = 0;
    std::string label;
    bool control = false, cut = false;
  };

  std::string name(uint32_t graph, uint32_t node) { return str("g", graph, "n", node); }
  void line(int depth, const std::string& text) {
    out_.append(static_cast<size_t>(depth) * 2, ' ').append(text) += '\n';
  }

  void body(const GraphRecord& graph, int depth) {
    const uint32_t number = numbers_.at(graph.id);
    const explain::GraphIndex index(graph);
    const std::vector<Edge> edges = edges_of(graph, index);
    std::multimap<uint32_t, const Edge*> cut;
    for (const Edge& e : edges)
      if (e.cut) cut.emplace(e.to, &e);
    for (const NodeRecord& n : graph.nodes) {
      std::string label = escaped(n.op);
      if (n.name != n.op) label += "\\n" + escaped(n.name);
      if (!n.constant.empty()) label += "\\n= " + escaped(n.constant);
      const auto [first, last] = cut.equal_range(n.id);
      for (auto at = first; at != last; ++at) {
        label += str("\\n&larr; ", escaped(graph.nodes[index.find(at->second->from)].name, 40));
      }
      const bool input = std::find(graph.inputs.begin(), graph.inputs.end(), n.id) != graph.inputs.end();
      const bool output = std::any_of(graph.outputs.begin(), graph.outputs.end(),
                                      [&](const EdgeRecord& e) { return e.from == n.id; });
      const Tone& tone = tone_of(n.family);
      line(depth, str(name(number, n.id), " [label=\"", label, "\", color=\"", tone.border, "\", fillcolor=\"",
                      tone.fill, "\", tooltip=\"", escaped(tip(n), kLongestTip), "\"",
                      input ? ", shape=oval, style=filled" : "", output ? ", penwidth=2.5" : "", "];"));
    }
    for (const Edge& e : edges) {
      if (e.cut) continue;
      const std::string look = e.control ? "style=dashed, arrowhead=empty" : str("label=\"", escaped(e.label), '"');
      line(depth, str(name(number, e.from), " -> ", name(number, e.to), " [", look, "];"));
    }
    for (const NodeRecord& n : graph.nodes)
      for (const NodeFunction& f : n.functions) run_by(number, n, f, depth);
  }

  std::string tip(const NodeRecord& n) {
    std::string out = n.name;
    if (!n.outputs.empty()) out += " -> " + n.outputs.front();
    if (!n.attributes.empty()) out += "; " + n.attributes;
    const std::string& place = names_.place(n.source, n.location);
    return place.empty() ? out : out + "; " + place;
  }

  // The graph that a node runs, in a cluster; one that several nodes run is drawn once.
  void run_by(uint32_t owner_graph, const NodeRecord& owner, const NodeFunction& f, int depth) {
    const GraphRecord* graph = graphs_(f.graph);
    if (!graph || graph->nodes.empty() || depth > kDeepest) return;
    const auto [at, fresh] = numbers_.try_emplace(f.graph, static_cast<uint32_t>(numbers_.size()));
    if (fresh) {
      line(depth, str("subgraph cluster_", at->second, " {"));
      line(depth + 1, str("label=\"", escaped(f.attribute), ": ", escaped(graph->name),
                          "\"; labeljust=l; style=rounded; color=\"#8a4f00\"; fontname=\"sans-serif\"; fontsize=11;"));
      body(*graph, depth + 1);
      line(depth, "}");
    }
    // An edge must not point at a cluster that it lies in, as that of a graph that runs itself does.
    const uint32_t first = graph->inputs.empty() ? graph->nodes.front().id : graph->inputs.front();
    line(depth, str(name(owner_graph, owner.id), " -> ", name(at->second, first), " [",
                    fresh ? str("lhead=cluster_", at->second, ", ") : "",
                    "style=dotted, color=\"#8a4f00\", arrowhead=open];"));
  }

  static std::vector<Edge> all_edges(const GraphRecord& graph, const explain::GraphIndex& index) {
    std::vector<Edge> edges;
    for (const NodeRecord& n : graph.nodes) {
      for (const EdgeRecord& e : n.inputs) {
        const size_t at = index.find(e.from);
        if (at == graph.nodes.size()) continue;
        const NodeRecord& from = graph.nodes[at];
        edges.push_back({e.from, n.id, e.output < from.outputs.size() ? from.outputs[e.output] : ""});
      }
      for (const uint32_t from : n.control_inputs)
        if (index.find(from) < graph.nodes.size()) edges.push_back({from, n.id, "", true});
    }
    return edges;
  }

  std::vector<Edge> edges_of(const GraphRecord& graph, const explain::GraphIndex& index) const {
    std::vector<Edge> edges = all_edges(graph, index);
    if (!sparse_ || edges.size() < kCutFrom) return edges;
    std::map<uint32_t, size_t> degree, kept;
    for (const Edge& e : edges) ++degree[e.from], ++degree[e.to];
    for (Edge& e : edges)
      for (const uint32_t end : {e.from, e.to})
        if (degree[end] > kHubDegree && ++kept[end] > kKept) e.cut = true;
    return edges;
  }

  Names names_;
  explain::GraphsAfter graphs_;
  bool sparse_;
  std::map<GraphId, uint32_t> numbers_;  // of the graphs that are drawn
  std::string out_;
};

// --- which graph -----------------------------------------------------------------------------------------------------

struct Candidate {
  const TraceRecord* trace = nullptr;
  const GraphRecord* graph = nullptr;
  size_t passes = 0;  // that it is shown after
};

std::string title_of(const Candidate& c, Names& names) {
  std::string out = names.function(c.trace->function) + names.trace_number(c.trace->id);
  if (!c.trace->signature.empty()) out += " (" + c.trace->signature + ")";
  if (c.passes) out += " after " + explain::stage_names(*c.graph)[c.passes];
  return out;
}

std::string list_of(const std::vector<Candidate>& candidates, Names& names) {
  std::string out;
  for (size_t i = 0; i < candidates.size() && i < kLongestList; ++i) {
    const Candidate& c = candidates[i];
    out += str("\n  ", printable(names.function(c.trace->function)), names.trace_number(c.trace->id), "  ",
               c.graph->nodes.size(), " nodes, graph ", printable(c.graph->name));
  }
  if (candidates.size() > kLongestList) out += str("\n  and ", candidates.size() - kLongestList, " more");
  return out;
}

bool is_called(const std::string& function, std::string_view wanted) {
  return function == wanted || function.ends_with("." + std::string(wanted));
}

// `wanted`: "", FUNCTION, FUNCTION#TRACE, or the name of a trace's graph; each may end with @STAGE.
Candidate choose(const Export& what, Names& names) {
  std::vector<Candidate> all, fit;
  for (const TraceRecord& t : what.reader.contents().traces)
    if (const GraphRecord* graph = what.reader.graph(t.graph())) all.push_back({&t, graph});
  if (all.empty()) fail(ErrorKind::kNotFound, what.session, ": no trace in it has a graph");
  const std::string& wanted = what.graph;
  if (wanted.empty()) {
    if (all.size() == 1) return all.front();
    invalid("export: --graph FUNCTION#TRACE says which graph. There are:", list_of(all, names));
  }
  const TraceName name = trace_name(wanted).value_or(TraceName{wanted, 0, ""});
  for (const Candidate& c : all)
    if (c.graph->name == wanted || (!name.number && c.graph->name == name.function) ||
        (is_called(names.function(c.trace->function), name.function) &&
                                    (!name.number || c.trace->number == name.number)))
      fit.push_back(c);
  if (fit.empty()) invalid("export: there is no graph '", printable(wanted), "'. There are:", list_of(all, names));
  const bool one_function = std::all_of(fit.begin(), fit.end(), [&](const Candidate& c) {
    return c.trace->function == fit.front().trace->function;
  });
  if (!one_function) invalid("export: '", printable(wanted), "' may be several; name the graph:", list_of(fit, names));
  Candidate chosen = *std::max_element(fit.begin(), fit.end(), [](const Candidate& a, const Candidate& b) {
    return a.trace->number < b.trace->number;
  });
  chosen.passes = passes_until(*chosen.graph, name.stage, names.function(chosen.trace->function));
  return chosen;
}

}  // namespace

std::string dot_text(const Export& what, bool sparse) {
  Names names(what.reader);
  const Candidate chosen = choose(what, names);
  return DotWriter(what.reader, chosen.passes, sparse).write(chosen.graph->id, title_of(chosen, names));
}

void export_dot(const Export& what) { what.out.write(dot_text(what, false)); }

}  // namespace footlight::cli
