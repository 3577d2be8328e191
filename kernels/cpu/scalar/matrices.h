// The matrices of a batch as Eigen's, and for which dtypes a kernel made of its decompositions is registered.
#pragma once

#include "kernels/cpu/matrices.h"

#include <Eigen/Core>

namespace footlight::FL_ISA {

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using RealOf = typename Eigen::NumTraits<T>::Real;

template <class T>
Eigen::Map<const RowMajor<T>> input_matrix(const KernelContext& c, size_t input, int64_t at) {
  const Sizes s = sizes_of(c.inputs[input]);
  return {c.in<T>(input) + at * s.elements(), s.rows, s.columns};
}
template <class T>
Eigen::Map<RowMajor<T>> output_matrix(const KernelContext& c, size_t output, int64_t at) {
  const Sizes s = sizes_of(c.outputs[output]);
  return {c.out<T>(output) + at * s.elements(), s.rows, s.columns};
}

}  // namespace footlight::FL_ISA

// Registers the kernel `function`, a template over the element, for the dtypes of decompositions. Those made of
// products (kernels/cpu/linear.cpp) are here for complex numbers alone.
#define FL_COMPLEX_MATRIX_KERNEL(op, function)                                            \
  on_cpu(op, bit_of(DType::kComplex64), function<std::complex<float>>);                   \
  on_cpu(op, bit_of(DType::kComplex128), function<std::complex<double>>)
#define FL_WIDE_COMPLEX_MATRIX_KERNEL(op, function)                                       \
  on_cpu(op, bit_of(DType::kComplex128), function<std::complex<double>>);                 \
  on_cpu(op, bit_of(DType::kComplex64),                                                   \
         in_wider_type<std::complex<float>, std::complex<double>, function<std::complex<double>>>)
#define FL_WIDE_REAL_MATRIX_KERNEL(op, function)                                          \
  on_cpu(op, bit_of(DType::kFloat64), function<double>);                                  \
  on_cpu(op, bit_of(DType::kFloat32), in_wider_type<float, double, function<double>>);          \
  on_cpu(op, bit_of(DType::kFloat16), in_wider_type<Float16, double, function<double>>)
#ifdef FL_REAL_ONLY  // a file of those that are compiled for wide vectors too
#define FL_WIDE_MATRIX_KERNEL(op, function) FL_WIDE_REAL_MATRIX_KERNEL(op, function)
#elif defined(FL_COMPLEX_ONLY)  // the same file beside it, where that one serves every machine
#define FL_WIDE_MATRIX_KERNEL(op, function) FL_WIDE_COMPLEX_MATRIX_KERNEL(op, function)
#else
#define FL_WIDE_MATRIX_KERNEL(op, function)                                               \
  FL_WIDE_REAL_MATRIX_KERNEL(op, function);                                               \
  FL_WIDE_COMPLEX_MATRIX_KERNEL(op, function)
#endif
