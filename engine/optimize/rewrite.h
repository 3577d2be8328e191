// What passes decide about a graph, beside it: the graph itself stays as it was traced, for people to look at.
#pragma once

#include "engine/graph/graph.h"

#include <vector>

namespace footlight::optimize {

// Runs one op on known values; throws what the op throws.
using Evaluator = std::vector<Tensor> (*)(const OpRow&, std::span<const Tensor>, const Attrs&);

struct Rewrite {
  explicit Rewrite(const Graph& g) : graph(g), live(g.size(), true), forward(g.size()), value(g.size()) {}

  const Graph& graph;
  std::vector<bool> live;       // nodes that run
  std::vector<Edge> forward;    // a node whose output 0 is another value: which; else no node
  std::vector<Tensor> value;    // a node whose output 0 is known: what; else empty

  // The value that an edge means after forwarding.
  Edge resolve(Edge edge) const {
    while (edge.output == 0 && forward[edge.node.value].node.valid()) edge = forward[edge.node.value];
    return edge;
  }
};

// The passes, in the order in which they run.
void forward_identities(Rewrite&);
void fold_constants(Rewrite&, Evaluator);
enum class Keep : uint8_t { kOutputsAndEffects, kOutputs };
void prune(Rewrite&, Keep);

// All of them. Without an evaluator nothing is folded.
Rewrite optimize(const Graph&, Evaluator, Keep = Keep::kOutputsAndEffects);

}  // namespace footlight::optimize
