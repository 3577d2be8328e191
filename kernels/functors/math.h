// Unary functions.
#pragma once

#include "kernels/functors/arithmetic.h"
#include "kernels/functors/branchless.h"

namespace footlight::functors {

struct Neg {
  template <class T> FL_HOST_DEVICE T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(Wrapping<T>(0) - Wrapping<T>(x));
    else return -x;
  }
};
struct Abs {
  template <class T> FL_HOST_DEVICE auto operator()(T x) const {
    if constexpr (std::is_unsigned_v<T>) return x;
    else if constexpr (std::is_integral_v<T>) return x < 0 ? Neg()(x) : x;
    else return std::abs(x);
  }
};
struct Sign {
  template <class T> FL_HOST_DEVICE T operator()(T x) const {
    if constexpr (is_complex_v<T>) return x == T(0) ? x : x / std::abs(x);
    else if constexpr (std::is_unsigned_v<T>) return x != 0;
    else if constexpr (std::is_integral_v<T>) return static_cast<T>((x > 0) - (x < 0));
    else return x > 0 ? T(1) : x < 0 ? T(-1) : x;
  }
};
struct Square {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return Mul()(x, x); }
};
struct Reciprocal {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return T(1) / x; }
};
struct Sqrt {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return std::sqrt(x); }
};
struct Rsqrt {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return T(1) / std::sqrt(x); }
};
struct Exp {
  FL_ON_ALL_LANES
  template <class T> FL_HOST_DEVICE T operator()(T x) const {
    if constexpr (is_complex_v<T>) return std::exp(x);
    else return branchless::exp(x);
  }
};
struct Expm1 {
  FL_ON_ALL_LANES
  template <class T> FL_HOST_DEVICE T operator()(T x) const {
    if constexpr (is_complex_v<T>) return std::exp(x) - T(1);
    else return branchless::expm1(x);
  }
};
struct Log {
  FL_ON_ALL_LANES
  template <class T> FL_HOST_DEVICE T operator()(T x) const {
    if constexpr (is_complex_v<T>) return std::log(x);
    else return branchless::log(x);
  }
};
struct Log1p {
  FL_ON_ALL_LANES
  template <class T> FL_HOST_DEVICE T operator()(T x) const {
    if constexpr (is_complex_v<T>) return std::log(T(1) + x);
    else return branchless::log1p(x);
  }
};
struct Tanh {
  FL_ON_ALL_LANES
  template <class T> FL_HOST_DEVICE T operator()(T x) const {
    if constexpr (is_complex_v<T>) return std::tanh(x);
    else return branchless::tanh(x);
  }
};
struct Sigmoid {
  FL_ON_ALL_LANES
  template <class T> FL_HOST_DEVICE T operator()(T x) const {
    if constexpr (is_complex_v<T>) return T(1) / (T(1) + std::exp(-x));
    else return branchless::sigmoid(x);
  }
};
struct Sin {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return std::sin(x); }
  FL_LIMITED(sin)
};
struct Cos {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return std::cos(x); }
  FL_LIMITED(cos)
};
struct Floor {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return std::floor(x); }
};
struct Ceil {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return std::ceil(x); }
};
// Rounds to nearest, halves to even.
struct Round {
  template <class T> FL_HOST_DEVICE T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) return x;
    else return std::nearbyint(x);
  }
};
struct Relu {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return x < T(0) ? T(0) : x; }
};
struct Conj {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return std::conj(x); }
};
struct IsNan {
  template <class T> FL_HOST_DEVICE bool operator()(T x) const { return x != x; }
};
struct IsFinite {
  template <class T> FL_HOST_DEVICE bool operator()(T x) const { return x - x == T(0); }
};
struct IsInf {
  template <class T> FL_HOST_DEVICE bool operator()(T x) const { return x == x && x - x != T(0); }
};

// Gradients in terms of the forward op's output y (Relu: its input) and the incoming gradient.
struct TanhGrad {
  template <class T> FL_HOST_DEVICE T operator()(T y, T dy) const { return Mul()(dy, T(1) - Mul()(y, y)); }
};
struct SigmoidGrad {
  template <class T> FL_HOST_DEVICE T operator()(T y, T dy) const { return Mul()(Mul()(dy, y), T(1) - y); }
};
struct ReluGrad {
  template <class T> FL_HOST_DEVICE T operator()(T dy, T x) const { return x > T(0) ? dy : T(0); }
};

}  // namespace footlight::functors
