// Products of matrices of float or double in blocks that fit the caches, on all cores. An operand is anything that can
// copy a block of itself, so a matrix that exists only by a rule (the patches of a convolution) is never written out.
#pragma once

#include "kernels/cpu/register.h"

#include <cstdint>

namespace footlight {
namespace FL_ISA {

// copy: to[r * stride + c] = element (row + r, column + c), for r < rows and c < columns. Called from several threads.
template <class T>
struct Operand {
  using Copy = void (*)(const void* context, int64_t row, int64_t rows, int64_t column, int64_t columns, T* to,
                        int64_t stride);
  Copy copy;
  const void* context;
};

// A matrix in memory: element (i, j) stands at data[i * row + j * column].
template <class T>
struct Matrix {
  const T* data;
  int64_t row;
  int64_t column;
};

// out[i * out_row + j] = sum over k of a(i, k) * b(k, j), with i < m, j < n, k < depth; with `add` onto what is there.
// Inside a loop of the pool it runs on the calling thread alone.
template <class T>
void gemm(int64_t m, int64_t n, int64_t depth, const Operand<T>& a, const Operand<T>& b, T* out, int64_t out_row,
          bool add = false);
template <class T>
void gemm(int64_t m, int64_t n, int64_t depth, const Matrix<T>& a, const Matrix<T>& b, T* out, int64_t out_row,
          bool add = false);
// A matrix in memory with an operand by rule: the matrix is `operand_of(matrix)`, which must outlive the product.
template <class T>
Operand<T> operand_of(const Matrix<T>& matrix);

}  // namespace FL_ISA
}  // namespace footlight
