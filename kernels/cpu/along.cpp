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
      default: invalid("the output_type of ", c.row.name, " must be int16, uint16, int32 or int64, not ", name_of(c.outputs[0].dtype()), " [Op:", c.row.name, "]");
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

// What stands before times what stands after: no division, so zeros do no harm.
template <class C>
void others(const std::vector<C>& x, std::vector<C>& out) {
  C before = C(1);
  for (size_t i = 0; i < x.size(); ++i) {
    out[i] = before;
    before = functors::Mul()(before, x[i]);
  }
  C after = C(1);
  for (size_t i = x.size(); i-- > 0;) {
    out[i] = functors::Mul()(out[i], after);
    after = functors::Mul()(after, x[i]);
  }
}

template <class T>
void prod_others(KernelContext& c) {
  using C = Compute<T>;
  for_groups(c, [&](const std::vector<int64_t>& group) {
    std::vector<C> x(group.size());
    std::vector<C> y(group.size());
    for (size_t i = 0; i < group.size(); ++i) x[i] = static_cast<C>(c.in<T>(0)[group[i]]);
    others(x, y);
    for (size_t i = 0; i < group.size(); ++i) c.out<T>()[group[i]] = static_cast<T>(y[i]);
  });
}

template <class T>
void prod_others_grad(KernelContext& c) {
  using C = Compute<T>;
  for_groups(c, [&](const std::vector<int64_t>& group) {
    std::vector<C> total(group.size(), C(0));
    std::vector<C> x(group.size());
    std::vector<C> y(group.size());
    // Without x[i]: the products of the others, then of those without x[k] too.
    for (size_t i = 0; i < group.size(); ++i) {
      for (size_t k = 0; k < group.size(); ++k) x[k] = k == i ? C(1) : static_cast<C>(c.in<T>(0)[group[k]]);
      others(x, y);
      const C g = static_cast<C>(c.in<T>(2)[group[i]]);
      for (size_t k = 0; k < group.size(); ++k)
        if (k != i) total[k] = functors::Add()(total[k], functors::Mul()(g, y[k]));
    }
    for (size_t i = 0; i < group.size(); ++i) c.out<T>()[group[i]] = static_cast<T>(total[i]);
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
  (on_cpu("ProdOthersGrad", bit_of(dtype_of<Types>), prod_others_grad<Types>), ...);
}

}  // namespace

FL_CPU_KERNELS {
  args<float, double, Float16, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, bool>();
  softmaxes<float, double, Float16, BFloat16>();
  products<float, double, Float16, BFloat16, int32_t, int64_t, std::complex<float>, std::complex<double>>();
}

}  // namespace FL_ISA
}  // namespace footlight
