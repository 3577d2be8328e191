// Builds a FusedGroup from its nodes: which values come from outside, stay in tiles or become tensors.
#pragma once

#include "engine/fusion/fused_group.h"

#include <functional>
#include <span>

namespace footlight::fusion {

struct Members {
  std::span<const NodeId> nodes;
  std::span<const Level> levels;
  bool by_rows = false;
};

// `dies_inside` tells whether nothing reads a node's value after the group, `certain` whether known shapes are right.
// The values that the group reads are appended to `outside`.
FusedGroup fuse(const optimize::Rewrite& rewrite, const Members& members,
                const std::function<bool(NodeId)>& dies_inside, const std::function<bool(NodeId)>& keeps_slot,
                bool certain, std::vector<Edge>& outside);

}  // namespace footlight::fusion
