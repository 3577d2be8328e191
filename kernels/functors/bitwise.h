// Bitwise ops on integers. A shift by less than 0 or by more than the number of bits is clamped.
#pragma once

#include "kernels/functors/common.h"

#include <bit>

namespace footlight::functors {

struct BitwiseAnd {
  template <class T> FL_HOST_DEVICE T operator()(T a, T b) const { return static_cast<T>(a & b); }
};
struct BitwiseOr {
  template <class T> FL_HOST_DEVICE T operator()(T a, T b) const { return static_cast<T>(a | b); }
};
struct BitwiseXor {
  template <class T> FL_HOST_DEVICE T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};
struct Invert {
  template <class T> FL_HOST_DEVICE T operator()(T a) const { return static_cast<T>(~a); }
};

template <class T>
FL_HOST_DEVICE int shift_of(T by) {
  constexpr T kMax = static_cast<T>(sizeof(T) * 8 - 1);
  return static_cast<int>(by < T(0) ? T(0) : by > kMax ? kMax : by);
}
struct LeftShift {
  template <class T> FL_HOST_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) << shift_of(b));
  }
};
struct RightShift {
  template <class T> FL_HOST_DEVICE T operator()(T a, T b) const { return static_cast<T>(a >> shift_of(b)); }
};
struct PopulationCount {
  template <class T> FL_HOST_DEVICE uint8_t operator()(T a) const {
    return static_cast<uint8_t>(std::popcount(static_cast<std::make_unsigned_t<T>>(a)));
  }
};

}  // namespace footlight::functors
