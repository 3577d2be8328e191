// Products of float or double matrices in blocks that fit the caches, on all cores.
#pragma once

#include "kernels/cpu/register.h"

#include <cstdint>

namespace footlight::FL_ISA {

// A matrix in memory: element (i, j) is data[i * row + j * column].
template <class T>
struct Matrix {
  const T* data;
  int64_t row;
  int64_t column;
};

// How the product combines with the previous contents.
enum class Into : uint8_t { kSet, kAdd, kSubtract };

// out[i * out_row + j] = (or +=, or -=) sum over k of a(i, k) * b(k, j), with i < m, j < n, k < depth. Inside a
// thread pool loop it runs on the calling thread alone.
template <class T>
void gemm(int64_t m, int64_t n, int64_t depth, const Matrix<T>& a, const Matrix<T>& b, T* out, int64_t out_row,
          Into into = Into::kSet);

// The dot product of two contiguous rows.
template <class T>
T dot(const T* a, const T* b, int64_t n);

}  // namespace footlight::FL_ISA
