// Builds a FusedGroup from its nodes: which values come from outside, stay in tiles or become tensors.
#pragma once

#include "engine/fusion/fused_group.h"

#include <functional>
#include <span>

namespace footlight::fusion {

// The nodes of a group, in the order in which they run, with the level of each.
struct GroupMembers {
  std::span<const NodeId> nodes;
  std::span<const Level> levels;
  bool by_rows = false;
};

// `dies_inside(node)`: nothing reads the node's value after the group. `keeps_slot(node)`: the value's memory stays in
// its slot. `certain`: known shapes are right. Appends the values that the group reads to `outside`.
FusedGroup fuse(const optimize::Rewrite& rewrite, const GroupMembers& members,
                const std::function<bool(NodeId)>& dies_inside, const std::function<bool(NodeId)>& keeps_slot,
                bool certain, std::vector<Edge>& outside);

}  // namespace footlight::fusion
