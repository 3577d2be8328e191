// x = a * b; ...; y = x + c; z = sqrt(y)   ->   ...; [x, y, z]
// Which elementwise nodes run together, in one walk over memory, and the order in which all run. A reduction that alone
// reads what such nodes make may be the last of them.
#pragma once

#include "engine/optimize/rewrite.h"
#include "kernels/loops.h"
#include "kernels/made_reduction.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace footlight::compile {

struct Grouping {
  static constexpr uint32_t kAlone = UINT32_MAX;
  std::vector<NodeId> schedule;  // members of a group follow each other
  std::vector<uint32_t> group;   // of each position in the schedule: its number, or kAlone
  uint32_t groups = 0;
};

// At most so many loops run together, and so many values come from outside: what the walk keeps on its stack.
inline constexpr size_t kMostSteps = 40, kMostOutside = 24;

// Nothing is moved past a node with effects.
Grouping group_elementwise(const optimize::Rewrite& rewrite, std::vector<NodeId> schedule);

// The nodes that a graph and its passes made, by id.
class NodesById {
 public:
  virtual ~NodesById() = default;
  virtual const Node& node(NodeId id) const = 0;
};

// The loop of a node that may be in a group, else none.
ElementLoop element_loop(const optimize::Rewrite& rewrite, const Node& node);
// A node that reduces the last dimensions of its first input: it needs only rows of it, one after the other.
struct LastDims {
  MadeReduction reduce = nullptr;
  int rank = 0, kept = 0;  // of its input: all dimensions, and those before the reduced ones
  bool keep_dims = false;

  Shape shape(const Shape& input) const;
};
std::optional<LastDims> reduces_last_dims(const optimize::Rewrite& rewrite, const Node& node);
// A list of values of one shape, joined from the first to the last by a loop for two.
inline bool joins_list(const OpRow& row) { return row.inputs.size() == 1 && row.inputs[0].list; }
inline size_t steps_of(const Node& node) { return joins_list(*node.op) ? node.inputs.size() - 1 : 1; }
// Why an elementwise node may not be in any group; empty: it may.
const char* why_alone(const NodesById& nodes, const Node& node);

}  // namespace footlight::compile
