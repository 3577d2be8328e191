// Kernels of bitwise ops on integers.
#include "kernels/functors/bitwise.h"

#include "kernels/cpu/elementwise.h"

namespace footlight::FL_ISA {

namespace {

template <class... Types>
void counts() {
  (unary_as<functors::PopulationCount, Types, uint8_t, 1>("PopulationCount", dtype_of<Types>), ...);
}

// Uses the unsigned dtype of the same size where the sign does not matter.
template <class F>
void logic(std::string_view op) {
  binary<F, uint8_t, uint16_t, uint32_t, uint64_t>(op);
  binary_as<F, uint8_t, uint8_t, 1>(op, DType::kInt8);
  binary_as<F, uint16_t, uint16_t, 1>(op, DType::kInt16);
  binary_as<F, uint32_t, uint32_t, 1>(op, DType::kInt32);
  binary_as<F, uint64_t, uint64_t, 1>(op, DType::kInt64);
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

}  // namespace footlight::FL_ISA
