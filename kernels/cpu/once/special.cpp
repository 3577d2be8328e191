// Kernels of special functions: the error function, gamma and its relatives, Bessel functions.
#include "kernels/cpu/elementwise.h"

#include "engine/base/thread_pool.h"

#include <unsupported/Eigen/SpecialFunctions>

namespace footlight {
namespace FL_ISA {

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

// For floats the library has vectorised versions, four numbers at a time.
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

// Three inputs, each of the output's shape or a scalar.
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
  costly_binary<Igamma, FL_FLOATS>("Igamma");
  costly_binary<Igammac, FL_FLOATS>("Igammac");
  costly_binary<IgammaGradA, float, double>("IgammaGradA");
  costly_binary<Zeta, float, double>("Zeta");
  costly_binary<Polygamma, float, double>("Polygamma");
  on_cpu("Betainc", bit_of(DType::kFloat32), betainc<float>);
  on_cpu("Betainc", bit_of(DType::kFloat64), betainc<double>);
}

}  // namespace FL_ISA
}  // namespace footlight
