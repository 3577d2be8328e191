// Inverse trigonometric, hyperbolic and complementary error functions without a branch: see branchless.h.
// Those in terms of a polynomial are for float, those in terms of exp and log for double too. Within three units in the
// last place (erfc: nine), right at zeros, infinities and NaN.
#pragma once

#include "kernels/functors/branchless.h"

#if !defined(__CUDACC__)
namespace footlight::functors::branchless {

inline constexpr float kHalfPi = 0x1.921fb6p+0f, kHalfPiLow = -0x1.777a5cp-25f;
inline constexpr float kQuarterPi = 0x1.921fb6p-1f, kQuarterPiLow = -0x1.777a5cp-26f;

// atan(r) for |r| up to tan(pi / 8).
inline float atan_reduced(float r) {
  const float z = r * r;
  return r + r * z * polynomial<float>(z, -0x1.55554ap-2f, 0x1.9991aep-3f, -0x1.23b6cap-3f, 0x1.b20322p-4f,
                                       -0x1.f25b44p-5f);
}
// The angle whose tangent is r from 0 to 1, or with `turned` the angle that is missing to a right one.
inline float atan_octant(float r, bool turned) {
  const bool upper = r > 0x1.a8279ap-2f;
  const float part = atan_reduced(choose(upper, (r - 1.0f) / (r + 1.0f), r));
  const float base = choose(upper, kQuarterPi, choose(turned, kHalfPi, 0.0f));
  const float low = choose(upper, kQuarterPiLow, choose(turned, kHalfPiLow, 0.0f));
  return base + (choose(turned, -part, part) + low);
}
inline float atan(float x) {
  const float a = magnitude(x);
  const bool steep = a > 1.0f;
  return with_sign_of(atan_octant(choose(steep, 1.0f / a, a), steep), x);
}
inline float atan2(float y, float x) {
  const float a = magnitude(y), b = magnitude(x);
  const bool steep = a > b;
  const float small = choose(steep, b, a), large = choose(steep, a, b);
  float r = small / large;
  r = choose((small == large) & (large > 0.0f), 1.0f, r);  // infinity / infinity
  r = choose((large == 0.0f) & (small == 0.0f), 0.0f, r);
  const float angle = atan_octant(r, steep);
  // Left of the axis: pi less that, both of its parts.
  const float left = 2.0f * kHalfPi - (angle - 2.0f * kHalfPiLow);
  return with_sign_of(choose(bits(x) < 0, left, angle), y);
}

// asin(s) where z is s^2, up to s = 1/2.
inline float asin_reduced(float s, float z) {
  return s + s * z * polynomial<float>(z, 0x1.55554cp-3f, 0x1.33388ep-4f, 0x1.6cac3cp-5f, 0x1.04a66p-5f,
                                       0x1.d7f1bep-7f, 0x1.33bbf8p-5f);
}
inline float asin(float x) {
  const float a = magnitude(x);
  const bool upper = a > 0.5f;
  const float z = choose(upper, (1.0f - a) * 0.5f, a * a);
  const float p = asin_reduced(choose(upper, std::sqrt(z), a), z);
  return with_sign_of(choose(upper, kHalfPi - (2.0f * p - kHalfPiLow), p), x);
}
inline float acos(float x) {
  const float a = magnitude(x);
  const bool upper = a > 0.5f;
  const float z = choose(upper, (1.0f - a) * 0.5f, a * a);
  const float p = asin_reduced(choose(upper, std::sqrt(z), a), z);
  const float right = 2.0f * p;
  const float left = 2.0f * kHalfPi - (right - 2.0f * kHalfPiLow);
  const float middle = kHalfPi - (with_sign_of(p, x) - kHalfPiLow);
  return choose(upper, choose(x < 0.0f, left, right), middle);
}

// Past this exp(x) overflows where its half does not.
template <class T>
inline constexpr T kSteepest = sizeof(T) == 4 ? T(88) : T(709);

template <class T>
inline T sinh(T x) {
  const T a = magnitude(x);
  const T t = branchless::expm1(a);
  const T root = branchless::exp(T(0.5) * a);
  const T y = choose(a > kSteepest<T>, (T(0.5) * root) * root, T(0.5) * (t + t / (t + T(1))));
  return with_sign_of(y, x);
}
template <class T>
inline T cosh(T x) {
  const T a = magnitude(x);
  const T e = branchless::exp(a);
  const T root = branchless::exp(T(0.5) * a);
  return choose(a > kSteepest<T>, (T(0.5) * root) * root, T(0.5) * e + T(0.5) / e);
}

// From here on asinh(x) and acosh(x) are log(2 x).
template <class T>
inline constexpr T kFar = sizeof(T) == 4 ? T(0x1p12) : T(0x1p28);
template <class T>
inline constexpr T kLn2 = T(0.69314718055994530942);

template <class T>
inline T asinh(T x) {
  const T a = magnitude(x);
  const T near = branchless::log1p(a + a * a / (T(1) + std::sqrt(a * a + T(1))));
  return with_sign_of(choose(a > kFar<T>, branchless::log(a) + kLn2<T>, near), x);
}
template <class T>
inline T acosh(T x) {
  const T t = x - T(1);
  const T near = branchless::log1p(t + std::sqrt(t * (t + T(2))));
  const T y = choose(x > kFar<T>, branchless::log(x) + kLn2<T>, near);
  return choose(x < T(1), std::numeric_limits<T>::quiet_NaN(), y);
}
template <class T>
inline T atanh(T x) {
  const T a = magnitude(x);
  return with_sign_of(T(0.5) * branchless::log1p(T(2) * a / (T(1) - a)), x);
}

// exp(-x^2) times a polynomial in (x - 2) / (x + 2); the square in two parts, for its last digits count.
inline float erfc(float x) {
  const float a = clamped(x, 0.5f, 10.3f);
  const float high = number<float>(bits(a) & ~0xfff);
  const float bell = branchless::exp(-high * high) * branchless::exp((high - a) * (high + a));
  const float t = (a - 2.0f) / (a + 2.0f);
  const float tail =
      bell * polynomial<float>(t, 0x1.058672p-2f, -0x1.b57036p-2f, 0x1.eeea78p-3f, -0x1.437eecp-4f, 0x1.e96764p-9f,
                               0x1.ca75cep-8f, -0x1.bfb376p-11f, -0x1.fcc214p-11f, 0x1.0d7e16p-14f, 0x1.2f9d1cp-13f);
  return choose(x > 0.5f, tail, 1.0f - branchless::erf(x));
}

// x times a polynomial in w = -log(1 - x^2), or in its root where that is steep.
inline float erfinv(float x) {
  const float a = magnitude(x);
  const float w = -branchless::log((1.0f - a) * (1.0f + a));
  const float near =
      polynomial<float>(w - 2.5f, 0x1.805c5ep+0f, 0x1.f91ec6p-3f, -0x1.11ca4ep-8f, -0x1.48a6e4p-10f, 0x1.ca7128p-13f,
                        -0x1.27100ap-18f, -0x1.d9a29cp-19f, 0x1.7112d2p-22f, 0x1.ea384cp-26f);
  const float far =
      polynomial<float>(std::sqrt(choose(w < 5.0f, 5.0f, w)) - 3.0f, 0x1.6a9efcp+1f, 0x1.006db6p+0f, 0x1.3547f8p-7f,
                        -0x1.f38006p-8f, 0x1.7854e4p-8f, -0x1.e1adccp-9f, 0x1.6009ep-10f, 0x1.aade8ap-14f,
                        -0x1.9b0142p-13f);
  const float y = x * choose(w < 5.0f, near, far);
  return choose(a == 1.0f, with_sign_of(std::numeric_limits<float>::infinity(), x), y);
}

}  // namespace footlight::functors::branchless
#endif
