// Loops over elements: one loop per functor and dtype, and one driver for all that walks broadcast shapes.
#pragma once

#include "kernels/cpu/register.h"
#include "kernels/functors/common.h"

namespace footlight {
namespace FL_ISA {

using functors::Compute;

// From how many elements on a plain loop is spread over the cores.
inline constexpr int64_t kParallelElements = 1 << 15;

// n elements; a stride is 0 (one element for all) or 1.
using BinaryLoop = void (*)(const void* a, int a_stride, const void* b, int b_stride, void* out, int64_t n);
using UnaryLoop = void (*)(const void* in, void* out, int64_t n);

// Walks the shapes. `weight`: how much an element costs, 1 for an addition.
void run_binary(KernelContext&, BinaryLoop, size_t in_size, size_t out_size, int weight);
void run_unary(KernelContext&, UnaryLoop, size_t in_size, size_t out_size, int weight);

template <class F, class T, class R>
void binary_loop(const void* a_memory, int a_stride, const void* b_memory, int b_stride, void* out_memory, int64_t n) {
  using C = Compute<T>;
  const T* a = static_cast<const T*>(a_memory);
  const T* b = static_cast<const T*>(b_memory);
  R* out = static_cast<R*>(out_memory);
  const F f{};
  if (a_stride == 1 && b_stride == 1) {
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<R>(f(static_cast<C>(a[i]), static_cast<C>(b[i])));
  } else if (a_stride == 1) {
    const C y = static_cast<C>(*b);
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<R>(f(static_cast<C>(a[i]), y));
  } else {
    const C x = static_cast<C>(*a);
    if (b_stride == 1) {
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<R>(f(x, static_cast<C>(b[i])));
    } else {
      const R value = static_cast<R>(f(x, static_cast<C>(*b)));
      for (int64_t i = 0; i < n; ++i) out[i] = value;
    }
  }
}

template <class F, class T, class R, int kWeight>
void binary_kernel(KernelContext& c) {
  if (c.inputs[0].shape() == c.inputs[1].shape() && c.outputs[0].elements() < kParallelElements) {
    binary_loop<F, T, R>(c.inputs[0].raw(), 1, c.inputs[1].raw(), 1, c.outputs[0].raw(), c.outputs[0].elements());
  } else {
    run_binary(c, binary_loop<F, T, R>, sizeof(T), sizeof(R), kWeight);
  }
}

template <class F, class T, class R>
void unary_loop(const void* in_memory, void* out_memory, int64_t n) {
  using C = Compute<T>;
  const T* in = static_cast<const T*>(in_memory);
  R* out = static_cast<R*>(out_memory);
  const F f{};
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<R>(f(static_cast<C>(in[i])));
}

template <class F, class T, class R, int kWeight>
void unary_kernel(KernelContext& c) {
  run_unary(c, unary_loop<F, T, R>, sizeof(T), sizeof(R), kWeight);
}

// Registration for several dtypes at once: binary<functors::Add, int32_t, float>("AddV2").
template <class F, class... Types>
void binary(std::string_view op) {
  (on_cpu(op, bit_of(dtype_of<Types>), binary_kernel<F, Types, Types, 1>), ...);
}
template <class F, class... Types>
void compare(std::string_view op) {
  (on_cpu(op, bit_of(dtype_of<Types>), binary_kernel<F, Types, bool, 1>), ...);
}
template <class F, class... Types>
void unary(std::string_view op) {
  (on_cpu(op, bit_of(dtype_of<Types>), unary_kernel<F, Types, Types, 1>), ...);
}
// Costly functions (exp, tanh, pow, ...): worth spreading from fewer elements on.
template <class F, class... Types>
void costly_binary(std::string_view op) {
  (on_cpu(op, bit_of(dtype_of<Types>), binary_kernel<F, Types, Types, 8>), ...);
}
template <class F, class... Types>
void costly_unary(std::string_view op) {
  (on_cpu(op, bit_of(dtype_of<Types>), unary_kernel<F, Types, Types, 8>), ...);
}

#define FL_FLOATS float, double, Float16, BFloat16
#define FL_INTEGERS int32_t, int64_t, int8_t, int16_t, uint8_t, uint16_t, uint32_t, uint64_t
#define FL_COMPLEX std::complex<float>, std::complex<double>

}  // namespace FL_ISA
}  // namespace footlight
