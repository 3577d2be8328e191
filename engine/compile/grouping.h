// x = a * b; ...; y = x + c; z = sqrt(y)   ->   ...; [x, y, z]
// Which elementwise nodes run together, in one walk over memory, and the order in which all run. Reductions of what
// such nodes read or make are in it too: of short rows anywhere, because the walk goes row by row, else at its end.
#pragma once

#include "engine/optimize/rewrite.h"
#include "kernels/loops.h"
#include "kernels/made_reduction.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace footlight::compile {

// The shape of a value in a walk: that of its elements or, of what is made of reduced ones, what is left of it.
enum class Level : uint8_t { kWhole, kKept, kLeft };  // kKept: with a 1 for each dimension that was reduced

// Why a node that could be in a walk is in none.
enum class Alone : uint8_t { kNothingBeside, kApart, kEffect, kLong };

struct Grouping {
  static constexpr uint32_t kAlone = UINT32_MAX;
  std::vector<NodeId> schedule;  // members of a group follow each other, reductions at its end last
  std::vector<uint32_t> group;   // of each position in the schedule: its number, or kAlone
  std::vector<Level> level;      // of each position in the schedule
  std::vector<bool> by_rows;     // of each group
  std::vector<Alone> alone;      // of each node that is in none
};

// At most so many loops run together, so many values come from outside, and so many reductions end a walk: what it
// keeps on its stack.
inline constexpr size_t kMostSteps = 40, kMostOutside = 24, kMostReductions = 4;

// Where tf.device puts a node; the host if it says nothing or there is no such device.
Device placement(const Node& node);

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
// Which dimensions of a shape are reduced: those from `first` to `last`.
struct ReducedDims {
  int rank = 0, first = 0, last = 0;

  bool operator==(const ReducedDims&) const = default;
  Shape shape(const Shape& input, bool keep_dims) const;
};
// A node that reduces adjacent dimensions of its first input: it needs its elements only once, in their order.
struct Reduces : ReducedDims {
  const MadeReduction* by = nullptr;
  bool keep_dims = false;
};
std::optional<Reduces> reduces(const optimize::Rewrite& rewrite, const Node& node);
// The same of a node that reduces a value of this type; `axes`: null if they are not known. Else why not, if it is a
// reduction at all.
std::optional<Reduces> reduces(const Node& node, const TensorType& of, const Tensor* axes, const char*& why_not);
// Whether it is of rows that are so short that each stays in the fastest cache while everything is done with it.
bool of_short_rows(const Reduces& reduces, const Shape& input, size_t element);
// A list of values of one shape, joined from the first to the last by a loop for two.
inline bool joins_list(const OpRow& row) { return row.inputs.size() == 1 && row.inputs[0].list; }
inline size_t steps_of(const Node& node) { return joins_list(*node.op) ? node.inputs.size() - 1 : 1; }
// Why an elementwise node may not be in any group; empty: it may.
const char* why_alone(const NodesById& nodes, const Node& node);

}  // namespace footlight::compile
