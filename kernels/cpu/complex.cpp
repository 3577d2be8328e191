// Kernels of complex numbers as vector code: real and imaginary parts in separate blocks; elements that the fast path
// does not cover are recomputed by the library.
#include "kernels/cpu/elementwise.h"

#include "engine/base/thread_pool.h"
#include "kernels/functors/branchless.h"

#include <cmath>

namespace footlight::FL_ISA {

namespace {

using functors::branchless::choose;
using functors::branchless::magnitude;
using functors::branchless::with_sign_of;

constexpr int64_t kBlock = 256;

template <class R>
void split_parts(const std::complex<R>* in, R* re, R* im, int64_t n) {
  const R* parts = reinterpret_cast<const R*>(in);
  for (int64_t i = 0; i < n; ++i) {
    re[i] = parts[2 * i];
    im[i] = parts[2 * i + 1];
  }
}
template <class R>
void join_parts(const R* re, const R* im, std::complex<R>* out, int64_t n) {
  R* parts = reinterpret_cast<R*>(out);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    parts[2 * i] = re[i];
    parts[2 * i + 1] = im[i];
  }
}

// Whether squares and quotients of numbers of this magnitude neither overflow nor lose digits.
template <class R>
struct Middle {
  static constexpr R kLow = sizeof(R) == 4 ? R(1e-15) : R(1e-140), kHigh = sizeof(R) == 4 ? R(1e15) : R(1e140);
  static bool holds(R x, R y) {
    const R a = magnitude(x), b = magnitude(y), most = a > b ? a : b;
    return (most >= kLow) & (a <= kHigh) & (b <= kHigh);
  }
};

struct Sqrt {
  template <class R>
  static bool covers(R x, R y) {
    return Middle<R>::holds(x, y);
  }
  template <class R>
  static void at(R x, R y, R& re, R& im) {
    const R a = magnitude(x);
    const R larger = std::sqrt(R(0.5) * (a + std::sqrt(x * x + y * y)));
    const R smaller = R(0.5) * magnitude(y) / larger;
    re = choose(x >= R(0), larger, smaller);
    im = with_sign_of(choose(x >= R(0), smaller, larger), y);
  }
  template <class T>
  T operator()(T x) const {
    return std::sqrt(x);
  }
};

struct Exp {
  template <class R>
  static bool covers(R x, R y) {
    return (x <= (sizeof(R) == 4 ? R(80) : R(700))) & (x >= (sizeof(R) == 4 ? R(-80) : R(-700))) &
           (magnitude(y) <= static_cast<R>(functors::branchless::kTrigonometricLimit));
  }
  template <class R>
  static void at(R x, R y, R& re, R& im) {
    const R e = functors::branchless::exp(x);
    re = e * functors::branchless::cos(y);
    im = e * functors::branchless::sin(y);
  }
  template <class T>
  T operator()(T x) const {
    return std::exp(x);
  }
};

template <class F, class R>
void complex_loop(const void* in_memory, void* out_memory, int64_t n) {
  const auto* in = static_cast<const std::complex<R>*>(in_memory);
  auto* out = static_cast<std::complex<R>*>(out_memory);
  R x[kBlock], y[kBlock], re[kBlock], im[kBlock];
  for (int64_t at = 0; at < n; at += kBlock) {
    const int64_t here = std::min(kBlock, n - at);
    split_parts(in + at, x, y, here);
    int beyond = 0;
    for (int64_t i = 0; i < here; ++i) beyond |= !F::covers(x[i], y[i]);
#pragma GCC ivdep
    for (int64_t i = 0; i < here; ++i) F::at(x[i], y[i], re[i], im[i]);
    join_parts(re, im, out + at, here);
    for (int64_t i = 0; beyond && i < here; ++i)
      if (!F::covers(x[i], y[i])) out[at + i] = F()(std::complex<R>(x[i], y[i]));
  }
}

// The magnitude of (x, y). Floats are computed in double, where nothing overflows; an infinite part makes it infinite.
template <class R>
void absolute_values(const void* in_memory, void* out_memory, int64_t n) {
  const auto* in = static_cast<const std::complex<R>*>(in_memory);
  R* out = static_cast<R*>(out_memory);
  constexpr R kInfinity = std::numeric_limits<R>::infinity();
  R x[kBlock], y[kBlock];
  for (int64_t at = 0; at < n; at += kBlock) {
    const int64_t here = std::min(kBlock, n - at);
    split_parts(in + at, x, y, here);
    R* to = out + at;
    if constexpr (sizeof(R) == 4) {
#pragma GCC ivdep
      for (int64_t i = 0; i < here; ++i) {
        const double a = x[i], b = y[i];
        const float length = static_cast<float>(std::sqrt(a * a + b * b));
        to[i] = choose((magnitude(x[i]) == kInfinity) | (magnitude(y[i]) == kInfinity), kInfinity, length);
      }
    } else {
      for (int64_t i = 0; i < here; ++i) to[i] = std::hypot(x[i], y[i]);
    }
  }
}

// Divides after scaling by the larger part of y, so that no intermediate overflows.
template <class R>
void divided(R a, R b, R p, R q, R& re, R& im) {
  const R most = magnitude(p) < magnitude(q) ? magnitude(q) : magnitude(p);
  const R c = p / most;
  const R d = q / most;
  const R square = c * c + d * d;
  re = (a * c - b * -d) / square / most;
  im = (a * -d + b * c) / square / most;
}

// Divides by Smith's algorithm, as TensorFlow does in the tail after the last whole vector.
template <class R>
std::complex<R> divide_one(std::complex<R> x, std::complex<R> y) {
  const R a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
  if (std::abs(c) < std::abs(d)) {
    const R ratio = c / d;
    const R scale = c * ratio + d;
    return {(a * ratio + b) / scale, (b * ratio - a) / scale};
  }
  const R ratio = d / c;
  const R scale = d * ratio + c;
  return {(b * ratio + a) / scale, (b - a * ratio) / scale};
}

// The offset, in an input that is broadcast along dimensions of 1, of the element at a flat output index.
int64_t place_of(int64_t flat, const Shape& in, const Shape& out) {
  int64_t at = 0, stride = 1;
  for (int k = 1; k <= in.rank(); ++k) {
    const int64_t size = in[in.rank() - k];
    if (size != 1) at += flat % out[out.rank() - k] * stride;
    flat /= out[out.rank() - k];
    stride *= size;
  }
  return at;
}

template <class R>
void divide_loop(const void* x_memory, int x_stride, const void* y_memory, int y_stride, void* out_memory, int64_t n) {
  const auto* x = static_cast<const std::complex<R>*>(x_memory);
  const auto* y = static_cast<const std::complex<R>*>(y_memory);
  auto* out = static_cast<std::complex<R>*>(out_memory);
  R a[kBlock], b[kBlock], p[kBlock], q[kBlock];
  std::fill_n(a, kBlock, x->real());
  std::fill_n(b, kBlock, x->imag());
  std::fill_n(p, kBlock, y->real());
  std::fill_n(q, kBlock, y->imag());
  for (int64_t at = 0; at < n; at += kBlock) {
    const int64_t here = std::min(kBlock, n - at);
    if (x_stride) split_parts(x + at, a, b, here);
    if (y_stride) split_parts(y + at, p, q, here);
    R re[kBlock], im[kBlock];
#pragma GCC ivdep
    for (int64_t i = 0; i < here; ++i) divided(a[i], b[i], p[i], q[i], re[i], im[i]);
    join_parts(re, im, out + at, here);
  }
}

template <class R>
void divide(KernelContext& c) {
  using T = std::complex<R>;
  constexpr int64_t kVector = 32 / static_cast<int64_t>(sizeof(T));
  const int64_t n = c.outputs[0].elements();
  const int64_t rest = n % kVector;
  T last_x[kVector], last_y[kVector];
  // Their operands are read before the output is written, which may be the same memory.
  for (int64_t k = 0; k < rest; ++k) {
    last_x[k] = c.in<T>(0)[place_of(n - rest + k, c.inputs[0].shape(), c.outputs[0].shape())];
    last_y[k] = c.in<T>(1)[place_of(n - rest + k, c.inputs[1].shape(), c.outputs[0].shape())];
  }
  run_binary(c, divide_loop<R>, sizeof(T), sizeof(T), 8);
  for (int64_t k = 0; k < rest; ++k) c.out<T>()[n - rest + k] = divide_one(last_x[k], last_y[k]);
}

template <class R>
void complex_kernels() {
  using T = std::complex<R>;
  constexpr int kWeight = 8;
  on_cpu("Sqrt", bit_of(dtype_of<T>), [](KernelContext& c) {
    run_unary(c, complex_loop<Sqrt, R>, sizeof(T), sizeof(T), kWeight);
  });
  on_cpu("Exp", bit_of(dtype_of<T>), [](KernelContext& c) {
    run_unary(c, complex_loop<Exp, R>, sizeof(T), sizeof(T), kWeight);
  });
  on_cpu("ComplexAbs", bit_of(dtype_of<T>), [](KernelContext& c) {
    run_unary(c, absolute_values<R>, sizeof(T), sizeof(R), kWeight);
  });
  on_cpu("RealDiv", bit_of(dtype_of<T>), divide<R>);
}

}  // namespace

FL_CPU_KERNELS {
  complex_kernels<float>();
  complex_kernels<double>();
}

}  // namespace footlight::FL_ISA
