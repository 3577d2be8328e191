// The distinct slices of a tensor along an axis, in the order of their first occurrence.
#include "kernels/cpu/register.h"

#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

namespace footlight::FL_ISA {

namespace {

struct Slices {
  int64_t outer = 1, count = 1, inner = 1;
  Slices(const Shape& shape, int axis) : count(shape[axis]) {
    for (int d = 0; d < axis; ++d) outer *= shape[d];
    for (int d = axis + 1; d < shape.rank(); ++d) inner *= shape[d];
  }
};

// A floating-point number in memory; a complex one is two. Beyond infinity there are only NaNs.
struct FloatLayout {
  size_t width = 0;  // 0: the dtype has no such numbers
  uint64_t infinity = 0;
};
FloatLayout float_layout(DType dtype) {
  switch (dtype) {
    case DType::kFloat16: return {2, 0x7c00};
    case DType::kBFloat16: return {2, 0x7f80};
    case DType::kFloat32:
    case DType::kComplex64: return {4, 0x7f800000};
    case DType::kFloat64:
    case DType::kComplex128: return {8, 0x7ff0000000000000};
    default: return {};
  }
}

// Gives equal numbers from `begin` on equal bytes, and returns whether there is no NaN among them.
bool make_comparable(std::string& key, size_t begin, const FloatLayout& layout) {
  bool are_numbers = true;
  const uint64_t sign = uint64_t{1} << (8 * layout.width - 1);
  for (size_t at = begin; at < key.size(); at += layout.width) {
    uint64_t bits = 0;
    std::memcpy(&bits, key.data() + at, layout.width);
    if (bits == sign) std::memset(key.data() + at, 0, layout.width);  // -0 equals 0
    are_numbers &= (bits & ~sign) <= layout.infinity;
  }
  return are_numbers;
}

// All elements of slice i as bytes; texts with their lengths in front. No two slices with a NaN are equal.
std::string bytes_of(const Tensor& x, const Slices& slices, int64_t i) {
  std::string key;
  const auto size = size_of(x.dtype());
  const FloatLayout layout = float_layout(x.dtype());
  bool are_numbers = true;
  for (int64_t o = 0; o < slices.outer; ++o) {
    const int64_t begin = (o * slices.count + i) * slices.inner;
    if (x.dtype() != DType::kString) {
      key.append(static_cast<const char*>(x.raw()) + static_cast<size_t>(begin) * size,
                 static_cast<size_t>(slices.inner) * size);
      if (layout.width)
        are_numbers &= make_comparable(key, key.size() - static_cast<size_t>(slices.inner) * size, layout);
      continue;
    }
    for (int64_t k = 0; k < slices.inner; ++k) {
      const std::string& text = x.data<std::string>()[begin + k];
      const size_t length = text.size();
      key.append(reinterpret_cast<const char*>(&length), sizeof length).append(text);
    }
  }
  if (!are_numbers) key.append(reinterpret_cast<const char*>(&i), sizeof i);
  return key;
}

void write(Tensor& t, const std::vector<int64_t>& numbers) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (t.dtype() == DType::kInt64) t.data<int64_t>()[i] = numbers[i];
    else t.data<int32_t>()[i] = static_cast<int32_t>(numbers[i]);
  }
}

void unique_slices(KernelContext& c) {
  const Tensor &x = c.inputs[0], &axes = c.inputs[1];
  if (!is_plain(x.dtype()) && x.dtype() != DType::kString)
    invalid("slices of ", name_of(x.dtype()), " cannot be compared [Op:", c.row.name, "]");
  int64_t axis = 0;
  if (axes.elements() == 1)
    axis = axes.dtype() == DType::kInt64 ? *axes.data<int64_t>() : *axes.data<int32_t>();
  const Shape& shape = x.shape();
  if (axis < 0) axis += shape.rank();
  const Slices slices(shape, static_cast<int>(axis));
  std::unordered_map<std::string, int64_t> known;
  std::vector<int64_t> first, counts, places;
  for (int64_t i = 0; i < slices.count; ++i) {
    const auto [at, is_new] = known.try_emplace(bytes_of(x, slices, i), static_cast<int64_t>(first.size()));
    if (is_new) {
      first.push_back(i);
      counts.push_back(0);
    }
    ++counts[static_cast<size_t>(at->second)];
    places.push_back(at->second);
  }
  const auto kept = static_cast<int64_t>(first.size());
  Shape out = shape;
  out.set(static_cast<int>(axis), kept);
  Tensor& y = c.set_output(0, x.dtype(), out);
  const auto size = size_of(x.dtype());
  for (int64_t o = 0; o < slices.outer; ++o)
    for (int64_t k = 0; k < kept; ++k) {
      const int64_t from = (o * slices.count + first[static_cast<size_t>(k)]) * slices.inner;
      const int64_t to = (o * kept + k) * slices.inner;
      if (x.dtype() == DType::kString)
        std::copy_n(x.data<std::string>() + from, slices.inner, y.data<std::string>() + to);
      else
        std::memcpy(static_cast<char*>(y.raw()) + static_cast<size_t>(to) * size,
                    static_cast<const char*>(x.raw()) + static_cast<size_t>(from) * size,
                    static_cast<size_t>(slices.inner) * size);
    }
  const DType index = c.attrs.get_or("out_idx"_attr, DType::kInt32);
  write(c.set_output(1, index, Shape{slices.count}), places);
  if (c.outputs.size() > 2) write(c.set_output(2, index, Shape{kept}), counts);
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("UniqueV2", kAllTypes, unique_slices);
  on_cpu("UniqueWithCountsV2", kAllTypes, unique_slices);
}

}  // namespace footlight::FL_ISA
