// A list is a length and an array of tensors shared with the lists it was pushed onto and popped from.
#include "engine/runtime/tensor_list.h"

#include "engine/base/text.h"
#include "kernels/table.h"

#include <cstring>
#include <memory>
#include <vector>

namespace footlight::runtime {
namespace {

class List final : public Resource {
 public:
  std::shared_ptr<std::vector<Tensor>> items = std::make_shared<std::vector<Tensor>>();
  size_t size = 0;
};

Tensor wrap(List* list) {
  Tensor tensor = Tensor::empty(DType::kVariant, Shape());
  list->ref();
  *tensor.data<Resource*>() = list;
  return tensor;
}

const List& list_in(const Tensor& tensor) {
  Resource* resource = tensor.dtype() == DType::kVariant ? *tensor.data<Resource*>() : nullptr;
  const List* list = dynamic_cast<const List*>(resource);
  if (!list) invalid("expected a list of tensors, got ", name_of(tensor.dtype()));
  return *list;
}

void empty(KernelContext& context) { context.outputs[0] = wrap(new List); }

void push(KernelContext& context) {
  const List& before = list_in(context.inputs[0]);
  auto* list = new List;
  Tensor result = wrap(list);
  if (before.items->size() == before.size) list->items = before.items;  // nothing was pushed onto it yet
  else list->items->assign(before.items->begin(), before.items->begin() + static_cast<ptrdiff_t>(before.size));
  list->items->push_back(context.inputs[1]);
  list->size = before.size + 1;
  context.outputs[0] = std::move(result);
}

void pop(KernelContext& context) {
  const List& before = list_in(context.inputs[0]);
  if (before.size == 0) invalid("Trying to pop from an empty list [Op:TensorListPopBack]");
  auto* list = new List;
  Tensor result = wrap(list);
  list->items = before.items;
  list->size = before.size - 1;
  context.outputs[1] = (*before.items)[before.size - 1];
  context.outputs[0] = std::move(result);
}

// ZerosLike: zeros for a tensor, a list of zeros for a list (which may contain lists); anything else unchanged.
Tensor zeros_of(const Tensor& input) {
  if (is_plain(input.dtype())) {
    Tensor zeros = Tensor::empty(input.dtype(), input.shape());
    std::memset(zeros.raw(), 0, zeros.bytes());
    return zeros;
  }
  const auto* before =
      input.dtype() == DType::kVariant ? dynamic_cast<const List*>(*input.data<Resource*>()) : nullptr;
  if (!before) return input;
  auto* list = new List;
  Tensor result = wrap(list);
  for (size_t i = 0; i < before->size; ++i) list->items->push_back(zeros_of((*before->items)[i]));
  list->size = before->size;
  return result;
}

void zeros_like(KernelContext& context) { context.outputs[0] = zeros_of(context.inputs[0]); }

}  // namespace

void register_list_kernels() {
  static const bool once = [] {
    register_kernel(DeviceType::kCpu, "EmptyTensorList", kAllTypes, empty);
    register_kernel(DeviceType::kCpu, "TensorListPushBack", kAllTypes, push);
    register_kernel(DeviceType::kCpu, "TensorListPopBack", kAllTypes, pop);
    register_kernel(DeviceType::kCpu, "ZerosLike", bit_of(DType::kVariant), zeros_like);
    return true;
  }();
  (void)once;
}

}  // namespace footlight::runtime
