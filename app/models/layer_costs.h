// Costs of each Keras layer of a traced function: time forward and backward, FLOPs, parameters, memory.
#pragma once

#include "engine/query/store.h"

#include <string>
#include <vector>

namespace footlight::app {

struct LayerCost {
  std::string name;                  // "sequential/dense"; empty: what is assigned to no layer
  uint64_t nodes = 0;                // forward
  uint64_t parameters = 0, parameter_bytes = 0;  // the variables that it reads
  uint64_t flops = 0, output_bytes = 0;          // one run of its nodes, including gradients
  query::Sums forward, backward;     // of its nodes; of gradients that the graph's structure tells to be its own
                                     // Without a name: of other nodes; of gradients of which it does not tell
  int64_t total_ns() const { return forward.total + backward.total; }
};

// By position in the graph, what computes a gradient, and the layer whose gradient that is; 0: not told. The tape goes
// back through the ops in their order, and a gradient takes what its op took or gave: where both leave one layer only,
// it is that one. `layer`: of each node, 0: none. `forward`: forward_ops().
struct GradientLayers {
  std::vector<bool> is_gradient;
  std::vector<size_t> layer;
};
GradientLayers layers_of_gradients(const session::GraphRecord& graph, const std::vector<size_t>& layer,
                                   const std::vector<size_t>& forward);

// Covers all traces of the function, or the one trace. The most time first, what belongs to no layer last; empty where
// there are no layers. On the store's thread.
std::vector<LayerCost> find_layers(const query::Store& store, FunctionId function, TraceId trace,
                                   const query::Cancel& cancel);

}  // namespace footlight::app
