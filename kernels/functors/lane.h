// Lanes: one number or a vector of them, with the same few primitives, so that a function is written once for both.
// Vectors use fused multiply-add where the instruction set has it; single numbers never do.
#pragma once

#include "kernels/functors/common.h"

#include <bit>
#include <utility>

#if defined(__SSE2__) && !defined(__CUDACC__)
#include <immintrin.h>
#endif

// A functor that takes vectors of T as well as single elements declares it.
#define FL_ON_LANES(Type) template <class T> static constexpr bool kOnLanes = std::is_same_v<T, Type>;
#define FL_ON_ALL_LANES template <class T> static constexpr bool kOnLanes = std::is_floating_point_v<T>;

#if !defined(__CUDACC__)
// Nothing here may be emitted as a function of its own: the linker would share it among instruction sets.
#define FL_LANE [[gnu::always_inline]] inline
#define FL_INLINE_LAMBDA __attribute__((always_inline))

namespace footlight::functors::branchless {

template <class T>
struct Format;
template <>
struct Format<float> {
  using Int = int32_t;
  using Unsigned = uint32_t;
  static constexpr int kFraction = 23;
  static constexpr Int kBias = 127;
  static constexpr float kRound = 0x1.8p23f;  // adding it rounds to an integer, which is then in the lowest bits
  static constexpr float kLog2e = 0x1.715476p+0f;
  static constexpr float kLn2High = 0x1.62e4p-1f, kLn2Low = 0x1.7f7d1cp-20f;
};
template <>
struct Format<double> {
  using Int = int64_t;
  using Unsigned = uint64_t;
  static constexpr int kFraction = 52;
  static constexpr Int kBias = 1023;
  static constexpr double kRound = 0x1.8p52;
  static constexpr double kLog2e = 0x1.71547652b82fep+0;
  static constexpr double kLn2High = 0x1.62e42fefp-1, kLn2Low = 0x1.473de6af278edp-34;
};

template <class T, size_t kBytes>
struct Wide {
  typedef T type __attribute__((vector_size(kBytes)));
};

template <class L>
struct Lane {  // a vector
  using Element = std::remove_cvref_t<decltype(std::declval<L&>()[0])>;
  static constexpr size_t kCount = sizeof(L) / sizeof(Element);
  using Int = typename Wide<typename Format<Element>::Int, sizeof(L)>::type;
  using Unsigned = typename Wide<typename Format<Element>::Unsigned, sizeof(L)>::type;
};
template <class T>
  requires std::is_floating_point_v<T>
struct Lane<T> {
  using Element = T;
  static constexpr size_t kCount = 1;
  using Int = typename Format<T>::Int;
  using Unsigned = typename Format<T>::Unsigned;
};
template <class L>
using Element = typename Lane<L>::Element;
template <class L>
using Int = typename Lane<L>::Int;
template <class L>
inline constexpr bool is_single = std::is_floating_point_v<L>;

template <class L>
FL_LANE Int<L> bits(L x) {
  return std::bit_cast<Int<L>>(x);
}
template <class L>
FL_LANE L number(Int<L> b) {
  return std::bit_cast<L>(b);
}
// The same value in every lane.
template <class L>
FL_LANE L all(Element<L> x) {
  if constexpr (is_single<L>) return x;
  else return x - L{};
}

// Conditions: bool, a vector of 0 and -1, or the mask registers of AVX-512. Combine them with & and |.
template <class L>
FL_LANE auto less(L a, L b) {
  return a < b;
}
template <class L>
FL_LANE auto equal(L a, L b) {
  return a == b;
}
template <class L>
FL_LANE auto beyond(L x, L limit) {  // or NaN
  return (x <= limit) == 0;
}
template <class L>
FL_LANE auto negative(L x) {  // flips the sign bit, of zeros and NaN too
  return bits(x) < 0;
}
template <class L>
FL_LANE auto odd(Int<L> k) {
  return (k & 1) != 0;
}
// c ? a : b, bitwise for single numbers: where several conditions meet, the compiler would branch and not vectorise.
template <class L, class C>
  requires(is_single<L> || !std::is_integral_v<C>)
FL_LANE L choose(C c, L a, L b) {
  if constexpr (is_single<L>) {
    const Int<L> mask = -static_cast<Int<L>>(c);
    return number<L>((bits(a) & mask) | (bits(b) & ~mask));
  } else {
    return c ? a : b;
  }
}
template <class L>
FL_LANE bool any(L c) {
  if constexpr (std::is_integral_v<L>) {
    return c;
  } else {
    bool found = false;
    for (size_t i = 0; i < sizeof(L) / sizeof(c[0]); ++i) found |= c[i] != 0;
    return found;
  }
}

// NaN stays NaN.
template <class L>
FL_LANE L clamped(L x, Element<L> low, Element<L> high) {
  if constexpr (is_single<L>) {
    const L y = x < low ? low : x;
    return y > high ? high : y;
  } else {
    const L y = x < low ? all<L>(low) : x;
    return y > high ? all<L>(high) : y;
  }
}

// Whether multiply-add is fused.
template <class L>
inline constexpr bool fused = false;
template <class L>
FL_LANE L madd(L a, L b, L c) {  // a b + c
  return a * b + c;
}
template <class L>
FL_LANE L nmadd(L a, L b, L c) {  // c - a b
  return c - a * b;
}
template <class L>
FL_LANE L root(L x) {
  if constexpr (is_single<L>) {
    return std::sqrt(x);
  } else {
    for (size_t i = 0; i < Lane<L>::kCount; ++i) x[i] = std::sqrt(x[i]);
    return x;
  }
}

// 2^k for an integer k in the exponent range of normal numbers.
template <class L>
FL_LANE L power_of_two(L k) {
  using F = Format<Element<L>>;
  return number<L>(bits<L>(k + (F::kRound + static_cast<Element<L>>(F::kBias))) << F::kFraction);
}
// y 2^k, rounded once, for an integer k of up to twice that range.
template <class L>
FL_LANE L scaled(L y, L k) {
  constexpr auto kRound = Format<Element<L>>::kRound;
  const L half = (k * Element<L>(0.5) + kRound) - kRound;
  return y * power_of_two<L>(half) * power_of_two<L>(k - half);
}

// x = 2^k m with m from sqrt(1/2) to sqrt(2). Where `splits_all`, zero has k = -infinity, infinity k = infinity, and of
// NaN and negative numbers m is NaN; elsewhere only normal positive numbers are split.
template <class L>
inline constexpr bool splits_all = false;

template <class L>
FL_LANE L split(L x, L& k) {
  using Unsigned = typename Lane<L>::Unsigned;
  if constexpr (sizeof(Element<L>) == 4) {
    constexpr int32_t kRootHalf = 0x3f3504f3;
    const auto b = std::bit_cast<Int<L>>(std::bit_cast<Unsigned>(x) - uint32_t{kRootHalf});
    if constexpr (is_single<L>) k = static_cast<float>(b >> 23);
    else k = __builtin_convertvector(b >> 23, L);
    return number<L>((b & 0x7fffff) + kRootHalf);
  } else {
    constexpr uint64_t kRootHalf = 0x3fe6a09e667f3bcd;
    const Unsigned b = std::bit_cast<Unsigned>(x) - kRootHalf + (uint64_t{1023} << 52);
    k = std::bit_cast<L>(b >> 52 | uint64_t{0x4330000000000000}) - (0x1p52 + 1023.0);
    return std::bit_cast<L>((b & uint64_t{0xfffffffffffff}) + kRootHalf);
  }
}

// The two halves of a vector of floats as doubles, and back.
template <class L>
struct Halves {
  typename Wide<float, sizeof(L) / 2>::type low, high;
};
template <class L, class D = typename Wide<double, sizeof(L)>::type>
FL_LANE D lower(L x) {
  return __builtin_convertvector(std::bit_cast<Halves<L>>(x).low, D);
}
template <class L, class D = typename Wide<double, sizeof(L)>::type>
FL_LANE D upper(L x) {
  return __builtin_convertvector(std::bit_cast<Halves<L>>(x).high, D);
}
template <class D, class L = typename Wide<float, sizeof(D)>::type>
FL_LANE L narrowed(D low, D high) {
  using Half = decltype(Halves<L>::low);
  return std::bit_cast<L>(Halves<L>{__builtin_convertvector(low, Half), __builtin_convertvector(high, Half)});
}

// Better code for particular instruction sets. These are not templates, so that they are preferred to those above;
// calls let the compiler deduce L.
#if defined(__SSE2__)
using Floats4 = Wide<float, 16>::type;
using Doubles2 = Wide<double, 16>::type;
FL_LANE bool any(Wide<int32_t, 16>::type c) { return _mm_movemask_epi8(std::bit_cast<__m128i>(c)) != 0; }
FL_LANE bool any(Wide<int64_t, 16>::type c) { return _mm_movemask_epi8(std::bit_cast<__m128i>(c)) != 0; }
FL_LANE Floats4 root(Floats4 x) { return _mm_sqrt_ps(x); }
FL_LANE Doubles2 root(Doubles2 x) { return _mm_sqrt_pd(x); }
FL_LANE Floats4 clamped(Floats4 x, float low, float high) {
  return _mm_min_ps(_mm_set1_ps(high), _mm_max_ps(_mm_set1_ps(low), x));
}
FL_LANE Doubles2 clamped(Doubles2 x, double low, double high) {
  return _mm_min_pd(_mm_set1_pd(high), _mm_max_pd(_mm_set1_pd(low), x));
}
FL_LANE Doubles2 lower(Floats4 x) { return _mm_cvtps_pd(x); }
FL_LANE Doubles2 upper(Floats4 x) { return _mm_cvtps_pd(_mm_movehl_ps(x, x)); }
FL_LANE Floats4 narrowed(Doubles2 low, Doubles2 high) { return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high)); }
#endif
#if defined(__AVX2__) && defined(__FMA__)
using Floats8 = Wide<float, 32>::type;
using Doubles4 = Wide<double, 32>::type;
template <>
inline constexpr bool fused<Floats8> = true;
FL_LANE bool any(Wide<int32_t, 32>::type c) { return _mm256_movemask_epi8(std::bit_cast<__m256i>(c)) != 0; }
FL_LANE bool any(Wide<int64_t, 32>::type c) { return _mm256_movemask_epi8(std::bit_cast<__m256i>(c)) != 0; }
FL_LANE Floats8 root(Floats8 x) { return _mm256_sqrt_ps(x); }
FL_LANE Doubles4 root(Doubles4 x) { return _mm256_sqrt_pd(x); }
FL_LANE Floats8 clamped(Floats8 x, float low, float high) {
  return _mm256_min_ps(_mm256_set1_ps(high), _mm256_max_ps(_mm256_set1_ps(low), x));
}
FL_LANE Doubles4 clamped(Doubles4 x, double low, double high) {
  return _mm256_min_pd(_mm256_set1_pd(high), _mm256_max_pd(_mm256_set1_pd(low), x));
}
FL_LANE Floats8 madd(Floats8 a, Floats8 b, Floats8 c) { return _mm256_fmadd_ps(a, b, c); }
FL_LANE Doubles4 madd(Doubles4 a, Doubles4 b, Doubles4 c) { return _mm256_fmadd_pd(a, b, c); }
FL_LANE Floats8 nmadd(Floats8 a, Floats8 b, Floats8 c) { return _mm256_fnmadd_ps(a, b, c); }
FL_LANE Doubles4 nmadd(Doubles4 a, Doubles4 b, Doubles4 c) { return _mm256_fnmadd_pd(a, b, c); }
#endif
#if defined(__AVX512F__) && defined(__AVX512DQ__)
// (g++ 12 warns about its own headers where the unmasked forms are used.)
using Floats16 = Wide<float, 64>::type;
using Doubles8 = Wide<double, 64>::type;
template <>
inline constexpr bool fused<Floats16> = true;
FL_LANE __mmask16 less(Floats16 a, Floats16 b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
FL_LANE __mmask8 less(Doubles8 a, Doubles8 b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
FL_LANE __mmask16 equal(Floats16 a, Floats16 b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
FL_LANE __mmask8 equal(Doubles8 a, Doubles8 b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
FL_LANE __mmask16 beyond(Floats16 x, Floats16 limit) { return _mm512_cmp_ps_mask(x, limit, _CMP_NLE_UQ); }
FL_LANE __mmask8 beyond(Doubles8 x, Doubles8 limit) { return _mm512_cmp_pd_mask(x, limit, _CMP_NLE_UQ); }
FL_LANE __mmask16 negative(Floats16 x) { return _mm512_movepi32_mask(std::bit_cast<__m512i>(x)); }
FL_LANE __mmask8 negative(Doubles8 x) { return _mm512_movepi64_mask(std::bit_cast<__m512i>(x)); }
template <>
FL_LANE auto odd<Floats16>(Wide<int32_t, 64>::type k) {
  return _mm512_test_epi32_mask(std::bit_cast<__m512i>(k), _mm512_set1_epi32(1));
}
template <>
FL_LANE auto odd<Doubles8>(Wide<int64_t, 64>::type k) {
  return _mm512_test_epi64_mask(std::bit_cast<__m512i>(k), _mm512_set1_epi64(1));
}
FL_LANE Floats16 choose(__mmask16 c, Floats16 a, Floats16 b) { return _mm512_mask_blend_ps(c, b, a); }
FL_LANE Doubles8 choose(__mmask8 c, Doubles8 a, Doubles8 b) { return _mm512_mask_blend_pd(c, b, a); }
FL_LANE Floats16 clamped(Floats16 x, float low, float high) {
  return _mm512_maskz_min_ps(0xffff, _mm512_set1_ps(high), _mm512_maskz_max_ps(0xffff, _mm512_set1_ps(low), x));
}
FL_LANE Doubles8 clamped(Doubles8 x, double low, double high) {
  return _mm512_maskz_min_pd(0xff, _mm512_set1_pd(high), _mm512_maskz_max_pd(0xff, _mm512_set1_pd(low), x));
}
FL_LANE Floats16 madd(Floats16 a, Floats16 b, Floats16 c) { return _mm512_fmadd_ps(a, b, c); }
FL_LANE Doubles8 madd(Doubles8 a, Doubles8 b, Doubles8 c) { return _mm512_fmadd_pd(a, b, c); }
FL_LANE Floats16 nmadd(Floats16 a, Floats16 b, Floats16 c) { return _mm512_fnmadd_ps(a, b, c); }
FL_LANE Doubles8 nmadd(Doubles8 a, Doubles8 b, Doubles8 c) { return _mm512_fnmadd_pd(a, b, c); }
FL_LANE Floats16 root(Floats16 x) { return _mm512_maskz_sqrt_ps(0xffff, x); }
FL_LANE Doubles8 root(Doubles8 x) { return _mm512_maskz_sqrt_pd(0xff, x); }
FL_LANE Floats16 scaled(Floats16 y, Floats16 k) { return _mm512_maskz_scalef_ps(0xffff, y, k); }
FL_LANE Doubles8 scaled(Doubles8 y, Doubles8 k) { return _mm512_maskz_scalef_pd(0xff, y, k); }
template <>
inline constexpr bool splits_all<Floats16> = true;
template <>
inline constexpr bool splits_all<Doubles8> = true;
FL_LANE Floats16 split(Floats16 x, Floats16& k) {
  const Floats16 m = _mm512_maskz_getmant_ps(0xffff, x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan);
  const __mmask16 upper = _mm512_cmp_ps_mask(m, _mm512_set1_ps(0x1.6a09e6p+0f), _CMP_GE_OQ);
  k = _mm512_maskz_getexp_ps(0xffff, x);
  k = _mm512_mask_add_ps(k, upper, k, _mm512_set1_ps(1));
  return _mm512_mask_mul_ps(m, upper, m, _mm512_set1_ps(0.5f));
}
FL_LANE Doubles8 split(Doubles8 x, Doubles8& k) {
  const Doubles8 m = _mm512_maskz_getmant_pd(0xff, x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_nan);
  const __mmask8 upper = _mm512_cmp_pd_mask(m, _mm512_set1_pd(0x1.6a09e667f3bcdp+0), _CMP_GE_OQ);
  k = _mm512_maskz_getexp_pd(0xff, x);
  k = _mm512_mask_add_pd(k, upper, k, _mm512_set1_pd(1));
  return _mm512_mask_mul_pd(m, upper, m, _mm512_set1_pd(0.5));
}
#endif

// f of floats, computed in double.
template <class L, class F, class... More>
FL_LANE L in_double(F f, L x, More... more) {
  if constexpr (is_single<L>) return static_cast<float>(f(static_cast<double>(x), static_cast<double>(more)...));
  else return narrowed(f(lower(x), lower(more)...), f(upper(x), upper(more)...));
}

template <class L>
FL_LANE L with_sign_of(L magnitude, L sign) {
  constexpr auto kSign = std::numeric_limits<typename Format<Element<L>>::Int>::min();
  return number<L>((bits(magnitude) & ~kSign) | (bits(sign) & kSign));
}
template <class L>
FL_LANE L magnitude(L x) {
  return number<L>(bits(x) & std::numeric_limits<typename Format<Element<L>>::Int>::max());
}

// first + x (second + x (...))
template <class L>
FL_LANE L polynomial(L, Element<L> last) {
  return all<L>(last);
}
template <class L, class... More>
FL_LANE L polynomial(L x, Element<L> first, Element<L> second, More... more) {
  return madd(x, polynomial<L>(x, second, more...), all<L>(first));
}

}  // namespace footlight::functors::branchless
#endif
