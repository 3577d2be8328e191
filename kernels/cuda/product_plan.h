// A product in the terms of cuBLASLt, which is column-major while tensors are row-major. A row-major m x n
// matrix is, byte for byte, a column-major n x m one: out = a b becomes out' = b' a', without moving data.
#pragma once

#include "engine/tensor/shape.h"

#include <cstdint>
#include <vector>

namespace footlight::cuda {

struct Operand {
  int64_t rows = 0, columns = 0;  // column-major, as in cuBLASLt
  int64_t leading = 0;            // elements from one column to the next
  bool transposed = false;
  int64_t stride = 0;             // elements from one matrix of the batch to the next; 0: the same one is reused
};

struct ProductPlan {
  int64_t m = 0, n = 0, depth = 0;  // sizes of the row-major product
  Operand first, second, out;       // first is input 1 (b), second is input 0 (a)
  int64_t batch = 1;
  // Batches that no stride can describe run one by one: element offsets into a, b and out. Empty otherwise.
  struct Offsets { int64_t a, b, out; };
  std::vector<Offsets> singles;
};

ProductPlan plan_product(const Shape& a, const Shape& b, const Shape& out, bool transpose_a, bool transpose_b);

}  // namespace footlight::cuda
