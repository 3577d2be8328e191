// Products of small and of integer matrices: rows of b as vectors, sums for each row of a in registers. If a row is
// not a whole vector, AVX-512 uses masked loads and stores; elsewhere loads reach into the next row.
#pragma once

#include "kernels/cpu/gemm.h"
#include "kernels/cpu/vector.h"
#include "kernels/functors/lane.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace footlight::FL_ISA {

// Integers are computed unsigned, because they wrap.
template <class T>
struct SmallVector {
  using U = std::conditional_t<std::is_integral_v<T>,
                               std::make_unsigned_t<std::conditional_t<std::is_integral_v<T>, T, int>>, T>;
  typedef U type __attribute__((vector_size(kVectorBytes)));
  typedef U Unaligned __attribute__((vector_size(kVectorBytes), aligned(alignof(T)), may_alias));  // unaligned
  static constexpr int64_t kLength = kVectorBytes / static_cast<int64_t>(sizeof(T));
};

#if defined(__AVX512F__)
// A block of up to kLength columns of b and of the result; the lanes beyond are neither read nor written.
template <class T>
class SmallColumns {
 public:
  using V = typename SmallVector<T>::type;
  SmallColumns(const T* b, int64_t b_row, int64_t, int64_t columns)
      : b_(b), b_row_(b_row), mask_(columns == 64 ? ~uint64_t{0} : (uint64_t{1} << columns) - 1) {}

  void load(int64_t k, V& row) const {
    const T* from = b_ + k * b_row_;
    if constexpr (sizeof(T) == 1) row = bits<V>(_mm512_maskz_loadu_epi8(mask_, from));
    else if constexpr (sizeof(T) == 2) row = bits<V>(_mm512_maskz_loadu_epi16(static_cast<__mmask32>(mask_), from));
    else if constexpr (sizeof(T) == 4) row = bits<V>(_mm512_maskz_loadu_epi32(static_cast<__mmask16>(mask_), from));
    else row = bits<V>(_mm512_maskz_loadu_epi64(static_cast<__mmask8>(mask_), from));
  }
  void store(T* to, const V& v, bool) const {
    const __m512i w = bits<__m512i>(v);
    if constexpr (sizeof(T) == 1) _mm512_mask_storeu_epi8(to, mask_, w);
    else if constexpr (sizeof(T) == 2) _mm512_mask_storeu_epi16(to, static_cast<__mmask32>(mask_), w);
    else if constexpr (sizeof(T) == 4) _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(mask_), w);
    else _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(mask_), w);
  }

 private:
  template <class To, class From>
  static To bits(const From& v) {
    return reinterpret_cast<const To&>(v);
  }
  const T* b_;
  int64_t b_row_;
  uint64_t mask_;
};
#else
// The last rows are copied first, so that no load goes past the end of b.
template <class T>
class SmallColumns {
 public:
  using V = typename SmallVector<T>::type;
  using Unaligned = typename SmallVector<T>::Unaligned;
  static constexpr int64_t kLength = SmallVector<T>::kLength;
  SmallColumns(const T* b, int64_t b_row, int64_t depth, int64_t columns) : b_(b), b_row_(b_row), columns_(columns) {
    const int64_t room = (depth - 1) * b_row + columns - kLength;
    safe_ = room < 0 ? 0 : std::min(depth, room / b_row + 1);
    for (int64_t k = safe_; k < depth; ++k) {
      T* to = pad_ + (k - safe_) * kLength;
      std::memcpy(to, b + k * b_row, static_cast<size_t>(columns) * sizeof(T));
      std::fill(to + columns, to + kLength, T(0));  // unused lanes must not hold values that are slow to multiply
    }
  }

  void load(int64_t k, V& row) const {
    row = *reinterpret_cast<const Unaligned*>(k < safe_ ? b_ + k * b_row_ : pad_ + (k - safe_) * kLength);
  }
  // spills: elements written beyond the columns are overwritten when the next row is stored.
  void store(T* to, const V& v, bool spills) const {
    if (columns_ == kLength || spills) *reinterpret_cast<Unaligned*>(to) = v;
    else std::memcpy(to, &v, static_cast<size_t>(columns_) * sizeof(T));
  }

 private:
  const T* b_;
  int64_t b_row_, columns_, safe_;
  T pad_[(kLength + 1) * kLength];
};
#endif

template <class T>
struct SmallProduct {
  using V = typename SmallVector<T>::type;
  static constexpr int64_t kLength = SmallVector<T>::kLength;

  template <int kRows>
  static void rows(const Matrix<T>& a, const SmallColumns<T>& b, T* out, int64_t i, int64_t end, int64_t n,
                   int64_t depth) {
    using U = typename SmallVector<T>::U;
    V sums[kRows] = {};
    for (int64_t k = 0; k < depth; ++k) {
      V row;
      b.load(k, row);
      for (int r = 0; r < kRows; ++r) sums[r] += row * static_cast<U>(a.data[(i + r) * a.row + k * a.column]);
    }
    for (int r = 0; r < kRows; ++r)
      b.store(out + (i + r) * n, sums[r], n <= kLength && (i + r) * n + kLength <= end * n);
  }

  // A single row over one or two blocks of columns. A sum waits for its own last addition, so there are four of each.
  template <int kBlocks>
  static void single_row(const Matrix<T>& a, const SmallColumns<T> (&blocks)[kBlocks], T* out, int64_t i,
                         int64_t depth) {
    using U = typename SmallVector<T>::U;
    constexpr int kSums = 4;
    V sums[kSums][kBlocks] = {};
    const int64_t step = a.column;
    const T* const from = a.data + i * a.row;
    const auto add = [&](int64_t k, V(&sum)[kBlocks]) FL_INLINE_LAMBDA {
      const U x = static_cast<U>(from[k * step]);
      for (int b = 0; b < kBlocks; ++b) {
        V row;
        blocks[b].load(k, row);
        sum[b] += row * x;
      }
    };
    int64_t k = 0;
    for (; k + kSums <= depth; k += kSums)
#pragma GCC unroll 4
      for (int s = 0; s < kSums; ++s) add(k + s, sums[s]);
    for (; k < depth; ++k) add(k, sums[0]);
    for (int b = 0; b < kBlocks; ++b)
      blocks[b].store(out + b * kLength, (sums[0][b] + sums[1][b]) + (sums[2][b] + sums[3][b]), false);
  }

  // out[begin:end, :] = a[begin:end, :] * b, for b with contiguous rows.
  static void run(const Matrix<T>& a, const Matrix<T>& b, T* out, int64_t begin, int64_t end, int64_t n,
                  int64_t depth) {
    int64_t j = 0;
    for (; end - begin == 1 && j < n; j += 2 * kLength) {
      const T* const from = b.data + j;
      if (const int64_t left = n - j; left <= kLength) {
        single_row<1>(a, {{from, b.row, depth, left}}, out + begin * n + j, begin, depth);
      } else {
        const int64_t second = std::min(kLength, left - kLength);
        single_row<2>(a, {{from, b.row, depth, kLength}, {from + kLength, b.row, depth, second}}, out + begin * n + j,
                      begin, depth);
      }
    }
    for (; j < n; j += kLength) {
      const SmallColumns<T> columns(b.data + j, b.row, depth, std::min(kLength, n - j));
      int64_t i = begin;
      for (; i + 5 <= end; i += 5) rows<5>(a, columns, out + j, i, end, n, depth);
      for (; i + 2 <= end; i += 2) rows<2>(a, columns, out + j, i, end, n, depth);
      for (; i < end; ++i) rows<1>(a, columns, out + j, i, end, n, depth);
    }
  }
};

}  // namespace footlight::FL_ISA
