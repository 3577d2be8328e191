// Copies a part of a graph into another: the nodes that compute some tensors from given values of others.
#pragma once

#include "engine/trace/graph_builder.h"

#include <map>
#include <span>
#include <utility>
#include <vector>

namespace footlight::trace {

// Copies into `builder` what the tensors `fetches` and the nodes `targets` need of `graph`, with `feeds` in place of
// some of its tensors, and returns the fetched ones. Nodes keep their control inputs and, if they are free, their
// names. Throws kInvalidArgument for a Placeholder that is needed and not fed. kAnyShapes: values may have other shapes
// than the tensors, so shapes of nodes are found when they run; throws kUnimplemented if one of them calls another
// graph. states: replacements of the states of the graph's random ops; they are added when first needed.
using OwnStates = std::map<const Resource*, Tensor>;
enum class FedShapes : uint8_t { kMustFit, kAnyShapes };
std::vector<Tensor> inline_graph(GraphBuilder& builder, const Graph& graph,
                                 std::span<const std::pair<Edge, Tensor>> feeds, std::span<const Edge> fetches,
                                 std::span<const NodeId> targets = {}, FedShapes = FedShapes::kMustFit,
                                 OwnStates* states = nullptr);

}  // namespace footlight::trace
