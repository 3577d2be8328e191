// Kernels of two-input arithmetic.
#include "kernels/functors/arithmetic.h"

#include "kernels/cpu/elementwise.h"

namespace footlight {
namespace FL_ISA {

namespace {

// Python's ZeroDivisionError, as TensorFlow words it.
template <class F, class T>
void checked_division(KernelContext& c) {
  const T* b = c.in<T>(1);
  for (int64_t i = 0, n = c.inputs[1].elements(); i < n; ++i)
    if (b[i] == 0) invalid("Integer division by zero [Op:", c.row.name, "]");
  binary_kernel<F, T, T, 4>(c);
}

template <class T>
void integer_power(KernelContext& c) {
  if constexpr (std::is_signed_v<T>) {
    const T* b = c.in<T>(1);
    for (int64_t i = 0, n = c.inputs[1].elements(); i < n; ++i)
      if (b[i] < 0) invalid("Integers to negative integer powers are not allowed; make one of them a float [Op:Pow]");
  }
  binary_kernel<functors::Pow, T, T, 8>(c);
}

template <class... Types>
void integer_division() {
  (on_cpu("FloorDiv", bit_of(dtype_of<Types>), checked_division<functors::FloorDiv, Types>), ...);
  (on_cpu("FloorMod", bit_of(dtype_of<Types>), checked_division<functors::FloorMod, Types>), ...);
  (on_cpu("Pow", bit_of(dtype_of<Types>), integer_power<Types>), ...);
}

}  // namespace

FL_CPU_KERNELS {
  binary<functors::Add, FL_FLOATS, FL_INTEGERS, FL_COMPLEX>("AddV2");
  binary<functors::Sub, FL_FLOATS, FL_INTEGERS, FL_COMPLEX>("Sub");
  binary<functors::Mul, FL_FLOATS, FL_INTEGERS, FL_COMPLEX, bool>("Mul");
  binary<functors::Div, FL_FLOATS, FL_COMPLEX>("RealDiv");
  binary<functors::DivNoNan, FL_FLOATS, FL_COMPLEX>("DivNoNan");
  binary<functors::Maximum, FL_FLOATS, FL_INTEGERS>("Maximum");
  binary<functors::Minimum, FL_FLOATS, FL_INTEGERS>("Minimum");
  binary<functors::SquaredDifference, float, double, Float16, BFloat16, int32_t, int64_t, FL_COMPLEX>("SquaredDifference");
  costly_binary<functors::FloorDiv, FL_FLOATS>("FloorDiv");
  costly_binary<functors::FloorMod, FL_FLOATS>("FloorMod");
  costly_binary<functors::Pow, FL_FLOATS, FL_COMPLEX>("Pow");
  integer_division<FL_INTEGERS>();
}

}  // namespace FL_ISA
}  // namespace footlight
