// Strided slices: from the sparse specification of the op to one entry per dimension.
#include "engine/tensor/slice_spec.h"

#include "engine/base/text.h"

#include <algorithm>

namespace footlight {

SliceSpec slice_spec(const Shape& input, size_t entries, const std::vector<int64_t>* begin,
                     const std::vector<int64_t>* end, const std::vector<int64_t>& strides,
                     const SliceMasks& masks) {
  const auto wrong = [&](const std::vector<int64_t>& numbers) { return numbers.size() != entries; };
  if (wrong(strides) || (begin && wrong(*begin)) || (end && wrong(*end)))
    invalid("begin, end and strides must have equally many entries [Op:StridedSlice]");
  SliceSpec spec;
  auto bit = [](int64_t mask, size_t i) { return i < 64 && (mask >> i & 1) != 0; };
  int used = 0;
  for (size_t i = 0; i < entries; ++i) used += !bit(masks.new_axis, i) && !bit(masks.ellipsis, i);
  if (used > input.rank())
    invalid("Index out of range using input dim ", input.rank(), "; input has only ", input.rank(), " dims, got ", used,
            " indices [Op:StridedSlice]");
  int d = 0;
  auto whole = [&] {
    spec.begin.push_back(0);
    spec.stride.push_back(1);
    spec.kept.append(input[d]);
    spec.shape.append(input[d]);
    ++d;
  };
  bool ellipsis_seen = false;
  for (size_t i = 0; i < entries; ++i) {
    if (bit(masks.ellipsis, i)) {
      if (ellipsis_seen) invalid("Multiple ellipses in slice spec not allowed [Op:StridedSlice]");
      ellipsis_seen = true;
      for (int n = input.rank() - used; n > 0; --n) whole();
      continue;
    }
    if (bit(masks.new_axis, i)) {
      spec.shape.append(1);
      continue;
    }
    const int64_t size = input[d];
    const int64_t stride = strides[i];
    if (stride == 0) invalid("strides[", i, "] must be non-zero [Op:StridedSlice]");
    if (bit(masks.shrink_axis, i)) {
      if (stride < 0) invalid("only stride 1 allowed on non-range indexing. [Op:StridedSlice]");
      int64_t at = begin ? (*begin)[i] : 0;
      if (begin && size >= 0) {
        if (at < -size || at >= size)
          invalid("slice index ", at, " of dimension ", d,
                  " out of bounds. [Op:StridedSlice]: the dimension has size ", size);
        if (at < 0) at += size;
      }
      spec.begin.push_back(at);
      spec.stride.push_back(1);
      spec.kept.append(1);
      ++d;
      continue;
    }
    const bool from_start = bit(masks.begin, i);
    const bool to_end = bit(masks.end, i);
    int64_t count = kUnknownDim;
    int64_t first = 0;
    if (size >= 0 && (from_start || begin) && (to_end || end)) {
      const int64_t low = stride > 0 ? 0 : -1;
      const int64_t high = stride > 0 ? size : size - 1;
      auto bounded = [&](int64_t x) { return std::clamp(x < 0 ? x + size : x, low, high); };
      first = from_start ? (stride > 0 ? low : high) : bounded((*begin)[i]);
      const int64_t last = to_end ? (stride > 0 ? high : low) : bounded((*end)[i]);
      const int64_t span = last - first;
      // The last step is counted first: no sum with a stride can overflow.
      count = span > 0 && stride > 0 ? (span - 1) / stride + 1 : span < 0 && stride < 0 ? (span + 1) / stride + 1 : 0;
    }
    spec.begin.push_back(first);
    spec.stride.push_back(count == 0 || count == 1 ? 1 : stride);  // no step is taken; products with it stay small
    spec.kept.append(count);
    spec.shape.append(count);
    ++d;
  }
  while (d < input.rank()) whole();
  return spec;
}

}  // namespace footlight
