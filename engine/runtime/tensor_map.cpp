// The kernels of maps from tensors to tensors, their sums and zeros.
#include "engine/base/text.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/list_value.h"
#include "engine/runtime/map_value.h"
#include "engine/runtime/tensor_list.h"
#include "kernels/table.h"

namespace footlight::runtime {
namespace {

// A list of no dtype stands for zeros of any kind, so it is an empty map too.
const TensorMap& map_in(const KernelContext& c) {
  static const auto* nothing = new TensorMap;
  if (const TensorMap* map = find_map(c.inputs[0])) return *map;
  const TensorList* list = find_list(c.inputs[0]);
  if (!list || list->dtype() != DType::kInvalid)
    invalid("expected a map of tensors, got ", name_of(c.inputs[0].dtype()), " [Op:", c.row.name, "]");
  return *nothing;
}

void empty_map(KernelContext& c) { c.outputs[0] = map_tensor(new TensorMap); }

void map_size(KernelContext& c) { *c.out<int32_t>() = static_cast<int32_t>(map_in(c).size()); }

void lookup(KernelContext& c) {
  Tensor value = map_in(c).find(c.inputs[1]);
  if (!value) invalid("Trying to lookup non-existent key. [Op:TensorMapLookup]");
  const DType wanted = c.attrs.get<DType>("value_dtype"_attr);
  if (value.dtype() != wanted)
    invalid("the map has a value of dtype ", name_of(value.dtype()), " for this key, asked for was ", name_of(wanted),
            " [Op:TensorMapLookup]");
  c.outputs[0] = std::move(value);
}

void insert(KernelContext& c) { c.outputs[0] = map_tensor(map_in(c).with(c.inputs[1], c.inputs[2])); }

void erase(KernelContext& c) {
  TensorMap* rest = map_in(c).without(c.inputs[1]);
  if (!rest) invalid("Trying to erase non-existent item. [Op:TensorMapErase]");
  c.outputs[0] = map_tensor(rest);
}

void has_key(KernelContext& c) { *c.out<bool>() = static_cast<bool>(map_in(c).find(c.inputs[1])); }

void stack_keys(KernelContext& c) {
  const std::vector<TensorMap::Entry> entries = map_in(c).entries();
  if (entries.empty()) invalid("TensorMapStackKeys cannot be called on empty map. [Op:TensorMapStackKeys]");
  const DType wanted = c.attrs.get<DType>("key_dtype"_attr);
  std::vector<Tensor> keys;
  for (const TensorMap::Entry& entry : entries) {
    if (entry.key.dtype() != wanted)
      invalid("Key does not match requested dtype. It is ", name_of(entry.key.dtype()), ", not ", name_of(wanted),
              " [Op:TensorMapStackKeys]");
    if (entry.key.shape() != entries[0].key.shape())
      invalid("Keys must all have the same shape. There are ", entries[0].key.shape().to_string(), " and ",
              entry.key.shape().to_string(), " [Op:TensorMapStackKeys]");
    keys.push_back(entry.key);
  }
  const auto count = static_cast<int64_t>(keys.size());
  c.outputs[0] = run_op("Pack"_op.row(), keys, {{"N"_attr, count}, {"axis"_attr, int64_t{0}}})[0];
}

}  // namespace

Tensor add_maps(const Tensor& a, const Tensor& b) {
  const TensorMap *x = find_map(a), *y = find_map(b);
  if (!x || !y) return {};
  if (x->size() < y->size()) std::swap(x, y);
  Tensor all = x == find_map(a) ? a : b;
  for (const TensorMap::Entry& entry : y->entries()) {
    const Tensor own = find_map(all)->find(entry.key);
    all = map_tensor(find_map(all)->with(entry.key, own ? add_values(own, entry.value) : entry.value));
  }
  return all;
}

Tensor zeros_like_map(const Tensor& input) {
  const TensorMap* before = find_map(input);
  if (!before) return {};
  Tensor zeros = input;
  for (const TensorMap::Entry& entry : before->entries())
    zeros = map_tensor(find_map(zeros)->with(entry.key, zeros_like_value(entry.value)));
  return zeros;
}

void register_map_kernels() {
  const auto on = [](const char* op, Kernel kernel) { register_kernel(DeviceType::kCpu, op, kAllTypes, kernel); };
  on("EmptyTensorMap", empty_map);
  on("TensorMapSize", map_size);
  on("TensorMapLookup", lookup);
  on("TensorMapInsert", insert);
  on("TensorMapErase", erase);
  on("TensorMapHasKey", has_key);
  on("TensorMapStackKeys", stack_keys);
}

}  // namespace footlight::runtime
