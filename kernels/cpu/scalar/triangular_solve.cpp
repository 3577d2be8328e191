// Complex triangular systems; the batches of both sides broadcast.
#include "kernels/cpu/scalar/matrices.h"

namespace footlight::FL_ISA {

namespace {

template <class T>
void triangular_solve(KernelContext& c) {
  const bool adjoint = c.attrs.get_or("adjoint"_attr, false);
  const bool lower = c.attrs.get_or("lower"_attr, true) != adjoint;
  const Sizes s = sizes_of(c.outputs[0]);
  if (s.elements() == 0) return;
  const int64_t cost = std::max<int64_t>(1, s.rows * s.elements());
  parallel_for(batches_of(c.outputs[0]), std::max<int64_t>(1, (1 << 16) / cost), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Matrix<T> m = input_matrix<T>(c, 0, source_of(c.inputs[0].shape(), c.outputs[0].shape(), i));
      if (adjoint) m.adjointInPlace();
      Matrix<T> x = input_matrix<T>(c, 1, source_of(c.inputs[1].shape(), c.outputs[0].shape(), i));
      if (lower) m.template triangularView<Eigen::Lower>().solveInPlace(x);
      else m.template triangularView<Eigen::Upper>().solveInPlace(x);
      output_matrix<T>(c, 0, i) = x;
    }
  });
}

}  // namespace

FL_CPU_KERNELS { FL_COMPLEX_MATRIX_KERNEL("MatrixTriangularSolve", triangular_solve); }

}  // namespace footlight::FL_ISA
