// What each Keras layer of a traced function cost when it ran: time forward and backward, FLOPs, parameters, memory.
#pragma once

#include "engine/query/store.h"

#include <string>
#include <vector>

namespace footlight::app {

struct LayerCost {
  std::string name;                  // its scope: "sequential/dense"; empty: nodes of no layer
  uint64_t nodes = 0;                // forward
  uint64_t parameters = 0, parameter_bytes = 0;  // of the variables that it reads
  uint64_t flops = 0, output_bytes = 0;          // of one run of its nodes, those of gradients included
  query::Sums forward, backward;     // of its nodes; of gradients that the graph's structure tells to be its own
  int64_t total_ns() const { return forward.total + backward.total; }
};

// Covers all traces of the function, or the one trace. The most time first, what belongs to no layer last; empty where
// there are no layers. On the store's thread.
std::vector<LayerCost> find_layers(const query::Store& store, FunctionId function, TraceId trace,
                                   const query::Cancel& cancel);

}  // namespace footlight::app
