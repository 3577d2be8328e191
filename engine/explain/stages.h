// A graph after each pass of the engine, made from the graph as traced and the changes that were recorded; and what a
// pass did, in words.
#pragma once

#include "engine/session/records.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace footlight::explain {

// How many passes are looked at: more than any engine has, for files that claim millions.
size_t pass_count(const session::GraphRecord& graph);

// "traced", then one for each pass: "forward_identities", "prune", "fold_constants", "prune2".
std::vector<std::string> stage_names(const session::GraphRecord& graph);
// Its position; "last" is one of them too. None: there is no such stage.
std::optional<size_t> stage_named(const session::GraphRecord& graph, std::string_view name);

// Leaves out the passes that changed nothing in any of these graphs, which must be of one program: what they have in
// common as stages is what is left. One pass stays in any case.
void leave_out_idle_passes(std::span<session::GraphRecord> graphs);

// The graph after so many of its passes. Nodes keep their ids and take their values from where the passes say. A node
// that a pass made stands before the one for which it was made; nodes whose value it gives now are its origins, as they
// are those of any node that took the place of others.
session::GraphRecord graph_after(const session::GraphRecord& graph, size_t passes);

// The graphs that `find` knows, after so many of their passes.
class GraphsAfter {
 public:
  using Find = std::function<const session::GraphRecord*(GraphId)>;
  GraphsAfter(Find find, size_t passes) : find_(std::move(find)), passes_(passes) {}
  const session::GraphRecord* operator()(GraphId id) const;  // stays valid as long as this object

 private:
  Find find_;
  size_t passes_;
  mutable std::unordered_map<GraphId, session::GraphRecord> made_;
};

// How many nodes each pass replaces or removes.
std::vector<size_t> changed_by_passes(const session::GraphRecord& graph);

// The line of a node, 0 if it is unknown; the name of its file, empty if that is the function's own.
struct NodeLine {
  std::string file;
  int line = 0;
  friend auto operator<=>(const NodeLine&, const NodeLine&) = default;
};
using LineOf = std::function<NodeLine(const session::NodeRecord&)>;
// "fold constants: 3 nodes became constants (lines 12, 14)". A pass that did nothing: "prune: nothing to do".
std::string what_pass_did(const session::GraphRecord& graph, size_t pass, const LineOf& line_of);

// What a pass made of a node.
struct NodeStep {
  uint32_t node = 0;
  std::string pass;                      // "fold constants"
  std::string words;                     // "became the constant 6.0"
  std::optional<uint32_t> by;            // the node whose value is used instead
  session::Fate fate = session::Fate::kNothing;
};
// What became of a node, pass by pass; and what a pass (from 0) made of which nodes, in its order, of each the first.
std::vector<NodeStep> steps_of(const session::GraphRecord& graph, uint32_t node);
std::vector<NodeStep> steps_in(const session::GraphRecord& graph, size_t pass);

// A node that runs alone, although others of its kind run in fused loops, and the reason.
struct AloneStep {
  uint32_t node = 0;
  std::string pass, words;  // "fuse", "runs alone, because an effect lies between it and others of its shape"
};
std::vector<AloneStep> alone_in(const session::GraphRecord& graph, size_t pass);
// The same for one node, or for the node that it runs as.
std::optional<AloneStep> alone_step(const session::GraphRecord& graph, uint32_t node);
// The node that a node of the graph as traced runs as after all passes; itself if none rewrote it.
uint32_t runs_as(const session::GraphRecord& graph, uint32_t node);
// The node of the graph as traced for which passes made this one; itself if they did not make it.
uint32_t traced_node(const session::GraphRecord& graph, uint32_t node);

}  // namespace footlight::explain
