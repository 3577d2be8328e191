// Replays a traced function on a batch of elements at once.
#pragma once

#include "engine/ops/batching.h"
#include "engine/trace/graph_builder.h"

#include <functional>

namespace footlight::trace {

struct Vectorized {
  std::vector<ops::Batched> outputs;
  std::vector<std::string> one_by_one;  // ops without a batched form, each once: a loop over the elements runs them
};

// Adds the nodes of `graph` to the graph being built, with `inputs` as its inputs. `size`: the number of elements.
// Unless `loops`, an op without a batched form throws kValue.
Vectorized vectorize(const Graph& graph, std::span<const ops::Batched> inputs, const Tensor& size, bool loops);

}  // namespace footlight::trace
