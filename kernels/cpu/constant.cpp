// Kernels of constants and of tensors filled with one value.
#include "kernels/cpu/register.h"

#include <algorithm>
#include <cstring>

namespace footlight {
namespace FL_ISA {

namespace {

void constant(KernelContext& c) {
  static const AttrName kValue{"value"};
  c.outputs[0] = c.attrs.get<Tensor>(kValue).alias();
}

void zeros_like(KernelContext& c) {
  if (is_plain(c.outputs[0].dtype())) std::memset(c.outputs[0].raw(), 0, c.outputs[0].bytes());
}

template <class T>
void ones_like(KernelContext& c) {
  std::fill(c.out<T>(), c.out<T>() + c.outputs[0].elements(), T(1));
}

template <class T>
void fill(KernelContext& c) {
  std::fill(c.out<T>(), c.out<T>() + c.outputs[0].elements(), *c.in<T>(1));
}

template <class T>
void range(KernelContext& c) {
  T* out = c.out<T>();
  using W = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  const W start = static_cast<W>(*c.in<T>(0));
  const W delta = static_cast<W>(*c.in<T>(2));
  for (int64_t i = 0, n = c.outputs[0].elements(); i < n; ++i)
    out[i] = static_cast<T>(static_cast<W>(i) * delta + start);
}
// Rounded after the product and after the sum, as TensorFlow does, so that the digits are the same.
template <class T>
void float_range(KernelContext& c) {
  T* out = c.out<T>();
  const T start = *c.in<T>(0);
  const T delta = *c.in<T>(2);
  for (int64_t i = 0, n = c.outputs[0].elements(); i < n; ++i)
    out[i] = T(start + T(static_cast<T>(i) * delta));
}

template <class T>
void one_hot(KernelContext& c) {
  static const AttrName kAxis{"axis"};
  const Shape& in = c.inputs[0].shape();
  const int64_t depth = *c.in<int32_t>(1);
  int64_t axis = c.attrs.get_or(kAxis, int64_t{-1});
  if (axis == -1) axis = in.rank();
  int64_t inner = 1;
  for (int d = static_cast<int>(axis); d < in.rank(); ++d) inner *= in[d];
  const int64_t count = c.inputs[0].elements();
  T* out = c.out<T>();
  std::fill(out, out + c.outputs[0].elements(), *c.in<T>(3));
  const T on = *c.in<T>(2);
  for (int64_t i = 0; i < count; ++i) {
    int64_t index = -1;
    switch (c.inputs[0].dtype()) {
      case DType::kInt32: index = c.in<int32_t>(0)[i]; break;
      case DType::kInt64: index = c.in<int64_t>(0)[i]; break;
      case DType::kInt8: index = c.in<int8_t>(0)[i]; break;
      default: index = c.in<uint8_t>(0)[i]; break;
    }
    if (index >= 0 && index < depth) out[(i / inner * depth + index) * inner + i % inner] = on;
  }
}

template <class... Types>
void plain() {
  (on_cpu("OnesLike", bit_of(dtype_of<Types>), ones_like<Types>), ...);
  (on_cpu("Fill", bit_of(dtype_of<Types>), fill<Types>), ...);
  (on_cpu("OneHot", bit_of(dtype_of<Types>), one_hot<Types>), ...);
}
template <class... Types>
void ranges() {
  (on_cpu("Range", bit_of(dtype_of<Types>), range<Types>), ...);
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("Const", kAllTypes, constant);
  on_cpu("ZerosLike", kPlainTypes | bit_of(DType::kString), zeros_like);
  plain<float, double, Float16, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
        uint64_t, bool, std::complex<float>, std::complex<double>>();
  on_cpu("Fill", bit_of(DType::kString), fill<std::string>);
  on_cpu("OneHot", bit_of(DType::kString), one_hot<std::string>);
  ranges<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>();
  on_cpu("Range", bit_of(DType::kFloat32), float_range<float>);
  on_cpu("Range", bit_of(DType::kFloat64), float_range<double>);
  on_cpu("Range", bit_of(DType::kFloat16), float_range<Float16>);
  on_cpu("Range", bit_of(DType::kBFloat16), float_range<BFloat16>);
}

}  // namespace FL_ISA
}  // namespace footlight
