// Kernels that work along one or a few dimensions: ArgMax, Softmax, and products of all the others.
#include "kernels/cpu/register.h"

#include "engine/base/thread_pool.h"
#include "kernels/functors/arithmetic.h"

#include <algorithm>
#include <vector>

namespace footlight {
namespace FL_ISA {

namespace {

using functors::Compute;

int64_t axis_of(const Tensor& t, int rank) {
  const int64_t axis = t.dtype() == DType::kInt64 ? *t.data<int64_t>() : *t.data<int32_t>();
  return axis < 0 ? axis + rank : axis;
}

// The first of the best; comparisons with NaN are false, so one is taken only where it stands first.
template <class T, bool kLargest>
void arg(KernelContext& c) {
  const Shape& in = c.inputs[0].shape();
  const int axis = static_cast<int>(axis_of(c.inputs[1], in.rank()));
  int64_t inner = 1;
  for (int d = axis + 1; d < in.rank(); ++d) inner *= in[d];
  const int64_t n = in[axis];
  const T* data = c.in<T>(0);
  for (int64_t i = 0, count = c.outputs[0].elements(); i < count; ++i) {
    const T* from = data + i / inner * n * inner + i % inner;
    int64_t best = 0;
    for (int64_t k = 1; k < n; ++k) {
      const Compute<T> x = static_cast<Compute<T>>(from[k * inner]);
      const Compute<T> y = static_cast<Compute<T>>(from[best * inner]);
      if (kLargest ? x > y : x < y) best = k;
    }
    switch (c.outputs[0].dtype()) {
      case DType::kInt32: c.out<int32_t>()[i] = static_cast<int32_t>(best); break;
      case DType::kInt16: c.out<int16_t>()[i] = static_cast<int16_t>(best); break;
      case DType::kUInt16: c.out<uint16_t>()[i] = static_cast<uint16_t>(best); break;
      case DType::kInt64: c.out<int64_t>()[i] = best; break;
      default:
        invalid("the output_type of ", c.row.name, " must be int16, uint16, int32 or int64, not ",
                name_of(c.outputs[0].dtype()), " [Op:", c.row.name, "]");
    }
  }
}

template <class T, bool kLog>
void softmax(KernelContext& c) {
  using C = Compute<T>;
  const Shape& shape = c.inputs[0].shape();
  const int64_t n = shape[shape.rank() - 1];
  if (c.outputs[0].elements() == 0) return;
  const T* all_in = c.in<T>(0);
  T* all_out = c.out<T>();
  parallel_for(c.outputs[0].elements() / n, std::max<int64_t>(1, 4096 / n), [&](int64_t begin, int64_t end) {
    std::vector<C> e(static_cast<size_t>(n));
    for (int64_t row = begin; row < end; ++row) {
      const T* in = all_in + row * n;
      T* out = all_out + row * n;
      C largest = static_cast<C>(in[0]);
      for (int64_t i = 1; i < n; ++i) largest = functors::Maximum()(largest, static_cast<C>(in[i]));
      C sum = 0;
      for (int64_t i = 0; i < n; ++i) {
        e[static_cast<size_t>(i)] = std::exp(static_cast<C>(in[i]) - largest);
        sum += e[static_cast<size_t>(i)];
      }
      const C log_sum = kLog ? std::log(sum) : C(0);
      for (int64_t i = 0; i < n; ++i)
        out[i] = static_cast<T>(kLog ? static_cast<C>(in[i]) - largest - log_sum : e[static_cast<size_t>(i)] / sum);
    }
  });
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

// What stands before times what stands after: no division, so zeros do no harm.
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
void products() {
  (on_cpu("ProdOthers", bit_of(dtype_of<Types>), prod_others<Types>), ...);
}

}  // namespace

FL_CPU_KERNELS {
  args<float, double, Float16, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
       uint64_t, bool>();
  softmaxes<float, double, Float16, BFloat16>();
  products<float, double, Float16, BFloat16, int32_t, int64_t, std::complex<float>, std::complex<double>>();
}

}  // namespace FL_ISA
}  // namespace footlight
