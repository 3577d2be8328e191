// Versions of a list that share one array.
#include "engine/runtime/list_value.h"

#include "engine/base/errors.h"
#include "engine/base/text.h"

#include <mutex>
#include <utility>

namespace footlight::runtime {

struct TensorList::Items {
  std::recursive_mutex mutex;  // a list may hold one made from it
  std::vector<Tensor> now;
};

// The contents of lists of any size up to that of the array.
struct TensorList::Version {
  std::shared_ptr<Items> items;
  std::shared_ptr<Version> newer;  // null: the array has the contents
  size_t index = 0;                // else those of `newer`, but for `old` at `index`
  Tensor old;

  explicit Version(std::shared_ptr<Items> all) : items(std::move(all)) {}
  // Versions that nothing else refers to are freed one after the other: there may be a million.
  ~Version() {
    const std::shared_ptr<Items> all = items;
    const std::lock_guard lock(all->mutex);
    std::shared_ptr<Version> next = std::move(newer);
    while (next && next.use_count() == 1) {
      std::shared_ptr<Version> after = std::move(next->newer);
      next = std::move(after);
    }
  }
};

TensorList::TensorList(DType dtype, Shape element_shape, size_t size)
    : dtype_(dtype), element_shape_(std::move(element_shape)), size_(size) {}

TensorList::TensorList(DType dtype, Shape element_shape, std::vector<Tensor> items)
    : dtype_(dtype),
      element_shape_(std::move(element_shape)),
      size_(items.size()),
      version_(std::make_shared<Version>(std::make_shared<Items>())) {
  version_->items->now = std::move(items);
}

TensorList::TensorList(const TensorList& like, size_t size, std::shared_ptr<Version> version)
    : most(like.most),
      dtype_(like.dtype_),
      element_shape_(like.element_shape_),
      size_(size),
      version_(std::move(version)) {}

TensorList::~TensorList() = default;

// Called with the lock.
void TensorList::make_latest(const std::shared_ptr<Version>& version) {
  std::vector<std::shared_ptr<Version>> path;
  for (std::shared_ptr<Version> at = version; at->newer; at = at->newer) path.push_back(at);
  while (!path.empty()) {
    Version& before = *path.back();
    Version& latest = *before.newer;
    Tensor& place = before.items->now[before.index];
    latest.index = before.index;
    latest.old = std::exchange(place, std::move(before.old));
    latest.newer = path.back();
    before.newer = nullptr;
    path.pop_back();
  }
}

Tensor TensorList::at(size_t index) const {
  if (single()) return single_ && index == single_at_ ? single_ : Tensor();
  const std::lock_guard lock(version_->items->mutex);
  make_latest(version_);
  return version_->items->now[index];
}

std::vector<Tensor> TensorList::items() const {
  if (single()) {
    std::vector<Tensor> all(size_);
    if (single_) all[single_at_] = single_;
    return all;
  }
  const std::lock_guard lock(version_->items->mutex);
  make_latest(version_);
  const std::vector<Tensor>& now = version_->items->now;
  return {now.begin(), now.begin() + static_cast<ptrdiff_t>(size_)};
}

template <class Contents>
TensorList* TensorList::alike(Contents contents) const {
  auto* list = new TensorList(dtype_, element_shape_, std::move(contents));
  list->most = most;
  return list;
}

TensorList* TensorList::with(size_t index, Tensor item) const {
  if (single() && (!single_ || single_at_ == index)) {
    auto* list = alike(size_);
    list->single_ = std::move(item);
    list->single_at_ = index;
    return list;
  }
  if (single()) {
    std::vector<Tensor> all = items();
    all[index] = std::move(item);
    return alike(std::move(all));
  }
  const std::shared_ptr<Items>& items = version_->items;
  const std::lock_guard lock(items->mutex);
  make_latest(version_);
  auto next = std::make_shared<Version>(items);
  version_->index = index;
  version_->old = std::exchange(items->now[index], std::move(item));
  version_->newer = next;
  return new TensorList(*this, size_, std::move(next));
}

TensorList* TensorList::pushed(Tensor item) const {
  if (single()) {
    std::vector<Tensor> all = items();
    all.push_back(std::move(item));
    return alike(std::move(all));
  }
  const std::lock_guard lock(version_->items->mutex);
  make_latest(version_);
  std::vector<Tensor>& now = version_->items->now;
  if (now.size() == size_) {
    now.push_back(std::move(item));
    return new TensorList(*this, size_ + 1, version_);
  }
  // Another list was made longer at this place.
  const TensorList longer(*this, size_ + 1, version_);
  return longer.with(size_, std::move(item));
}

TensorList* TensorList::resized(size_t size) const {
  if (single()) {
    auto* list = alike(size);
    if (single_ && single_at_ < size) {
      list->single_ = single_;
      list->single_at_ = single_at_;
    }
    return list;
  }
  if (size <= size_) return new TensorList(*this, size, version_);
  const std::lock_guard lock(version_->items->mutex);
  make_latest(version_);
  std::vector<Tensor>& now = version_->items->now;
  if (now.size() == size_) {
    now.resize(size);
    return new TensorList(*this, size, version_);
  }
  std::vector<Tensor> all = items();
  all.resize(size);
  return alike(std::move(all));
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

const TensorList& list_in(const Tensor& tensor) {
  const TensorList* list = find_list(tensor);
  if (!list) invalid("expected a list of tensors, got ", name_of(tensor.dtype()));
  return *list;
}

}  // namespace footlight::runtime
