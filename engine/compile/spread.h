// How the elements of a tensor lie over a larger shape to which it broadcasts.
#pragma once

#include "engine/tensor/shape.h"

#include <cstdint>
#include <optional>

namespace footlight::compile {

struct Spread {
  enum class Kind : uint8_t {
    kAll,   // one element each, in order
    kOne,   // one element for all
    kSome,  // by dimension
  };
  static constexpr int kMostDims = 8;
  Kind kind = Kind::kAll;
  // Innermost first, adjacent ones merged: each has `size` steps of `stride` elements, 0 where elements repeat.
  int rank = 0;
  int64_t size[kMostDims] = {};
  int64_t stride[kMostDims] = {};
  bool operator==(const Spread&) const = default;
};

// None: it does not broadcast to exactly `over`, or in too many dimensions. Both are known.
std::optional<Spread> spread(const Shape& shape, const Shape& over);

}  // namespace footlight::compile
