// Kernels along one or a few dimensions: ArgMax, Softmax, and products of all the others.
#include "kernels/cpu/reduce_row.h"

#include "engine/base/thread_pool.h"
#include "kernels/cpu/lanes.h"
#include "kernels/functors/branchless.h"

#include <vector>

namespace footlight::FL_ISA {

namespace {

using functors::Compute;

int64_t axis_of(const Tensor& t, int rank) {
  const int64_t axis = t.dtype() == DType::kInt64 ? *t.data<int64_t>() : *t.data<int32_t>();
  return axis < 0 ? axis + rank : axis;
}

// The first best element. It starts at index 0 with the worst finite number, and takes what compares better: never NaN.
template <class T, bool kLargest>
constexpr T worst() { return kLargest ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max(); }

template <class T, bool kLargest>
int64_t best_of_row(const T* in, int64_t n) {
  const auto better = [](T x, T y) { return kLargest ? x > y : x < y; };
  constexpr int kChains = 64 / sizeof(T) < 16 ? 16 : 64 / sizeof(T);
  T best = worst<T, kLargest>();
  int64_t i = 0;
  if (n >= 2 * kChains) {
    T chain[kChains];
    std::fill(chain, chain + kChains, best);
    for (; i + kChains <= n; i += kChains)
      for (int k = 0; k < kChains; ++k) chain[k] = better(in[i + k], chain[k]) ? in[i + k] : chain[k];
    for (int k = 0; k < kChains; ++k) best = better(chain[k], best) ? chain[k] : best;
  }
  for (; i < n; ++i) best = better(in[i], best) ? in[i] : best;
  if (best == worst<T, kLargest>()) return 0;
  int64_t at = 0;
  for (; at + kChains <= n; at += kChains) {
    bool here = false;
    for (int k = 0; k < kChains; ++k) here |= in[at + k] == best;
    if (here) break;
  }
  while (in[at] != best) ++at;
  return at;
}

template <class T, bool kLargest>
void best_of_columns(const T* in, int64_t n, int64_t row, int64_t columns, int64_t* best) {
  constexpr int64_t kBlock = 256;
  T value[kBlock];
  int32_t index[kBlock];
  for (int64_t at = 0; at < columns; at += kBlock) {
    const int64_t here = std::min(kBlock, columns - at);
    std::fill(value, value + here, worst<T, kLargest>());
    std::fill(index, index + here, 0);
    for (int64_t k = 0; k < n; ++k) {
      const T* from = in + k * row + at;
      for (int64_t j = 0; j < here; ++j) {
        const bool better = kLargest ? from[j] > value[j] : from[j] < value[j];
        value[j] = better ? from[j] : value[j];
        index[j] = better ? static_cast<int32_t>(k) : index[j];
      }
    }
    for (int64_t j = 0; j < here; ++j) best[at + j] = index[j];
  }
}

template <class T, bool kLargest>
void best_along(const T* data, int64_t outer, int64_t n, int64_t inner, int64_t* best) {
  parallel_for(outer, std::max<int64_t>(1, (1 << 15) / (n * inner)), [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      if (inner == 1) best[o] = best_of_row<T, kLargest>(data + o * n, n);
      else best_of_columns<T, kLargest>(data + o * n * inner, n, inner, inner, best + o * inner);
    }
  });
}

template <class T, bool kLargest>
void arg(KernelContext& c) {
  const Shape& in = c.inputs[0].shape();
  const int axis = static_cast<int>(axis_of(c.inputs[1], in.rank()));
  int64_t inner = 1;
  for (int d = axis + 1; d < in.rank(); ++d) inner *= in[d];
  const int64_t n = in[axis];
  const int64_t count = c.outputs[0].elements();
  if (count == 0) return;
  const DType to = c.outputs[0].dtype();
  if (to != DType::kInt64 && to != DType::kInt32 && to != DType::kInt16 && to != DType::kUInt16)
    invalid("the output_type of ", c.row.name, " must be int16, uint16, int32 or int64, not ", name_of(to),
            " [Op:", c.row.name, "]");
  const Tensor wide = to == DType::kInt64 ? c.outputs[0] : Tensor::empty(DType::kInt64, c.outputs[0].shape());
  int64_t* best = wide.data<int64_t>();
  if constexpr (std::is_same_v<Compute<T>, T>) {
    best_along<T, kLargest>(c.in<T>(0), count / inner, n, inner, best);
  } else {
    const Tensor floats = Tensor::empty(DType::kFloat32, in);
    widen(c.in<T>(0), floats.data<float>(), floats.elements());
    best_along<float, kLargest>(floats.data<float>(), count / inner, n, inner, best);
  }
  for (int64_t i = 0; i < count && to != DType::kInt64; ++i) {
    if (to == DType::kInt32) c.out<int32_t>()[i] = static_cast<int32_t>(best[i]);
    else c.out<uint16_t>()[i] = static_cast<uint16_t>(best[i]);  // int16 has the same bits
  }
}

template <class T, bool kLog>
void softmax_row(const T* in, T* out, int64_t n) {
  const T largest = reduce_row<LargestOf>(in, n);
  T block[kHalfBlock];
  T sum = 0;
  for (int64_t at = 0; at < n; at += kHalfBlock) {
    const int64_t here = std::min(kHalfBlock, n - at);
    T* e = kLog ? block : out + at;
    map_lanes(in + at, e, here, [&](auto x) FL_INLINE_LAMBDA { return functors::branchless::exp(x - largest); });
    sum += reduce_row<SumOf>(e, here);
  }
  if constexpr (kLog) {
    const T shift = std::log(sum);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = in[i] - largest - shift;
  } else {
    const T share = T(1) / sum;
    for (int64_t i = 0; i < n; ++i) out[i] *= share;
  }
}

template <class T, bool kLog>
void softmax_last(KernelContext& c) {
  using C = Compute<T>;
  const Shape& shape = c.inputs[0].shape();
  const int64_t n = shape[shape.rank() - 1];
  if (c.outputs[0].elements() == 0) return;
  const T* all_in = c.in<T>(0);
  T* all_out = c.out<T>();
  parallel_for(c.outputs[0].elements() / n, std::max<int64_t>(1, (1 << 13) / n), [&](int64_t begin, int64_t end) {
    if constexpr (std::is_same_v<C, T>) {
      for (int64_t row = begin; row < end; ++row) softmax_row<T, kLog>(all_in + row * n, all_out + row * n, n);
    } else {
      std::vector<C> wide(static_cast<size_t>(n));
      for (int64_t row = begin; row < end; ++row) {
        widen(all_in + row * n, wide.data(), n);
        softmax_row<C, kLog>(wide.data(), wide.data(), n);
        narrow(wide.data(), all_out + row * n, n);
      }
    }
  });
}

// Softmax of adjacent columns, `row` elements from one row to the next. Input and output may be the same
// memory.
constexpr int64_t kColumnsAtOnce = 128;

template <class T, bool kLog>
void softmax_columns(const T* in, T* out, int64_t n, int64_t row, int64_t columns) {
  T largest[kColumnsAtOnce], sum[kColumnsAtOnce] = {}, part[kColumnsAtOnce];
  std::copy(in, in + columns, largest);
  for (int64_t k = 1; k < n; ++k) {
    const T* x = in + k * row;
    for (int64_t j = 0; j < columns; ++j) largest[j] = x[j] > largest[j] ? x[j] : largest[j];
  }
  for (int64_t at = 0; at < n;) {  // hierarchical sums: small terms are not lost
    std::fill(part, part + columns, T(0));
    for (const int64_t stop = std::min(n, at + 64); at < stop; ++at) {
      const T* x = in + at * row;
      T* y = out + at * row;
      for (int64_t j = 0; j < columns; j += kLanes<T>) {
        const int64_t here = columns - j;
        const auto e = functors::branchless::exp(load_lanes(x + j, here) - load_lanes(largest + j, here));
        if constexpr (!kLog) store_lanes(y + j, e, here);
        store_lanes(part + j, load_lanes(part + j, here) + e, here);
      }
    }
    for (int64_t j = 0; j < columns; ++j) sum[j] += part[j];
  }
  if constexpr (kLog)
    map_lanes(sum, sum, columns, [](auto x) FL_INLINE_LAMBDA { return functors::branchless::log(x); });
  else for (int64_t j = 0; j < columns; ++j) sum[j] = T(1) / sum[j];
  for (int64_t k = 0; k < n; ++k) {
    const T* x = in + k * row;
    T* y = out + k * row;
#pragma GCC ivdep
    for (int64_t j = 0; j < columns; ++j) {
      if constexpr (kLog) y[j] = x[j] - largest[j] - sum[j];
      else y[j] *= sum[j];
    }
  }
}

template <class T, bool kLog>
void softmax_along(KernelContext& c, int axis) {
  using C = Compute<T>;
  const Shape& shape = c.inputs[0].shape();
  if (c.outputs[0].elements() == 0) return;
  int64_t inner = 1;
  for (int d = axis + 1; d < shape.rank(); ++d) inner *= shape[d];
  const int64_t n = shape[axis], blocks = (inner + kColumnsAtOnce - 1) / kColumnsAtOnce;
  const int64_t tasks = c.outputs[0].elements() / (n * inner) * blocks;
  const int64_t grain = std::max<int64_t>(1, (1 << 13) / (n * std::min(inner, kColumnsAtOnce)));
  parallel_for(tasks, grain, [&](int64_t begin, int64_t end) {
    std::vector<C> wide(std::is_same_v<C, T> ? 0 : static_cast<size_t>(n * kColumnsAtOnce));
    for (int64_t task = begin; task < end; ++task) {
      const int64_t first = task % blocks * kColumnsAtOnce, columns = std::min(kColumnsAtOnce, inner - first);
      const T* in = c.in<T>(0) + task / blocks * n * inner + first;
      T* out = c.out<T>() + task / blocks * n * inner + first;
      if constexpr (std::is_same_v<C, T>) {
        softmax_columns<T, kLog>(in, out, n, inner, columns);
      } else {
        for (int64_t k = 0; k < n; ++k) widen(in + k * inner, wide.data() + k * columns, columns);
        softmax_columns<C, kLog>(wide.data(), wide.data(), n, columns, columns);
        for (int64_t k = 0; k < n; ++k) narrow(wide.data() + k * columns, out + k * inner, columns);
      }
    }
  });
}

template <class T, bool kLog>
void softmax(KernelContext& c) {
  const int last = c.inputs[0].shape().rank() - 1;
  const int axis = static_cast<int>(c.attrs.get_or("_axis"_attr, int64_t{-1}));
  if (axis == -1 || axis == last) softmax_last<T, kLog>(c);
  else softmax_along<T, kLog>(c, axis < 0 ? axis + last + 1 : axis);
}

// Calls body(indices of one group) for each group of elements that are reduced together.
template <class Body>
void for_groups(KernelContext& c, Body&& body) {
  const Shape& shape = c.inputs[0].shape();
  bool reduced[64] = {};
  for (int64_t k = 0; k < c.inputs[1].elements(); ++k) {
    const int64_t axis = c.inputs[1].dtype() == DType::kInt64 ? c.in<int64_t>(1)[k] : c.in<int32_t>(1)[k];
    reduced[axis < 0 ? axis + shape.rank() : axis] = true;
  }
  std::vector<int64_t> starts{0};
  std::vector<int64_t> steps{0};
  int64_t stride = 1;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    std::vector<int64_t>& list = reduced[d] ? steps : starts;
    std::vector<int64_t> grown;
    for (int64_t i = 0; i < shape[d]; ++i)
      for (int64_t x : list) grown.push_back(i * stride + x);
    list = std::move(grown);
    stride *= shape[d];
  }
  std::vector<int64_t> group(steps.size());
  for (int64_t start : starts) {
    for (size_t k = 0; k < steps.size(); ++k) group[k] = start + steps[k];
    body(group);
  }
}

// A polynomial in one variable per direction, each to the power 0 or 1: coefficient `m` belongs to the
// variables of the bits of m. An element x[i] is x[i] + sum of t[d] * direction d[i]; the coefficient of all
// variables is the derivative.
template <class C>
struct Polynomial {
  std::vector<C> of;

  static Polynomial one(size_t size) {
    Polynomial p{std::vector<C>(size, C(0))};
    p.of[0] = C(1);
    return p;
  }
  Polynomial times(const Polynomial& other) const {
    Polynomial p{std::vector<C>(of.size(), C(0))};
    for (size_t m = 0; m < of.size(); ++m)
      for (size_t part = m;; part = (part - 1) & m) {
        p.of[m] = functors::Add()(p.of[m], functors::Mul()(of[part], other.of[m ^ part]));
        if (part == 0) break;
      }
    return p;
  }
};

// Multiplies exclusive prefix and suffix products. Without a division, zeros do no harm.
template <class T>
void prod_others(KernelContext& c) {
  using C = Compute<T>;
  const size_t directions = c.inputs.size() - 2;
  if (directions > 12) invalid("a product cannot be differentiated more than 12 times [Op:ProdOthers]");
  const size_t size = size_t{1} << directions;
  for (size_t d = 0; d < directions; ++d)
    if (!(c.inputs[d + 2].shape() == c.inputs[0].shape()))
      invalid("direction ", d, " has shape ", c.inputs[d + 2].shape().to_string(), ", the input ",
              c.inputs[0].shape().to_string(), " [Op:ProdOthers]");
  for_groups(c, [&](const std::vector<int64_t>& group) {
    std::vector<Polynomial<C>> x;
    for (int64_t at : group) {
      Polynomial<C> p{std::vector<C>(size, C(0))};
      p.of[0] = static_cast<C>(c.in<T>(0)[at]);
      for (size_t d = 0; d < directions; ++d) p.of[size_t{1} << d] = static_cast<C>(c.in<T>(d + 2)[at]);
      x.push_back(std::move(p));
    }
    std::vector<Polynomial<C>> before{Polynomial<C>::one(size)};
    for (const Polynomial<C>& p : x) before.push_back(before.back().times(p));
    Polynomial<C> after = Polynomial<C>::one(size);
    for (size_t i = x.size(); i-- > 0;) {
      c.out<T>()[group[i]] = static_cast<T>(before[i].times(after).of[size - 1]);
      after = after.times(x[i]);
    }
  });
}

template <class... Types>
void args() {
  (on_cpu("ArgMax", bit_of(dtype_of<Types>), arg<Types, true>), ...);
  (on_cpu("ArgMin", bit_of(dtype_of<Types>), arg<Types, false>), ...);
}
template <class... Types>
void softmaxes() {
  (on_cpu("Softmax", bit_of(dtype_of<Types>), softmax<Types, false>), ...);
  (on_cpu("LogSoftmax", bit_of(dtype_of<Types>), softmax<Types, true>), ...);
}
template <class... Types>
void products() { (on_cpu("ProdOthers", bit_of(dtype_of<Types>), prod_others<Types>), ...); }

}  // namespace

FL_CPU_KERNELS {
  args<float, double, Float16, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
       uint64_t>();
  on_cpu("ArgMax", bit_of(DType::kBool), arg<uint8_t, true>);
  on_cpu("ArgMin", bit_of(DType::kBool), arg<uint8_t, false>);
  softmaxes<float, double, Float16, BFloat16>();
  products<float, double, Float16, BFloat16, int32_t, int64_t, std::complex<float>, std::complex<double>>();
}

}  // namespace footlight::FL_ISA
