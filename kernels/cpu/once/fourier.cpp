// Fourier transforms of any length by Eigen's own transform.
#include "kernels/cpu/register.h"

#include <unsupported/Eigen/FFT>

#include <complex>
#include <vector>

namespace footlight {
namespace FL_ISA {

namespace {

template <class T, bool kInverse>
void transform(KernelContext& c) {
  using Complex = std::complex<T>;
  const Shape& shape = c.inputs[0].shape();
  const int64_t length = shape[shape.rank() - 1];
  if (c.inputs[0].elements() == 0) return;
  const auto* in = c.inputs[0].data<Complex>();
  auto* out = c.outputs[0].data<Complex>();
  Eigen::FFT<T> plan;
  std::vector<Complex> row(static_cast<size_t>(length)), result;
  for (int64_t at = 0; at < c.inputs[0].elements(); at += length) {
    row.assign(in + at, in + at + length);
    if (kInverse) plan.inv(result, row);
    else plan.fwd(result, row);
    std::copy(result.begin(), result.end(), out + at);
  }
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("FFT", bit_of(DType::kComplex64), transform<float, false>);
  on_cpu("FFT", bit_of(DType::kComplex128), transform<double, false>);
  on_cpu("IFFT", bit_of(DType::kComplex64), transform<float, true>);
  on_cpu("IFFT", bit_of(DType::kComplex128), transform<double, true>);
}

}  // namespace FL_ISA
}  // namespace footlight
