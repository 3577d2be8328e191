// Loops that pass whole vectors to a function; the tail is padded with zeros.
#pragma once

#include "kernels/cpu/vector.h"
#include "kernels/functors/lane.h"

namespace footlight::FL_ISA {

template <class T>
using Lanes = typename functors::branchless::Wide<T, kVectorBytes>::type;
template <class T>
inline constexpr int64_t kLanes = VectorOf<T>::kLength;

// Up to n elements.
template <class T>
FL_LANE Lanes<T> load_lanes(const T* from, int64_t n) {
  Lanes<T> v{};
  if (n >= kLanes<T>) std::memcpy(&v, from, sizeof v);
#if defined(__AVX512F__)
  else if constexpr (sizeof(T) == 4) v = _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << n) - 1), from);
  else v = _mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << n) - 1), from);
#else
  else for (int64_t i = 0; i < n; ++i) v[i] = from[i];
#endif
  return v;
}
template <class T>
FL_LANE void store_lanes(T* to, Lanes<T> v, int64_t n) {
  if (n >= kLanes<T>) std::memcpy(to, &v, sizeof v);
#if defined(__AVX512F__)
  else if constexpr (sizeof(T) == 4) _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << n) - 1), v);
  else _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1u << n) - 1), v);
#else
  else for (int64_t i = 0; i < n; ++i) to[i] = v[i];
#endif
}

// out[i] = f(in[i]); the two may alias.
template <class T, class F>
FL_LANE void map_lanes(const T* in, T* out, int64_t n, F&& f) {
  for (int64_t i = 0; i < n; i += kLanes<T>) store_lanes(out + i, f(load_lanes(in + i, n - i)), n - i);
}
// out[i] = f(a[i], b[i]), where a stride of 0 repeats one element.
template <class T, class F>
FL_LANE void map_lanes(const T* a, int a_stride, const T* b, int b_stride, T* out, int64_t n, F&& f) {
  using functors::branchless::all;
  Lanes<T> x = all<Lanes<T>>(*a), y = all<Lanes<T>>(*b);
  for (int64_t i = 0; i < n; i += kLanes<T>) {
    if (a_stride) x = load_lanes(a + i, n - i);
    if (b_stride) y = load_lanes(b + i, n - i);
    store_lanes(out + i, f(x, y), n - i);
  }
}

}  // namespace footlight::FL_ISA
