// A fingerprint of a recorded graph: two hashes over its ops, attributes, constants, edges and called graphs.
// Names and ids of nodes and graphs do not matter, nor does the order in which nodes were made.
#pragma once

#include "engine/explain/node_hashes.h"
#include "engine/session/records.h"

#include <functional>
#include <unordered_map>
#include <vector>

namespace footlight::explain {

struct GraphFingerprint {
  Hash128 exact;
  // Values left out: of constants, of attributes that are real numbers, seeds or messages, and the sizes of dimensions.
  Hash128 structure;
  friend bool operator==(const GraphFingerprint&, const GraphFingerprint&) = default;
};

enum class GraphRelation : uint8_t {
  kIdentical,
  kConstants,  // equal except for values
  kStructure,
  kUnknown,    // a graph, or one that it calls, was not recorded
};
const char* name_of(GraphRelation);  // "identical", "constants", "structure", "unknown"

// Caches its results. Graphs are looked up by id, null for those that were not recorded.
class Fingerprints {
 public:
  using Lookup = std::function<const session::GraphRecord*(GraphId)>;
  explicit Fingerprints(Lookup lookup) : lookup_(std::move(lookup)) {}

  const GraphFingerprint& of(const session::GraphRecord& graph);
  GraphRelation compare(GraphId a, GraphId b);
  // What each node is by itself, with the graphs that it calls and its place among the graph's parameters.
  NodeHashes labels(const GraphIndex& index, bool exact, bool& complete);

 private:
  struct Known {
    GraphFingerprint print;
    bool complete = true;  // every graph that it calls was recorded
  };
  const Known& known(const session::GraphRecord& graph);
  Hash128 fingerprint(const GraphIndex& index, bool exact, bool& complete);
  Hash128 label(const session::GraphRecord& graph, const session::NodeRecord& node, bool exact, bool& complete);

  Lookup lookup_;
  std::unordered_map<GraphId, Known> known_;
  std::vector<GraphId> open_;  // graphs being fingerprinted, each called by the previous one
};

// An attribute of a recorded node: "alpha=0.2".
struct AttributeText { std::string_view name, value; };
// The attributes that decide whether two nodes are equal. Mere names are left out: the user's name for an argument, and
// the token of a call of a Python function if the function itself is known.
std::vector<AttributeText> compared_attributes(std::string_view attributes);

// Whether an attribute is a text that a node prints, or that its error says: it decides nothing.
bool is_message(std::string_view attribute);
// "(32, None)" -> "(?, ?)": sizes are values, the rank is structure.
std::string without_sizes(std::string_view text);
// An attribute's value without real numbers, sizes and seeds.
std::string without_values(std::string_view name, std::string_view value);
// Older recordings have only the beginning of a constant's values, which says nothing about the rest.
bool is_cut_off(const std::string& constant);

}  // namespace footlight::explain
