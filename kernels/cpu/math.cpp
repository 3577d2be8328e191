// Kernels of unary functions, and of their gradients.
#include "kernels/functors/math.h"

#include "kernels/cpu/elementwise.h"
#include "kernels/functors/trigonometry.h"

namespace footlight::FL_ISA {

namespace {

struct Erf {  // double: kernels/cpu/scalar/special.cpp
  FL_ON_LANES(float)
  template <class L> L operator()(L x) const { return functors::branchless::erf(x); }
};

template <class... Types>
void tests() {
  (unary_as<functors::IsNan, Types, bool, 1>("IsNan", dtype_of<Types>), ...);
  (unary_as<functors::IsInf, Types, bool, 1>("IsInf", dtype_of<Types>), ...);
  (unary_as<functors::IsFinite, Types, bool, 1>("IsFinite", dtype_of<Types>), ...);
}

}  // namespace

FL_CPU_KERNELS {
  unary<functors::Neg, FL_FLOATS, FL_INTEGERS, FL_COMPLEX>("Neg");
  unary<functors::Abs, FL_FLOATS, FL_INTEGERS>("Abs");
  unary<functors::Sign, FL_FLOATS, FL_INTEGERS, FL_COMPLEX>("Sign");
  unary<functors::Square, FL_FLOATS, FL_INTEGERS, FL_COMPLEX>("Square");
  unary<functors::Reciprocal, FL_FLOATS, FL_COMPLEX>("Reciprocal");
  costly_unary<functors::Sqrt, FL_FLOATS>("Sqrt");
  costly_unary<functors::Rsqrt, FL_FLOATS, FL_COMPLEX>("Rsqrt");
  costly_unary<functors::Exp, FL_FLOATS>("Exp");
  costly_unary<functors::Expm1, FL_FLOATS, FL_COMPLEX>("Expm1");
  costly_unary<functors::Log, FL_FLOATS, FL_COMPLEX>("Log");
  costly_unary<functors::Log1p, FL_FLOATS, FL_COMPLEX>("Log1p");
  costly_unary<functors::Tanh, FL_FLOATS, FL_COMPLEX>("Tanh");
  costly_unary<functors::Sigmoid, FL_FLOATS, FL_COMPLEX>("Sigmoid");
  costly_unary<functors::Sin, FL_FLOATS, FL_COMPLEX>("Sin");
  costly_unary<functors::Cos, FL_FLOATS, FL_COMPLEX>("Cos");
  costly_unary<functors::Tan, FL_FLOATS>("Tan");
  costly_unary<Erf, float, Float16, BFloat16>("Erf");
  unary<functors::Floor, FL_FLOATS>("Floor");
  unary<functors::Ceil, FL_FLOATS>("Ceil");
  unary<functors::Round, FL_FLOATS, FL_INTEGERS>("Round");
  unary<functors::Round, FL_FLOATS>("Rint");
  unary<functors::Relu, FL_FLOATS, FL_INTEGERS>("Relu");
  unary<functors::Conj, FL_COMPLEX>("Conj");
  tests<FL_FLOATS>();
  costly_binary<functors::TanhGrad, FL_FLOATS, FL_COMPLEX>("TanhGrad");
  binary<functors::SigmoidGrad, FL_FLOATS, FL_COMPLEX>("SigmoidGrad");
  binary<functors::ReluGrad, FL_FLOATS, FL_INTEGERS>("ReluGrad");
}

}  // namespace footlight::FL_ISA
