// x = a * b; ...; y = x + c; z = sqrt(y)   ->   ...; [x, y, z]
// Decides which elementwise nodes are fused into one loop over memory, and the schedule of all nodes. Reductions of
// values that such nodes read or compute are fused too: of short rows anywhere, because the loop runs row by row, all
// others at its end.
#pragma once

#include "engine/optimize/rewrite.h"
#include "kernels/loops.h"
#include "kernels/streamed_reduction.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace footlight::fusion {

// The shape of a value in a fused loop: that of the loop, or what a reduction leaves of it.
enum class Level : uint8_t { kWhole, kReducedKeepDims, kReduced };

// Why a node that could be fused is not.
enum class FusionBlocker : uint8_t { kNoNeighbour, kReordered, kEffect, kTooManySteps };

struct Grouping {
  static constexpr uint32_t kUngrouped = UINT32_MAX;
  std::vector<NodeId> schedule;  // members of a group are adjacent, with the reductions that end it last
  std::vector<uint32_t> group;   // for each position in the schedule, the number of its group, or kUngrouped
  std::vector<Level> level;      // of each position in the schedule
  std::vector<bool> by_rows;     // for each group, whether it runs by rows
  std::vector<FusionBlocker> blocker;  // for each node that is in no group, the reason
};

// Limits of a fused loop, because its state is on the stack: steps, values from outside, reductions at its end.
inline constexpr size_t kMaxSteps = 40, kMaxOutside = 24, kMaxReductions = 4;

// The device that tf.device requests for a node; the host if it requests none or there is no such device.
Device placement(const Node& node);

// Moves no node past a node with effects.
Grouping group_elementwise(const optimize::Rewrite& rewrite, std::vector<NodeId> schedule);

// The nodes that a graph and its passes made, by id.
class NodesById {
 public:
  virtual ~NodesById() = default;
  virtual const Node& node(NodeId id) const = 0;
};

// The element loop of a node that can be fused; empty for others.
ElementLoop element_loop(const optimize::Rewrite& rewrite, const Node& node);
// The dimensions [first, last) of a shape are reduced.
struct ReducedDims {
  int rank = 0, first = 0, last = 0;

  bool operator==(const ReducedDims&) const = default;
  Shape shape(const Shape& input, bool keep_dims) const;
};
// A reduction of adjacent dimensions of the first input, which reads each element once and in order.
struct Reduces : ReducedDims {
  const StreamedReduction* by = nullptr;
  bool keep_dims = false;
};
std::optional<Reduces> reduces(const optimize::Rewrite& rewrite, const Node& node);
// The reduction that this node does on a value of this type, if it can be fused; `axes` is null if they are unknown.
// `why_not` gets the reason otherwise.
std::optional<Reduces> reduces(const Node& node, const TensorType& of, const Tensor* axes, const char*& why_not);
// Whether each row is short enough to stay in the fastest cache while all steps run over it.
bool of_short_rows(const Reduces& reduces, const Shape& input, size_t element);
// Whether the op joins a list of values of one shape pairwise, from the first to the last.
inline bool joins_list(const OpRow& row) { return row.inputs.size() == 1 && row.inputs[0].list; }
inline size_t steps_of(const Node& node) { return joins_list(*node.op) ? node.inputs.size() - 1 : 1; }
// Why an elementwise node can be in no group; empty if it can.
const char* why_not_fusible(const NodesById& nodes, const Node& node);

}  // namespace footlight::fusion
