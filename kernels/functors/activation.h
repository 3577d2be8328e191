// Activation functions and their gradients; `g` is the incoming gradient.
#pragma once

#include "kernels/functors/branchless.h"

namespace footlight::functors {

// The comparisons are such that NaN stays NaN.
struct Relu6 {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return x < T(0) ? T(0) : x > T(6) ? T(6) : x; }
};
struct Relu6Grad {
  template <class T> FL_HOST_DEVICE T operator()(T g, T x) const { return x > T(0) && x < T(6) ? g : T(0); }
};
struct Elu {
  FL_ON_ALL_LANES
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return branchless::linear_unit(x, 1, 1); }
};
struct EluGrad {  // y: output of Elu
  template <class T> FL_HOST_DEVICE T operator()(T g, T y) const { return y < T(0) ? (y + T(1)) * g : g; }
};

// The scale and alpha for which mean 0 and variance 1 are a fixed point.
struct Selu {
  static constexpr double kScale = 1.0507009873554804934193349852946;
  static constexpr double kScaleAlpha = 1.7580993408473768599402175208123;
  FL_ON_ALL_LANES
  template <class T> FL_HOST_DEVICE T operator()(T x) const {
    return branchless::linear_unit(x, kScale, kScaleAlpha);
  }
};
struct SeluGrad {  // y: output of Selu
  template <class T> FL_HOST_DEVICE T operator()(T g, T y) const {
    return y < T(0) ? g * (y + T(Selu::kScaleAlpha)) : g * T(Selu::kScale);
  }
};

// log(1 + exp(x)): never overflows, and is exact where exp(x) is small.
struct Softplus {
  FL_ON_ALL_LANES
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return branchless::softplus(x); }
};
struct SoftplusGrad {
  FL_ON_ALL_LANES
  template <class T> FL_HOST_DEVICE T operator()(T g, T x) const {
    return g / (branchless::exp(-x) + branchless::all<T>(1));
  }
};
struct Softsign {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return x / (T(1) + std::abs(x)); }
};
struct SoftsignGrad {
  template <class T> FL_HOST_DEVICE T operator()(T g, T x) const {
    const T d = T(1) + std::abs(x);
    return g / (d * d);
  }
};

}  // namespace footlight::functors
