// A group of elementwise nodes and reductions as one walk over memory: a tile of all its values, or a few rows, stay in
// the cache while every node runs over them.
#pragma once

#include "engine/compile/grouping.h"
#include "engine/compile/spread.h"
#include "engine/ops/exact.h"

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

namespace footlight::compile {

// Code of the machine for some steps of a walk, made while programs run (engine/runtime/made_walk.cpp).
struct MadeCode {
  virtual ~MadeCode() = default;
  virtual std::string describe() const = 0;
};
// Of a group, whatever tape it is on: several threads may run it.
struct MadeLater {
  std::atomic<int64_t> work{0};  // done without it so far, in nanoseconds as estimated
  std::atomic<const MadeCode*> code{nullptr};
  std::atomic<const char*> none{"it has not run long enough to be worth it"};  // why there is none
  std::atomic<bool> tried{false};
  MadeLater() = default;
  MadeLater(const MadeLater&) = delete;
  MadeLater& operator=(const MadeLater&) = delete;
  ~MadeLater() { delete code.load(); }
};

// It says nothing of where in a program it is: one serves all walks that do the same.
struct FusedGroup {
  enum class Place : uint8_t { kOutside, kTile, kResult };
  struct Value {
    DType dtype = DType::kInvalid;
    uint8_t size = 0;          // bytes of an element
    Place place = Place::kTile;
    Level level = Level::kWhole;  // from outside: kWhole, or, spread over what is left, kKept or kLeft
    uint16_t index = 0;        // into the instruction's inputs, the tiles of its level, or `results`
    bool operator==(const Value&) const = default;
  };
  struct Step {
    enum class Does : uint8_t { kLoop, kReduce, kRepeat };  // kRepeat: what a row has one of, for all its elements
    Does does = Does::kLoop;
    uint8_t inputs = 0;
    bool alike = false;        // its inputs do not broadcast
    Exact exact = Exact::kNone;
    uint16_t member = 0;       // which node of the group it belongs to
    ElementLoop loop;
    const MadeReduction* reduction = nullptr;
    uint16_t in[3] = {};       // into `values`
    uint16_t out = 0;

    uint32_t weight() const { return does == Does::kLoop ? loop.weight : does == Does::kReduce; }
    bool operator==(const Step&) const = default;
  };
  struct Result {
    uint16_t value = 0;
    uint16_t member = 0;       // the node of the group that gives it, whose instruction says in which slot
    DType dtype = DType::kInvalid;
    uint8_t reuse = kNoReuse;  // the input whose memory it may take over, if that has its shape
    bool operator==(const Result&) const = default;
  };
  static constexpr uint8_t kNoReuse = 255;
  static constexpr size_t kMostValues = 2 * kMostSteps + kMostOutside;  // each may have to be repeated

  std::vector<Value> values;   // those from outside, in the order of the instruction's inputs, then one per step
  std::vector<Step> steps;     // in the order of the instructions that follow; one, or more, for each
  std::vector<Result> results;
  ReducedDims dims;            // by its reductions, if it has any
  bool by_rows = false;        // else its reductions come last
  uint16_t reductions = 0;
  uint32_t outside = 0;        // how many values come from outside
  uint16_t tiles = 0, row_tiles = 0;  // values that are in no tensor share so many tiles
  uint8_t widest = 1;          // bytes of the largest element
  uint32_t weight = 0;         // of one element through all steps
  bool settled = false;        // its shape, `shape`, and the spreads are known
  Shape shape;                 // of the elements, as far as it is known
  std::vector<Spread> spreads;  // of the values from outside over the shape; none if all of them have it
  std::shared_ptr<MadeLater> made;  // none: no two steps in a row are exact

  std::span<const Spread> known_spreads() const {
    static const Spread alike[kMostOutside];
    return spreads.empty() ? std::span(alike, outside) : spreads;
  }
  // Of a value, or of what one from outside is spread over.
  Shape shape_of(const Value& value, const Shape& whole) const {
    return value.level == Level::kWhole ? whole : dims.shape(whole, value.level == Level::kKept);
  }
  // Steps before the reductions that come last.
  std::span<const Step> plain_steps() const {
    return std::span(steps).first(by_rows ? steps.size() : steps.size() - reductions);
  }
  std::span<const Step> last_steps() const { return std::span(steps).subspan(plain_steps().size()); }

  // The same for these inputs, if the nodes give one shape, or what is left of it, to which everything broadcasts.
  bool fit(std::span<const Tensor> inputs, Shape& common, std::span<Spread> over) const;
  bool repeated(uint16_t value) const;

  bool does_as(const FusedGroup&) const;  // the same, to values of the same types and shapes
  size_t hash() const;                    // equal for those that do the same
};

}  // namespace footlight::compile
