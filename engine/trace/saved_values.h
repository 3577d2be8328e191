// Groups the values that a forward graph saves for its backward graph into lists: nested graphs then pass a few lists
// through each enclosing graph, instead of every value.
#pragma once

#include "engine/trace/graph_builder.h"

#include <span>
#include <vector>

namespace footlight::trace {

// With more saved values than this, graphs inside of a differentiated one save them as lists. Tests change it.
extern size_t most_saved_apart;

// An input of a backward graph (by number) and the value of the forward graph that it gets.
struct SavedValue {
  size_t input;
  Edge value;
};

struct SavedLists {
  GraphPtr backward;                 // has the lists as inputs after its own
  std::vector<Edge> lists;           // edges of the forward graph
};

// Adds to `forward` one list per dtype, and changes a copy of `backward` to read the values from them.
SavedLists save_as_lists(Graph& forward, const Graph& backward, std::span<const SavedValue>);

// Add nodes that create an empty list, and one that appends a value.
NodeId add_list(Graph&, DType, const Shape& element);
NodeId add_push(Graph&, NodeId list, Edge value, DType);

}  // namespace footlight::trace
