// x = a * b; ...; y = x + c; z = sqrt(y)   ->   ...; [x, y, z]
// Decides which elementwise nodes are fused into one loop over memory, and the schedule of all nodes. Reductions of
// values that these nodes read or compute are fused too: reductions of short rows anywhere in the loop, which then runs
// row by row, all others at its end.
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
enum class FusionBlocker : uint8_t {
  kNoNeighbour,        // nothing beside it could be fused with it
  kReordered,          // another node has to run between it and others of its shape
  kEffect,             // an effect lies between it and others of its shape
  kTooManySteps,       // kMaxSteps
  kTooManyInputs,      // kMaxOutside
  kTooManyGroups,      // kMaxGroups
  kTooManyReductions,  // kMaxReductions
  kRowByRow,           // a reduction: the loop that it could join runs row by row
  kOtherDims,          // a reduction: those that it could be fused with remove other dimensions
  kOtherOrder,         // a reduction: those that it could be fused with take elements in another order
};

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
// How many groups are formed at a time, because the dependencies of a node are the bits of a word.
inline constexpr size_t kMaxGroups = 64;

// The device that tf.device requests for a node; the host if it requests none or there is no such device.
Device placement(const Node& node);

// Moves no node past a node with effects.
Grouping group_elementwise(const optimize::Rewrite& rewrite, std::vector<NodeId> schedule);

// Looks up nodes by id: those of a graph, and those that passes inserted.
class NodesById {
 public:
  virtual ~NodesById() = default;
  virtual const Node& node(NodeId id) const = 0;
};

// "the fused loop would have too many steps": ends the sentence "it is not fused, because ...".
const char* words_of(FusionBlocker blocker);

// The element loop of a node that can be fused; empty for others.
ElementLoop element_loop(const optimize::Rewrite& rewrite, const Node& node);
// A range [first, last) of the dimensions of a shape, which a reduction removes.
struct ReducedDims {
  int rank = 0, first = 0, last = 0;

  bool operator==(const ReducedDims&) const = default;
  Shape shape(const Shape& input, bool keep_dims) const;
};
// A reduction of adjacent dimensions of the first input, which reads each element once and in order.
struct FusibleReduction : ReducedDims {
  const StreamedReduction* reduction = nullptr;
  bool keep_dims = false;
};
// The reduction that this node does on a value of this type; empty, with the reason in `why_not`, if it cannot be
// fused. `axes` is null if they are unknown.
std::optional<FusibleReduction> fusible_reduction(const Node& node, const TensorType& of, const Tensor* axes,
                                                  const char*& why_not);
std::optional<FusibleReduction> fusible_reduction(const optimize::Rewrite& rewrite, const Node& node);
// Whether the reduction is along rows, each short enough to stay in the fastest cache while all steps run over it.
bool has_short_rows(const FusibleReduction& reduces, const Shape& input, size_t element);
// Whether the op combines a list of values of one shape pairwise, from the first to the last, as AddN does.
inline bool folds_list(const OpRow& row) { return row.inputs.size() == 1 && row.inputs[0].list; }
// The number of steps that a node needs in a fused loop.
inline size_t num_steps(const Node& node) { return folds_list(*node.op) ? node.inputs.size() - 1 : 1; }
// Why an elementwise node can be in no group; empty if it can.
const char* why_not_fusible(const NodesById& nodes, const Node& node);

}  // namespace footlight::fusion
