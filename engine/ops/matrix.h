// Ops on the matrices in the last two dimensions, as C++ functions: building blocks for gradients and composites of
// linear algebra.
#pragma once

#include "engine/ops/functions.h"

#include <optional>

namespace footlight::ops {

// The product; an adjoint is transposed and conjugated. For any ranks: two matrices take the plain op.
Tensor product(const Tensor&, const Tensor&, bool adjoint_a = false, bool adjoint_b = false);
Tensor transpose_matrix(const Tensor&, std::string_view name = "transpose");
Tensor adjoint(const Tensor&);
Tensor diagonal_matrix(const Tensor& diagonal);
Tensor diagonal_of(const Tensor&);
Tensor with_diagonal(const Tensor&, const Tensor& diagonal);
// Keeps `lower` diagonals below the main one and `upper` above it; -1: all.
Tensor band(const Tensor&, int64_t lower, int64_t upper);
// x[..., begin:end]; without an end, up to the last one.
Tensor columns(const Tensor& x, int64_t begin, std::optional<int64_t> end);
Tensor inverse(const Tensor&, bool adjoint);
Tensor solve(const Tensor& matrix, const Tensor& rhs, bool adjoint);
Tensor triangular_solve(const Tensor& matrix, const Tensor& rhs, bool lower, bool adjoint);
Tensor cholesky(const Tensor&);
Tensor cholesky_solve(const Tensor& factor, const Tensor& rhs);
// The Cholesky factor of m^H m (`left`) or m m^H, plus `regularizer` on the diagonal; none: 0.
Tensor gramian_cholesky(const Tensor& matrix, const Tensor& regularizer, bool left);
// A batch of identity matrices of the same shape as `square`.
Tensor eye_like(const Tensor& square);
Tensor real(const Tensor&);  // the tensor itself when it is real

}  // namespace footlight::ops
