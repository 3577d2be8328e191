// Inverse trigonometric, hyperbolic and complementary error functions without a branch, on lanes: see branchless.h.
// erfc and erfinv are for float alone. Within 2.6 units in the last place (erfc: eight), correct at zeros, infinities
// and NaN.
#pragma once

#include "kernels/functors/branchless.h"

#if !defined(__CUDACC__)
namespace footlight::functors::branchless {

template <class T>
inline constexpr T kHalfPi = sizeof(T) == 4 ? T(0x1.921fb6p+0f) : T(0x1.921fb54442d18p+0);
template <class T>
inline constexpr T kHalfPiLow = sizeof(T) == 4 ? T(-0x1.777a5cp-25f) : T(0x1.1a62633145c07p-54);

// atan(r) for |r| up to tan(pi / 8).
template <class L>
FL_LANE L atan_reduced(L r) {
  const L z = r * r;
  if constexpr (sizeof(Element<L>) == 4)
    return madd(
        r * z, polynomial<L>(z, -0x1.55554ap-2f, 0x1.9991aep-3f, -0x1.23b6cap-3f, 0x1.b20322p-4f, -0x1.f25b44p-5f), r);
  else
    return madd(r * z,
                polynomial<L>(z, -0x1.5555555555555p-2, 0x1.9999999999953p-3, -0x1.249249248d7eep-3,
                              0x1.c71c71c304b68p-4, -0x1.745d165df3f95p-4, 0x1.3b1392d9e785cp-4, -0x1.110e880a7a521p-4,
                              0x1.e19a13b9fc6dfp-5, -0x1.ac7a938b69c93p-5, 0x1.74ddd408bb4c1p-5, -0x1.1b33b923aa954p-5,
                              0x1.0ad36a455cafbp-6),
                r);
}
// The angle whose tangent is small / large, both positive, or its complement to a right angle where they are swapped.
template <class L, class C>
FL_LANE L atan_octant(L small, L large, C swapped) {
  using T = Element<L>;
  const L zero{}, quarter = all<L>(T(0.5) * kHalfPi<T>), quarter_low = all<L>(T(0.5) * kHalfPiLow<T>);
  const auto upper = less(T(0x1.a8279ap-2) * large, small);
  // tan(a - pi/4) = (tan(a) - 1) / (tan(a) + 1)
  const L part = atan_reduced<L>(choose(upper, small - large, small) / choose(upper, small + large, large));
  const L base = choose(upper, quarter, choose(swapped, all<L>(kHalfPi<T>), zero));
  const L low = choose(upper, quarter_low, choose(swapped, all<L>(kHalfPiLow<T>), zero));
  return base + (choose(swapped, -part, part) + low);
}
template <class L>
FL_LANE L atan(L x) {
  using T = Element<L>;
  const L a = clamped(magnitude(x), T(0), T(0x1p60));
  const L one = all<L>(1);
  const auto steep = less(one, a);
  return with_sign_of(atan_octant(choose(steep, one, a), choose(steep, a, one), steep), x);
}
template <class L>
FL_LANE L atan2(L y, L x) {
  using T = Element<L>;
  const L a = magnitude(y), b = magnitude(x), one = all<L>(1);
  const auto steep = less(b, a);
  L small = choose(steep, b, a), large = choose(steep, a, b);
  const auto endless = equal(a, b) & equal(a, all<L>(std::numeric_limits<T>::infinity()));
  small = choose(endless, one, small);
  large = choose(endless | equal(large, L{}), one, large);
  const L scale = choose(less(one, large), all<L>(0.5), one);  // their sum must not overflow
  const L angle = atan_octant<L>(small * scale, large * scale, steep);
  // Left of the axis: pi minus the angle, both of its parts.
  const L left = T(2) * kHalfPi<T> - (angle - T(2) * kHalfPiLow<T>);
  return with_sign_of(choose(negative(x), left, angle), y);
}

// asin(s) where z is s^2, up to s = 1/2.
template <class L>
FL_LANE L asin_reduced(L s, L z) {
  if constexpr (sizeof(Element<L>) == 4)
    return madd(s * z,
                polynomial<L>(z, 0x1.55554cp-3f, 0x1.33388ep-4f, 0x1.6cac3cp-5f, 0x1.04a66p-5f, 0x1.d7f1bep-7f,
                              0x1.33bbf8p-5f),
                s);
  else
    return madd(s * z,
                polynomial<L>(z, 0x1.555555555554fp-3, 0x1.3333333336da5p-4, 0x1.6db6db684b6a1p-5,
                              0x1.f1c71f95269afp-6, 0x1.6e8b2b3b10be4p-6, 0x1.1c593c7b1d958p-6, 0x1.c87265d47ef49p-7,
                              0x1.8522ddffa6208p-7, 0x1.ff5fc4d14c735p-8, 0x1.06b9d26d10838p-6, -0x1.603991d6060ep-7,
                              0x1.cd864394d2ff2p-6),
                s);
}
template <class L>
FL_LANE L asin(L x) {
  using T = Element<L>;
  const L a = magnitude(x);
  const auto upper = less(all<L>(0.5), a);
  const L z = choose(upper, (T(1) - a) * T(0.5), a * a);
  const L p = asin_reduced<L>(choose(upper, root(z), a), z);
  return with_sign_of(choose(upper, kHalfPi<T> - (T(2) * p - kHalfPiLow<T>), p), x);
}
template <class L>
FL_LANE L acos(L x) {
  using T = Element<L>;
  const L a = magnitude(x);
  const auto upper = less(all<L>(0.5), a);
  const L z = choose(upper, (T(1) - a) * T(0.5), a * a);
  const L p = asin_reduced<L>(choose(upper, root(z), a), z);
  const L right = T(2) * p;
  const L left = T(2) * kHalfPi<T> - (right - T(2) * kHalfPiLow<T>);
  const L middle = kHalfPi<T> - (with_sign_of(p, x) - kHalfPiLow<T>);
  return choose(upper, choose(less(x, L{}), left, right), middle);
}

// Let t = (exp(a) - 1) / 2: sinh(a) = t + t / (2 t + 1).
template <class L>
FL_LANE L sinh(L x) {
  using T = Element<L>;
  const L t = T(2) * quarter_expm1(expm1_clamped(magnitude(x)));
  const L y = t + t / (t + t + T(1));
  return with_sign_of(choose(less(all<L>(T(0x1p60)), t), t, y), x);
}
// Let e = exp(a) / 2: cosh(a) = e + 1 / (4 e).
template <class L>
FL_LANE L cosh(L x) {
  const L e = exp_scaled(magnitude(x), -1);
  return e + Element<L>(0.25) / e;
}

// Above this limit asinh(x) and acosh(x) are log(2 x), which is log1p(x - 1) + ln(2).
template <class T>
inline constexpr T kFar = sizeof(T) == 4 ? T(0x1p12) : T(0x1p28);
template <class T>
inline constexpr T kLn2 = T(0.69314718055994530942);

template <class L>
FL_LANE L asinh(L x) {
  using T = Element<L>;
  const L a = magnitude(x);
  const auto far = less(all<L>(kFar<T>), a);
  const L near = a + a * a / (T(1) + root(a * a + T(1)));
  const L y = branchless::log1p<L>(choose(far, a - T(1), near));
  return with_sign_of<L>(choose(far, y + kLn2<T>, y), x);
}
template <class L>
FL_LANE L acosh(L x) {
  using T = Element<L>;
  const L t = x - T(1);
  const auto far = less(all<L>(kFar<T>), x);
  const L y = branchless::log1p<L>(choose(far, t, t + root(t * (t + T(2)))));
  return choose(less(x, all<L>(1)), all<L>(std::numeric_limits<T>::quiet_NaN()), choose(far, y + kLn2<T>, y));
}
template <class L>
FL_LANE L atanh(L x) {
  using T = Element<L>;
  const L a = magnitude(x);
  return with_sign_of<L>(T(0.5) * branchless::log1p<L>(T(2) * a / (T(1) - a)), x);
}

// exp(-x^2) times a polynomial in (x - 2) / (x + 2); the square in two parts, because its last digits matter.
template <class L>
FL_LANE L erfc(L x) {
  const L a = clamped(magnitude(x), 0.5f, 10.3f);
  const L high = number<L>(bits(a) & ~0xfff);
  const L bell = branchless::exp<L>(-high * high) * exp_reduced<L>((high - a) * (high + a));
  const L t = (a - 2.0f) / (a + 2.0f);
  const L tail =
      bell * polynomial<L>(t, 0x1.058672p-2f, -0x1.b57036p-2f, 0x1.eeea78p-3f, -0x1.437eecp-4f, 0x1.e96764p-9f,
                           0x1.ca75cep-8f, -0x1.bfb376p-11f, -0x1.fcc214p-11f, 0x1.0d7e16p-14f, 0x1.2f9d1cp-13f);
  const L outer = choose(negative(x), 2.0f - tail, tail);
  return choose(less(all<L>(0.5f), magnitude(x)), outer, 1.0f - erf_reduced<L>(x, x * x));
}

// x times a polynomial in w = -log(1 - x^2), or in its root where that is steep.
template <class L>
FL_LANE L erfinv(L x) {
  const L a = magnitude(x);
  const L w = -branchless::log<L>((1.0f - a) * (1.0f + a));
  const L near =
      polynomial<L>(w - 2.5f, 0x1.805c5ep+0f, 0x1.f91ec6p-3f, -0x1.11ca4ep-8f, -0x1.48a6e4p-10f, 0x1.ca7128p-13f,
                    -0x1.27100ap-18f, -0x1.d9a29cp-19f, 0x1.7112d2p-22f, 0x1.ea384cp-26f);
  const auto inner = less(w, all<L>(5));
  const L far = polynomial<L>(root(choose(inner, all<L>(5), w)) - 3.0f, 0x1.6a9efcp+1f, 0x1.006db6p+0f,
                              0x1.3547f8p-7f, -0x1.f38006p-8f, 0x1.7854e4p-8f, -0x1.e1adccp-9f, 0x1.6009ep-10f,
                              0x1.aade8ap-14f, -0x1.9b0142p-13f);
  const L y = x * choose(inner, near, far);
  const L infinite = with_sign_of(all<L>(std::numeric_limits<float>::infinity()), x);
  return choose(equal(a, all<L>(1)), infinite, y);
}

}  // namespace footlight::functors::branchless
#endif
