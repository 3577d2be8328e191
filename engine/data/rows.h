// Between tensors and their rows: one row as a tensor, and rows put together.
#pragma once

#include "engine/data/stage.h"

namespace footlight::data {

class RowSlicer {
 public:
  explicit RowSlicer(Tensor tensor);
  Tensor row(int64_t index) const;
  Tensor row_shape() const { return Tensor::empty(tensor_.dtype(), shape_); }

 private:
  Tensor tensor_;
  Shape shape_;       // of a row
  int64_t elements_;  // in a row
};

// `count` elements from one tensor to another of the same dtype.
void copy_elements(Tensor& to, int64_t to_index, const Tensor& from, int64_t from_index, int64_t count);
// All have the dtype and shape of the first, or it throws kInvalidArgument.
Tensor stack_rows(std::span<const Tensor> rows);
// The same, written into `out` from row `at` on: `out` has rows of that dtype and shape.
void write_row(Tensor& out, int64_t at, const Tensor& row);
// How many batches so many elements make; a negative count is unknown or endless, and stays so.
int64_t batches_of(int64_t count, int64_t size, bool drop_remainder);
// An empty result for `count` rows like this one.
Tensor rows_like(const Tensor& row, int64_t count);

}  // namespace footlight::data
