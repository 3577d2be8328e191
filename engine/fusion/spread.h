// How the elements of a tensor repeat when it is broadcast to a larger shape.
#pragma once

#include "engine/tensor/shape.h"

#include <cstdint>
#include <optional>

namespace footlight::fusion {

struct Spread {
  enum class Kind : uint8_t {
    kContiguous,  // not broadcast: one element for each of the loop's
    kScalar,      // a single element for all
    kStrided,     // repeated along some dimensions
  };
  static constexpr int kMaxDims = 8;
  Kind kind = Kind::kContiguous;
  // Dimensions are innermost first, adjacent ones merged: each has `size` steps of `stride` elements, 0 to repeat.
  int rank = 0;
  int64_t size[kMaxDims] = {};
  int64_t stride[kMaxDims] = {};
  bool operator==(const Spread&) const = default;
};

// How a tensor of `shape` is broadcast to `over`. Empty if it cannot be, or has too many dimensions after merging. Both
// shapes must be known.
std::optional<Spread> spread(const Shape& shape, const Shape& over);

}  // namespace footlight::fusion
