// Arithmetic of two elements, shared by eager, fused and CUDA code. `//` and `%` follow Python's rules.
#pragma once

#include "kernels/functors/branchless.h"

namespace footlight::functors {

struct Add {
  template <class T> FL_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) return a || b;
    else if constexpr (std::is_integral_v<T>) return static_cast<T>(Wrapping<T>(a) + Wrapping<T>(b));
    else return a + b;
  }
};

struct Sub {
  template <class T> FL_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(Wrapping<T>(a) - Wrapping<T>(b));
    else return a - b;
  }
};

// -x, by its bits. g++ 12 fuses the difference of two products in one part of a complex number with the sum in the
// other, whether asked to or not; two sums are vectorised as written.
template <class T>
FL_HOST_DEVICE inline T opposite(T x) {
#if defined(__CUDACC__)
  return -x;
#else
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  return std::bit_cast<T>(std::bit_cast<Bits>(x) ^ (Bits{1} << (sizeof(T) * 8 - 1)));
#endif
}

struct Mul {
  template <class T> FL_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) return a && b;
    else if constexpr (std::is_integral_v<T>) return static_cast<T>(Wrapping<T>(a) * Wrapping<T>(b));
    else if constexpr (is_complex_v<T>)
      return T(a.real() * b.real() + opposite(a.imag()) * b.imag(), a.real() * b.imag() + a.imag() * b.real());
    else return a * b;
  }
};

struct Div {
  template <class T> FL_HOST_DEVICE T operator()(T a, T b) const { return a / b; }
};

// An integer b must not be 0: the kernel has checked that.
struct FloorDiv {
  template <class T> FL_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_unsigned_v<T>) {
      return a / b;
    } else if constexpr (std::is_integral_v<T>) {
      if (b == T(-1)) return static_cast<T>(Wrapping<T>(0) - Wrapping<T>(a));  // the lowest number wraps
      const T q = static_cast<T>(a / b);
      return static_cast<T>((a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q);
    } else {
      return std::floor(a / b);
    }
  }
};

struct FloorMod {
  template <class T> FL_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_unsigned_v<T>) {
      return a % b;
    } else if constexpr (std::is_integral_v<T>) {
      if (b == T(-1)) return 0;
      const T r = static_cast<T>(a % b);
      return static_cast<T>((r != 0 && (r < 0) != (b < 0)) ? r + b : r);
    } else {
      const T r = std::fmod(a, b);
      return (r != 0 && (r < 0) != (b < 0)) ? r + b : r;
    }
  }
};

struct Pow {
  FL_ON_LANES(float)
  template <class T> FL_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      Wrapping<T> result = 1;
      Wrapping<T> base = static_cast<Wrapping<T>>(a);
      for (auto n = static_cast<std::make_unsigned_t<T>>(b); n; n = static_cast<decltype(n)>(n >> 1)) {
        if (n & 1) result *= base;
        base *= base;
      }
      return static_cast<T>(result);
    } else if constexpr (std::is_same_v<T, double> || is_complex_v<T>) {
      return std::pow(a, b);
    } else {
      return branchless::pow(a, b);
    }
  }
};

struct Maximum {
  template <class T> FL_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) return a > b || a != a ? a : b;
    else return a > b ? a : b;
  }
};

struct Minimum {
  template <class T> FL_HOST_DEVICE T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) return a < b || a != a ? a : b;
    else return a < b ? a : b;
  }
};

struct SquaredDifference {
  template <class T> FL_HOST_DEVICE T operator()(T a, T b) const {
    const T d = Sub()(a, b);
    if constexpr (is_complex_v<T>) return Mul()(d, T(d.real(), opposite(d.imag())));
    else return Mul()(d, d);
  }
};

struct DivNoNan {
  template <class T> FL_HOST_DEVICE T operator()(T a, T b) const { return b == T(0) ? T(0) : a / b; }
};

}  // namespace footlight::functors
