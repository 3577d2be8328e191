// Elementwise loops: one loop per functor and dtype, and one driver for all that iterates over broadcast shapes.
#pragma once

#include "kernels/cpu/half_block.h"
#include "kernels/cpu/lanes.h"
#include "kernels/cpu/loop.h"
#include "kernels/cpu/register.h"
#include "kernels/functors/common.h"

#include <algorithm>

namespace footlight::FL_ISA {

using functors::Compute;

// Number of elements from which a plain loop is parallelised.
inline constexpr int64_t kParallelElements = 1 << 15;

using BinaryLoop = ElementLoop::Binary;
using UnaryLoop = ElementLoop::Unary;

// Iterates over the shapes. `weight`: the cost of an element, 1 for an addition.
void run_binary(KernelContext&, BinaryLoop, size_t in_size, size_t out_size, int weight);
void run_unary(KernelContext&, UnaryLoop, size_t in_size, size_t out_size, int weight);

// Whether the functor takes vectors of T, or the compiler vectorises a loop over elements.
template <class F, class T>
constexpr bool on_lanes() {
  if constexpr (std::is_floating_point_v<T> && requires { F::template kOnLanes<T>; }) return F::template kOnLanes<T>;
  else return false;
}

template <class F, class T>
[[gnu::flatten]] void lanes_loop(const T* in, T* out, int64_t n) {
  map_lanes(in, out, n, F{});
}
template <class F, class T>
[[gnu::flatten]] void lanes_loop(const T* a, int a_stride, const T* b, int b_stride, T* out, int64_t n) {
  if (n) map_lanes(a, a_stride, b, b_stride, out, n, F{});
}

template <class T>
inline constexpr bool is_half = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

// Runs the loop of floats over 16-bit floats, a block at a time.
template <class T, class R, class Loop>
void binary_by_blocks(const T* a, int a_stride, const T* b, int b_stride, R* out, int64_t n, Loop&& loop) {
  float x[kHalfBlock], y[kHalfBlock], result[is_half<R> ? kHalfBlock : 1];
  if (!a_stride) x[0] = *a;
  if (!b_stride) y[0] = *b;
  for (int64_t i = 0; i < n; i += kHalfBlock) {
    const int64_t here = std::min(kHalfBlock, n - i);
    if (a_stride) widen(a + i, x, here);
    if (b_stride) widen(b + i, y, here);
    if constexpr (is_half<R>) {
      loop(x, a_stride, y, b_stride, result, here);
      narrow(result, out + i, here);
    } else {
      loop(x, a_stride, y, b_stride, out + i, here);
    }
  }
}

// The loop may ignore dependencies (ivdep): the output is an input's memory, or does not overlap it.
template <class F, class T, class R>
void binary_loop(const void* a_memory, int a_stride, const void* b_memory, int b_stride, void* out_memory, int64_t n) {
  const T* a = static_cast<const T*>(a_memory);
  const T* b = static_cast<const T*>(b_memory);
  R* out = static_cast<R*>(out_memory);
  if constexpr (is_half<T>) {
    binary_by_blocks(a, a_stride, b, b_stride, out, n,
                     binary_loop<F, float, std::conditional_t<is_half<R>, float, R>>);
    return;
  } else if constexpr (on_lanes<F, T>()) {
    lanes_loop<F>(a, a_stride, b, b_stride, out, n);
  } else {
    const F f{};
    if (a_stride == 1 && b_stride == 1) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<R>(f(a[i], b[i]));
    } else if (a_stride == 1) {
      const T y = *b;
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<R>(f(a[i], y));
    } else if (b_stride == 1) {
      const T x = *a;
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<R>(f(x, b[i]));
    } else {
      const R value = static_cast<R>(f(*a, *b));
#pragma GCC ivdep
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

// A functor with an exact form and a fast one for a limited range: whole vectors by the latter, then fixes the rest.
template <class F, class T>
void limited_loop(const T* in, T* out, int64_t n) {
  using namespace functors::branchless;
  using L = Lanes<T>;
  const L limit = all<L>(static_cast<T>(F::kLimit));
  map_lanes(in, out, n, [&](L x) FL_INLINE_LAMBDA {
    L y = F::within_limit(x);
    if (any(beyond(magnitude(x), limit))) [[unlikely]]
      for (int64_t k = 0; k < kLanes<T>; ++k)
        if (!(std::abs(x[k]) <= limit[k])) y[k] = F()(T(x[k]));
    return y;
  });
}

template <class F, class T, class R>
void unary_loop(const void* in_memory, void* out_memory, int64_t n) {
  const T* in = static_cast<const T*>(in_memory);
  R* out = static_cast<R*>(out_memory);
  if constexpr (is_half<T>) {
    float x[kHalfBlock], result[is_half<R> ? kHalfBlock : 1];
    for (int64_t i = 0; i < n; i += kHalfBlock) {
      const int64_t here = std::min(kHalfBlock, n - i);
      widen(in + i, x, here);
      if constexpr (is_half<R>) {
        unary_loop<F, float, float>(x, result, here);
        narrow(result, out + i, here);
      } else {
        unary_loop<F, float, R>(x, out + i, here);
      }
    }
  } else if constexpr (std::is_floating_point_v<T> && requires { F::kLimit; }) {
    limited_loop<F>(in, out, n);
  } else if constexpr (on_lanes<F, T>()) {
    lanes_loop<F>(in, out, n);
  } else {
    const F f{};
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<R>(f(in[i]));
  }
}

template <class F, class T, class R, int kWeight>
void unary_kernel(KernelContext& c) {
  run_unary(c, unary_loop<F, T, R>, sizeof(T), sizeof(R), kWeight);
}

// Registration of one dtype, whose elements are computed as T.
template <class F, class T, class R, int kWeight>
void binary_as(std::string_view op, DType dtype) {
  on_cpu(op, bit_of(dtype), binary_kernel<F, T, R, kWeight>, {binary_loop<F, T, R>, kWeight});
}
template <class F, class T, class R, int kWeight>
void unary_as(std::string_view op, DType dtype) {
  on_cpu(op, bit_of(dtype), unary_kernel<F, T, R, kWeight>, {unary_loop<F, T, R>, kWeight});
}
// Registers several dtypes at once: binary<functors::Add, int32_t, float>("AddV2").
template <class F, class... Types>
void binary(std::string_view op) {
  (binary_as<F, Types, Types, 1>(op, dtype_of<Types>), ...);
}
template <class F, class... Types>
void compare(std::string_view op) {
  (binary_as<F, Types, bool, 1>(op, dtype_of<Types>), ...);
}
template <class F, class... Types>
void unary(std::string_view op) {
  (unary_as<F, Types, Types, 1>(op, dtype_of<Types>), ...);
}
// Registers expensive functions (exp, tanh, pow, ...), which are parallelised from fewer elements on.
template <class F, class... Types>
void costly_binary(std::string_view op) {
  (binary_as<F, Types, Types, 8>(op, dtype_of<Types>), ...);
}
template <class F, class... Types>
void costly_unary(std::string_view op) {
  (unary_as<F, Types, Types, 8>(op, dtype_of<Types>), ...);
}

#define FL_FLOATS float, double, Float16, BFloat16
#define FL_INTEGERS int32_t, int64_t, int8_t, int16_t, uint8_t, uint16_t, uint32_t, uint64_t
#define FL_COMPLEX std::complex<float>, std::complex<double>

}  // namespace footlight::FL_ISA
