// Implements lists whose versions share one array.
#include "engine/runtime/list_value.h"

#include "engine/base/errors.h"
#include "engine/base/text.h"

#include <utility>

namespace footlight::runtime {

TensorList::TensorList(DType dtype, Shape element_shape, size_t size)
    : dtype_(dtype), element_shape_(std::move(element_shape)), size_(size) {}

TensorList::TensorList(DType dtype, Shape element_shape, std::vector<Tensor> items)
    : dtype_(dtype),
      element_shape_(std::move(element_shape)),
      size_(items.size()),
      version_(Version<Items>::of(Items{std::move(items)})) {}

TensorList::TensorList(const TensorList& like, size_t size, std::shared_ptr<Version<Items>> version)
    : max_size(like.max_size),
      dtype_(like.dtype_),
      element_shape_(like.element_shape_),
      size_(size),
      version_(std::move(version)) {}

TensorList::~TensorList() = default;

Tensor TensorList::at(size_t index) const {
  if (single()) return single_ && index == single_at_ ? single_ : Tensor();
  return Version<Items>::Access(version_)->now[index];
}

std::vector<Tensor> TensorList::items() const {
  if (single()) {
    std::vector<Tensor> all(size_);
    if (single_) all[single_at_] = single_;
    return all;
  }
  const Version<Items>::Access held(version_);
  const std::vector<Tensor>& now = held->now;
  return {now.begin(), now.begin() + static_cast<ptrdiff_t>(size_)};
}

template <class Contents>
TensorList* TensorList::with_contents(Contents contents) const {
  auto* list = new TensorList(dtype_, element_shape_, std::move(contents));
  list->max_size = max_size;
  return list;
}

TensorList* TensorList::with(size_t index, Tensor item) const {
  if (single() && (!single_ || single_at_ == index)) {
    auto* list = with_contents(size_);
    list->single_ = std::move(item);
    list->single_at_ = index;
    return list;
  }
  if (single()) {
    std::vector<Tensor> all = items();
    all[index] = std::move(item);
    return with_contents(std::move(all));
  }
  return new TensorList(*this, size_, Version<Items>::after(version_, {index, std::move(item)}));
}

TensorList* TensorList::pushed(Tensor item) const {
  if (single()) {
    std::vector<Tensor> all = items();
    all.push_back(std::move(item));
    return with_contents(std::move(all));
  }
  const Version<Items>::Access held(version_);
  std::vector<Tensor>& now = held->now;
  if (now.size() == size_) {
    now.push_back(std::move(item));
    return new TensorList(*this, size_ + 1, version_);
  }
  // If another list has already grown at this place, the new one gets a version of its own.
  const TensorList longer(*this, size_ + 1, version_);
  return longer.with(size_, std::move(item));
}

TensorList* TensorList::resized(size_t size) const {
  if (single()) {
    auto* list = with_contents(size);
    if (single_ && single_at_ < size) {
      list->single_ = single_;
      list->single_at_ = single_at_;
    }
    return list;
  }
  if (size <= size_) return new TensorList(*this, size, version_);
  const Version<Items>::Access held(version_);
  std::vector<Tensor>& now = held->now;
  if (now.size() == size_) {
    now.resize(size);
    return new TensorList(*this, size, version_);
  }
  std::vector<Tensor> all = items();
  all.resize(size);
  return with_contents(std::move(all));
}

Tensor list_tensor(TensorList* list) {
  Tensor tensor = Tensor::empty(DType::kVariant, Shape());
  list->ref();
  *tensor.data<Resource*>() = list;
  return tensor;
}

const TensorList* find_list(const Tensor& tensor) {
  return tensor.dtype() == DType::kVariant && tensor.elements() == 1
             ? dynamic_cast<const TensorList*>(*tensor.data<Resource*>())
             : nullptr;
}

const TensorList& as_list(const Tensor& tensor) {
  const TensorList* list = find_list(tensor);
  if (!list) invalid("expected a list of tensors, got ", name_of(tensor.dtype()));
  return *list;
}

}  // namespace footlight::runtime
