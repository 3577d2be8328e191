// Reads the parts of a sparse tensor, checks them, and orders its values by rows.
#pragma once

#include "engine/tensor/size.h"
#include "kernels/cpu/elements.h"

#include <algorithm>
#include <numeric>

namespace footlight::FL_ISA {

struct Coordinates {
  int64_t count = 0, rank = 0;
  std::vector<int64_t> at;     // count * rank
  std::vector<int64_t> shape;  // rank
  Tensor values;
  const int64_t* place(int64_t k) const { return at.data() + k * rank; }
};

// Throws if the parts do not fit together, or a place is outside of the shape. With empty values, only the places are
// read.
inline Coordinates coordinates(const KernelContext& c, const Tensor& indices, const Tensor& values,
                               const Tensor& shape) {
  if (indices.shape().rank() != 2 || shape.shape().rank() != 1 || indices.shape()[1] != shape.elements() ||
      (values && (values.shape().rank() != 1 || values.elements() != indices.shape()[0])))
    invalid("the parts of a sparse tensor do not fit together: indices have the shape ",
            indices.shape().brackets(), ", values ", values ? values.shape().brackets() : std::string("none"),
            ", the shape ", shape.shape().brackets(), " [Op:", c.row.name, "]");
  Coordinates out{indices.shape()[0], shape.elements(), ints_of(indices), ints_of(shape), values};
  int64_t all = 1;
  for (const int64_t size : out.shape) {
    if (size < 0) invalid("a size of a sparse tensor is negative: ", size, " [Op:", c.row.name, "]");
    if (size) all = multiply_sizes(all, size);
  }
  for (int64_t k = 0; k < out.count; ++k)
    for (int64_t d = 0; d < out.rank; ++d)
      if (const int64_t i = out.place(k)[d]; i < 0 || i >= out.shape[static_cast<size_t>(d)])
        invalid("indices[", k, ",", d, "] = ", i, " is out of bounds: need 0 <= index < ",
                out.shape[static_cast<size_t>(d)], " [Op:", c.row.name, "]");
  return out;
}
inline Coordinates coordinates(const KernelContext& c, size_t first) {
  return coordinates(c, c.inputs[first], c.inputs[first + 1], c.inputs[first + 2]);
}

inline int compare_places(const int64_t* a, const int64_t* b, int64_t rank) {
  for (int64_t d = 0; d < rank; ++d)
    if (a[d] != b[d]) return a[d] < b[d] ? -1 : 1;
  return 0;
}

// The indexes of the values in the order of rows.
inline std::vector<int64_t> in_order(const Coordinates& s) {
  std::vector<int64_t> order(static_cast<size_t>(s.count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return compare_places(s.place(a), s.place(b), s.rank) < 0; });
  return order;
}

// The following set one output each: `count` places, the values of `from` at given indexes, or the shape.
inline void set_places(KernelContext& c, size_t output, const std::vector<int64_t>& at, size_t count,
                       int64_t rank) {
  Tensor& to = c.set_output(output, DType::kInt64, Shape{static_cast<int64_t>(count), rank});
  std::ranges::copy(at, to.data<int64_t>());
}
inline void set_ints(KernelContext& c, size_t output, const std::vector<int64_t>& values) {
  std::ranges::copy(
      values,
      c.set_output(output, DType::kInt64, Shape{static_cast<int64_t>(values.size())}).data<int64_t>());
}
inline void set_values(KernelContext& c, size_t output, const Tensor& from,
                       const std::vector<int64_t>& numbers) {
  Tensor& to = c.set_output(output, from.dtype(), Shape{static_cast<int64_t>(numbers.size())});
  for (size_t k = 0; k < numbers.size(); ++k)
    copy(from.dtype(), from.raw(), numbers[k], to.raw(), static_cast<int64_t>(k), 1);
}

}  // namespace footlight::FL_ISA
