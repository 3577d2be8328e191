// Kernels of special functions: the error function, gamma and its relatives, Bessel functions, integrals without a
// closed form.
#include "kernels/cpu/elementwise.h"

#include "engine/base/thread_pool.h"

#include <unsupported/Eigen/SpecialFunctions>

#include <complex>
#include <numbers>

namespace footlight::FL_ISA {

namespace {

namespace numext = Eigen::numext;

constexpr double kSqrtHalf = 0.70710678118654752440;

struct Erf {
  template <class T> T operator()(T x) const { return std::erf(x); }
};
struct Erfc {
  template <class T> T operator()(T x) const { return std::erfc(x); }
};
// A probability: between 0 and 1.
template <class T>
T quantile(T p) {
  return p >= T(0) && p <= T(1) ? numext::ndtri(p) : std::numeric_limits<T>::quiet_NaN();
}
struct Ndtri {
  template <class T> T operator()(T p) const { return quantile(p); }
};
// The value from ndtri, and one Newton step where 0.5 x + 0.5 has lost digits of x.
struct Erfinv {
  template <class T> T operator()(T x) const {
    const T y = quantile(T(0.5) * x + T(0.5)) * T(kSqrtHalf);
    if (!(std::abs(x) < T(0.5))) return y;
    return y - (std::erf(y) - x) * T(0.88622692545275801365) * std::exp(y * y);
  }
};
struct Lgamma {
  template <class T> T operator()(T x) const { return numext::lgamma(x); }
};
struct Digamma {
  template <class T> T operator()(T x) const {
    if (x <= T(0) && std::floor(x) == x) return std::numeric_limits<T>::quiet_NaN();  // a pole
    return numext::digamma(x);
  }
};
struct BesselI0 {
  template <class T> T operator()(T x) const { return numext::bessel_i0(x); }
};
struct BesselI0e {
  template <class T> T operator()(T x) const { return numext::bessel_i0e(x); }
};
struct BesselI1 {
  template <class T> T operator()(T x) const { return numext::bessel_i1(x); }
};
struct BesselI1e {
  template <class T> T operator()(T x) const { return numext::bessel_i1e(x); }
};
struct BesselJ0 {
  template <class T> T operator()(T x) const { return numext::bessel_j0(x); }
};
struct BesselJ1 {
  template <class T> T operator()(T x) const { return numext::bessel_j1(x); }
};
struct BesselK0 {
  template <class T> T operator()(T x) const { return numext::bessel_k0(x); }
};
struct BesselK0e {
  template <class T> T operator()(T x) const { return numext::bessel_k0e(x); }
};
struct BesselK1 {
  template <class T> T operator()(T x) const { return numext::bessel_k1(x); }
};
struct BesselK1e {
  template <class T> T operator()(T x) const { return numext::bessel_k1e(x); }
};
struct BesselY0 {
  template <class T> T operator()(T x) const { return numext::bessel_y0(x); }
};
struct BesselY1 {
  template <class T> T operator()(T x) const { return numext::bessel_y1(x); }
};

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// exp(-x^2) times the integral of exp(t^2) up to x, by a sum of Gaussians a quarter apart (its error is below 1e-17).
struct Dawsn {
  double operator()(double x) const {
    if (std::isnan(x)) return x;
    const double size = std::abs(x);
    if (size > 50) {  // 1/2x + 1/4x^3 + 3/8x^5 + ...
      const double r = 1 / (2 * x * x);
      return (1 + r * (1 + r * (3 + r * (15 + r * 105)))) / (2 * x);
    }
    if (size < 0.2) {
      double term = x, sum = x;
      for (int k = 1; std::abs(term) > kEps * std::abs(sum); ++k) sum += term *= -2 * x * x / (2 * k + 1);
      return sum;
    }
    constexpr double kStep = 0.25;
    const int middle = 2 * int(std::floor(size / kStep / 2)) + 1;
    double sum = 0;
    for (int n = middle - 26; n <= middle + 26; n += 2) {
      const double t = size - n * kStep;
      sum += std::exp(-t * t) / n;
    }
    return std::copysign(sum * std::numbers::inv_sqrtpi, x);
  }
};
// The integral of exp(t) / t up to x > 0: a power series, and for large x one that is cut at its smallest term.
struct Expint {
  double operator()(double x) const {
    if (!(x >= 0) || x == kInf) return kNan;
    double term = 1, sum = x < 40 ? 0 : 1;
    if (x < 40) {
      for (int k = 1; k < 2 || term / k > kEps * std::abs(sum); ++k) {
        term *= x / k;
        sum += term / k;
      }
      return std::numbers::egamma + std::log(x) + sum;
    }
    for (int k = 1; k < x && term > kEps; ++k) sum += term *= k / x;
    return std::exp(x) / x * sum;
  }
};
// C(x) + i S(x): power series near 0, elsewhere the continued fraction of the complementary error function.
std::complex<double> fresnel(double x) {
  using Complex = std::complex<double>;
  if (std::isnan(x)) return {x, x};
  const double size = std::abs(x), half_pi = std::numbers::pi / 2;
  Complex value;
  if (size < 1.5) {
    const Complex step(0, half_pi * size * size);
    Complex term = size;
    value = term;
    for (int k = 1; std::abs(term) > kEps * std::abs(value); ++k) {
      term *= step / double(k);
      value += term / (2.0 * k + 1);
    }
  } else if (size > 1e8) {
    value = {0.5, 0.5};
  } else {
    const double square = std::numbers::pi * size * size;
    Complex b(1, -square), fraction = 1.0 / b, d = fraction, inverse_c = 0;
    for (int k = 1; k < 200; ++k) {  // Lentz's method
      const double a = -(2.0 * k - 1) * (2 * k);
      b += 4.0;
      d = 1.0 / (a * d + b);
      const Complex c = b + a * inverse_c;
      inverse_c = 1.0 / c;
      const Complex change = c * d;
      fraction *= change;
      if (std::abs(change - 1.0) < kEps) break;
    }
    const Complex turn = std::polar(1.0, half_pi * size * size);
    value = Complex(0.5, 0.5) * (1.0 - turn * Complex(size, -size) * fraction);
  }
  return x < 0 ? -value : value;
}
struct FresnelCos {
  double operator()(double x) const { return fresnel(x).real(); }
};
struct FresnelSin {
  double operator()(double x) const { return fresnel(x).imag(); }
};
// The integral of log(t) / (1 - t) from 1 to x. Between 1/2 and 2 a series in log(x) with Bernoulli's numbers; other
// places are reflected to there.
struct Spence {
  double operator()(double x) const {
    if (!(x >= 0) || x == kInf) return kNan;
    constexpr double kAtZero = std::numbers::pi * std::numbers::pi / 6;
    if (x == 0) return kAtZero;
    const double u = -std::log(x);
    if (x < 0.5) return kAtZero + u * std::log1p(-x) - (*this)(1 - x);
    if (x > 2) return -(*this)(1 / x) - u * u / 2;
    constexpr double kBernoulli[] = {1.0 / 6,     -1.0 / 30,     1.0 / 42,         -1.0 / 30,
                                     5.0 / 66,    -691.0 / 2730, 7.0 / 6,          -3617.0 / 510,
                                     43867.0 / 798, -174611.0 / 330, 854513.0 / 138};
    double sum = u - u * u / 4, power = u;  // u^(2k+1) / (2k+1)!
    for (int k = 1; k <= int(std::size(kBernoulli)); ++k) {
      power *= u * u / (2.0 * k * (2 * k + 1));
      sum += kBernoulli[k - 1] * power;
    }
    return sum;
  }
};
// Computes in float64 for all dtypes.
template <class F>
struct InDouble {
  template <class T> T operator()(T x) const { return T(F()(double(x))); }
};

struct Igamma {
  template <class T> T operator()(T a, T x) const { return numext::igamma(a, x); }
};
struct Igammac {
  template <class T> T operator()(T a, T x) const { return numext::igammac(a, x); }
};
struct IgammaGradA {
  template <class T> T operator()(T a, T x) const { return numext::igamma_der_a(a, x); }
};
// If even the first term underflows, the sum is 0.
struct Zeta {
  template <class T> T operator()(T x, T q) const {
    if (x > T(1) && q > T(1) && std::pow(q, -x) == T(0)) return T(0);
    return numext::zeta(x, q);
  }
};
struct Polygamma {
  template <class T> T operator()(T n, T x) const {
    if (n >= T(1) && std::floor(n) == n && x == std::numeric_limits<T>::infinity())
      return std::exp(numext::lgamma(n + T(1))) * (std::fmod(n, T(2)) == T(1) ? T(0) : -T(0));
    return numext::polygamma(n, x);
  }
};

// The library has vectorised versions for floats, which compute four numbers at a time.
template <class F>
void in_vectors(KernelContext& c) {
  parallel_for(c.outputs[0].elements(), kParallelElements / 8, [&](int64_t begin, int64_t end) {
    using Array = Eigen::Array<float, Eigen::Dynamic, 1>;
    const Eigen::Map<const Array> in(c.in<float>(0) + begin, end - begin);
    Eigen::Map<Array> out(c.out<float>() + begin, end - begin);
    F()(in, out);
  });
}
struct VectorI0 {
  void operator()(const auto& in, auto& out) const { out = Eigen::bessel_i0(in); }
};
struct VectorI0e {
  void operator()(const auto& in, auto& out) const { out = Eigen::bessel_i0e(in); }
};
struct VectorI1 {
  void operator()(const auto& in, auto& out) const { out = Eigen::bessel_i1(in); }
};
struct VectorI1e {
  void operator()(const auto& in, auto& out) const { out = Eigen::bessel_i1e(in); }
};
struct VectorNdtri {
  void operator()(const auto& in, auto& out) const {
    out = (in >= 0.0f && in <= 1.0f).select(in.ndtri(), std::numeric_limits<float>::quiet_NaN());
  }
};

// Runs a function of three inputs, each of the output's shape or a scalar.
template <class T>
void betainc(KernelContext& c) {
  const T* in[3];
  int64_t step[3];
  for (size_t k = 0; k < 3; ++k) {
    in[k] = c.in<T>(k);
    step[k] = c.inputs[k].shape() == c.outputs[0].shape();
  }
  T* out = c.out<T>();
  for (int64_t i = 0, n = c.outputs[0].elements(); i < n; ++i)
    out[i] = numext::betainc(in[0][i * step[0]], in[1][i * step[1]], in[2][i * step[2]]);
}

}  // namespace

FL_CPU_KERNELS {
  costly_unary<Erf, double>("Erf");
  costly_unary<Erfc, double>("Erfc");
  costly_unary<Erfinv, double>("Erfinv");
  costly_unary<Ndtri, double, Float16, BFloat16>("Ndtri");
  on_cpu("Ndtri", bit_of(DType::kFloat32), in_vectors<VectorNdtri>);
  costly_unary<Lgamma, FL_FLOATS>("Lgamma");
  costly_unary<Digamma, FL_FLOATS>("Digamma");
  costly_unary<BesselI0, double, Float16, BFloat16>("BesselI0");
  on_cpu("BesselI0", bit_of(DType::kFloat32), in_vectors<VectorI0>);
  costly_unary<BesselI0e, double, Float16, BFloat16>("BesselI0e");
  on_cpu("BesselI0e", bit_of(DType::kFloat32), in_vectors<VectorI0e>);
  costly_unary<BesselI1, double, Float16, BFloat16>("BesselI1");
  on_cpu("BesselI1", bit_of(DType::kFloat32), in_vectors<VectorI1>);
  costly_unary<BesselI1e, double, Float16, BFloat16>("BesselI1e");
  on_cpu("BesselI1e", bit_of(DType::kFloat32), in_vectors<VectorI1e>);
  costly_unary<BesselJ0, FL_FLOATS>("BesselJ0");
  costly_unary<BesselJ1, FL_FLOATS>("BesselJ1");
  costly_unary<BesselK0, FL_FLOATS>("BesselK0");
  costly_unary<BesselK0e, FL_FLOATS>("BesselK0e");
  costly_unary<BesselK1, FL_FLOATS>("BesselK1");
  costly_unary<BesselK1e, FL_FLOATS>("BesselK1e");
  costly_unary<BesselY0, FL_FLOATS>("BesselY0");
  costly_unary<BesselY1, FL_FLOATS>("BesselY1");
  costly_unary<InDouble<Dawsn>, FL_FLOATS>("Dawsn");
  costly_unary<InDouble<Expint>, FL_FLOATS>("Expint");
  costly_unary<InDouble<FresnelCos>, FL_FLOATS>("FresnelCos");
  costly_unary<InDouble<FresnelSin>, FL_FLOATS>("FresnelSin");
  costly_unary<InDouble<Spence>, FL_FLOATS>("Spence");
  costly_binary<Igamma, FL_FLOATS>("Igamma");
  costly_binary<Igammac, FL_FLOATS>("Igammac");
  costly_binary<IgammaGradA, float, double>("IgammaGradA");
  costly_binary<Zeta, float, double>("Zeta");
  costly_binary<Polygamma, float, double>("Polygamma");
  on_cpu("Betainc", bit_of(DType::kFloat32), betainc<float>);
  on_cpu("Betainc", bit_of(DType::kFloat64), betainc<double>);
}

}  // namespace footlight::FL_ISA
