// A part of one graph as nodes of another: what runs some of a graph's tensors for given values of others.
#pragma once

#include "engine/trace/graph_builder.h"

#include <map>
#include <span>
#include <utility>
#include <vector>

namespace footlight::trace {

// Copies into `builder` what the tensors `fetches` and the nodes `targets` need of `graph`, with `feeds` in place of
// some of its tensors, and returns the fetched ones. Nodes keep their names, as far as they are free, and what they
// wait for. Throws kInvalidArgument for a Placeholder that is needed and not fed.
// kAnyShapes: the values may have other shapes than the tensors, so what nodes compute has shapes that are found when
// they run; throws kUnimplemented if one of them calls another graph.
// states: those of random ops that whoever runs the part has instead of the graph's; they are added when first needed.
using OwnStates = std::map<const Resource*, Tensor>;
enum class FedShapes : uint8_t { kMustFit, kAnyShapes };
std::vector<Tensor> inline_graph(GraphBuilder& builder, const Graph& graph,
                                 std::span<const std::pair<Edge, Tensor>> feeds, std::span<const Edge> fetches,
                                 std::span<const NodeId> targets = {}, FedShapes = FedShapes::kMustFit,
                                 OwnStates* states = nullptr);

}  // namespace footlight::trace
