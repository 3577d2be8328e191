// Repetitions of one call, eagerly and traced: their times, the thread's activities in some of them, and the effect of
// passes on the traced graph. Conclusions are in engine/explain/compare.
#pragma once

#include "engine/base/activity.h"
#include "engine/session/records/graph.h"

namespace footlight::session {

constexpr std::span<const char* const> enumerators(Activity) { return kActivities; }

// From `start_ns` to the next mark the thread did this. A kernel names its op, and its line or its node.
struct ComparisonMark {
  int64_t start_ns = 0;
  Activity activity = Activity::kPython;
  OpNumber op = {};
  SourceRef source = {};
  GraphId graph = {};
  NodeId node = {};
  SignatureId signature = {};

  static void describe(auto& f) {
    using R = ComparisonMark;
    f.column("start_ns", &R::start_ns, "from here to the next mark", {.unit = "ns"});
    f.column("activity", &R::activity, "what the calling thread did");
    f.column("op", &R::op, "of a kernel");
    f.column("source", &R::source, "eager: code object and instruction of the user's line");
    f.column("graph", &R::graph, "traced: the graph that holds the node");
    f.column("node", &R::node, "traced: the node that ran");
    f.column("signature", &R::signature, "what it ran on");
  }
};

// One repetition. Two of them, one eager and one traced, have the same pair.
struct ComparisonRun {
  uint32_t pair = 0;
  bool traced = false, warm_up = false, with_events = false;
  int64_t start_ns = 0, end_ns = 0;
  uint64_t lost = 0;
  uint64_t interruptions = 0;
  std::vector<ComparisonMark> marks = {};

  static void describe(auto& f) {
    using R = ComparisonRun;
    f.column("pair", &R::pair, "from 0; an eager and a traced repetition share it");
    f.column("traced", &R::traced, "1: by the graph, 0: op by op");
    f.column("warm_up", &R::warm_up, "1: does not count");
    f.column("with_events", &R::with_events, "1: has marks, 0: nothing was recorded while it ran");
    f.column("start_ns", &R::start_ns, "when it began", {.unit = "ns"});
    f.column("end_ns", &R::end_ns, "when it ended", {.unit = "ns"});
    f.column("lost", &R::lost, "marks for which there was no room");
    f.column("interruptions", &R::interruptions, "how often the processor was taken from the calling thread",
             {.since = 3});
    f.list("comparison_mark", &R::marks, "What the calling thread did in a repetition, moment by moment.",
           {.since = 3});
  }
};

// A change that a pass made to a graph of the trace.
struct PassChange {
  GraphId graph;
  NodeId node;
  std::string pass;
  Fate fate = Fate::kNothing;
  NodeId by = {};

  static void describe(auto& f) {
    using R = PassChange;
    f.column("graph", &R::graph, "as traced");
    f.column("node", &R::node, "that was replaced or removed, or before which one was inserted");
    f.column("pass", &R::pass, "fold_constants, forward_identities, prune");
    f.column("fate", &R::fate, "what it became; inserted: a new node runs before it");
    f.column("by_node", &R::by, "the node whose value is used instead; those that passes made count on");
  }
};

struct ComparisonRecord {
  FunctionId function;
  TraceId trace;
  uint64_t call = 0;
  SourceRef source = {};
  bool simulated = false;
  std::string stopped, error;
  std::vector<ComparisonRun> runs = {};
  std::vector<PassChange> changes = {};
  std::vector<std::string> notes = {};
  int64_t start_ns = 0, end_ns = 0;
  int64_t mark_ps = 0;
  ComparisonId id = {};  // none: the writer assigns one

  static constexpr TableNote kTable{"comparison", "Repetitions of a call, eagerly and traced.", 3};
  static void describe(auto& f) {
    using R = ComparisonRecord;
    f.id("id", &R::id, "number of the comparison");
    f.column("function", &R::function, "that was called");
    f.column("trace", &R::trace, "that served the traced repetitions");
    f.column("call", &R::call, "whose arguments: from 1, among the calls of the function");
    f.column("source", &R::source, "code object and instruction of the call");
    f.column("simulated", &R::simulated, "1: the device is simulated");
    f.column("stopped", &R::stopped, "why there were not more repetitions");
    f.column("error", &R::error, "class and message, when a repetition failed");
    f.column("start_ns", &R::start_ns, "when it began: the program's own call is over", {.unit = "ns", .since = 3});
    f.column("end_ns", &R::end_ns, "when it ended", {.unit = "ns", .since = 3});
    f.column("mark_ps", &R::mark_ps, "what a mark takes, measured by itself", {.unit = "ps", .since = 3});
    f.list("comparison_run", &R::runs, "One repetition.", {.since = 3});
    f.list("comparison_change", &R::changes, "What passes did to the graphs of the trace.", {.since = 3});
    f.list("comparison_note", &R::notes, "What to know about it, in words.", {.since = 3, .column = "note"});
  }
};

}  // namespace footlight::session
