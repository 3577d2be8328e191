// Kernels whose last digit depends on the order of operations: 16-bit floats rounded at each step.
#include "kernels/cpu/elementwise.h"
#include "kernels/functors/activation.h"

#include <cmath>

namespace footlight::FL_ISA {

namespace {

// The difference of 16-bit floats is rounded before it is squared.
template <class T>
struct RoundedSquaredDifference {
  float operator()(float a, float b) const {
    const float d = static_cast<float>(T(a - b));
    return d * d;
  }
};

// A quotient of 16-bit floats is rounded before it is rounded to an integer.
template <class T>
struct RoundedFloorDiv {
  float operator()(float a, float b) const { return std::floor(static_cast<float>(T(a / b))); }
};
template <class T>
struct RoundedTruncateDiv {
  float operator()(float a, float b) const { return std::trunc(static_cast<float>(T(a / b))); }
};
// The sum of Selu's output and its limit is rounded, so that it is 0 at the limit.
template <class T>
struct RoundedSeluGrad {
  float operator()(float g, float y) const {
    if (!(y < 0)) return g * static_cast<float>(T(static_cast<float>(functors::Selu::kScale)));
    return g * static_cast<float>(T(y + static_cast<float>(T(static_cast<float>(functors::Selu::kScaleAlpha)))));
  }
};

template <class... Types>
void rounded() {
  (binary<RoundedSquaredDifference<Types>, Types>("SquaredDifference"), ...);
  (binary<RoundedFloorDiv<Types>, Types>("FloorDiv"), ...);
  (binary<RoundedTruncateDiv<Types>, Types>("TruncateDiv"), ...);
  (binary<RoundedSeluGrad<Types>, Types>("SeluGrad"), ...);
}

}  // namespace

FL_CPU_KERNELS {
  rounded<Float16, BFloat16>();
}

}  // namespace footlight::FL_ISA
