// Makes the walk of a group from its nodes: what comes from outside, what stays in tiles, what becomes tensors.
#pragma once

#include "engine/compile/fused.h"
#include "engine/compile/slots.h"

#include <functional>
#include <span>

namespace footlight::compile {

struct Members {
  std::span<const NodeId> nodes;
  std::span<const Level> levels;
  bool by_rows = false;
};

// `dies_inside`: nothing reads the node's value after the group. `certain`: shapes that are known are right. `outside`
// gets the values that the group needs.
FusedGroup fuse(const optimize::Rewrite& rewrite, const Members& members,
                const std::function<bool(NodeId)>& dies_inside, const SlotPlan& slots, bool certain,
                std::vector<Edge>& outside);

}  // namespace footlight::compile
