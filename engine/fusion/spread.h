// How the elements of a tensor repeat when it is broadcast to a larger shape.
#pragma once

#include "engine/tensor/shape.h"

#include <cstdint>
#include <optional>

namespace footlight::fusion {

struct Spread {
  enum class Kind : uint8_t {
    kAll,   // not broadcast: one element each, in order
    kOne,   // a single element for all
    kSome,  // repeated along some dimensions
  };
  static constexpr int kMaxDims = 8;
  Kind kind = Kind::kAll;
  // Dimensions are innermost first, adjacent ones merged: each has `size` steps of `stride` elements, 0 to repeat.
  int rank = 0;
  int64_t size[kMaxDims] = {};
  int64_t stride[kMaxDims] = {};
  bool operator==(const Spread&) const = default;
};

// Empty if `shape` does not broadcast to exactly `over`, or has too many dimensions. Both shapes must be known.
std::optional<Spread> spread(const Shape& shape, const Shape& over);

}  // namespace footlight::fusion
