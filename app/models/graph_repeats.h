// The runs of equal pieces in a graph, such as the iterations of a loop that Python unrolled: found by the order of the
// nodes, what they are and how they are connected, never by names.
#pragma once

#include "app/models/document.h"

namespace footlight::app {

// `times` pieces of `period` nodes each, in the order of the graph, from node `first` on.
struct GraphRepeat {
  size_t first = 0, period = 0, times = 0;
  size_t end() const { return first + period * times; }
};

// Outer repeats before those inside them; each piece of an outer one has its own inner ones.
std::vector<GraphRepeat> find_repeats(const Document& document, const session::GraphRecord& graph);

// The cause of a repeat: the innermost loop around its first line, else that line itself.
struct RepeatCause {
  QString text;  // "for w, b in ws"
  SourcePlace place;
};
RepeatCause cause_of(const Document& document, const session::GraphRecord& graph, const GraphRepeat& repeat);

}  // namespace footlight::app
