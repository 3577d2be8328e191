// What a forward graph saves for its backward graph, as lists of many values: so graphs inside of graphs hand a few
// lists out through each graph around them, instead of every value through every one.
#pragma once

#include "engine/trace/graph_builder.h"

#include <span>
#include <vector>

namespace footlight::trace {

// More values than these are saved as lists by graphs inside of one that is differentiated. Tests change it.
extern size_t most_saved_apart;

// An input of a backward graph, by number, that is to get this value of the forward graph.
struct SavedValue {
  size_t input;
  Edge value;
};

struct SavedLists {
  GraphPtr backward;                 // takes the lists after the inputs that it had
  std::vector<Edge> lists;           // of the forward graph
};

// Adds to `forward` one list for each dtype, and makes of `backward` a graph that takes the values from them.
SavedLists save_as_lists(Graph& forward, const Graph& backward, std::span<const SavedValue>);

// Nodes that make a list of no values, and one with a value more.
NodeId add_list(Graph&, DType, const Shape& element);
NodeId add_push(Graph&, NodeId list, Edge value, DType);

}  // namespace footlight::trace
