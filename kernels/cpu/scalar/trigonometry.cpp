// Kernels of trigonometric and hyperbolic functions and their inverses, of complex numbers.
#include "kernels/functors/trigonometry.h"

#include "kernels/cpu/elementwise.h"

namespace footlight::FL_ISA {

FL_CPU_KERNELS {
  costly_unary<functors::Tan, FL_COMPLEX>("Tan");
  // The other dtypes are in kernels/cpu/inverse.cpp.
  costly_unary<functors::Asin, FL_COMPLEX>("Asin");
  costly_unary<functors::Acos, FL_COMPLEX>("Acos");
  costly_unary<functors::Atan, FL_COMPLEX>("Atan");
  costly_unary<functors::Sinh, FL_COMPLEX>("Sinh");
  costly_unary<functors::Cosh, FL_COMPLEX>("Cosh");
  costly_unary<functors::Asinh, FL_COMPLEX>("Asinh");
  costly_unary<functors::Acosh, FL_COMPLEX>("Acosh");
  costly_unary<functors::Atanh, FL_COMPLEX>("Atanh");
}

}  // namespace footlight::FL_ISA
