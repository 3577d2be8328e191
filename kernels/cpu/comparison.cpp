// Kernels of comparisons and logic.
#include "kernels/functors/comparison.h"

#include "kernels/cpu/elementwise.h"

namespace footlight {
namespace FL_ISA {

FL_CPU_KERNELS {
  compare<functors::Less, FL_FLOATS, FL_INTEGERS>("Less");
  compare<functors::LessEqual, FL_FLOATS, FL_INTEGERS>("LessEqual");
  compare<functors::Greater, FL_FLOATS, FL_INTEGERS>("Greater");
  compare<functors::GreaterEqual, FL_FLOATS, FL_INTEGERS>("GreaterEqual");
  compare<functors::Equal, FL_FLOATS, FL_INTEGERS, FL_COMPLEX, bool, std::string>("Equal");
  compare<functors::NotEqual, FL_FLOATS, FL_INTEGERS, FL_COMPLEX, bool, std::string>("NotEqual");
  binary<functors::LogicalAnd, bool>("LogicalAnd");
  binary<functors::LogicalOr, bool>("LogicalOr");
  unary<functors::LogicalNot, bool>("LogicalNot");
}

}  // namespace FL_ISA
}  // namespace footlight
