// Keeps where nodes were created: each place with its caller, once, and only while something records.
#pragma once

#include "engine/base/recording.h"
#include "engine/graph/graph.h"
#include "engine/session/records/ids.h"

namespace footlight::session {
class Writer;
}

namespace footlight::trace {

// Sets the node's source, and its call site if something records.
void note_place(Node& node);

// While it lives, nodes that this thread creates get the place of `node`, for which they work.
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

// Adds the call sites of a graph's nodes, and their callers, to the session before the graph itself; each once in a
// recording.
void record_call_sites(const Graph& graph, session::Writer& writer);
// The same with the call stack of this thread; invalid if it is not known.
session::LocationId record_call_site(session::Writer& writer);

}  // namespace footlight::trace
