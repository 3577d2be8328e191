// Kernels of inverse trigonometric, hyperbolic and complementary error functions, as far as they are vectorised.
#include "kernels/functors/branchless_inverse.h"

#include "kernels/cpu/elementwise.h"

namespace footlight::FL_ISA {

namespace {

namespace branchless = functors::branchless;

struct Asin {
  FL_ON_ALL_LANES
  template <class L> L operator()(L x) const { return branchless::asin(x); }
};
struct Acos {
  FL_ON_ALL_LANES
  template <class L> L operator()(L x) const { return branchless::acos(x); }
};
struct Atan {
  FL_ON_ALL_LANES
  template <class L> L operator()(L x) const { return branchless::atan(x); }
};
struct Atan2 {
  FL_ON_ALL_LANES
  template <class L> L operator()(L y, L x) const { return branchless::atan2(y, x); }
};
struct Erfc {
  FL_ON_LANES(float)
  template <class L> L operator()(L x) const { return branchless::erfc(x); }
};
struct Erfinv {
  FL_ON_LANES(float)
  template <class L> L operator()(L x) const { return branchless::erfinv(x); }
};
struct Sinh {
  FL_ON_ALL_LANES
  template <class L> L operator()(L x) const { return branchless::sinh(x); }
};
struct Cosh {
  FL_ON_ALL_LANES
  template <class L> L operator()(L x) const { return branchless::cosh(x); }
};
struct Asinh {
  FL_ON_ALL_LANES
  template <class L> L operator()(L x) const { return branchless::asinh(x); }
};
struct Acosh {
  FL_ON_ALL_LANES
  template <class L> L operator()(L x) const { return branchless::acosh(x); }
};
struct Atanh {
  FL_ON_ALL_LANES
  template <class L> L operator()(L x) const { return branchless::atanh(x); }
};

}  // namespace

FL_CPU_KERNELS {
  // Complex numbers, and error functions in double, are in kernels/cpu/scalar.
  costly_unary<Asin, FL_FLOATS>("Asin");
  costly_unary<Acos, FL_FLOATS>("Acos");
  costly_unary<Atan, FL_FLOATS>("Atan");
  costly_binary<Atan2, FL_FLOATS>("Atan2");
  costly_unary<Erfc, float, Float16, BFloat16>("Erfc");
  costly_unary<Erfinv, float, Float16, BFloat16>("Erfinv");
  costly_unary<Sinh, FL_FLOATS>("Sinh");
  costly_unary<Cosh, FL_FLOATS>("Cosh");
  costly_unary<Asinh, FL_FLOATS>("Asinh");
  costly_unary<Acosh, FL_FLOATS>("Acosh");
  costly_unary<Atanh, FL_FLOATS>("Atanh");
}

}  // namespace footlight::FL_ISA
