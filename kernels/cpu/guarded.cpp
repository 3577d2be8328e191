// Kernels of products and quotients that are 0 if one factor is, and of gradients in terms of outputs.
#include "kernels/functors/guarded.h"

#include "kernels/cpu/elementwise.h"

namespace footlight::FL_ISA {

FL_CPU_KERNELS {
  binary<functors::MulNoNan, FL_FLOATS, FL_COMPLEX>("MulNoNan");
  binary<functors::Xdivy, FL_FLOATS, FL_COMPLEX>("Xdivy");
  binary<functors::SqrtGrad, FL_FLOATS, FL_COMPLEX>("SqrtGrad");
  binary<functors::RsqrtGrad, FL_FLOATS, FL_COMPLEX>("RsqrtGrad");
  binary<functors::ReciprocalGrad, FL_FLOATS, FL_COMPLEX>("ReciprocalGrad");
}

}  // namespace footlight::FL_ISA
