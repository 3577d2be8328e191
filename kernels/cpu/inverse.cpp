// Kernels of inverse trigonometric, hyperbolic and complementary error functions, as far as vectors compute them.
#include "kernels/functors/branchless_inverse.h"

#include "kernels/cpu/elementwise.h"

namespace footlight {
namespace FL_ISA {

namespace {

namespace branchless = functors::branchless;

struct Asin {
  float operator()(float x) const { return branchless::asin(x); }
};
struct Acos {
  float operator()(float x) const { return branchless::acos(x); }
};
struct Atan {
  float operator()(float x) const { return branchless::atan(x); }
};
struct Atan2 {
  float operator()(float y, float x) const { return branchless::atan2(y, x); }
};
struct Erfc {
  float operator()(float x) const { return branchless::erfc(x); }
};
struct Erfinv {
  float operator()(float x) const { return branchless::erfinv(x); }
};
struct Sinh {
  template <class T> T operator()(T x) const { return branchless::sinh(x); }
};
struct Cosh {
  template <class T> T operator()(T x) const { return branchless::cosh(x); }
};
struct Asinh {
  template <class T> T operator()(T x) const { return branchless::asinh(x); }
};
struct Acosh {
  template <class T> T operator()(T x) const { return branchless::acosh(x); }
};
struct Atanh {
  template <class T> T operator()(T x) const { return branchless::atanh(x); }
};

}  // namespace

FL_CPU_KERNELS {
  // In double, and of complex numbers: kernels/cpu/once.
  costly_unary<Asin, float, Float16, BFloat16>("Asin");
  costly_unary<Acos, float, Float16, BFloat16>("Acos");
  costly_unary<Atan, float, Float16, BFloat16>("Atan");
  costly_binary<Atan2, float, Float16, BFloat16>("Atan2");
  costly_unary<Erfc, float, Float16, BFloat16>("Erfc");
  costly_unary<Erfinv, float, Float16, BFloat16>("Erfinv");
  costly_unary<Sinh, FL_FLOATS>("Sinh");
  costly_unary<Cosh, FL_FLOATS>("Cosh");
  costly_unary<Asinh, FL_FLOATS>("Asinh");
  costly_unary<Acosh, FL_FLOATS>("Acosh");
  costly_unary<Atanh, FL_FLOATS>("Atanh");
}

}  // namespace FL_ISA
}  // namespace footlight
