// Shared by the linear algebra kernels: the matrices of a batch, half precision through float.
#pragma once

#include "kernels/cpu/register.h"

#include "engine/base/thread_pool.h"
#include "kernels/functors/common.h"

#include <algorithm>
#include <vector>

namespace footlight::FL_ISA {

struct Sizes {
  int64_t rows = 0, columns = 0;
  int64_t elements() const { return rows * columns; }
};

inline Sizes sizes_of(const Tensor& t) {
  const Shape& s = t.shape();
  return {s[s.rank() - 2], s[s.rank() - 1]};
}
inline int64_t batches_of(const Tensor& t) {
  int64_t count = 1;
  for (int d = 0; d < t.shape().rank() - 2; ++d) count *= t.shape()[d];
  return count;
}

// The matrix of a broadcast input that belongs to matrix `at` of the output.
inline int64_t source_of(const Shape& in, const Shape& out, int64_t at) {
  int64_t index = 0, stride = 1;
  for (int d = out.rank() - 3; d >= 0; --d) {
    const int64_t here = at % out[d];
    at /= out[d];
    const int from = d - (out.rank() - in.rank());
    if (from < 0) continue;
    if (in[from] != 1) index += here * stride;
    stride *= in[from];
  }
  return index;
}

// Calls body(index) for each matrix of the first input, in parallel if they are large enough.
template <class Body>
void for_matrices(const KernelContext& c, Body&& body) {
  if (std::all_of(c.outputs.begin(), c.outputs.end(), [](const Tensor& t) { return t.elements() == 0; })) return;
  const Sizes s = sizes_of(c.inputs[0]);
  const int64_t cost = std::max<int64_t>(1, s.rows * s.columns * std::min(s.rows, s.columns));
  parallel_for(batches_of(c.inputs[0]), std::max<int64_t>(1, (1 << 16) / cost), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

template <class From, class To>
void convert(const Tensor& from, const Tensor& to) {
  const From* in = from.data<From>();
  std::transform(in, in + from.elements(), to.data<To>(), [](From x) { return static_cast<To>(x); });
}

// Runs a kernel of `Wide` for a narrower dtype, by converting its inputs and outputs. Half precision goes through
// float; the largest decompositions exist in double precision alone, because each further dtype costs a minute of
// compile time.
template <class T, class Wide, void (*kernel)(KernelContext&)>
void in_wider_type(KernelContext& c) {
  std::vector<Tensor> inputs(c.inputs.begin(), c.inputs.end()), outputs(c.outputs.begin(), c.outputs.end());
  for (Tensor& t : inputs) {
    if (t.dtype() != dtype_of<T>) continue;
    const Tensor wide = Tensor::empty(dtype_of<Wide>, t.shape());
    convert<T, Wide>(t, wide);
    t = wide;
  }
  for (Tensor& t : outputs)
    if (t.dtype() == dtype_of<T>) t = Tensor::empty(dtype_of<Wide>, t.shape());
  KernelContext wide{c.row, c.attrs, inputs, outputs};
  kernel(wide);
  for (size_t i = 0; i < outputs.size(); ++i)
    if (c.outputs[i].dtype() == dtype_of<T>) convert<Wide, T>(outputs[i], c.outputs[i]);
}

// Registers the kernels of an op on real matrices.
template <void (*of_floats)(KernelContext&), void (*of_doubles)(KernelContext&)>
void on_real_matrices(std::string_view op) {
  on_cpu(op, bit_of(DType::kFloat32), of_floats);
  on_cpu(op, bit_of(DType::kFloat64), of_doubles);
  on_cpu(op, bit_of(DType::kFloat16), in_wider_type<Float16, float, of_floats>);
}

}  // namespace footlight::FL_ISA
