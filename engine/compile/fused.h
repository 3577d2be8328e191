// A group of elementwise nodes as one walk over memory: a tile of all its values stays in the cache while every node
// runs over it.
#pragma once

#include "engine/compile/grouping.h"
#include "engine/compile/spread.h"

#include <optional>
#include <vector>

namespace footlight::compile {

struct FusedGroup {
  enum class Place : uint8_t { kOutside, kTile, kResult, kReduced };
  struct Value {
    DType dtype = DType::kInvalid;
    uint8_t size = 0;          // bytes of an element
    Place place = Place::kTile;
    uint16_t index = 0;        // into the instruction's inputs, the tiles or `results`
  };
  struct Step {
    ElementLoop loop;
    uint8_t inputs = 0;
    bool alike = false;        // its inputs do not broadcast
    uint16_t member = 0;       // which node of the group it belongs to
    uint16_t in[3] = {};       // into `values`
    uint16_t out = 0;
  };
  struct Result {
    uint16_t value = 0;
    uint32_t slot = 0;         // of the frame
    DType dtype = DType::kInvalid;
    uint8_t reuse = kNoReuse;  // the input whose memory it may take over, if that has its shape
  };
  static constexpr uint8_t kNoReuse = 255;
  // After the steps; its node is the last of the group.
  struct Reduction : LastDims {
    uint16_t value = 0;        // of `values`: what it reduces, a row after the other
    uint32_t slot = 0;         // of the frame
    DType dtype = DType::kInvalid;
  };
  static constexpr size_t kMostValues = kMostSteps + kMostOutside;

  std::vector<Value> values;   // those from outside, in the order of the instruction's inputs, then one per step
  std::vector<Step> steps;     // in the order of the instructions that follow; one, or more, for each
  std::vector<Result> results;
  std::optional<Reduction> reduction;
  uint32_t outside = 0;        // how many values come from outside
  uint16_t tiles = 0;          // values that are in no tensor: they share so many tiles
  uint8_t widest = 1;          // bytes of the largest element
  uint32_t weight = 0;         // of one element through all steps
  bool settled = false;        // its shape, that of its first node, and the spreads are known
  std::vector<Spread> spreads;  // of the values from outside over the shape; none if all of them have it

  std::span<const Spread> known_spreads() const {
    static const Spread alike[kMostOutside];
    return spreads.empty() ? std::span(alike, outside) : spreads;
  }

  // The same for these inputs, if all nodes give one shape to which everything broadcasts.
  bool fit(std::span<const Tensor> inputs, Shape& common, std::span<Spread> over) const;
};

}  // namespace footlight::compile
