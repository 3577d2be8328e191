// The innermost loops of convolutions: a few pixels by two vectors of channels, with the sums in registers. Pixels
// are read in place: the input is not packed.
#pragma once

#include "kernels/cpu/vector.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <cstring>
#include <type_traits>

namespace footlight::FL_ISA {

#if defined(__AVX512F__)
inline constexpr int kFloatRows = 14;
#else
inline constexpr int kFloatRows = 6;
#endif

template <class T>
struct Lanes {
  using Element = T;
  typedef T Vector __attribute__((vector_size(kVectorBytes), aligned(alignof(T)), may_alias));
  static constexpr int64_t kWidth = kVectorBytes / static_cast<int64_t>(sizeof(T));
  static constexpr int64_t kColumns = 2 * kWidth;
  // Number of pixels at once; types other than float are rare and get fewer variants.
  static constexpr int kRows = std::is_same_v<T, float> ? kFloatRows : 4;
};

// out[r, j] (+)= sum over taps t and k < run of in[taps[t] + r * pixel + k] * weights[t * run + k][j]
template <class T>
struct PixelTile {
  const int64_t* taps;
  int64_t tap_count;
  int64_t run;
  int64_t pixel;
  int64_t out_pixel;
  bool add = false;
};

// The first `columns` elements of a partial vector.
template <class T>
typename Lanes<T>::Vector load_part(const T* from, int64_t columns) {
  typename Lanes<T>::Vector v{};
  std::memcpy(&v, from, static_cast<size_t>(columns) * sizeof(T));
  return v;
}
template <class T>
void store_part(T* to, const typename Lanes<T>::Vector& v, int64_t columns) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float>) {
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << columns) - 1), reinterpret_cast<const __m512&>(v));
    return;
  }
#endif
  T values[Lanes<T>::kWidth];
  std::memcpy(values, &v, sizeof values);
  for (int64_t j = 0; j < columns; ++j) to[j] = values[j];
}

template <class T, int kRows, int kVectors>
void pixel_tile(const PixelTile<T>& tile, const T* in, const T* weights, T* out, int64_t columns) {
  using V = typename Lanes<T>::Vector;
  constexpr int64_t kWidth = Lanes<T>::kWidth;
  V sums[kRows][kVectors];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) sums[r][v] = V{};
  if (tile.add) [[unlikely]] {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) {
        const T* from = out + r * tile.out_pixel + v * kWidth;
        const int64_t left = columns - v * kWidth;
        sums[r][v] = left >= kWidth ? *reinterpret_cast<const V*>(from) : load_part(from, left);
      }
  }
  const int64_t pixel = tile.pixel;
  for (int64_t t = 0; t < tile.tap_count; ++t) {
    const T* a = in + tile.taps[t];
    for (int64_t k = 0; k < tile.run; ++k) {
      V b[kVectors];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) b[v] = *reinterpret_cast<const V*>(weights + v * kWidth);
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const T x = a[r * pixel];
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) sums[r][v] += b[v] * x;
      }
      ++a;
      weights += Lanes<T>::kColumns;
    }
  }
  if (columns == kVectors * kWidth) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) *reinterpret_cast<V*>(out + r * tile.out_pixel + v * kWidth) = sums[r][v];
    return;
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    T* to = out + r * tile.out_pixel;
    if constexpr (kVectors == 2) {
      *reinterpret_cast<V*>(to) = sums[r][0];
      store_part(to + kWidth, sums[r][1], columns - kWidth);
    } else {
      store_part(to, sums[r][0], columns);
    }
  }
}

// sums[r, j] (+)= sum over the pixels of a block of in[y * in_row + x * in_pixel + r] * arriving[y * row + x * pixel +
// j]
template <class T>
struct FilterTile {
  int64_t height, width;
  int64_t in_row, in_pixel;
  int64_t row, pixel;
  int64_t sums_row;
  bool add = true;
};

template <class T, int kRows, int kVectors>
void filter_tile(const FilterTile<T>& tile, const T* in, const T* arriving, T* sums_memory) {
  using V = typename Lanes<T>::Vector;
  constexpr int64_t kWidth = Lanes<T>::kWidth;
  V sums[kRows][kVectors];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v)
      sums[r][v] = tile.add ? *reinterpret_cast<const V*>(sums_memory + r * tile.sums_row + v * kWidth) : V{};
  for (int64_t y = 0; y < tile.height; ++y) {
    const T* a = in + y * tile.in_row;
    const T* g = arriving + y * tile.row;
    for (int64_t x = 0; x < tile.width; ++x) {
      V b[kVectors];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) b[v] = *reinterpret_cast<const V*>(g + v * kWidth);
#pragma GCC unroll 16
      for (int r = 0; r < kRows; ++r) {
        const T value = a[r];
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) sums[r][v] += b[v] * value;
      }
      a += tile.in_pixel;
      g += tile.pixel;
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v)
      *reinterpret_cast<V*>(sums_memory + r * tile.sums_row + v * kWidth) = sums[r][v];
}

// The variants by number of rows, 1 to kRows, and of vectors, 1 or 2.
template <class T>
struct Tiles {
  using PixelFunction = void (*)(const PixelTile<T>&, const T*, const T*, T*, int64_t);
  using FilterFunction = void (*)(const FilterTile<T>&, const T*, const T*, T*);
  static constexpr int kRows = Lanes<T>::kRows;
  PixelFunction pixels[kRows + 1][3] = {};
  FilterFunction filter[kRows + 1][3] = {};

  constexpr Tiles() { fill(std::make_integer_sequence<int, kRows>()); }

 private:
  template <int... kIndex>
  constexpr void fill(std::integer_sequence<int, kIndex...>) {
    ((pixels[kIndex + 1][1] = pixel_tile<T, kIndex + 1, 1>, pixels[kIndex + 1][2] = pixel_tile<T, kIndex + 1, 2>,
      filter[kIndex + 1][1] = filter_tile<T, kIndex + 1, 1>, filter[kIndex + 1][2] = filter_tile<T, kIndex + 1, 2>),
     ...);
  }
};
template <class T>
inline constexpr Tiles<T> kTiles{};

}  // namespace footlight::FL_ISA
