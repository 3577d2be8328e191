// Shape rules shared by the linear algebra rows: matrices in the last two dimensions, the others a batch.
#pragma once

#include "engine/ops/infer.h"

#include <algorithm>

namespace footlight::infer {

// Throws if the input has fewer than `rank` dimensions.
inline void check_min_rank(Inference& i, size_t input, int rank) {
  const Shape& s = i.shape(input);
  if (s.has_rank() && s.rank() < rank)
    invalid("Input tensor ", input, " must have rank >= ", rank, ", got ", s.rank(), ": its shape is ", s.to_string(),
            " [Op:", i.row.name, "]");
}

inline Shape batch_of(const Shape& s) { return Shape(s.dims().first(static_cast<size_t>(s.rank() - 2))); }
inline int64_t rows_of(const Shape& s) { return s[s.rank() - 2]; }
inline int64_t columns_of(const Shape& s) { return s[s.rank() - 1]; }
inline Shape matrices(Shape batch, int64_t rows, int64_t columns) {
  batch.append(rows);
  batch.append(columns);
  return batch;
}

// The shape of square matrices: a size known for one dimension holds for both.
inline Shape square_matrices(Inference& i, size_t input = 0) {
  check_min_rank(i, input, 2);
  Shape s = i.shape(input);
  if (!s.has_rank()) return s;
  const int64_t rows = rows_of(s), columns = columns_of(s);
  if (rows >= 0 && columns >= 0 && rows != columns)
    invalid("Input matrix must be square: the matrices of shape ", s.to_string(), " are ", rows, " x ", columns,
            " [Op:", i.row.name, "]");
  const int64_t n = std::max(rows, columns);
  s.set(s.rank() - 2, n);
  s.set(s.rank() - 1, n);
  return s;
}

}  // namespace footlight::infer
