// exp, log, tanh, sin, ... of float and double without a branch, on lanes: see lane.h. Correct at zeros, infinities and
// NaN, and within these units in the last place: pow 0.6; log 0.8; exp 1.2, 0.93 where fused; log1p 1.4; sin and
// cos 1.5, in double 2.4; softplus 1.8; expm1 2; tanh 2.5; erf 3.2; tan 3.5. Sigmoid is 0 where exp(-x) overflows.
// The coefficients are minimax fits of the named function over the reduced range.
#pragma once

#include "kernels/functors/lane.h"

namespace footlight::functors::branchless {

#if defined(__CUDACC__)
// A GPU has its own functions, and branches cost it little.
using std::cos, std::erf, std::exp, std::expm1, std::log, std::log1p, std::pow, std::sin, std::tan, std::tanh;

template <class T>
FL_HOST_DEVICE T sigmoid(T x) {
  return T(1) / (T(1) + std::exp(-x));
}
template <class T>
FL_HOST_DEVICE T softplus(T x) {
  return (x > T(0) ? x : T(0)) + std::log1p(std::exp(-std::abs(x)));
}
template <class T>
FL_HOST_DEVICE T linear_unit(T x, std::type_identity_t<T> scale, std::type_identity_t<T> alpha) {
  return x < T(0) ? alpha * std::expm1(x) : scale * x;
}
template <class T>
FL_HOST_DEVICE T all(std::type_identity_t<T> x) {
  return x;
}
#else

// exp(r) for |r| up to ln(2) / 2, and exp(r) - 1.
template <class L>
FL_LANE L expm1_factor(L r) {  // (exp(r) - 1 - r) / r^2
  if constexpr (sizeof(Element<L>) == 4)
    return polynomial<L>(r, 0x1.p-1f, 0x1.5554dcp-3f, 0x1.555518p-5f, 0x1.120cd4p-7f, 0x1.6d127p-10f);
  else
    return polynomial<L>(r, 0x1.p-1, 0x1.5555555555557p-3, 0x1.5555555555556p-5, 0x1.111111111007ep-7,
                         0x1.6c16c16c1629fp-10, 0x1.a01a01ac1adebp-13, 0x1.a01a01a6f59a9p-16, 0x1.71de0190b33a1p-19,
                         0x1.27e4db08819d2p-22, 0x1.af4f375ba602bp-26, 0x1.1f73c205d8d57p-29);
}
template <class L>
FL_LANE L expm1_reduced(L r) {
  return madd(r * r, expm1_factor(r), r);
}
template <class L>
FL_LANE L exp_reduced(L r) {
  return madd(r, madd(r, expm1_factor(r), all<L>(1)), all<L>(1));
}

// x = k ln(2) + r
template <class L>
FL_LANE L reduce_exp(L x, L& k) {
  using F = Format<Element<L>>;
  k = madd(x, all<L>(F::kLog2e), all<L>(F::kRound)) - F::kRound;
  return nmadd(k, all<L>(F::kLn2Low), nmadd(k, all<L>(F::kLn2High), x));
}
template <class L>
FL_LANE L exp_clamped(L x) {
  constexpr bool kSingle = sizeof(Element<L>) == 4;
  return clamped(x, kSingle ? -110 : -760, kSingle ? 100 : 720);
}

// 2^more exp(x)
template <class L>
FL_LANE L exp_scaled(L x, Element<L> more) {
  L k;
  const L r = reduce_exp(exp_clamped(x), k);
  return scaled(exp_reduced(r), more == 0 ? k : k + more);
}
template <class L>
FL_LANE L exp(L x) {
  return exp_scaled(x, 0);
}

// A quarter of exp(x) - 1, for results that may overflow; x is between -40 and 89.45 or 710.5.
template <class L>
FL_LANE L quarter_expm1(L x) {
  L k;
  const L r = reduce_exp(x, k);
  const L scale = power_of_two<L>(k - Element<L>(2));
  return madd(scale, expm1_reduced(r), scale - Element<L>(0.25));
}
template <class L>
FL_LANE L expm1_clamped(L x) {
  using T = Element<L>;
  return clamped(x, -40, sizeof(T) == 4 ? T(89.45) : T(710.5));
}
template <class L>
FL_LANE L expm1(L x) {
  const L y = Element<L>(4) * quarter_expm1(expm1_clamped(x));
  return choose(equal(x, L{}), x, y);
}

// log(1 + f) for 1 + f from sqrt(1/2) to sqrt(2), with k ln(2) added.
template <class L>
FL_LANE L log_reduced(L f, L k) {
  using F = Format<Element<L>>;
  const L low = k * F::kLn2Low;
  if constexpr (sizeof(Element<L>) == 4) {
    const L p = polynomial<L>(f, 0x1.555554p-2f, -0x1.fffffcp-3f, 0x1.999d5ap-3f, -0x1.555b4ap-3f, 0x1.23d218p-3f,
                              -0x1.fcf4c2p-4f, 0x1.dea28cp-4f, -0x1.d635e4p-4f, 0x1.1d8ebep-4f);
    const L z = f * f;
    return madd(k, all<L>(F::kLn2High), f + nmadd(all<L>(0.5f), z, madd(f * z, p, low)));
  } else {
    const L s = f / (2.0 + f);
    const L z = s * s;
    const L r = z * polynomial<L>(z, 0x1.5555555555558p-1, 0x1.99999999952b2p-2, 0x1.2492492df6947p-2,
                                  0x1.c71c62debf86bp-3, 0x1.7462b69705382p-3, 0x1.39fe208c33457p-3,
                                  0x1.2b5b5fb2eac92p-3);
    const L half = 0.5 * f * f;
    return madd(k, all<L>(F::kLn2High), f - (half - madd(s, half + r, low)));
  }
}

// The logarithm where x cannot be split.
template <class L>
FL_LANE L log_ends(L x, L y) {
  constexpr auto kInfinity = std::numeric_limits<Element<L>>::infinity();
  y = choose(less(x, all<L>(kInfinity)), y, x);  // infinity, NaN
  y = choose(equal(x, L{}), all<L>(-kInfinity), y);
  return choose(less(x, L{}), all<L>(std::numeric_limits<Element<L>>::quiet_NaN()), y);
}
template <class L>
FL_LANE L log(L x) {
  using T = Element<L>;
  L k;
  if constexpr (splits_all<L>) {
    const L m = split(x, k);
    return log_reduced<L>(m - T(1), k);
  } else {
    constexpr T kUp = sizeof(T) == 4 ? T(0x1p25) : T(0x1p54);
    const auto small = less(x, all<L>(std::numeric_limits<T>::min()));
    const L m = split(choose(small, x * kUp, x), k);
    return log_ends(x, log_reduced<L>(m - T(1), choose(small, k - (sizeof(T) == 4 ? T(25) : T(54)), k)));
  }
}

template <class L>
FL_LANE L log1p(L x) {
  using T = Element<L>;
  const L u = T(1) + x;
  L k;
  const L m = split(u, k);
  // Adds back what 1 + x lost, next to the fraction. It is negligible from 2^60 on.
  const L lost = (x - (u - T(1))) * power_of_two<L>(-clamped(k, -60, 60));
  L y = log_reduced<L>((m - T(1)) + lost, k);
  if constexpr (!splits_all<L>) y = log_ends(u, y);
  const auto plain = less(x, all<L>(std::numeric_limits<T>::infinity())) & less(L{}, magnitude(x));
  return choose(plain, y, x);
}

template <class L>
FL_LANE L tanh(L x) {
  using T = Element<L>;
  const L a = magnitude(x);
  const L t = quarter_expm1(clamped(a + a, 0, 40));
  return with_sign_of<L>(t / (t + T(0.5)), x);
}

template <class L>
FL_LANE L sigmoid(L x) {
  return Element<L>(1) / (Element<L>(1) + branchless::exp<L>(-x));
}

// log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|))
template <class L>
FL_LANE L softplus(L x) {
  return choose(less(L{}, x), x, L{}) + branchless::log1p<L>(branchless::exp<L>(-magnitude(x)));
}

// scale x, and for negative numbers alpha (exp(x) - 1)
template <class L>
FL_LANE L linear_unit(L x, Element<L> scale, Element<L> alpha) {
  return choose(less(x, L{}), alpha * branchless::expm1(x), scale * x);
}

// sin and cos: accurate up to this magnitude. Beyond, the multiples of pi/2 are not exact any more.
inline constexpr double kTrigonometricLimit = 1e6;

template <class L>
FL_LANE L sin_reduced(L r) {
  const L z = r * r;
  if constexpr (sizeof(Element<L>) == 4)
    return madd(r * z, polynomial<L>(z, -0x1.555556p-3f, 0x1.11110ep-7f, -0x1.a013ap-13f, 0x1.6dbb5cp-19f), r);
  else
    return madd(r * z, polynomial<L>(z, -0x1.5555555555555p-3, 0x1.111111111111p-7, -0x1.a01a01a019921p-13,
                                     0x1.71de3a545dd92p-19, -0x1.ae64540e0633bp-26, 0x1.61217b49ad79ap-33,
                                     -0x1.ab159dc3b3c21p-41),
                r);
}
template <class L>
FL_LANE L cos_reduced(L r) {
  const L z = r * r;
  if constexpr (sizeof(Element<L>) == 4) {
    const L p = polynomial<L>(z, 0x1.555554p-5f, -0x1.6c12cep-10f, 0x1.9bd5d8p-16f);
    return 1.0f - nmadd(z * z, p, 0.5f * z);
  } else {
    const L half = 0.5 * z;
    const L w = 1.0 - half;
    const L p = polynomial<L>(z, 0x1.5555555555555p-5, -0x1.6c16c16c1695ep-10, 0x1.a01a019f4c9c5p-16,
                              -0x1.27e4fa1529574p-22, 0x1.1eeb661c764f3p-29, -0x1.907b9fa75dee8p-37);
    return w + madd(z * z, p, (1.0 - w) - half);
  }
}

// x = k pi/2 + r
template <class L>
FL_LANE L quarter_turns(L x) {
  return madd(x, all<L>(0x1.45f306dc9c883p-1), all<L>(Format<double>::kRound)) - Format<double>::kRound;
}
template <class L>
FL_LANE L less_quarter_turns(L x, L k) {
  constexpr double kHigh = 0x1.921fb544p+0, kMiddle = 0x1.0b4611a6p-34, kLow = 0x1.3198a2e037073p-69;
  return nmadd(k, all<L>(kLow), nmadd(k, all<L>(kMiddle), nmadd(k, all<L>(kHigh), x)));
}
// The lowest bits of the result are those of k.
template <class L>
FL_LANE Int<L> reduce_trigonometric(L x, L& r) {
  using T = Element<L>;
  using F = Format<T>;
  if constexpr (sizeof(T) == 4 && fused<L>) {  // the first difference is exact
    constexpr float kHigh = 0x1.921fb6p+0f, kMiddle = -0x1.777a5cp-25f, kLow = -0x1.ee59dap-50f;
    const L shifted = madd(x, all<L>(0x1.45f306p-1f), all<L>(F::kRound));
    const L k = shifted - F::kRound;
    r = nmadd(k, all<L>(kLow), nmadd(k, all<L>(kMiddle), nmadd(k, all<L>(kHigh), x)));
    return bits(shifted);
  } else if constexpr (sizeof(T) == 4) {
    const L k = in_double([](auto y) FL_INLINE_LAMBDA { return quarter_turns(y); }, x);
    r = in_double([](auto y, auto n) FL_INLINE_LAMBDA { return less_quarter_turns(y, n); }, x, k);
    return bits<L>(k + F::kRound);
  } else {
    const L k = quarter_turns(x);
    r = less_quarter_turns(x, k);
    return bits<L>(k + F::kRound);
  }
}
template <class L>
FL_LANE L quadrant(Int<L> k, L r) {
  const L y = choose(odd<L>(k), cos_reduced(r), sin_reduced(r));
  return number<L>(bits(y) ^ ((k & 2) << (sizeof(Element<L>) * 8 - 2)));
}
template <class L>
FL_LANE L sin(L x) {
  L r;
  const Int<L> k = reduce_trigonometric(x, r);
  const L y = quadrant(k, r);
  return choose(equal(x, L{}), x, y);
}
template <class L>
FL_LANE L cos(L x) {
  L r;
  const Int<L> k = reduce_trigonometric(x, r);
  return quadrant<L>(k + 1, r);
}
template <class L>
FL_LANE L tan(L x) {
  L r;
  const Int<L> k = reduce_trigonometric(x, r);
  const L s = sin_reduced(r), c = cos_reduced(r);
  const auto turned = odd<L>(k);
  const L y = choose(turned, -c, s) / choose(turned, s, c);
  return choose(equal(x, L{}), x, y);
}

// erf(x) for |x| up to 1, where z is x^2.
template <class L>
FL_LANE L erf_reduced(L x, L z) {
  return x * polynomial<L>(z, 0x1.20dd76p+0f, -0x1.812746p-2f, 0x1.ce2f08p-4f, -0x1.b829c8p-6f, 0x1.562a5cp-8f,
                           -0x1.bccf2cp-11f, 0x1.d885dep-14f, -0x1.445bbap-17f);
}
template <class L>
FL_LANE L erf(L x) {
  const L a = clamped(magnitude(x), 0.0f, 4.0f);
  const L z = a * a;
  const L p = polynomial<L>(a, 0x1.f9579ep-1f, -0x1.0e51bep+0f, 0x1.a22dap-1f, -0x1.e1b02ap-2f, 0x1.9a70a4p-3f,
                            -0x1.fac444p-5f, 0x1.b63622p-7f, -0x1.f54f6ep-10f, 0x1.53cd92p-13f, -0x1.9c837cp-18f);
  const L outer = nmadd(branchless::exp<L>(-z), p, all<L>(1));
  return with_sign_of(choose(less(a, all<L>(1)), erf_reduced(a, z), outer), x);
}

// log2(x) of doubles, and 2^x, of x up to 1000: with more digits than a float power needs.
template <class L>
FL_LANE L rough_log2(L x) {
  L k;
  const L f = split(x, k) - 1.0;
  const L p =
      polynomial<L>(f, 0x1.71547652a1e9cp+0, -0x1.715476565d25dp-1, 0x1.ec709ebb94179p-2, -0x1.71547097b2292p-2,
                    0x1.277651fc2f0fbp-2, -0x1.ec72b58f242c2p-3, 0x1.a63f4464290cap-3, -0x1.7141717d9fb1ap-3,
                    0x1.45291966f82d7p-3, -0x1.252f320a842cap-3, 0x1.2871df2a8bd8dp-3, -0x1.2489069639072p-3,
                    0x1.3ce8e5efb3e0bp-4);
  const L y = madd(f, p, k);
  if constexpr (splits_all<L>) return y;
  else return log_ends(x, y);
}
template <class L>
FL_LANE L rough_exp2(L x) {
  const L k = (x + Format<double>::kRound) - Format<double>::kRound;
  const L p = polynomial<L>(x - k, 0x1.0000000261524p+0, 0x1.62e430c7e9a35p-1, 0x1.ebfbdadcad44ap-3,
                            0x1.c6aed4b89ffb3p-5, 0x1.3b2dbbc25ee5fp-7, 0x1.5f456ae4f63p-10, 0x1.41d333257647ap-13);
  return p * power_of_two(k);
}

template <class L>
FL_LANE L pow(L x, L y) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const L a = magnitude(x);
  L result = in_double(
      [](auto b, auto e) FL_INLINE_LAMBDA { return rough_exp2(clamped(e * rough_log2(b), -200, 200)); }, a, y);
  // Negative bases: integer exponents only, and the sign is that of an odd one. All floats from 2^24 on are even.
  const L near = clamped(y, -0x1p24f, 0x1p24f);
  Int<L> whole;
  if constexpr (is_single<L>) whole = static_cast<int32_t>(near);
  else whole = __builtin_convertvector(near, Int<L>);
  L back;
  if constexpr (is_single<L>) back = static_cast<float>(whole);
  else back = __builtin_convertvector(whole, L);
  const auto integer = equal(back, near);
  const L flipped = number<L>(bits(result) ^ (whole << 31));
  const auto below = negative(x);
  result = choose(below & integer, flipped, result);
  const auto outside = less(x, L{}) & less(a, all<L>(kInfinity)) & (less(back, near) | less(near, back));
  result = choose(outside, all<L>(std::numeric_limits<float>::quiet_NaN()), result);
  const L one = all<L>(1);
  return choose(equal(x, one) | equal(y, L{}) | (equal(a, one) & equal(magnitude(y), all<L>(kInfinity))), one, result);
}

#endif

}  // namespace footlight::functors::branchless

// Declares, in a functor whose exact form has branches, what a loop may use for arguments up to the limit.
#if defined(__CUDACC__)
#define FL_LIMITED(f)
#else
#define FL_LIMITED(f)                                                                  \
  static constexpr double kLimit = branchless::kTrigonometricLimit;                    \
  template <class L> FL_LANE static L within_limit(L x) { return branchless::f(x); }
#endif
