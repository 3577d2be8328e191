// The kernels that convert ragged tensors to variants and back, as tf.map_fn and TensorFlow's loops pass them.
#include "engine/base/text.h"
#include "engine/ops/infer.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/list_value.h"
#include "engine/runtime/tensor_list.h"
#include "engine/tensor/size.h"
#include "kernels/table.h"

#include <algorithm>

namespace footlight::runtime {
namespace {

// A ragged tensor: the splits of its levels, and the values of all rows.
class RaggedValue final : public Resource {
 public:
  explicit RaggedValue(std::vector<Tensor> parts) : parts(std::move(parts)) {}
  const std::vector<Tensor> parts;
};

std::vector<int64_t> splits_of(const Tensor& t, int64_t count, const OpRow& row) {
  const std::vector<int64_t> splits = infer::ints_of(t);
  if (t.shape().rank() != 1 || splits.empty() || splits[0] != 0 || splits.back() != count ||
      !std::ranges::is_sorted(splits))
    invalid(
        "Invalid ragged splits: they must begin with 0, not decrease, and end with the number of values [Op:",
        row.name, "]");
  return splits;
}

// The splits of all levels: the last split of each is the number of rows of the next.
std::vector<std::vector<int64_t>> levels_of(std::span<const Tensor> parts, const OpRow& row) {
  const size_t deep = parts.size() - 1;
  if (parts[deep].shape().rank() == 0) invalid("values must have at least one dimension [Op:", row.name, "]");
  std::vector<std::vector<int64_t>> splits(deep);
  int64_t rows = parts[deep].shape()[0];
  for (size_t k = deep; k-- > 0; rows = static_cast<int64_t>(splits[k].size()) - 1)
    splits[k] = splits_of(parts[k], rows, row);
  return splits;
}

Tensor splits_tensor(const std::vector<int64_t>& splits, DType dtype) {
  if (dtype == DType::kInt32 && !splits.empty() && splits.back() > INT32_MAX)
    invalid("the row split ", splits.back(), " does not fit into int32");
  Tensor out = Tensor::empty(dtype, Shape{static_cast<int64_t>(splits.size())});
  for (size_t k = 0; k < splits.size(); ++k)
    if (dtype == DType::kInt64)
      out.data<int64_t>()[k] = splits[k];
    else
      out.data<int32_t>()[k] = static_cast<int32_t>(splits[k]);
  return out;
}

Tensor rows_between(const Tensor& values, int64_t begin, int64_t end) {
  std::vector<int64_t> from(static_cast<size_t>(values.shape().rank())), size(from.size(), -1);
  from[0] = begin;
  size[0] = end - begin;
  return run_op("Slice"_op.row(),
                std::vector{values, splits_tensor(from, DType::kInt64), splits_tensor(size, DType::kInt64)},
                {})[0];
}

// Splits a ragged tensor into its rows, each as parts of a RaggedValue.
std::vector<std::vector<Tensor>> rows_of(const KernelContext& c) {
  const size_t deep = c.inputs.size() - 1;
  const Tensor& values = c.inputs[deep];
  std::vector<std::vector<Tensor>> rows;
  const std::vector<std::vector<int64_t>> splits = levels_of(c.inputs, c.row);
  if (deep == 0) {
    if (values.shape()[0] == 0) return rows;
    for (Tensor& row : run_op("Unpack"_op.row(), {&values, 1}, {{"num"_attr, values.shape()[0]}}))
      rows.push_back({std::move(row)});
    return rows;
  }
  for (size_t row = 0; row + 1 < splits[0].size(); ++row) {
    int64_t begin = splits[0][row], end = splits[0][row + 1];
    std::vector<Tensor> parts;
    for (size_t k = 1; k < deep; ++k) {
      const auto first = splits[k].begin();
      std::vector<int64_t> own(first + begin, first + end + 1);
      begin = own.front();
      end = own.back();
      for (int64_t& split : own) split -= begin;
      parts.push_back(splits_tensor(own, c.inputs[k].dtype()));
    }
    parts.push_back(rows_between(values, begin, end));
    rows.push_back(std::move(parts));
  }
  return rows;
}

Tensor ragged_tensor(std::vector<Tensor> parts) {
  Tensor out = Tensor::empty(DType::kVariant, Shape());
  auto* value = new RaggedValue(std::move(parts));
  value->ref();
  *out.data<Resource*>() = value;
  return out;
}

void to_variant(KernelContext& c) {
  if (!c.attrs.get_or("batched_input"_attr, false)) {
    if (c.inputs.size() > 1) levels_of(c.inputs, c.row);  // throws for invalid splits
    c.outputs[0] = ragged_tensor(std::vector<Tensor>(c.inputs.begin(), c.inputs.end()));
    return;
  }
  const std::vector<std::vector<Tensor>> rows = rows_of(c);
  auto** out = c.set_output(0, DType::kVariant, Shape{static_cast<int64_t>(rows.size())}).data<Resource*>();
  for (const std::vector<Tensor>& parts : rows) {
    *out = new RaggedValue(parts);
    (*out++)->ref();
  }
}

// Concatenates values along the first dimension, component by component.
Tensor concatenated(const std::vector<Tensor>& all, DType dtype) {
  if (all.empty()) return Tensor::empty(dtype, Shape{0});
  if (all.size() == 1) return all[0];
  std::vector<Tensor> inputs = all;
  inputs.push_back(Tensor::scalar<int32_t>(0));
  return run_op("ConcatV2"_op.row(), inputs, {{"N"_attr, static_cast<int64_t>(all.size())}})[0];
}

void from_variant(KernelContext& c) {
  const Tensor& encoded = c.inputs[0];
  const int64_t outer = encoded.shape().rank(), deep = c.attrs.get_or("output_ragged_rank"_attr, int64_t{0});
  const DType dtype = c.attrs.get_or("Tvalues"_attr, DType::kFloat32),
              splits_type = c.attrs.get_or("Tsplits"_attr, DType::kInt64);
  int64_t inner = c.attrs.get_or("input_ragged_rank"_attr, int64_t{-1});
  if (inner < 0) inner = deep - outer;
  if (inner < 0 || inner != deep - outer)
    invalid(
        "output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.dims(); output_ragged_rank: ",
        deep, ", input_ragged_rank: ", inner, ", encoded_ragged.dims(): ", outer, " [Op:", c.row.name, "]");
  std::vector<std::vector<int64_t>> levels(static_cast<size_t>(deep), {0});
  std::vector<int64_t> counts;  // numbers of rows, all checked before memory is allocated
  for (int64_t d = 0; d + 1 < outer; ++d) {
    counts.push_back(multiply_sizes(d ? counts.back() : 1, encoded.shape()[static_cast<int>(d)]));
    check_memory(splits_type, Shape{add_sizes(counts.back(), 1)});
  }
  for (int64_t d = 0; d + 1 < outer; ++d) {
    const int64_t rows = counts[static_cast<size_t>(d)];
    levels[static_cast<size_t>(d)].reserve(static_cast<size_t>(rows) + 1);
    for (int64_t k = 1; k <= rows; ++k)
      levels[static_cast<size_t>(d)].push_back(k * encoded.shape()[static_cast<int>(d) + 1]);
  }
  std::vector<Tensor> values;
  for (int64_t k = 0; k < encoded.elements(); ++k) {
    const auto* value = dynamic_cast<const RaggedValue*>(encoded.data<Resource*>()[k]);
    if (!value)
      invalid("Input Variant element at index ", k, " doesn't hold a RaggedTensorVariant [Op:", c.row.name,
              "]");
    const std::vector<Tensor>& parts = value->parts;
    if (static_cast<int64_t>(parts.size()) != inner + 1)
      invalid("Encoded input RaggedTensorVariant has ragged_rank=", parts.size() - 1,
              ".  Expected ragged_rank=", inner, ". [Op:", c.row.name, "]");
    if (parts.back().dtype() != dtype)
      invalid("Expected values Tensor dtype: ", name_of(dtype), ", found: ", name_of(parts.back().dtype()),
              " [Op:", c.row.name, "]");
    for (int64_t i = 0; i < inner; ++i)
      if (parts[static_cast<size_t>(i)].dtype() != splits_type)
        invalid("Expected row_splits Tensor dtype: ", name_of(splits_type),
                ", found: ", name_of(parts[static_cast<size_t>(i)].dtype()), " [Op:", c.row.name, "]");
    if (outer > 0) {
      std::vector<int64_t>& of_components = levels[static_cast<size_t>(outer) - 1];
      if (inner == 0 && parts[0].shape().rank() == 0)
        invalid("a component must have at least one dimension [Op:", c.row.name, "]");
      of_components.push_back(
          add_sizes(of_components.back(), inner ? parts[0].elements() - 1 : parts[0].shape()[0]));
    }
    for (int64_t i = 0; i < inner; ++i) {
      std::vector<int64_t>& level = levels[static_cast<size_t>(outer + i)];
      const int64_t before = level.back();
      const std::vector<int64_t> own = infer::ints_of(parts[static_cast<size_t>(i)]);
      for (size_t j = 1; j < own.size(); ++j) level.push_back(add_sizes(before, own[j]));
    }
    values.push_back(parts.back());
  }
  for (size_t k = 0; k < levels.size(); ++k) c.outputs[k] = splits_tensor(levels[k], splits_type);
  c.outputs[levels.size()] = concatenated(values, dtype);
}

const RaggedValue* find_ragged(const Tensor& tensor) {
  return tensor.dtype() == DType::kVariant && tensor.shape().rank() == 0
             ? dynamic_cast<const RaggedValue*>(*tensor.data<Resource*>())
             : nullptr;
}

// The gradient of the values. A missing gradient of a row stands for zeros, as many as the splits say.
void to_variant_gradient(KernelContext& c) {
  const Tensor& encoded = c.inputs[0];
  const DType dtype = c.attrs.get_or("Tvalues"_attr, DType::kFloat32);
  const std::vector<int64_t> dims = infer::ints_of(c.inputs[2]), splits = infer::ints_of(c.inputs[1]);
  const Shape whole{std::span<const int64_t>(dims)};
  if (c.inputs[1].shape().rank() > 0) splits_of(c.inputs[1], splits.empty() ? 0 : splits.back(), c.row);
  std::vector<Tensor> values;
  for (int64_t k = 0; k < encoded.elements(); ++k) {
    const Resource* one = encoded.data<Resource*>()[k];
    const auto* list = dynamic_cast<const TensorList*>(one);
    if (!one || (list && list->dtype() == DType::kInvalid)) {
      const size_t next = static_cast<size_t>(k) + 1;
      Shape own = whole;
      if (c.inputs[1].shape().rank() > 0) {
        const int64_t rows = next < splits.size() ? splits[next] - splits[next - 1] : -1;
        if (rows < 0 || !whole.rank() || rows > whole[0])
          invalid("the splits have no row of these values for each of them [Op:", c.row.name, "]");
        own.set(0, rows);
      } else if (encoded.shape().rank() > 0) {
        if (!whole.rank()) invalid("values must have at least one dimension [Op:", c.row.name, "]");
        own.set(0, 1);
      }
      values.push_back(zeros_tensor(dtype, own));
      continue;
    }
    const auto* value = dynamic_cast<const RaggedValue*>(one);
    if (!value)
      invalid("Input Variant element at index ", k, " doesn't hold a RaggedTensorVariant [Op:", c.row.name, "]");
    values.push_back(value->parts.back());
    if (values.back().dtype() != dtype)
      invalid("Expected values Tensor dtype: ", name_of(dtype), ", found: ", name_of(values.back().dtype()),
              " [Op:", c.row.name, "]");
  }
  if (values.size() > 1)
    for (const Tensor& part : values)
      if (part.shape().rank() == 0) invalid("a component must have at least one dimension [Op:", c.row.name, "]");
  const Tensor all = values.empty() ? zeros_tensor(dtype, whole) : concatenated(values, dtype);
  c.outputs[0] = all.shape() == whole ? all : run_op("Reshape"_op.row(), std::vector{all, c.inputs[2]}, {})[0];
}

}  // namespace

Tensor add_ragged(const Tensor& a, const Tensor& b) {
  const RaggedValue *x = find_ragged(a), *y = find_ragged(b);
  if (!x || !y) return {};
  if (x->parts.size() != y->parts.size() || x->parts.back().shape() != y->parts.back().shape() ||
      x->parts.back().dtype() != y->parts.back().dtype())
    invalid("Trying to add two ragged tensors whose rows or dtypes differ [Op:AddN]");
  std::vector<Tensor> parts = x->parts;
  parts.back() = run_op("AddV2"_op.row(), std::vector{x->parts.back(), y->parts.back()}, {})[0];
  return ragged_tensor(std::move(parts));
}

Tensor zeros_like_ragged(const Tensor& input) {
  const RaggedValue* value = find_ragged(input);
  if (!value) return {};
  std::vector<Tensor> parts = value->parts;
  parts.back() = zeros_tensor(parts.back().dtype(), parts.back().shape());
  return ragged_tensor(std::move(parts));
}

void register_ragged_kernels() {
  register_kernel(DeviceType::kCpu, "RaggedTensorToVariantGradient", kAllTypes, to_variant_gradient);
  register_kernel(DeviceType::kCpu, "RaggedTensorToVariant", kAllTypes, to_variant);
  register_kernel(DeviceType::kCpu, "RaggedTensorFromVariant", kAllTypes, from_variant);
}

}  // namespace footlight::runtime
