// Splits tensors into rows, and stacks rows.
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
  Shape shape_;       // shape of a row
  int64_t elements_;  // elements of a row
};

// A slicer for each tensor of a batch; throws kInvalidArgument, with this verb, unless all have as many rows.
std::vector<RowSlicer> row_slicers(const Element& batch, const char* verb);

// Copies `count` elements between tensors of the same dtype.
void copy_elements(Tensor& to, int64_t to_index, const Tensor& from, int64_t from_index, int64_t count);
// Throws kInvalidArgument unless all rows have the dtype and shape of the first.
Tensor stack_rows(std::span<const Tensor> rows);
// Writes a row into `out` at index `at`: `out` has rows of that dtype and shape.
void write_row(Tensor& out, int64_t at, const Tensor& row);
// How many batches this number of elements makes; negative counts (unknown or infinite) stay as they are.
int64_t batches_of(int64_t count, int64_t size, bool drop_remainder);
// An uninitialized tensor for `count` rows like this one.
Tensor rows_like(const Tensor& row, int64_t count);

}  // namespace footlight::data
