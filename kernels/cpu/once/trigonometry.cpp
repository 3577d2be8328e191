// Kernels of trigonometric and hyperbolic functions and their inverses.
#include "kernels/functors/trigonometry.h"

#include "kernels/cpu/elementwise.h"

namespace footlight {
namespace FL_ISA {

FL_CPU_KERNELS {
  costly_unary<functors::Tan, FL_COMPLEX>("Tan");
  costly_unary<functors::Asin, FL_FLOATS, FL_COMPLEX>("Asin");
  costly_unary<functors::Acos, FL_FLOATS, FL_COMPLEX>("Acos");
  costly_unary<functors::Atan, FL_FLOATS, FL_COMPLEX>("Atan");
  costly_unary<functors::Sinh, FL_FLOATS, FL_COMPLEX>("Sinh");
  costly_unary<functors::Cosh, FL_FLOATS, FL_COMPLEX>("Cosh");
  costly_unary<functors::Asinh, FL_FLOATS, FL_COMPLEX>("Asinh");
  costly_unary<functors::Acosh, FL_FLOATS, FL_COMPLEX>("Acosh");
  costly_unary<functors::Atanh, FL_FLOATS, FL_COMPLEX>("Atanh");
  costly_binary<functors::Atan2, FL_FLOATS>("Atan2");
}

}  // namespace FL_ISA
}  // namespace footlight
