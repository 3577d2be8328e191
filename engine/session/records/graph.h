// Graphs: nodes, edges, the graphs that nodes run, origins of nodes of later stages, and changes by the engine's
// passes. engine/explain/stages.h derives the graph after a pass from these.
#pragma once

#include "engine/session/records/ids.h"

namespace footlight::session {

struct EdgeRecord {
  uint32_t from = 0;
  uint16_t output = 0;

  static void describe(auto& f) {
    f.column("source", &EdgeRecord::from, "id of the node that the value comes from", {.formerly = "node"});
    f.column("output", &EdgeRecord::output, "which of its outputs");
  }
};

struct NodeFunction {
  std::string attribute;
  GraphId graph;

  static void describe(auto& f) {
    f.column("attribute", &NodeFunction::attribute, "then_branch, body, f");
    f.column("function_graph", &NodeFunction::graph, "the graph that it runs");
  }
};

struct NodeOrigin {
  GraphId graph;
  NodeId node;

  static void describe(auto& f) {
    f.column("from_graph", &NodeOrigin::graph, "graph of an earlier stage");
    f.column("from_node", &NodeOrigin::node, "node there");
  }
};

struct NodeRecord {
  uint32_t id = 0;
  std::string name, op, family;
  std::vector<EdgeRecord> inputs;
  std::vector<uint32_t> control_inputs;
  std::vector<std::string> outputs;
  std::string attributes;
  std::vector<NodeFunction> functions;
  std::string constant;
  SourceRef source;
  LocationId location = {};
  std::vector<NodeOrigin> origins = {};

  static void describe(auto& f) {
    using R = NodeRecord;
    f.column("id", &R::id, "in its graph, dense; events and edges name it so");
    f.column("name", &R::name, "hidden/Relu");
    f.column("op", &R::op, "Relu");
    f.column("family", &R::family, "elementwise");
    f.column("attributes", &R::attributes, "T=float32; keep_dims=false");
    f.column("constant", &R::constant, "value or summary of a constant");
    f.column("source", &R::source, "code object and instruction that made it");
    f.column("location", &R::location, "that made it, where there is no code object", {.since = 3});
    f.list("node_input", &R::inputs, "The values that a node takes.");
    f.list("node_control_input", &R::control_inputs, "The nodes that have to run before.", {.column = "source"});
    f.list("node_output", &R::outputs, "The values that a node gives: \"float32 (32, 16)\".", {.column = "type"});
    f.list("node_function", &R::functions, "A graph that a node runs: the branches of an If, the body of a While.");
    f.list("node_origin", &R::origins, "The nodes of an earlier stage that a node came from.", {.since = 3});
  }
};

// What happened to a node in a pass.
enum class Fate : uint8_t {
  kConstant,
  kFused,
  kInput,
  kEqualNode,
  kNothing,
  kInserted,
  kHoisted,    // runs once, before the loop
  kInlined,    // the nodes of its graph run in its place
  kRewritten,  // another op does the same
  kFusedWith,  // runs in one fused loop with others
};
constexpr const char* kFates[] = {"constant", "fused",   "input",   "equal node", "nothing",
                                    "inserted", "hoisted", "inlined", "rewritten", "fused with"};
constexpr std::span<const char* const> enumerators(Fate) { return kFates; }

// One change. `by`: whose value is used instead; of an insertion, the new node; of a node that is fused with others but
// still gives its own value, one of those.
struct GraphChange {
  uint16_t pass = 0;
  Fate fate = Fate::kNothing;
  uint32_t node = 0;
  uint16_t output = 0;
  uint32_t by = 0;
  uint16_t by_output = 0;

  static void describe(auto& f) {
    using R = GraphChange;
    f.column("pass", &R::pass, "position among the graph's passes");
    f.column("fate", &R::fate,
             "what the node became; inserted: a new node runs before it; nothing: it is gone, or a new one does it; "
             "fused with: runs in one fused loop with others");
    f.column("changed", &R::node, "the node");
    f.column("output", &R::output, "which of its values");
    f.column("by_node", &R::by,
             "the node used instead, the new one, or one of its group: by id, also of the graph's new nodes");
    f.column("by_output", &R::by_output, "which of its values");
  }
};

// A node that a pass added.
struct NewNode {
  uint32_t id = 0;
  std::string name, op, family;
  std::vector<EdgeRecord> inputs;
  std::vector<std::string> outputs;
  std::string attributes, constant;
  SourceRef source;
  std::vector<NodeFunction> functions = {};

  static void describe(auto& f) {
    using R = NewNode;
    f.column("id", &R::id, "in its graph, after those of its nodes");
    f.column("name", &R::name, "Mul/folded");
    f.column("op", &R::op, "Const");
    f.column("family", &R::family, "constant");
    f.column("attributes", &R::attributes, "dtype=float32");
    f.column("constant", &R::constant, "value or summary of a constant");
    f.column("source", &R::source, "of the node for which it was made");
    f.list("new_node_input", &R::inputs, "The values that it takes.", {.since = 3});
    f.list("new_node_output", &R::outputs, "The values that it gives.", {.since = 3, .column = "type"});
    f.list("new_node_function", &R::functions, "A graph that it runs.", {.since = 3});
  }
};

// A node that runs alone, although others of its kind run in fused loops: after the last pass.
struct AloneNode {
  uint16_t pass = 0;
  uint32_t node = 0;
  std::string why;

  static void describe(auto& f) {
    using R = AloneNode;
    f.column("pass", &R::pass, "that found no fused loop for it: position among the graph's passes");
    f.column("node", &R::node, "by id, also of the graph's new nodes");
    f.column("why", &R::why, "an effect lies between it and others of its shape");
  }
};

// Where the memory of a value comes from while its graph runs.
enum class MemoryPlace : uint8_t { kOwn, kKept, kTakenOver, kView, kTile, kGraph, kNone };
constexpr const char* kMemoryPlaces[] = {"own", "kept", "taken over", "view", "tile", "graph", "none"};
constexpr std::span<const char* const> enumerators(MemoryPlace) { return kMemoryPlaces; }

// A value in the memory plan of the graph after its last pass. Steps count from 0; a fused loop is one step.
struct PlannedValue {
  uint32_t node = 0;
  uint16_t output = 0;
  uint32_t slot = 0;
  MemoryPlace place = MemoryPlace::kOwn;
  int64_t bytes = -1;
  uint32_t of = 0;
  uint32_t made = 0, last = 0;

  static void describe(auto& f) {
    using R = PlannedValue;
    f.column("node", &R::node, "that gives it: by id, also of the graph's new nodes");
    f.column("output", &R::output, "which of its values");
    f.column("slot", &R::slot, "of the frame");
    f.column("place", &R::place,
             "own: allocated when it is made, given back after its last use; kept: it stays in the slot for the next "
             "run; taken over: of a value that is read for the last time; view: of what it is made of; tile: inside of "
             "its fused loop; graph: the graph that the node runs gives it; none: it has no elements");
    f.column("bytes", &R::bytes, "-1: known only when it runs", {.unit = "bytes"});
    f.column("of_node", &R::of, "the node whose memory it is in; itself: none");
    f.column("made", &R::made, "the step that makes it");
    f.column("last", &R::last, "the last step that uses it; the number of steps: it is given back as a result");
  }
};

struct GraphRecord {
  GraphId id;
  std::string name;
  std::vector<NodeRecord> nodes;
  std::vector<uint32_t> inputs;
  std::vector<EdgeRecord> outputs;
  std::vector<std::string> passes = {};
  std::vector<GraphChange> changes = {};
  std::vector<NewNode> new_nodes = {};
  std::vector<AloneNode> alone = {};
  std::vector<PlannedValue> memory = {};

  static constexpr TableNote kTable{"graph", "A graph: of a trace at some stage, or one that a node runs."};
  static void describe(auto& f) {
    using R = GraphRecord;
    f.id("id", &R::id, "number of the graph");
    f.column("name", &R::name, "__inference_train_step_12");
    f.list("node", &R::nodes, "A node of a graph.");
    f.list("graph_input", &R::inputs, "The nodes that stand for a graph's parameters.", {.column = "node"});
    f.list("graph_output", &R::outputs, "The values that a graph gives.");
    f.list("graph_pass", &R::passes, "The engine's passes over a graph, in their order.",
           {.since = 3, .column = "pass"});
    f.list("graph_change", &R::changes, "What a pass changed in a graph.", {.since = 3});
    f.list("graph_new_node", &R::new_nodes, "A node that a pass made.", {.since = 3});
    f.list("graph_alone", &R::alone, "A node that runs alone, although others of its kind run in fused loops.",
           {.since = 3});
    f.list("graph_memory", &R::memory, "Where the values of a graph lie while it runs, in the order of its steps.",
           {.since = 3});
  }
};

}  // namespace footlight::session
