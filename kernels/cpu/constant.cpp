// Kernels of constants and of tensors filled with one value.
#include "kernels/cpu/elements.h"

#include <algorithm>

namespace footlight::FL_ISA {

namespace {

void constant(KernelContext& c) { c.outputs[0] = c.attrs.get<Tensor>("value"_attr).alias(); }

// Number of elements from which several threads write, each its own part.
constexpr int64_t kMinParallelElements = 1 << 16;

template <class T>
void fill_with(T* out, int64_t n, const T& value) {
  parallel_for(n, kMinParallelElements, [&](int64_t begin, int64_t end) { std::fill(out + begin, out + end, value); });
}

void zeros_like(KernelContext& c) { clear(c.outputs[0]); }

template <class T>
void ones_like(KernelContext& c) { fill_with(c.out<T>(), c.outputs[0].elements(), T(1)); }

template <class T>
void fill(KernelContext& c) { fill_with(c.out<T>(), c.outputs[0].elements(), T(*c.in<T>(1))); }

template <class T>
void range(KernelContext& c) {
  T* out = c.out<T>();
  using W = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  const W start = static_cast<W>(*c.in<T>(0));
  const W delta = static_cast<W>(*c.in<T>(2));
  parallel_for(c.outputs[0].elements(), kMinParallelElements, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = static_cast<T>(static_cast<W>(i) * delta + start);
  });
}
// Rounds after the product and after the sum, as TensorFlow does, so that the digits are the same.
template <class T>
void float_range(KernelContext& c) {
  T* out = c.out<T>();
  const T start = *c.in<T>(0);
  const T delta = *c.in<T>(2);
  parallel_for(c.outputs[0].elements(), kMinParallelElements, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = T(start + T(static_cast<T>(i) * delta));
  });
}

// Both ends are exact, and each number is rounded after the product and after the sum.
template <class T>
void linspace(KernelContext& c) {
  const T first = *c.in<T>(0), last = *c.in<T>(1);
  const int64_t n = c.outputs[0].elements();
  const T delta = (last - first) / static_cast<T>(std::max<int64_t>(n - 1, 1));
  T* out = c.out<T>();
  parallel_for(n, kMinParallelElements, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = first + delta * static_cast<T>(static_cast<int32_t>(i));
  });
  if (n > 1) out[n - 1] = last;
  if (n > 0) out[0] = first;
}

constexpr int64_t kPlanesAtOnce = 4096;
void read_indices(const Tensor& from, int64_t begin, int64_t n, int64_t* to) {
  const auto read = [&](const auto* in) { std::copy_n(in + begin, n, to); };
  switch (from.dtype()) {
    case DType::kInt64: return read(from.data<int64_t>());
    case DType::kInt32: return read(from.data<int32_t>());
    case DType::kInt8: return read(from.data<int8_t>());
    default: return read(from.data<uint8_t>());
  }
}

template <class T>
void one_hot(KernelContext& c) {
  const Shape& in = c.inputs[0].shape();
  const int64_t depth = *c.in<int32_t>(1);
  int64_t axis = c.attrs.get_or("axis"_attr, int64_t{-1});
  if (axis == -1) axis = in.rank();
  int64_t inner = 1;
  for (int d = static_cast<int>(axis); d < in.rank(); ++d) inner *= in[d];
  const int64_t planes = inner > 0 ? c.inputs[0].elements() / inner : 0;
  T* out = c.out<T>();
  const T on = *c.in<T>(2), off = *c.in<T>(3);
  if (depth == 0 || planes == 0) return;
  // Writes a few planes at a time, which are still in the cache when the ones are written.
  const int64_t plane = depth * inner, at_once = std::max<int64_t>(1, kPlanesAtOnce / plane);
  parallel_for(planes, std::max<int64_t>(1, (1 << 14) / plane), [&](int64_t begin, int64_t end) {
    for (int64_t first = begin; first < end; first += at_once) {
      const int64_t last = std::min(end, first + at_once);
      std::fill(out + first * plane, out + last * plane, off);
      if (inner == 1) {
        int64_t places[kPlanesAtOnce];
        read_indices(c.inputs[0], first, last - first, places);
        for (int64_t p = first; p < last; ++p)
          if (const int64_t at = places[p - first]; at >= 0 && at < depth) out[p * plane + at] = on;
        continue;
      }
      for (int64_t p = first; p < last; ++p)
        for (int64_t k = 0; k < inner; ++k) {
          const int64_t index = int_at(c.inputs[0], p * inner + k);
          if (index >= 0 && index < depth) out[p * plane + index * inner + k] = on;
        }
    }
  });
}

template <class... Types>
void plain() {
  (on_cpu("OnesLike", bit_of(dtype_of<Types>), ones_like<Types>), ...);
  (on_cpu("Fill", bit_of(dtype_of<Types>), fill<Types>), ...);
  (on_cpu("OneHot", bit_of(dtype_of<Types>), one_hot<Types>), ...);
}
template <class... Types>
void ranges() { (on_cpu("Range", bit_of(dtype_of<Types>), range<Types>), ...); }

}  // namespace

FL_CPU_KERNELS {
  on_cpu("Const", kAllTypes, constant);
  on_cpu("ZerosLike", kPlainTypes | bit_of(DType::kString), zeros_like);
  plain<float, double, Float16, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
        uint64_t, bool, std::complex<float>, std::complex<double>>();
  on_cpu("Fill", bit_of(DType::kString), fill<std::string>);
  on_cpu("OneHot", bit_of(DType::kString), one_hot<std::string>);
  ranges<int32_t, int64_t>();
  on_cpu("LinSpace", bit_of(DType::kFloat32), linspace<float>);
  on_cpu("LinSpace", bit_of(DType::kFloat64), linspace<double>);
  on_cpu("Range", bit_of(DType::kFloat32), float_range<float>);
  on_cpu("Range", bit_of(DType::kFloat64), float_range<double>);
  on_cpu("Range", bit_of(DType::kFloat16), float_range<Float16>);
  on_cpu("Range", bit_of(DType::kBFloat16), float_range<BFloat16>);
}

}  // namespace footlight::FL_ISA
