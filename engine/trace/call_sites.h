// Where nodes are made: each place with the place that called it, kept once. Only while something records.
#pragma once

#include "engine/graph/graph.h"

namespace footlight::session {
class Writer;
}

namespace footlight::trace {

// Sets the node's source, and its call site if something records.
void note_place(Node& node);

// While it lives, what this thread makes works for `node` and gets its place.
class InPlaceOf {
 public:
  explicit InPlaceOf(const Node& node);
  ~InPlaceOf();
  InPlaceOf(const InPlaceOf&) = delete;
  InPlaceOf& operator=(const InPlaceOf&) = delete;

 private:
  friend void note_place(Node& node);
  const Node& node_;
  const InPlaceOf* before_;
};

// Adds the call sites of a graph's nodes to the session, with those that called them, before the graph. Each once in a
// recording.
void record_call_sites(const Graph& graph, session::Writer& writer);

}  // namespace footlight::trace
