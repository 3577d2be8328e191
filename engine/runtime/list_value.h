// A list of tensors as a value: making a changed list costs the same however long it is, and leaves the other as it
// was.
#pragma once

#include "engine/runtime/versions.h"
#include "engine/tensor/tensor.h"

#include <memory>
#include <utility>
#include <vector>

namespace footlight::runtime {

// The contents are one array, which lists made from one another share. A list with at most one element that has a
// value needs no array.
class TensorList final : public Resource {
 public:
  TensorList(DType dtype, Shape element_shape, size_t size);  // no element has a value
  TensorList(DType dtype, Shape element_shape, std::vector<Tensor> items);
  ~TensorList() override;

  DType dtype() const { return dtype_; }
  const Shape& element_shape() const { return element_shape_; }
  size_t size() const { return size_; }
  int64_t most = -1;              // how many elements it may have; -1: any number
  Tensor at(size_t index) const;  // empty: without a value
  std::vector<Tensor> items() const;
  bool single() const { return !version_; }  // no element has a value, or one
  size_t single_index() const { return single_at_; }
  const Tensor& single_item() const { return single_; }

  // New lists, not referenced yet.
  TensorList* with(size_t index, Tensor item) const;
  TensorList* pushed(Tensor item) const;
  TensorList* resized(size_t size) const;

 private:
  // The contents of lists of any size up to that of the array.
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
  TensorList* alike(Contents) const;  // of the same kind

  DType dtype_;
  Shape element_shape_;
  size_t size_;
  Tensor single_;
  size_t single_at_ = 0;
  std::shared_ptr<Version<Items>> version_;
};

// As a scalar of dtype variant, which takes the list over.
Tensor list_tensor(TensorList*);
// Null if it is no list.
const TensorList* find_list(const Tensor&);
// Throws kInvalidArgument if it is no list.
const TensorList& list_in(const Tensor&);

}  // namespace footlight::runtime
