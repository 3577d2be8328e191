// Reads constants and inserts nodes.
#include "engine/optimize/values.h"

#include "engine/ops/shape_inputs.h"

#include <algorithm>
#include <cstring>

namespace footlight::optimize {

namespace {
constexpr int64_t kMaxElements = 4096;       // elements of a constant that is read
constexpr size_t kMaxComparedBytes = 4096;  // bytes of constants that are compared
}

const Shape* certain_shape(const Rewrite& rewrite, const ProgramRewrite& program, Edge edge) {
  if (program.shapes_uncertain()) return nullptr;
  const Shape& traced = rewrite.shape(edge);
  if (traced.fully_known()) return &traced;
  const Shape& replaced = rewrite.shape(rewrite.resolve(edge));
  return replaced.fully_known() ? &replaced : nullptr;
}

bool shape_operands_are_constant(const Rewrite& rewrite, const Node& node) {
  for (size_t i = 0; i < node.inputs.size(); ++i)
    if (shape_depends_on_value(*node.op, i, rewrite.dtype(node.inputs[i])) &&
        !rewrite.constant(node.inputs[i]))
      return false;
  return true;
}

std::optional<std::vector<int64_t>> constant_ints(const Rewrite& rewrite, Edge edge) {
  const Tensor* value = rewrite.constant(edge);
  if (!value || (value->dtype() != DType::kInt32 && value->dtype() != DType::kInt64)) return std::nullopt;
  std::vector<int64_t> numbers(static_cast<size_t>(value->elements()));
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = value->dtype() == DType::kInt32 ? value->data<int32_t>()[i] : value->data<int64_t>()[i];
  return numbers;
}

std::optional<Number> uniform_value(const Tensor& tensor) {
  const int64_t count = tensor.elements();
  if (!is_plain(tensor.dtype()) || is_complex(tensor.dtype()) || count < 1 || count > kMaxElements)
    return std::nullopt;
  const size_t size = size_of(tensor.dtype());
  const char* bytes = static_cast<const char*>(tensor.raw());
  for (int64_t i = 1; i < count; ++i)
    if (std::memcmp(bytes, bytes + static_cast<size_t>(i) * size, size) != 0) return std::nullopt;
  Number number;
  with_plain_type(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      number = {static_cast<double>(*tensor.data<T>()), static_cast<int64_t>(*tensor.data<T>()), true};
    } else if constexpr (std::is_floating_point_v<T> || sizeof(T) == 2) {
      number.real = static_cast<double>(*tensor.data<T>());
    }
  });
  return number;
}

Tensor filled(DType dtype, const Shape& shape, Number number) {
  Tensor tensor = Tensor::empty(dtype, shape);
  with_plain_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      std::fill_n(tensor.data<T>(), tensor.elements(), static_cast<T>(number.as_integer));
    else if constexpr (std::is_floating_point_v<T> || sizeof(T) == 2)
      std::fill_n(tensor.data<T>(), tensor.elements(), static_cast<T>(number.real));
  });
  return tensor;
}

Tensor int_tensor(DType dtype, std::span<const int64_t> numbers) {
  if (dtype == DType::kInt64) return Tensor::vector<int64_t>(numbers);
  const std::vector<int32_t> small(numbers.begin(), numbers.end());
  return Tensor::vector<int32_t>(small);
}

bool equal_constants(const Tensor& a, const Tensor& b) {
  if (a.body() == b.body()) return true;
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (!is_plain(a.dtype()) || a.device() != b.device()) return false;
  if (a.raw() == b.raw()) return true;
  return a.bytes() <= kMaxComparedBytes && std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
}

NodeId insert_replacement(Rewrite& rewrite, NodeId id, const OpRow& op, std::vector<Edge> inputs, const char* suffix) {
  const Node& node = rewrite.node(id);
  Node fresh;
  fresh.op = &op;
  fresh.name = rewrite.name(id) + suffix;
  fresh.inputs = std::move(inputs);
  for (const AttrSpec& attr : op.attrs)
    if (const AttrValue* value = node.attrs.find(attr.key)) fresh.attrs.set(attr.key, *value);
  fresh.dtypes = node.dtypes;
  fresh.shapes = node.shapes;
  fresh.source = node.source;
  fresh.call_site = node.call_site;
  fresh.device = node.device;
  return rewrite.insert(std::move(fresh), id, rewrite.origin(id));
}

}  // namespace footlight::optimize
