// Kernels that reduce segments of rows, and that count.
#include "kernels/cpu/elements.h"
#include "kernels/functors/common.h"

#include <limits>

namespace footlight {
namespace FL_ISA {

namespace {

using functors::Compute;
using functors::Wrapping;

struct Sum {
  template <class T>
  static constexpr T start() {
    return T(0);
  }
  template <class T>
  T operator()(const T& a, const T& b) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
    else
      return a + b;
  }
};
struct Product {
  template <class T>
  static constexpr T start() {
    return T(1);
  }
  template <class T>
  T operator()(const T& a, const T& b) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
    else
      return a * b;
  }
};
template <class T>
struct Limits : std::numeric_limits<T> {};
template <>
struct Limits<Float16> {
  static constexpr Float16 lowest() { return Float16::of_bits(0xfbff); }
  static constexpr Float16 max() { return Float16::of_bits(0x7bff); }
};
template <>
struct Limits<BFloat16> {
  static constexpr BFloat16 lowest() { return BFloat16::of_bits(0xff7f); }
  static constexpr BFloat16 max() { return BFloat16::of_bits(0x7f7f); }
};
struct Largest {
  template <class T>
  static constexpr T start() {
    return Limits<T>::lowest();
  }
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a > b ? a : b;
  }
};
struct Smallest {
  template <class T>
  static constexpr T start() {
    return Limits<T>::max();
  }
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a < b ? a : b;
  }
};

// Rows in order of their ids; an id that no row has gives zeros (ones for products).
template <class T, class Reduce, bool mean = false>
void sorted(KernelContext& c) {
  using C = Compute<T>;
  const Shape& shape = c.inputs[0].shape();
  const Tensor& ids = c.inputs[1];
  const int64_t n = ids.elements();
  const int64_t inner = product(shape, 1, shape.rank());
  int64_t before = -1;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t id = int_at(ids, k);
    if (id < 0) invalid("segment ids must be >= 0: segment_ids[", k, "] = ", id, " [Op:", c.row.name, "]");
    if (id < before)
      invalid("segment ids are not increasing: segment_ids[", k, "] = ", id, " after ", before,
              " [Op:", c.row.name, "]");
    before = id;
  }
  Shape out_shape = shape;
  out_shape.set(0, before + 1);
  T* out = c.set_output(0, c.inputs[0].dtype(), out_shape).template data<T>();
  constexpr bool ones = std::is_same_v<Reduce, Product>;
  const T* in = c.in<T>(0);
  std::vector<C> row(static_cast<size_t>(inner));
  int64_t next = 0;
  for (int64_t k = 0; k < n;) {
    const int64_t id = int_at(ids, k);
    std::fill(out + next * inner, out + id * inner, static_cast<T>(C(ones ? 1 : 0)));
    for (int64_t i = 0; i < inner; ++i) row[static_cast<size_t>(i)] = static_cast<C>(in[k * inner + i]);
    int64_t count = 1;
    for (++k; k < n && int_at(ids, k) == id; ++k, ++count)
      for (int64_t i = 0; i < inner; ++i) {
        C& r = row[static_cast<size_t>(i)];
        r = Reduce()(r, static_cast<C>(in[k * inner + i]));
      }
    for (int64_t i = 0; i < inner; ++i) {
      C r = row[static_cast<size_t>(i)];
      if constexpr (mean && std::is_integral_v<C>)
        r = static_cast<C>(static_cast<int64_t>(r) / count);
      else if constexpr (mean)
        r = static_cast<C>(r / static_cast<C>(static_cast<float>(count)));
      out[id * inner + i] = static_cast<T>(r);
    }
    next = id + 1;
  }
}

template <class T, class Reduce>
void unsorted(KernelContext& c) {
  using C = Compute<T>;
  const Tensor& ids = c.inputs[1];
  const int64_t count = int_at(c.inputs[2], 0);
  const int64_t n = ids.elements();
  const int64_t inner = product(c.inputs[0].shape(), ids.shape().rank(), c.inputs[0].shape().rank());
  const T* in = c.in<T>(0);
  T* out = c.out<T>();
  std::fill(out, out + c.outputs[0].elements(), Reduce::template start<T>());
  if (inner == 0) return;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t id = int_at(ids, k);
    if (id < 0) continue;
    if (id >= count)
      invalid("segment_ids[", place_in(ids.shape(), k), "] = ", id, " is out of range [0, ", count,
              ") [Op:", c.row.name, "]");
    T* to = out + id * inner;
    const T* from = in + k * inner;
    for (int64_t i = 0; i < inner; ++i)
      to[i] = static_cast<T>(Reduce()(static_cast<C>(to[i]), static_cast<C>(from[i])));
  }
}

template <class T>
void bincount(KernelContext& c) {
  static const AttrName kBinary{"binary_output"};
  const bool binary = c.attrs.get_or(kBinary, false);
  const Tensor &in = c.inputs[0], &weights = c.inputs[2];
  const int64_t size = int_at(c.inputs[1], 0);
  const bool weighted = weights.elements() > 0;
  if (weighted && weights.shape() != in.shape())
    invalid("`weights` must have the shape of `arr`, ", in.shape().brackets(),
            ", or no element, its shape is ", weights.shape().brackets(), " [Op:DenseBincount]");
  const int64_t columns = in.shape().rank() == 2 ? in.shape()[1] : in.elements();
  T* out = c.out<T>();
  clear(c.outputs[0]);
  for (int64_t k = 0; k < in.elements(); ++k) {
    const int64_t value = int_at(in, k);
    if (value < 0) invalid("Input arr must be non-negative! It holds ", value, " [Op:DenseBincount]");
    if (value >= size) continue;
    T& to = out[k / columns * size + value];
    if (binary)
      to = T(1);
    else
      to = static_cast<T>(to + (weighted ? weights.data<T>()[k] : T(1)));
  }
}

template <class T>
void histogram(KernelContext& c) {
  const T* range = c.in<T>(1);
  if (!(range[0] < range[1]))
    invalid("value_range should satisfy value_range[0] < value_range[1], but got [", range[0], ", ", range[1],
            "] [Op:HistogramFixedWidth]");
  const auto bins = static_cast<int64_t>(*c.in<int32_t>(2));
  const double step =
      (static_cast<double>(range[1]) - static_cast<double>(range[0])) / static_cast<double>(bins);
  std::vector<int64_t> counts(static_cast<size_t>(bins), 0);
  const T* in = c.in<T>(0);
  for (int64_t k = 0; k < c.inputs[0].elements(); ++k) {
    if (in[k] != in[k]) invalid("Histogram values must not contain NaN [Op:HistogramFixedWidth]");
    const double at = std::floor((static_cast<double>(in[k]) - static_cast<double>(range[0])) / step);
    ++counts[static_cast<size_t>(std::clamp(at, 0.0, static_cast<double>(bins - 1)))];
  }
  for (int64_t b = 0; b < bins; ++b) {
    if (c.outputs[0].dtype() == DType::kInt64)
      c.out<int64_t>()[b] = counts[static_cast<size_t>(b)];
    else
      c.out<int32_t>()[b] = static_cast<int32_t>(counts[static_cast<size_t>(b)]);
  }
}

template <class... Types>
void numbers() {
  (on_cpu("SegmentSum", bit_of(dtype_of<Types>), sorted<Types, Sum>), ...);
  (on_cpu("SegmentMean", bit_of(dtype_of<Types>), sorted<Types, Sum, true>), ...);
  (on_cpu("SegmentProd", bit_of(dtype_of<Types>), sorted<Types, Product>), ...);
  (on_cpu("UnsortedSegmentSum", bit_of(dtype_of<Types>), unsorted<Types, Sum>), ...);
  (on_cpu("UnsortedSegmentProd", bit_of(dtype_of<Types>), unsorted<Types, Product>), ...);
}
template <class... Types>
void ordered() {
  (on_cpu("SegmentMax", bit_of(dtype_of<Types>), sorted<Types, Largest>), ...);
  (on_cpu("SegmentMin", bit_of(dtype_of<Types>), sorted<Types, Smallest>), ...);
  (on_cpu("UnsortedSegmentMax", bit_of(dtype_of<Types>), unsorted<Types, Largest>), ...);
  (on_cpu("UnsortedSegmentMin", bit_of(dtype_of<Types>), unsorted<Types, Smallest>), ...);
}
template <class... Types>
void counted() {
  (on_cpu("DenseBincount", bit_of(dtype_of<Types>), bincount<Types>), ...);
  (on_cpu("HistogramFixedWidth", bit_of(dtype_of<Types>), histogram<Types>), ...);
}

}  // namespace

FL_CPU_KERNELS {
  numbers<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, Float16,
          BFloat16, std::complex<float>, std::complex<double>>();
  ordered<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, Float16,
          BFloat16>();
  counted<float, double, int32_t, int64_t>();
}

}  // namespace FL_ISA
}  // namespace footlight
