// The rules for lists of tensors. A batch of lists is one list of batches. Where an op takes or returns the items of a
// list as one tensor, they go along its first dimension, so the batch is the second one there.
#include "engine/ops/batching_rules.h"

#include "engine/ops/functions.h"

#include <array>
#include <unordered_map>

namespace footlight::ops {
namespace {

using Call = BatchCall;
using Result = BatchResult;

DType elements_of(const Call& c) { return c.attrs.get<DType>("element_dtype"_attr); }
Tensor batch_shape(const Call& c, size_t i) { return shape_of_batch(c[i], c.size, elements_of(c)); }

// The input if it is a list of batches, else an empty tensor.
Tensor list_at(const Call& c, size_t i) { return is_list_of_batches(c.inputs[i]) ? c[i] : Tensor(); }
// An input that becomes an item of a list, stacked for all elements.
Tensor item_at(const Call& c, size_t i) {
  return c[i].dtype() == DType::kVariant ? list_at(c, i) : for_each_element(c.inputs[i], c.size);
}
// Whether all inputs from the k-th on are the same for all elements.
bool shared_from(const Call& c, size_t k) {
  for (size_t i = k; i < c.inputs.size(); ++i)
    if (c.batched(i)) return false;
  return true;
}
Result applied(const Call& c, std::span<const Tensor> inputs) { return all_batched(apply_all(c.row, inputs, c.attrs)); }

Result pushed(const Call& c) {
  const Tensor list = list_at(c, 0), item = item_at(c, 1);
  return list && item ? applied(c, std::array{list, item}) : Result();
}
Result popped(const Call& c) {
  const Tensor list = list_at(c, 0);
  return list && shared_from(c, 1) ? applied(c, std::array{list, batch_shape(c, 1)}) : Result();
}
Result item_set(const Call& c) {
  if (c.batched(1)) return {};
  const Tensor list = list_at(c, 0), item = item_at(c, 2);
  return list && item ? applied(c, std::array{list, c[1], item}) : Result();
}
Result item_of(const Call& c) {
  const Tensor list = list_at(c, 0);
  return list && shared_from(c, 1) ? applied(c, std::array{list, c[1], batch_shape(c, 2)}) : Result();
}
Result stacked(const Call& c) {
  const Tensor list = list_at(c, 0);
  if (!list || !shared_from(c, 1) || elements_of(c) == DType::kVariant) return {};
  return all_batched({swapped(footlight::apply(c.row, std::array{list, batch_shape(c, 1)}, c.attrs))});
}
Result gathered(const Call& c) {
  const Tensor list = list_at(c, 0);
  if (!list || !shared_from(c, 1) || elements_of(c) == DType::kVariant) return {};
  return all_batched({swapped(footlight::apply(c.row, std::array{list, c[1], batch_shape(c, 2)}, c.attrs))});
}
Result of_rows(const Call& c) {
  if (!shared_from(c, 1) || elements_of(c) == DType::kVariant) return {};
  return applied(c, std::array{swapped(c[0]), batch_shape(c, 1)});
}
Result scattered(const Call& c) {
  if (!shared_from(c, 1) || elements_of(c) == DType::kVariant) return {};
  return applied(c, std::array{swapped(c[0]), c[1], batch_shape(c, 2), c[3]});
}
Result scattered_into(const Call& c) {
  const Tensor list = list_at(c, 0);
  if (!list || c.batched(2) || elements_of(c) == DType::kVariant) return {};
  return applied(c, std::array{list, swapped(for_each_element(c.inputs[1], c.size)), c[2]});
}
Result resized(const Call& c) {
  const Tensor list = list_at(c, 0);
  return list && shared_from(c, 1) ? applied(c, std::array{list, c[1]}) : Result();
}
Result length(const Call& c) {
  if (!is_list_of_batches(c.inputs[0])) return {};
  return std::vector<Batched>{{footlight::apply(c.row, std::array{c[0]}, c.attrs), false}};
}
// Returns an unknown shape: it is only used to create lists, which may hold elements of any shape.
Result element_shape(const Call& c) {
  if (!is_list_of_batches(c.inputs[0])) return {};
  return std::vector<Batched>{{integer(-1, c.attrs.get_or("shape_type"_attr, DType::kInt32)), false}};
}
Result summed(const Call& c) {
  if (c[0].dtype() != DType::kVariant) return {};
  std::vector<Tensor> lists;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    lists.push_back(list_at(c, i));
    if (!lists.back()) return {};
  }
  return applied(c, lists);
}

}  // namespace

BatchRule list_rule(std::string_view op) {
  static const auto* all = new std::unordered_map<std::string_view, BatchRule>{
      {"AddN", summed},
      {"TensorListElementShape", element_shape},
      {"TensorListFromTensor", of_rows},
      {"TensorListGather", gathered},
      {"TensorListGetItem", item_of},
      {"TensorListLength", length},
      {"TensorListPopBack", popped},
      {"TensorListPushBack", pushed},
      {"TensorListResize", resized},
      {"TensorListScatterIntoExistingList", scattered_into},
      {"TensorListScatterV2", scattered},
      {"TensorListSetItem", item_set},
      {"TensorListStack", stacked},
  };
  const auto at = all->find(op);
  return at == all->end() ? nullptr : at->second;
}

Tensor shape_of_batch(const Tensor& shape, const Tensor& size, DType elements) {
  if (elements == DType::kVariant) return shape;
  const bool known = shape.shape().has_rank() && shape.shape().rank() == 1;
  return known ? concat(std::array{cast(reshape(size, ints({1})), shape.dtype()), shape}, 0)
               : integer(-1, shape.dtype());
}

Tensor swapped(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  if (!shape.has_rank())
    return transpose(tensor, concat(std::array{ints({1, 0}), range(integer(2), rank(tensor))}, 0));
  std::vector<int64_t> order{1, 0};
  for (int d = 2; d < shape.rank(); ++d) order.push_back(d);
  return transpose(tensor, ints(order));
}

bool is_list_of_batches(const Batched& value) {
  const Shape& shape = value.tensor.shape();
  return value.batched && value.tensor.dtype() == DType::kVariant && shape.has_rank() && shape.rank() == 0;
}

}  // namespace footlight::ops
