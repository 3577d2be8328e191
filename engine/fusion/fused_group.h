// A fused group: elementwise nodes and reductions that run as one loop over memory. One tile of every value, or a few
// rows of it, stay in the cache while all nodes of the group run over them.
#pragma once

#include "engine/fusion/grouping.h"
#include "engine/fusion/spread.h"
#include "engine/ops/jit_ops.h"

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

namespace footlight::fusion {

// Machine code for steps of a fused loop, compiled while programs run (engine/jit/jit_loop.cpp).
struct JitCode {
  virtual ~JitCode() = default;
  virtual std::string describe() const = 0;
};
// The state of a group's compilation. The executables of a program share it, and several threads may run the group.
struct JitState {
  std::atomic<int64_t> work_ns{0};  // estimated time that the group has run without machine code
  std::atomic<const JitCode*> code{nullptr};
  std::atomic<const char*> why_no_code{"it has not run long enough to be worth it"};
  std::atomic<bool> was_tried{false};
  JitState() = default;
  JitState(const JitState&) = delete;
  JitState& operator=(const JitState&) = delete;
  ~JitState() { delete code.load(); }
};

// A group does not depend on its position in a program, so equivalent instructions share one.
struct FusedGroup {
  enum class Storage : uint8_t { kOutside, kTile, kResult };
  struct Value {
    DType dtype = DType::kInvalid;
    uint8_t size = 0;          // bytes of an element
    Storage storage = Storage::kTile;
    Level level = Level::kWhole;  // an outside value is broadcast to the shape of this level
    uint16_t index = 0;        // into the instruction's inputs, the tiles of its level, or `results`
    bool operator==(const Value&) const = default;
  };
  struct Step {
    enum class Kind : uint8_t { kLoop, kReduce, kRepeat };  // kRepeat broadcasts one element of each row along it
    Kind kind = Kind::kLoop;
    uint8_t inputs = 0;
    bool same_shape = false;   // the inputs do not broadcast
    JitOp jit_op = JitOp::kNone;
    uint16_t member = 0;       // position of its node in the group
    ElementLoop loop;
    const StreamedReduction* reduction = nullptr;
    uint16_t in[3] = {};       // into `values`
    uint16_t out = 0;

    uint32_t weight() const { return kind == Kind::kLoop ? loop.weight : kind == Kind::kReduce; }
    bool operator==(const Step&) const = default;
  };
  struct Result {
    uint16_t value = 0;
    uint16_t member = 0;       // the node that computes it, whose instruction names the slot
    DType dtype = DType::kInvalid;
    uint8_t reuse = kNoReuse;  // the input whose memory it may reuse, if the shapes agree
    bool operator==(const Result&) const = default;
  };
  static constexpr uint8_t kNoReuse = 255;
  static constexpr size_t kMaxValues = 2 * kMaxSteps + kMaxOutside;  // each may need a repeat

  std::vector<Value> values;   // outside values in the order of the instruction's inputs, then one per step
  std::vector<Step> steps;     // one or more for each node, in the order of the instructions that follow
  std::vector<Result> results;
  ReducedDims dims;            // which dimensions its reductions reduce, if it has any
  bool by_rows = false;        // the loop runs over a few rows at a time; otherwise its reductions come last
  uint16_t num_reductions = 0;
  uint32_t num_outside = 0;    // values that come from outside
  uint16_t num_tiles = 0;      // tiles for values of the whole shape that have no tensor
  uint16_t num_row_tiles = 0;  // the same for values with one element per row
  uint8_t max_element_size = 1;
  uint32_t weight = 0;         // cost of one element through all steps
  bool is_static = false;      // `shape` and `spreads` are known
  Shape shape;                 // shape of the loop, possibly with unknown dimensions
  std::vector<Spread> spreads;  // of the outside values; empty if none of them broadcasts
  std::shared_ptr<JitState> jit;  // null if the JIT has no instructions for two steps in a row

  std::span<const Spread> known_spreads() const {
    static const Spread not_broadcast[kMaxOutside];
    return spreads.empty() ? std::span(not_broadcast, num_outside) : spreads;
  }
  // The shape of a value; for an outside value, the shape to which it is broadcast.
  Shape shape_of(const Value& value, const Shape& whole) const {
    return value.level == Level::kWhole ? whole : dims.shape(whole, value.level == Level::kReducedKeepDims);
  }
  // The steps before the reductions that end the group.
  std::span<const Step> plain_steps() const {
    return std::span(steps).first(by_rows ? steps.size() : steps.size() - num_reductions);
  }
  // The reductions that end the group.
  std::span<const Step> last_steps() const { return std::span(steps).subspan(plain_steps().size()); }

  // Finds the shape of the loop and the spreads for these inputs. False if they do not broadcast to one shape.
  bool infer_shapes(std::span<const Tensor> inputs, Shape& common, std::span<Spread> over) const;
  // Whether the value is one element per row, repeated along the row.
  bool is_repeated(uint16_t value) const;
  // The relative cost of a step in a loop of this shape. A step on reduced rows counts once per row, others once per
  // element.
  uint64_t cost_of(const Step& step, const Shape& whole) const;

  bool equivalent_to(const FusedGroup&) const;  // the same steps on values of the same types and shapes
  size_t hash() const;                          // equal for equivalent groups
};

}  // namespace footlight::fusion
