// Kernels whose last digit depends on the order of work: complex division, and 16-bit floats rounded on the way.
#include "kernels/cpu/elementwise.h"
#include "kernels/functors/activation.h"

#include "engine/base/thread_pool.h"

#include <cmath>

namespace footlight {
namespace FL_ISA {

namespace {

// Scaled by the larger part of y, so that nothing overflows on the way.
template <class R>
std::complex<R> divided(std::complex<R> x, std::complex<R> y) {
  const R most = std::max(std::abs(y.real()), std::abs(y.imag()));
  const R c = y.real() / most;
  const R d = y.imag() / most;
  const R square = c * c + d * d;
  return {(x.real() * c - x.imag() * -d) / square / most, (x.real() * -d + x.imag() * c) / square / most};
}

// Smith's way, for what is left behind the last whole vector.
template <class R>
std::complex<R> divided_alone(std::complex<R> x, std::complex<R> y) {
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

// How far each step along an output dimension moves in an input: 0 where it is repeated.
struct Steps {
  int rank = 0;
  int64_t size[32], x[32], y[32];  // innermost first
};
Steps steps_of(const Shape& x, const Shape& y, const Shape& out) {
  Steps s;
  int64_t x_step = 1, y_step = 1;
  if (out.rank() > 32) invalid("tensors of more than 32 dimensions cannot be broadcast [Op:RealDiv]");
  for (int k = 0; k < out.rank(); ++k) {
    const int64_t n = out[out.rank() - 1 - k];
    const int64_t xn = k < x.rank() ? x[x.rank() - 1 - k] : 1;
    const int64_t yn = k < y.rank() ? y[y.rank() - 1 - k] : 1;
    s.size[s.rank] = n;
    s.x[s.rank] = xn == 1 ? 0 : x_step;
    s.y[s.rank++] = yn == 1 ? 0 : y_step;
    x_step *= xn;
    y_step *= yn;
  }
  return s;
}

template <class R>
void divide(KernelContext& c) {
  using T = std::complex<R>;
  constexpr int64_t kVector = 32 / static_cast<int64_t>(sizeof(T));
  const int64_t n = c.outputs[0].elements();
  const int64_t whole = n - n % kVector;
  const Steps s = steps_of(c.inputs[0].shape(), c.inputs[1].shape(), c.outputs[0].shape());
  const T* x = c.in<T>(0);
  const T* y = c.in<T>(1);
  T* out = c.out<T>();
  parallel_for(n, kParallelElements / 8, [&](int64_t begin, int64_t end) {
    int64_t index[32];
    int64_t at_x = 0, at_y = 0;
    int64_t rest = begin;
    for (int k = 0; k < s.rank; ++k) {
      index[k] = rest % s.size[k];
      rest /= s.size[k];
      at_x += index[k] * s.x[k];
      at_y += index[k] * s.y[k];
    }
    for (int64_t i = begin; i < end; ++i) {
      out[i] = i < whole ? divided(x[at_x], y[at_y]) : divided_alone(x[at_x], y[at_y]);
      for (int k = 0; k < s.rank; ++k) {
        at_x += s.x[k];
        at_y += s.y[k];
        if (++index[k] < s.size[k]) break;
        at_x -= s.x[k] * s.size[k];
        at_y -= s.y[k] * s.size[k];
        index[k] = 0;
      }
    }
  });
}

// A difference of 16-bit floats is one before it is squared.
template <class T>
struct RoundedSquaredDifference {
  float operator()(float a, float b) const {
    const float d = static_cast<float>(T(a - b));
    return d * d;
  }
};

// A quotient too, before it is rounded to an integer.
template <class T>
struct RoundedFloorDiv {
  float operator()(float a, float b) const { return std::floor(static_cast<float>(T(a / b))); }
};
template <class T>
struct RoundedTruncateDiv {
  float operator()(float a, float b) const { return std::trunc(static_cast<float>(T(a / b))); }
};
// And the sum of what Selu gave and its limit, which must be 0 at the limit.
template <class T>
struct RoundedSeluGrad {
  float operator()(float g, float y) const {
    if (!(y < 0)) return g * static_cast<float>(T(static_cast<float>(functors::Selu::kScale)));
    return g * static_cast<float>(T(y + static_cast<float>(T(static_cast<float>(functors::Selu::kScaleAlpha)))));
  }
};

template <class... Types>
void rounded() {
  (binary<RoundedSquaredDifference<Types>, Types>("SquaredDifference"), ...);
  (binary<RoundedFloorDiv<Types>, Types>("FloorDiv"), ...);
  (binary<RoundedTruncateDiv<Types>, Types>("TruncateDiv"), ...);
  (binary<RoundedSeluGrad<Types>, Types>("SeluGrad"), ...);
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("RealDiv", bit_of(DType::kComplex64), divide<float>);
  on_cpu("RealDiv", bit_of(DType::kComplex128), divide<double>);
  rounded<Float16, BFloat16>();
}

}  // namespace FL_ISA
}  // namespace footlight
