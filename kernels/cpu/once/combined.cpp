// Kernels made of other kernels: matrix products in another dtype than the operands', and the Euclidean norm.
#include "kernels/cpu/once/call.h"

#include "kernels/functors/common.h"

#include <cmath>

namespace footlight {
namespace FL_ISA {

namespace {

void typed_product(KernelContext& c) {
  const DType type = c.outputs[0].dtype();
  c.outputs[0] = call("BatchMatMulV2", {cast(c.inputs[0], type), cast(c.inputs[1], type)}, c.outputs[0], c.attrs);
}

// Of integers rounded down; half precision is summed in float, its squares are halves.
template <class T>
void euclidean_norm(KernelContext& c) {
  const Tensor& x = c.inputs[0];
  const int64_t count = x.elements();
  using Sum = std::conditional_t<std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>, float, T>;
  const Tensor squares = Tensor::empty(dtype_of<Sum>, x.shape());
  for (int64_t i = 0; i < count; ++i) {
    const Sum v = static_cast<Sum>(c.in<T>(0)[i]);
    if constexpr (functors::is_complex_v<Sum>) squares.data<Sum>()[i] = std::norm(v);
    else if constexpr (std::is_integral_v<Sum>)
      squares.data<Sum>()[i] = static_cast<Sum>(static_cast<uint64_t>(v) * static_cast<uint64_t>(v));
    else squares.data<Sum>()[i] = static_cast<Sum>(static_cast<T>(v * v));
  }
  const Tensor sums = call("Sum", {squares, c.inputs[1]}, Tensor::empty(dtype_of<Sum>, c.outputs[0].shape()), c.attrs);
  for (int64_t i = 0; i < sums.elements(); ++i) {
    const Sum v = sums.data<Sum>()[i];
    if constexpr (std::is_integral_v<Sum>) c.out<T>()[i] = static_cast<T>(std::sqrt(static_cast<double>(v)));
    else c.out<T>()[i] = static_cast<T>(std::sqrt(v));
  }
}

template <class... Types>
void norms() {
  (on_cpu("EuclideanNorm", bit_of(dtype_of<Types>), euclidean_norm<Types>), ...);
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("BatchMatMulV3", kNumberTypes, typed_product);
  norms<float, double, Float16, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
        std::complex<float>, std::complex<double>>();
}

}  // namespace FL_ISA
}  // namespace footlight
