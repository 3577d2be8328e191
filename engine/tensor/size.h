// Arithmetic on sizes, and the limits of shapes: the one place where a size that does not fit is refused, before memory
// is asked for. As a negative number it would read as unknown.
#pragma once

#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace footlight {

[[noreturn]] void size_too_large(int64_t a, const char* sign, int64_t b);

// An unknown operand (kUnknownDim) makes the result unknown; past 2**63 - 1: throws kInvalidArgument.
inline int64_t add_sizes(int64_t a, int64_t b) {
  if (a < 0 || b < 0) return kUnknownDim;
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) size_too_large(a, " + ", b);
  return sum;
}
inline int64_t multiply_sizes(int64_t a, int64_t b) {
  if (a < 0 || b < 0) return kUnknownDim;
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) size_too_large(a, " * ", b);
  return product;
}
// How many steps of `step` (above 0) it takes to cover `size`.
inline int64_t steps_over(int64_t size, int64_t step) {
  return size <= 0 ? size < 0 ? kUnknownDim : 0 : (size - 1) / step + 1;
}

// The limit is TensorFlow's.
inline constexpr int kMaxDimensions = 254;

// Throws kInvalidArgument for more dimensions than that, for negative ones that do not stand for unknown, and where the
// known ones have a product past 2**63 - 1. As in NumPy zeros do not count in the product: strides and the sizes of
// parts fit as well then.
void check_shape(const Shape&);
// The same for a rank that is known alone, and the shape of unknown dimensions.
Shape unknown_dimensions(int64_t rank);
// Throws as Tensor::empty() would: kResourceExhausted if the tensor cannot fit in memory.
void check_memory(DType, const Shape&);
// Throws kInvalidArgument if numbers of this dtype (int32 or int64) cannot hold all dimensions.
void check_dimensions_fit(const Shape&, DType);

}  // namespace footlight
