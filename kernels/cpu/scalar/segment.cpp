// Kernels that reduce segments of rows, and that count.
#include "engine/tensor/size.h"
#include "kernels/cpu/elements.h"
#include "kernels/cpu/scalar/columns.h"
#include "kernels/functors/common.h"

#include <limits>

namespace footlight::FL_ISA {

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

// Reduces rows whose ids are in increasing order. An id without rows gives zeros (ones for products).
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
  out_shape.set(0, n ? add_sizes(before, 1) : 0);
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

// The ids as unsigned integers, a block at a time; a negative one becomes `count`, which is left out.
constexpr int64_t kIdBlock = 1024;
void read_ids(const Tensor& ids, int64_t begin, int64_t n, int64_t count, uint32_t* to) {
  const auto read = [&](const auto* from) {
    for (int64_t k = 0; k < n; ++k) to[k] = from[k] < 0 ? static_cast<uint32_t>(count) : static_cast<uint32_t>(from[k]);
  };
  if (ids.dtype() == DType::kInt32) read(ids.data<int32_t>() + begin);
  else if (ids.dtype() == DType::kInt16) read(ids.data<int16_t>() + begin);
  else read(ids.data<int64_t>() + begin);
}
void check_ids(KernelContext& c, const Tensor& ids, int64_t count) {
  const auto check = [&](const auto* from) {
    bool wrong = false;
    for (int64_t k = 0, n = ids.elements(); k < n; ++k) wrong |= from[k] >= count;
    for (int64_t k = 0; wrong && k < ids.elements(); ++k)
      if (from[k] >= count)
        invalid("segment_ids[", place_in(ids.shape(), k), "] = ", from[k], " is out of range [0, ", count,
                ") [Op:", c.row.name, "]");
  };
  if (ids.dtype() == DType::kInt32) check(ids.data<int32_t>());
  else if (ids.dtype() == DType::kInt16) check(ids.data<int16_t>());
  else check(ids.data<int64_t>());
}

template <class Reduce, class T>
void join(T& to, const T& from) {
  to = static_cast<T>(Reduce()(static_cast<Compute<T>>(to), static_cast<Compute<T>>(from)));
}

// Reduces single elements. If there are many for few segments, they are reduced in chunks, each alternating between a
// few results: an element does not wait for the one before. Chunks depend on the size alone, and so do the digits.
template <class T, class Reduce>
void unsorted_elements(const T* in, const Tensor& ids, int64_t count, T* out) {
  constexpr int64_t kPiece = 1 << 16, kAlternating = 4, kFew = 4096;
  const int64_t n = ids.elements();
  const auto one_after_another = [&](int64_t begin, int64_t end) {
    uint32_t id[kIdBlock];
    for (int64_t at = begin; at < end; at += kIdBlock) {
      const int64_t here = std::min(kIdBlock, end - at);
      read_ids(ids, at, here, count, id);
      for (int64_t k = 0; k < here; ++k)
        if (id[k] < count) join<Reduce>(out[id[k]], in[at + k]);
    }
  };
  const int64_t pieces = (n + kPiece - 1) / kPiece;
  if (pieces < 2 || count > kFew) return one_after_another(0, n);
  const int64_t width = count + 1;  // the last collects what is left out
  std::vector<T> parts(static_cast<size_t>(pieces * kAlternating * width), Reduce::template start<T>());
  parallel_for(pieces, 1, [&](int64_t first, int64_t last) {
    uint32_t id[kIdBlock];
    for (int64_t p = first; p < last; ++p) {
      T* own = parts.data() + p * kAlternating * width;
      for (int64_t at = p * kPiece, end = std::min(n, at + kPiece); at < end; at += kIdBlock) {
        const int64_t here = std::min(kIdBlock, end - at);
        read_ids(ids, at, here, count, id);
        int64_t k = 0;
        for (; k + kAlternating <= here; k += kAlternating)
          for (int64_t t = 0; t < kAlternating; ++t) join<Reduce>(own[t * width + id[k + t]], in[at + k + t]);
        for (; k < here; ++k) join<Reduce>(own[id[k]], in[at + k]);
      }
    }
  });
  for (int64_t p = 0; p < pieces * kAlternating; ++p)
    for (int64_t i = 0; i < count; ++i) join<Reduce>(out[i], parts[static_cast<size_t>(p * width + i)]);
}

template <class T, class Reduce>
void unsorted(KernelContext& c) {
  const Tensor& ids = c.inputs[1];
  const int64_t count = int_at(c.inputs[2], 0);
  const int64_t n = ids.elements();
  const int64_t inner = product(c.inputs[0].shape(), ids.shape().rank(), c.inputs[0].shape().rank());
  const T* in = c.in<T>(0);
  T* out = c.out<T>();
  if (inner == 0) return;
  check_ids(c, ids, count);
  if (inner == 1) {
    std::fill(out, out + count, Reduce::template start<T>());
    return unsorted_elements<T, Reduce>(in, ids, count, out);
  }
  parallel_for(inner, columns_at_once(n, inner), [&](int64_t begin, int64_t end) {
    for (int64_t i = 0; i < count; ++i)
      std::fill(out + i * inner + begin, out + i * inner + end, Reduce::template start<T>());
    uint32_t id[kIdBlock];
    for (int64_t at = 0; at < n; at += kIdBlock) {
      const int64_t here = std::min(kIdBlock, n - at);
      read_ids(ids, at, here, count, id);
      for (int64_t k = 0; k < here; ++k) {
        if (id[k] >= count) continue;
        T* __restrict__ to = out + id[k] * inner;
        const T* __restrict__ from = in + (at + k) * inner;
        for (int64_t i = begin; i < end; ++i) join<Reduce>(to[i], from[i]);
      }
    }
  });
}

// Counts how often each value occurs in each row of `columns`. Many values of a few kinds are counted in chunks, each
// alternating between a few counters: an element does not wait for the one before.
template <class T, class Int>
void count_into(KernelContext& c, const Int* in, int64_t columns, int64_t size, bool binary) {
  constexpr int64_t kPiece = 1 << 16, kAlternating = 4, kFew = 4096;
  const int64_t n = c.inputs[0].elements();
  const T* weights = c.inputs[2].elements() > 0 ? c.in<T>(2) : nullptr;
  T* out = c.out<T>();
  bool negative = false;
  for (int64_t k = 0; k < n; ++k) negative |= in[k] < 0;
  for (int64_t k = 0; negative && k < n; ++k)
    if (in[k] < 0) invalid("Input arr must be non-negative! It holds ", in[k], " [Op:DenseBincount]");
  const int64_t pieces = (n + kPiece - 1) / kPiece;
  if (pieces < 2 || columns != n || size > kFew || weights || binary) {
    for (int64_t row = 0; row * columns < n; ++row)
      for (int64_t k = row * columns; k < (row + 1) * columns; ++k) {
        if (in[k] >= size) continue;
        T& to = out[row * size + in[k]];
        to = binary ? T(1) : static_cast<T>(to + (weights ? weights[k] : T(1)));
      }
    return;
  }
  const int64_t width = size + 1;  // the last collects what is too large
  std::vector<int32_t> counts(static_cast<size_t>(pieces * kAlternating * width), 0);
  parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      int32_t* own = counts.data() + p * kAlternating * width;
      for (int64_t k = p * kPiece, stop = std::min(n, k + kPiece); k < stop; ++k)
        ++own[k % kAlternating * width + std::min<int64_t>(in[k], size)];
    }
  });
  for (int64_t p = 0; p < pieces * kAlternating; ++p)
    for (int64_t i = 0; i < size; ++i)
      out[i] = static_cast<T>(out[i] + static_cast<T>(counts[static_cast<size_t>(p * width + i)]));
}

template <class T>
void bincount(KernelContext& c) {
  const Tensor &in = c.inputs[0], &weights = c.inputs[2];
  const int64_t size = int_at(c.inputs[1], 0);
  if (weights.elements() > 0 && weights.shape() != in.shape())
    invalid("`weights` must have the shape of `arr`, ", in.shape().brackets(),
            ", or no element, its shape is ", weights.shape().brackets(), " [Op:DenseBincount]");
  const int64_t columns = in.shape().rank() == 2 ? in.shape()[1] : in.elements();
  const bool binary = c.attrs.get_or("binary_output"_attr, false);
  clear(c.outputs[0]);
  if (in.dtype() == DType::kInt32) return count_into<T>(c, in.data<int32_t>(), columns, size, binary);
  count_into<T>(c, in.data<int64_t>(), columns, size, binary);
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

}  // namespace footlight::FL_ISA
