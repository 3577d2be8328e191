// Kernels that split and join complex numbers.
#include "kernels/cpu/elementwise.h"

namespace footlight::FL_ISA {

namespace {

struct Real {
  template <class T> auto operator()(T x) const { return x.real(); }
};
struct Imag {
  template <class T> auto operator()(T x) const { return x.imag(); }
};
struct Angle {
  template <class T> auto operator()(T x) const { return std::arg(x); }
};
struct Complex {
  template <class T> std::complex<T> operator()(T re, T im) const { return {re, im}; }
};

template <class Part>
void parts() {
  using T = std::complex<Part>;
  on_cpu("Real", bit_of(dtype_of<T>), unary_kernel<Real, T, Part, 1>);
  on_cpu("Imag", bit_of(dtype_of<T>), unary_kernel<Imag, T, Part, 1>);
  on_cpu("Angle", bit_of(dtype_of<T>), unary_kernel<Angle, T, Part, 8>);
  on_cpu("Complex", bit_of(dtype_of<Part>), binary_kernel<Complex, Part, T, 1>);
}

}  // namespace

FL_CPU_KERNELS {
  parts<float>();
  parts<double>();
}

}  // namespace footlight::FL_ISA
