// exp, log, tanh, sin, ... of float and double without a branch, so that loops over them become vector code. Within 3.5
// units in the last place, right at zeros, infinities, NaN and subnormals, with the same digits on every instruction
// set: nothing is contracted. The coefficients are least-maximum fits of the named function over the reduced range.
#pragma once

#include "kernels/functors/common.h"

#include <bit>

namespace footlight::functors::branchless {

#if defined(__CUDACC__)
// A GPU has its own, and branches cost it little.
using std::cos, std::erf, std::exp, std::expm1, std::log, std::log1p, std::pow, std::sin, std::tan, std::tanh;
#else

template <class T>
struct Format;
template <>
struct Format<float> {
  using Int = int32_t;
  static constexpr int kFraction = 23;
  static constexpr Int kBias = 127;
  static constexpr float kRound = 0x1.8p23f;  // adding it rounds to an integer, which stands in the lowest bits then
  static constexpr float kLog2e = 0x1.715476p+0f;
  static constexpr float kLn2High = 0x1.62e4p-1f, kLn2Low = 0x1.7f7d1cp-20f;
};
template <>
struct Format<double> {
  using Int = int64_t;
  static constexpr int kFraction = 52;
  static constexpr Int kBias = 1023;
  static constexpr double kRound = 0x1.8p52;
  static constexpr double kLog2e = 0x1.71547652b82fep+0;
  static constexpr double kLn2High = 0x1.62e42fefp-1, kLn2Low = 0x1.473de6af278edp-34;
};
template <class T>
using Int = typename Format<T>::Int;

template <class T>
inline Int<T> bits(T x) {
  return std::bit_cast<Int<T>>(x);
}
template <class T>
inline T number(Int<T> b) {
  return std::bit_cast<T>(b);
}
// c ? a : b, by bits: where several conditions meet, the compiler would make paths of them, and no vectors.
template <class T>
inline T choose(bool c, T a, T b) {
  const Int<T> mask = -static_cast<Int<T>>(c);
  return number<T>((bits(a) & mask) | (bits(b) & ~mask));
}
// NaN stays NaN.
template <class T>
inline T clamped(T x, T low, T high) {
  const T y = x < low ? low : x;
  return y > high ? high : y;
}
// 2^k for k within the exponents of normal numbers; k stands in the lowest bits of a number with kRound added.
template <class T>
inline T power_of_two(Int<T> k) {
  return number<T>((k + Format<T>::kBias) << Format<T>::kFraction);
}
template <class T>
inline T with_sign_of(T magnitude, T sign) {
  constexpr Int<T> kSign = std::numeric_limits<Int<T>>::min();
  return number<T>((bits(magnitude) & ~kSign) | (bits(sign) & kSign));
}
template <class T>
inline T magnitude(T x) {
  return number<T>(bits(x) & std::numeric_limits<Int<T>>::max());
}

template <class T>
inline T polynomial(T) {
  return T(0);
}
template <class T, class... More>
inline T polynomial(T x, T first, More... more) {
  if constexpr (sizeof...(more) == 0) return first;
  else return first + x * polynomial<T>(x, more...);
}

// exp(r) - 1 for |r| up to ln(2) / 2.
inline float expm1_reduced(float r) {
  return r + r * r * polynomial<float>(r, 0x1.p-1f, 0x1.5554dcp-3f, 0x1.555518p-5f, 0x1.120cd4p-7f, 0x1.6d127p-10f);
}
inline double expm1_reduced(double r) {
  return r + r * r * polynomial<double>(r, 0x1.p-1, 0x1.5555555555557p-3, 0x1.5555555555556p-5, 0x1.111111111007ep-7,
                                        0x1.6c16c16c1629fp-10, 0x1.a01a01ac1adebp-13, 0x1.a01a01a6f59a9p-16,
                                        0x1.71de0190b33a1p-19, 0x1.27e4db08819d2p-22, 0x1.af4f375ba602bp-26,
                                        0x1.1f73c205d8d57p-29);
}

// x = k ln(2) + r; k is returned as an integer.
template <class T>
inline Int<T> reduce_exp(T x, T& r) {
  using F = Format<T>;
  const T shifted = x * F::kLog2e + F::kRound;
  const T k = shifted - F::kRound;
  r = (x - k * F::kLn2High) - k * F::kLn2Low;
  return bits(shifted) - bits(F::kRound);
}

template <class T>
inline T exp(T x) {
  constexpr bool kSingle = sizeof(T) == 4;
  T r;
  // The scale goes on in two steps: results that are subnormal, and those next to the largest, need it.
  const Int<T> k = reduce_exp(clamped(x, kSingle ? T(-110) : T(-760), kSingle ? T(100) : T(720)), r);
  const Int<T> half = k >> 1;
  return (T(1) + expm1_reduced(r)) * power_of_two<T>(half) * power_of_two<T>(k - half);
}

template <class T>
inline T expm1(T x) {
  constexpr bool kSingle = sizeof(T) == 4;
  T r;
  const Int<T> k = reduce_exp(clamped(x, kSingle ? T(-20) : T(-40), kSingle ? T(89) : T(710)), r);
  const T scale = power_of_two<T>(k - 1);  // half of it: 2^k may be past the largest number
  const T y = T(2) * (scale * expm1_reduced(r) + (scale - T(0.5)));
  return x == T(0) ? x : y;
}

// log(1 + f) for 1 + f from sqrt(1/2) to sqrt(2), with k ln(2) added.
inline float log_reduced(float f, float k, float correction) {
  const float p = polynomial<float>(f, 0x1.555554p-2f, -0x1.fffffcp-3f, 0x1.999d5ap-3f, -0x1.555b4ap-3f,
                                    0x1.23d218p-3f, -0x1.fcf4c2p-4f, 0x1.dea28cp-4f, -0x1.d635e4p-4f, 0x1.1d8ebep-4f);
  const float z = f * f;
  return k * Format<float>::kLn2High + (f + (f * z * p + (k * Format<float>::kLn2Low + correction) - 0.5f * z));
}
inline double log_reduced(double f, double k, double correction) {
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double r = z * polynomial<double>(z, 0x1.5555555555558p-1, 0x1.99999999952b2p-2, 0x1.2492492df6947p-2,
                                          0x1.c71c62debf86bp-3, 0x1.7462b69705382p-3, 0x1.39fe208c33457p-3,
                                          0x1.2b5b5fb2eac92p-3);
  const double half = 0.5 * f * f;
  return k * Format<double>::kLn2High -
         ((half - (s * (half + r) + (k * Format<double>::kLn2Low + correction))) - f);
}

// x = 2^k * (1 + f), for normal positive x.
inline float reduce_log(float x, float& f) {
  constexpr int32_t kRootHalf = 0x3f3504f3;
  const int32_t b = static_cast<int32_t>(static_cast<uint32_t>(bits(x)) - uint32_t{kRootHalf});
  f = number<float>((b & 0x7fffff) + kRootHalf) - 1.0f;
  return static_cast<float>(b >> 23);
}
inline double reduce_log(double x, double& f) {
  constexpr uint64_t kRootHalf = 0x3fe6a09e667f3bcd;
  const uint64_t b = static_cast<uint64_t>(bits(x)) - kRootHalf + (uint64_t{1023} << 52);
  f = number<double>(static_cast<int64_t>((b & 0xfffffffffffff) + kRootHalf)) - 1.0;
  return number<double>(static_cast<int64_t>(b >> 52 | 0x4330000000000000)) - (0x1p52 + 1023.0);
}

template <class T>
inline T log_of(T x, T correction) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const bool small = x < std::numeric_limits<T>::min();
  constexpr T kUp = sizeof(T) == 4 ? T(0x1p25) : T(0x1p54);
  T f;
  const T k = reduce_log(small ? x * kUp : x, f);
  T y = log_reduced(f, small ? k - (sizeof(T) == 4 ? T(25) : T(54)) : k, correction);
  y = choose(x < kInfinity, y, x);  // infinity, NaN
  y = choose(x == T(0), -kInfinity, y);
  return choose(x < T(0), std::numeric_limits<T>::quiet_NaN(), y);
}
template <class T>
inline T log(T x) {
  return log_of(x, T(0));
}

template <class T>
inline T log1p(T x) {
  // What 1 + x lost is put back as the first term of a series.
  const T u = T(1) + x;
  const T lost = (x - (u - T(1))) / u;
  const bool plain = (u > T(0)) & (u < std::numeric_limits<T>::infinity());
  const T y = log_of(u, choose(plain, lost, T(0)));
  return choose(x == T(0), x, y);
}

template <class T>
inline T tanh(T x) {
  const T a = magnitude(x);
  const T t = expm1(T(2) * (a > T(20) ? T(20) : a));
  const T y = with_sign_of(t / (t + T(2)), x);
  return x == x ? y : x;
}

template <class T>
inline T sigmoid(T x) {
  return T(1) / (T(1) + branchless::exp(-x));
}

// log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|))
template <class T>
inline T softplus(T x) {
  return choose(x > T(0), x, T(0)) + branchless::log1p(branchless::exp(-magnitude(x)));
}

// sin and cos: good up to this magnitude. Beyond, the multiples of pi/2 are not exact any more.
inline constexpr double kTrigonometricLimit = 1e6;

inline float sin_reduced(float r) {
  const float z = r * r;
  return r + r * z * polynomial<float>(z, -0x1.555556p-3f, 0x1.11110ep-7f, -0x1.a013ap-13f, 0x1.6dbb5cp-19f);
}
inline float cos_reduced(float r) {
  const float z = r * r;
  return 1.0f - (0.5f * z - z * z * polynomial<float>(z, 0x1.555554p-5f, -0x1.6c12cep-10f, 0x1.9bd5d8p-16f));
}
inline double sin_reduced(double r) {
  const double z = r * r;
  return r + r * z * polynomial<double>(z, -0x1.5555555555555p-3, 0x1.111111111111p-7, -0x1.a01a01a019921p-13,
                                        0x1.71de3a545dd92p-19, -0x1.ae64540e0633bp-26, 0x1.61217b49ad79ap-33,
                                        -0x1.ab159dc3b3c21p-41);
}
inline double cos_reduced(double r) {
  const double z = r * r;
  const double half = 0.5 * z;
  const double w = 1.0 - half;
  return w + (((1.0 - w) - half) +
              z * z * polynomial<double>(z, 0x1.5555555555555p-5, -0x1.6c16c16c1695ep-10, 0x1.a01a019f4c9c5p-16,
                                         -0x1.27e4fa1529574p-22, 0x1.1eeb661c764f3p-29, -0x1.907b9fa75dee8p-37));
}

// x = k pi/2 + r; the lowest bits of k are returned.
template <class T>
inline Int<T> reduce_trigonometric(T x, T& r) {
  constexpr double kHigh = 0x1.921fb544p+0, kMiddle = 0x1.0b4611a6p-34, kLow = 0x1.3198a2e037073p-69;
  const double wide = x;
  const double shifted = wide * 0x1.45f306dc9c883p-1 + Format<double>::kRound;
  const double k = shifted - Format<double>::kRound;
  r = static_cast<T>(((wide - k * kHigh) - k * kMiddle) - k * kLow);
  return static_cast<Int<T>>(bits(shifted));
}
template <class T>
inline T quadrant(Int<T> k, T r) {
  const T y = k & 1 ? cos_reduced(r) : sin_reduced(r);
  return number<T>(bits(y) ^ ((k & 2) << (sizeof(T) * 8 - 2)));
}
template <class T>
inline T sin(T x) {
  T r;
  const Int<T> k = reduce_trigonometric(x, r);
  const T y = quadrant(k, r);
  return x == T(0) ? x : y;
}
template <class T>
inline T cos(T x) {
  T r;
  const Int<T> k = reduce_trigonometric(x, r);
  return quadrant<T>(k + 1, r);
}
template <class T>
inline T tan(T x) {
  T r;
  const Int<T> k = reduce_trigonometric(x, r);
  const T s = sin_reduced(r), c = cos_reduced(r);
  const T y = k & 1 ? -c / s : s / c;
  return x == T(0) ? x : y;
}

inline float erf(float x) {
  const float a = clamped(magnitude(x), 0.0f, 4.0f);
  const float z = a * a;
  const float inner = a * polynomial<float>(z, 0x1.20dd76p+0f, -0x1.812746p-2f, 0x1.ce2f08p-4f, -0x1.b829c8p-6f,
                                            0x1.562a5cp-8f, -0x1.bccf2cp-11f, 0x1.d885dep-14f, -0x1.445bbap-17f);
  const float outer =
      1.0f - branchless::exp(-z) * polynomial<float>(a, 0x1.f9579ep-1f, -0x1.0e51bep+0f, 0x1.a22dap-1f, -0x1.e1b02ap-2f,
                                                     0x1.9a70a4p-3f, -0x1.fac444p-5f, 0x1.b63622p-7f, -0x1.f54f6ep-10f,
                                                     0x1.53cd92p-13f, -0x1.9c837cp-18f);
  return choose(x == x, with_sign_of(choose(a < 1.0f, inner, outer), x), x);
}

// In double: the error of the logarithm is far below what float shows, whatever the exponent.
inline float pow(float x, float y) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float a = magnitude(x);
  const double power = branchless::exp(static_cast<double>(y) * branchless::log(static_cast<double>(a)));
  float result = static_cast<float>(power);
  // Of negative numbers: integers only, and the sign is that of an odd one. All floats from 2^24 on are even.
  const float above = y > -0x1p24f ? y : -0x1p24f;
  const float near = above < 0x1p24f ? above : 0x1p24f;
  const int32_t whole = static_cast<int32_t>(near);
  const bool integer = static_cast<float>(whole) == near;
  const bool negative = bits(x) < 0;
  const float flipped = number<float>(bits(result) ^ ((whole & static_cast<int32_t>(integer)) << 31));
  const bool outside = (x < 0.0f) & (a < kInfinity) & !integer;
  result = choose(negative, choose(outside, std::numeric_limits<float>::quiet_NaN(), flipped), result);
  const bool one = (x == 1.0f) | (y == 0.0f) | ((a == 1.0f) & (magnitude(y) == kInfinity));
  return choose(one, 1.0f, result);
}

#endif

}  // namespace footlight::functors::branchless

// In a functor whose exact form has branches: what a loop may use instead for arguments up to the limit.
#if defined(__CUDACC__)
#define FL_LIMITED(f)
#else
#define FL_LIMITED(f)                                                             \
  static constexpr double kLimit = branchless::kTrigonometricLimit;               \
  template <class T> static T within_limit(T x) { return branchless::f(x); }
#endif
