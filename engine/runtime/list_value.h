// An immutable list of tensors. Making a changed list takes constant time, and leaves the original as it was.
#pragma once

#include "engine/runtime/versions.h"
#include "engine/tensor/tensor.h"

#include <memory>
#include <utility>
#include <vector>

namespace footlight::runtime {

// Lists that were derived from one another share one array. A list with at most one element that has a value needs
// none.
class TensorList final : public Resource {
 public:
  TensorList(DType dtype, Shape element_shape, size_t size);  // its elements have no values
  TensorList(DType dtype, Shape element_shape, std::vector<Tensor> items);
  ~TensorList() override;

  DType dtype() const { return dtype_; }
  const Shape& element_shape() const { return element_shape_; }
  size_t size() const { return size_; }
  int64_t max_size = -1;          // -1: not limited
  Tensor at(size_t index) const;  // empty if the element has no value
  std::vector<Tensor> items() const;
  bool single() const { return !version_; }  // whether at most one element has a value
  size_t single_index() const { return single_at_; }
  const Tensor& single_item() const { return single_; }

  // These return new lists, whose reference count is 0.
  TensorList* with(size_t index, Tensor item) const;
  TensorList* pushed(Tensor item) const;
  TensorList* resized(size_t size) const;

 private:
  // The array. Lists that share it may have any size up to its own.
  struct Items {
    struct Change {
      size_t index = 0;
      Tensor item;
    };
    std::vector<Tensor> now;
    void apply(Change& change) { std::swap(now[change.index], change.item); }
  };
  TensorList(const TensorList& like, size_t size, std::shared_ptr<Version<Items>> version);
  template <class Contents>
  TensorList* with_contents(Contents) const;  // a list of the same dtype, shape and limit

  DType dtype_;
  Shape element_shape_;
  size_t size_;
  Tensor single_;
  size_t single_at_ = 0;
  std::shared_ptr<Version<Items>> version_;
};

// A scalar of dtype variant, which owns the list.
Tensor list_tensor(TensorList*);
// Null if the tensor is not a list.
const TensorList* find_list(const Tensor&);
// Throws kInvalidArgument if the tensor is not a list.
const TensorList& as_list(const Tensor&);

}  // namespace footlight::runtime
