// Kernels of bitwise ops on integers.
#include "kernels/functors/bitwise.h"

#include "kernels/cpu/elementwise.h"

namespace footlight {
namespace FL_ISA {

namespace {

template <class... Types>
void counts() {
  (on_cpu("PopulationCount", bit_of(dtype_of<Types>), unary_kernel<functors::PopulationCount, Types, uint8_t, 1>), ...);
}

// Where the sign does not matter, the unsigned dtype of the same size is used.
template <class F>
void logic(std::string_view op) {
  binary<F, uint8_t, uint16_t, uint32_t, uint64_t>(op);
  on_cpu(op, bit_of(DType::kInt8), binary_kernel<F, uint8_t, uint8_t, 1>);
  on_cpu(op, bit_of(DType::kInt16), binary_kernel<F, uint16_t, uint16_t, 1>);
  on_cpu(op, bit_of(DType::kInt32), binary_kernel<F, uint32_t, uint32_t, 1>);
  on_cpu(op, bit_of(DType::kInt64), binary_kernel<F, uint64_t, uint64_t, 1>);
}

}  // namespace

FL_CPU_KERNELS {
  logic<functors::BitwiseAnd>("BitwiseAnd");
  logic<functors::BitwiseOr>("BitwiseOr");
  logic<functors::BitwiseXor>("BitwiseXor");
  unary<functors::Invert, FL_INTEGERS>("Invert");
  binary<functors::LeftShift, FL_INTEGERS>("LeftShift");
  binary<functors::RightShift, FL_INTEGERS>("RightShift");
  counts<FL_INTEGERS>();
}

}  // namespace FL_ISA
}  // namespace footlight
