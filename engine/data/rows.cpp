// Copies rows; counts references to resources.
#include "engine/data/rows.h"

#include "engine/base/text.h"

#include <cstring>

namespace footlight::data {
namespace {

bool holds_resources(DType dtype) { return dtype == DType::kVariant || dtype == DType::kResource; }

void copy_elements(DType dtype, void* to, const void* from, int64_t count) {
  if (dtype == DType::kString) {
    const auto* strings = static_cast<const std::string*>(from);
    std::copy(strings, strings + count, static_cast<std::string*>(to));
  } else if (holds_resources(dtype)) {
    auto* const* objects = static_cast<Resource* const*>(from);
    auto** places = static_cast<Resource**>(to);
    for (int64_t i = 0; i < count; ++i) {
      if (objects[i]) objects[i]->ref();
      if (Resource* before = std::exchange(places[i], objects[i])) before->unref();
    }
  } else if (count) {
    std::memcpy(to, from, static_cast<size_t>(count) * size_of(dtype));
  }
}

}  // namespace

void copy_elements(Tensor& to, int64_t to_index, const Tensor& from, int64_t from_index, int64_t count) {
  const size_t size = size_of(from.dtype());
  copy_elements(from.dtype(), static_cast<std::byte*>(to.raw()) + static_cast<size_t>(to_index) * size,
                static_cast<const std::byte*>(from.raw()) + static_cast<size_t>(from_index) * size, count);
}

RowSlicer::RowSlicer(Tensor tensor) : tensor_(std::move(tensor)) {
  shape_ = Shape(tensor_.shape().dims().subspan(1));
  elements_ = shape_.elements();
}

Tensor RowSlicer::row(int64_t index) const {
  Tensor out = Tensor::empty(tensor_.dtype(), shape_);
  const size_t size = size_of(tensor_.dtype());
  const auto* from = static_cast<const std::byte*>(tensor_.raw()) + static_cast<size_t>(index * elements_) * size;
  copy_elements(tensor_.dtype(), out.raw(), from, elements_);
  return out;
}

std::vector<RowSlicer> row_slicers(const Element& batch, const char* verb) {
  std::vector<RowSlicer> slicers;
  for (const Tensor& tensor : batch) {
    if (tensor.shape().rank() == 0) invalid("Cannot ", verb, " an element with scalar components.");
    if (tensor.shape()[0] != batch[0].shape()[0])
      invalid("Input element must have the same batch size in each component. Component 0 had size ",
              batch[0].shape()[0], " but another had size ", tensor.shape()[0], ".");
    slicers.emplace_back(tensor);
  }
  return slicers;
}

void write_row(Tensor& out, int64_t at, const Tensor& row) {
  const size_t size = size_of(row.dtype());
  const int64_t elements = row.elements();
  auto* to = static_cast<std::byte*>(out.raw()) + static_cast<size_t>(at * elements) * size;
  copy_elements(row.dtype(), to, row.raw(), elements);
}

Tensor rows_like(const Tensor& row, int64_t count) {
  std::vector<int64_t> dims{count};
  dims.insert(dims.end(), row.shape().dims().begin(), row.shape().dims().end());
  return Tensor::empty(row.dtype(), Shape(dims));
}

Tensor stack_rows(std::span<const Tensor> rows) {
  Tensor out = rows_like(rows[0], static_cast<int64_t>(rows.size()));
  for (size_t i = 0; i < rows.size(); ++i) write_row(out, static_cast<int64_t>(i), rows[i]);
  return out;
}

int64_t batches_of(int64_t count, int64_t size, bool drop_remainder) {
  if (count < 0) return count;
  return count / size + (count % size && !drop_remainder ? 1 : 0);
}

}  // namespace footlight::data
