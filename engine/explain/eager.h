// Sums of the ops that ran outside of traced calls, by the instruction of the user's code that ran them, and of the
// nodes that called Python.
#pragma once

#include "engine/session/events.h"
#include "engine/session/records/op.h"
#include "engine/session/tracing_spans.h"

#include <array>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace footlight::explain {

struct EagerPlace {
  SourceRef source;
  uint64_t ops = 0;
  uint64_t visits = 0;                // without ops that follow another one of the same place
  int64_t ns = 0;                     // with the Python code of the function up to the next op
  int64_t stall_ns = 0;               // pauses after its ops that may be the caller's
  int64_t onward_ns = 0;              // longer pauses before an op further on in the same run of the function
  std::vector<SignatureId> signatures;  // of the first op of a visit, the first few different ones
};

// A node that calls a Python function: how often it ran, and for how long the graph waited for its results.
struct PythonNode {
  GraphId graph;
  NodeId node;
  uint64_t runs = 0;
  int64_t ns = 0;
};

struct EagerSums {
  std::vector<EagerPlace> places;
  uint64_t while_tracing = 0;  // ops outside of graphs that ran while their thread traced: in no place
  int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;  // of all ops, traced ones too; first > last: there are none
  int64_t pauses_ns = 0;  // pauses that come once: imports when a module is first needed, another program's turn
  std::vector<PythonNode> python = {};
};

// Takes the events chunk by chunk, in the order of the session, and keeps no event.
class EagerOps {
 public:
  void add(const session::OpColumns& events, const session::TracingSpans& tracing,
           std::span<const session::OpNameRecord> ops);

  EagerSums sums() const;

  static constexpr size_t kMaxSignatures = 8;

 private:
  struct Last {
    EagerPlace* place = nullptr;  // of the last eager op of a thread
    int64_t end_ns = 0;
  };
  struct Pause {
    int64_t ns = 0;
    const EagerPlace* after = nullptr;
  };
  void add(const Pause& pause);

  std::unordered_map<uint64_t, EagerPlace> places_;
  std::map<session::ThreadId, Last> threads_;
  std::map<std::pair<GraphId, NodeId>, PythonNode> python_;
  int64_t first_ns_ = INT64_MAX, last_ns_ = INT64_MIN;
  uint64_t while_tracing_ = 0;
  std::array<Pause, 3> longest_;  // the longest pauses between two runs of functions, the shortest of them first
};

}  // namespace footlight::explain
