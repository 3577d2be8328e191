// Kernels of comparisons and logic.
#include "kernels/functors/comparison.h"

#include "kernels/cpu/elementwise.h"
#include "kernels/functors/bitwise.h"

namespace footlight::FL_ISA {

namespace {

// Shapes that do not broadcast are allowed here: the result is then a single bool.
template <class F, class T>
void equality(KernelContext& c) {
  if (c.outputs[0].shape().rank() == 0 && (c.inputs[0].shape().rank() || c.inputs[1].shape().rank())) {
    *c.out<bool>() = std::is_same_v<F, functors::NotEqual>;
    return;
  }
  binary_kernel<F, T, bool, 1>(c);
}

template <class F, class... Types>
void equalities(std::string_view op) {
  (on_cpu(op, bit_of(dtype_of<Types>), equality<F, Types>, {binary_loop<F, Types, bool>, 1}), ...);
}

}  // namespace

FL_CPU_KERNELS {
  compare<functors::Less, FL_FLOATS, FL_INTEGERS>("Less");
  compare<functors::LessEqual, FL_FLOATS, FL_INTEGERS>("LessEqual");
  compare<functors::Greater, FL_FLOATS, FL_INTEGERS>("Greater");
  compare<functors::GreaterEqual, FL_FLOATS, FL_INTEGERS>("GreaterEqual");
  equalities<functors::Equal, FL_FLOATS, FL_INTEGERS, FL_COMPLEX, bool, std::string>("Equal");
  equalities<functors::NotEqual, FL_FLOATS, FL_INTEGERS, FL_COMPLEX, bool, std::string>("NotEqual");
  // Works on bytes 0 and 1, which the compiler vectorises.
  binary_as<functors::BitwiseAnd, uint8_t, uint8_t, 1>("LogicalAnd", DType::kBool);
  binary_as<functors::BitwiseOr, uint8_t, uint8_t, 1>("LogicalOr", DType::kBool);
  unary<functors::LogicalNot, bool>("LogicalNot");
}

}  // namespace footlight::FL_ISA
