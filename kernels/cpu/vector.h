// Vectors as wide as the current instruction set's, transposes of small blocks held in them, and how often a vector or
// tile fits.
#pragma once

#include "kernels/cpu/register.h"

#include <cstdint>
#include <cstring>

namespace footlight::FL_ISA {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
inline constexpr int kVectorRegisters = 32;
#elif defined(__AVX__)
inline constexpr int kVectorBytes = 32;
inline constexpr int kVectorRegisters = 16;
#else
inline constexpr int kVectorBytes = 16;
inline constexpr int kVectorRegisters = 16;
#endif

template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(kVectorBytes), aligned(alignof(T)), may_alias));
  static constexpr int64_t kLength = kVectorBytes / static_cast<int64_t>(sizeof(T));
};
template <class T>
using Vector = typename VectorOf<T>::type;

template <class T>
inline Vector<T> load(const T* from) {
  return *reinterpret_cast<const Vector<T>*>(from);
}
template <class T>
inline void store(T* to, Vector<T> v) {
  *reinterpret_cast<Vector<T>*>(to) = v;
}

// The number of pieces of at most `size` into which a whole is cut.
inline int64_t pieces(int64_t whole, int64_t size) { return (whole + size - 1) / size; }

// to[j * to_row + i] = from[i * from_row + j] for an 8x8 block of 32-bit or a 4x4 block of 64-bit elements: three, or
// two, rounds of interleaving halves.
inline void transpose_block(const uint32_t* from, int64_t from_row, uint32_t* to, int64_t to_row) {
  typedef uint32_t V __attribute__((vector_size(32), aligned(4), may_alias));
  V a[8], b[8];
  for (int i = 0; i < 8; ++i) a[i] = *reinterpret_cast<const V*>(from + i * from_row);
  for (int i = 0; i < 4; ++i) {
    b[2 * i] = __builtin_shufflevector(a[2 * i], a[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    b[2 * i + 1] = __builtin_shufflevector(a[2 * i], a[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 2; ++i) {
    a[4 * i] = __builtin_shufflevector(b[4 * i], b[4 * i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    a[4 * i + 1] = __builtin_shufflevector(b[4 * i], b[4 * i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    a[4 * i + 2] = __builtin_shufflevector(b[4 * i + 1], b[4 * i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
    a[4 * i + 3] = __builtin_shufflevector(b[4 * i + 1], b[4 * i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int i = 0; i < 4; ++i) {
    *reinterpret_cast<V*>(to + i * to_row) = __builtin_shufflevector(a[i], a[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    *reinterpret_cast<V*>(to + (i + 4) * to_row) = __builtin_shufflevector(a[i], a[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}
inline void transpose_block(const uint64_t* from, int64_t from_row, uint64_t* to, int64_t to_row) {
  typedef uint64_t V __attribute__((vector_size(32), aligned(8), may_alias));
  V a[4], b[4];
  for (int i = 0; i < 4; ++i) a[i] = *reinterpret_cast<const V*>(from + i * from_row);
  for (int i = 0; i < 2; ++i) {
    b[2 * i] = __builtin_shufflevector(a[2 * i], a[2 * i + 1], 0, 4, 2, 6);
    b[2 * i + 1] = __builtin_shufflevector(a[2 * i], a[2 * i + 1], 1, 5, 3, 7);
  }
  for (int i = 0; i < 2; ++i) {
    *reinterpret_cast<V*>(to + i * to_row) = __builtin_shufflevector(b[i], b[i + 2], 0, 1, 4, 5);
    *reinterpret_cast<V*>(to + (i + 2) * to_row) = __builtin_shufflevector(b[i], b[i + 2], 2, 3, 6, 7);
  }
}

// to[j * to_row + i] = from[i * from_row + j], for i < rows and j < columns.
template <class T>
void transpose_copy(const T* from, int64_t from_row, T* to, int64_t to_row, int64_t rows, int64_t columns) {
  int64_t i = 0;
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    using U = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    constexpr int64_t kBlock = 32 / static_cast<int64_t>(sizeof(T));
    for (; i + kBlock <= rows; i += kBlock) {
      int64_t j = 0;
      for (; j + kBlock <= columns; j += kBlock)
        transpose_block(reinterpret_cast<const U*>(from + i * from_row + j), from_row,
                        reinterpret_cast<U*>(to + j * to_row + i), to_row);
      for (; j < columns; ++j)
        for (int64_t k = i; k < i + kBlock; ++k) to[j * to_row + k] = from[k * from_row + j];
    }
  }
  for (; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) to[j * to_row + i] = from[i * from_row + j];
}

}  // namespace footlight::FL_ISA
