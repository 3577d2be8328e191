// The meaning of begin, end, strides and the masks of a strided slice for one input shape.
#pragma once

#include "engine/tensor/shape.h"

#include <vector>

namespace footlight {

// Per dimension of the input; `shape` accounts for dropped and new dimensions from the masks.
struct SliceSpec {
  std::vector<int64_t> begin;
  std::vector<int64_t> stride;
  Shape kept;   // number of elements taken from each input dimension
  Shape shape;  // shape of the result
};

struct SliceMasks {
  int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink_axis = 0;
};

// begin/end: nullptr when not known (sizes that depend on them are then unknown). Throws kInvalidArgument, also for an
// index that is out of bounds.
SliceSpec slice_spec(const Shape& input, size_t entries, const std::vector<int64_t>* begin,
                     const std::vector<int64_t>* end, const std::vector<int64_t>& strides, const SliceMasks&);

}  // namespace footlight
