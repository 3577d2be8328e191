// In-place decompositions of one real matrix, recursively halved down to small blocks, so that nearly all work is
// products (gemm.h). Matrices are row-major with a row stride of `row` elements.
#pragma once

#include "kernels/cpu/gemm.h"

#include <cstdint>

namespace footlight::FL_ISA {

enum class Triangle : uint8_t { kLower, kUnitLower, kUpper };

// x = inverse(a) * x, where a is the n by n triangle (kUnitLower: its diagonal is not read) and x has `columns`.
template <class T>
void solve_triangle(Triangle triangle, int64_t n, const Matrix<T>& a, T* x, int64_t columns, int64_t x_row);

// a = unit lower triangle * upper triangle, after row exchanges: row k with row pivots[k] >= k, in
// order.
template <class T>
void factor_lu(int64_t n, T* a, int64_t row, int64_t* pivots);

// Replaces the upper triangle of a symmetric matrix by that of u with a = transposed(u) * u. False if a is not
// positive definite.
template <class T>
bool factor_cholesky(int64_t n, T* a, int64_t row);

}  // namespace footlight::FL_ISA
