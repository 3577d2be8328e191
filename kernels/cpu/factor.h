// Decompositions of one real matrix in place, in halves down to small blocks, so that nearly all of it is products
// (gemm.h). A matrix lies row by row, `row` elements apart.
#pragma once

#include "kernels/cpu/gemm.h"

#include <cstdint>

namespace footlight {
namespace FL_ISA {

enum class Triangle : uint8_t { kLower, kLowerOfOnes, kUpper };

// x = inverse(a) * x, where a is the n by n triangle (of ones: its diagonal is not looked at) and x has `columns`.
template <class T>
void solve_triangle(Triangle triangle, int64_t n, const Matrix<T>& a, T* x, int64_t columns, int64_t x_row);

// a = lower triangle of ones * upper triangle, after rows were exchanged: row k with row pivots[k] >= k, one after the
// other.
template <class T>
void factor_lu(int64_t n, T* a, int64_t row, int64_t* pivots);

// Of a symmetric matrix the upper triangle, which becomes that of u with a = transposed(u) * u. False where a is not
// positive definite.
template <class T>
bool factor_cholesky(int64_t n, T* a, int64_t row);

}  // namespace FL_ISA
}  // namespace footlight
