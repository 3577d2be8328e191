// Functions through which a front end steers this layer. All are null where nobody has installed them.
#pragma once

#include "engine/graph/graph.h"

#include <span>
#include <string>
#include <vector>

namespace footlight::trace {

// The Python extension installs these (python/install_hooks.cpp).
struct Hooks {
  // Called for each use of a symbolic tensor outside of its trace, before the error.
  void (*leaked_use)(const Graph&) = nullptr;
  // Called for messages: a place in the user's program as a line of text; empty if it is unknown.
  std::string (*place_line)(SourceRef) = nullptr;
  // Called for a call that raises the end of a dataset, with the time when it began.
  void (*met_end_of_data)(int64_t start_ns) = nullptr;
  // Called by the backward pass of a graph for a node with a type of its own: the gradient for each input that the
  // program registered for that type.
  std::vector<Tensor> (*registered_gradient)(const std::string& type, Graph&, NodeId,
                                             std::span<const Tensor> arriving) = nullptr;
};
extern constinit Hooks hooks;

}  // namespace footlight::trace
