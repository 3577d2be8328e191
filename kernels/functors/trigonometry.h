// Trigonometric and hyperbolic functions and their inverses.
#pragma once

#include "kernels/functors/branchless.h"

namespace footlight::functors {

struct Tan {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return std::tan(x); }
  FL_LIMITED(tan)
};
struct Asin {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return std::asin(x); }
};
struct Acos {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return std::acos(x); }
};
struct Atan {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return std::atan(x); }
};
struct Sinh {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return std::sinh(x); }
};
struct Cosh {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return std::cosh(x); }
};
struct Asinh {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return std::asinh(x); }
};
struct Acosh {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return std::acosh(x); }
};
struct Atanh {
  template <class T> FL_HOST_DEVICE T operator()(T x) const { return std::atanh(x); }
};
struct Atan2 {
  template <class T> FL_HOST_DEVICE T operator()(T y, T x) const { return std::atan2(y, x); }
};

}  // namespace footlight::functors
