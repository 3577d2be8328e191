// Products and quotients that are 0 if one factor is, whatever the other; and gradients in terms of outputs.
#pragma once

#include "kernels/functors/arithmetic.h"

namespace footlight::functors {

struct MulNoNan {
  template <class T> FL_HOST_DEVICE T operator()(T x, T y) const { return y == T(0) ? T(0) : Mul()(x, y); }
};
struct Xdivy {
  template <class T> FL_HOST_DEVICE T operator()(T x, T y) const { return x == T(0) ? x : x / y; }
};
struct Xlogy {
  template <class T> FL_HOST_DEVICE T operator()(T x, T y) const { return x == T(0) ? x : x * std::log(y); }
};
struct Xlog1py {
  template <class T> FL_HOST_DEVICE T operator()(T x, T y) const {
    if (x == T(0)) return x;
    if constexpr (is_complex_v<T>) return x * std::log(T(1) + y);
    else return x * std::log1p(y);
  }
};

template <class T>
FL_HOST_DEVICE T conjugate(T x) {
  if constexpr (is_complex_v<T>) return std::conj(x);
  else return x;
}
// y: output of the forward op; dy: incoming gradient. Where dy is 0 the result is 0, whatever y is.
struct SqrtGrad {
  template <class T> FL_HOST_DEVICE T operator()(T y, T dy) const {
    return dy == T(0) ? T(0) : dy * T(0.5) / conjugate(y);
  }
};
struct RsqrtGrad {
  template <class T> FL_HOST_DEVICE T operator()(T y, T dy) const {
    const T c = conjugate(y);
    return dy == T(0) ? T(0) : T(-0.5) * (dy * c) * (c * c);
  }
};
struct ReciprocalGrad {
  template <class T> FL_HOST_DEVICE T operator()(T y, T dy) const {
    const T c = conjugate(y);
    return dy == T(0) ? T(0) : -dy * (c * c);
  }
};

}  // namespace footlight::functors
