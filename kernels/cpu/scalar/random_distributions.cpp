// Kernels that draw from distributions with parameters: gamma, Poisson, binomial. Every result has its own part of the
// stream, so that it does not depend on how many words the others used. Results are laid out as [samples, parameters].
#include "kernels/cpu/scalar/random_streams.h"
#include "kernels/cpu/register.h"

#include "engine/base/text.h"
#include "engine/base/thread_pool.h"
#include "engine/ops/row.h"

#include <cmath>
#include <limits>

namespace footlight {

BulkDraws bulk_draws;

namespace FL_ISA {

namespace {

constexpr int64_t kAtOnce = 512;

// Results of any dtype are drawn as doubles; NaN becomes 0 for integers.
using Store = void (*)(void* to, int64_t at, double value);
Store store_of(DType dtype) {
  Store found = nullptr;
  with_number(dtype, [&](auto zero) {
    found = [](void* to, int64_t at, double value) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T>) static_cast<T*>(to)[at] = std::isnan(value) ? T(0) : static_cast<T>(value);
      else static_cast<T*>(to)[at] = T(value);
    };
  });
  return found;
}

// Calls draw(parameter index, stream) for each output: stream(blocks) is its own part of the stream, that many blocks
// after the part of the output before.
template <class Draw>
void each(Philox base, const Tensor& out, int64_t parameters, Draw&& draw) {
  const int64_t samples = out.elements() / parameters;
  const Store store = store_of(out.dtype());
  parallel_for(out.elements(), kAtOnce, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t parameter = i / samples;
      store(out.raw(), (i % samples) * parameters + parameter, draw(parameter, [&](uint64_t blocks) {
              Philox philox = base;
              philox.skip(static_cast<uint64_t>(i) * blocks);
              return philox;
            }));
    }
  });
}

using UniformsBackwards = FromTheEnd<Uniform<double>, double>;

// Marsaglia and Tsang's transformation with rejection; below 1 the sample of alpha + 1 is scaled down.
double gamma_sample(double alpha, Philox& philox) {
  UniformsBackwards uniforms;
  if (alpha == 1) return -std::log1p(-uniforms.next(philox));
  FromTheEnd<Normal<double>, double> normals;
  const bool small = alpha < 1;
  const double d = alpha + (small ? 2.0 / 3 : -1.0 / 3);
  const double c = 1.0 / 3 / std::sqrt(d);
  for (;;) {
    const double x = normals.next(philox);
    double v = 1 + c * x;
    if (std::isnan(v)) return v;  // there is no such distribution
    if (v <= 0) continue;
    v = v * v * v;
    const double u = uniforms.next(philox);
    if (u < 1 - 0.0331 * (x * x) * (x * x) || std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v))) {
      double result = d * v;
      if (small) result *= std::pow(uniforms.next(philox), 1 / alpha);
      return result;
    }
  }
}

// Nearly every sample is the first that its stream proposes: those are drawn in batches, the others one by one. The
// batched functions differ in a double's last digit, so doubles are all drawn one by one.
template <class T>
void gammas(KernelContext& c, const Tensor& alpha, Philox base) {
  const Tensor& out = c.outputs[0];
  if (out.elements() == 0) return;
  const int64_t parameters = alpha.elements(), samples = out.elements() / parameters;
  const T* in = alpha.data<T>();
  if constexpr (std::is_same_v<T, double>)
    return each(base, out, parameters, [in](int64_t k, auto&& stream) {
      Philox philox = stream(kBlocksPerElement);
      return gamma_sample(in[k], philox);
    });
  constexpr int64_t kTogether = 64;
  parallel_for(out.elements(), 8 * kAtOnce, [&](int64_t begin, int64_t end) {
    double normal[kTogether], uniform[2][kTogether];
    for (int64_t at = begin; at < end; at += kTogether) {
      const int64_t some = std::min(kTogether, end - at);
      bulk_draws.normal_and_uniform(base, static_cast<uint64_t>(at), some, normal, uniform);
      int64_t parameter = at / samples, sample = at % samples;
      double a = 0, d = 0, by = 0;
      for (int64_t i = 0; i < some; ++i, ++sample) {
        if (sample == samples) {
          sample = 0;
          ++parameter;
        }
        if (i == 0 || sample == 0) {
          a = static_cast<double>(in[parameter]);
          d = a + (a < 1 ? 2.0 / 3 : -1.0 / 3);
          by = 1.0 / 3 / std::sqrt(d);
        }
        const double x = normal[i], u = uniform[0][i];
        const double root = 1 + by * x;
        const double v = root * root * root;
        double result = d * v;
        if (a > 0 && a != 1 && root > 0 &&
            (u < 1 - 0.0331 * (x * x) * (x * x) || std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v)))) {
          if (a < 1) result *= std::pow(uniform[1][i], 1 / a);
        } else {
          Philox philox = base;
          philox.skip(static_cast<uint64_t>(at + i) * kBlocksPerElement);
          result = gamma_sample(a, philox);
        }
        out.data<T>()[sample * parameters + parameter] = T(result);
      }
    }
  });
}

// The derivative of a sample by alpha at a fixed quantile: -(dP/dalpha) / density, by the series of P or the continued
// fraction of 1 - P, each with its derivative carried along.
double digamma(double x) {
  double sum = 0;
  for (; x < 10; ++x) sum -= 1 / x;
  const double r = 1 / (x * x);
  return sum + std::log(x) - 0.5 / x -
         r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (5.0 / 660)))));
}

double gamma_slope(double a, double x) {
  if (!(a > 0) || std::isnan(x) || x < 0) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return 0;
  constexpr double kSmall = 1e-17;
  if (x <= 1 || x <= a) {
    double term = 1, dterm = 0, sum = 1, dsum = 0;
    for (int n = 1; n < 20000; ++n) {
      dterm = (dterm - term / (a + n)) * x / (a + n);
      term *= x / (a + n);
      sum += term;
      dsum += dterm;
      if (std::abs(dterm) <= kSmall * std::abs(dsum) && term <= kSmall * sum) break;
    }
    return -x / a * (sum * (std::log(x) - digamma(a + 1)) + dsum);
  }
  // h = 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / ...)), by Lentz.
  double b = x + 1 - a, db = -1;
  double c = 1e300, dc = 0, d = 1 / b, dd = -db * d * d, h = d, dh = dd;
  for (int n = 1; n < 20000; ++n) {
    const double an = -n * (n - a), dan = n;
    b += 2;
    const double under = an * d + b, dunder = dan * d + an * dd + db;
    d = 1 / under;
    dd = -dunder * d * d;
    const double next = b + an / c;
    dc = db + dan / c - an * dc / (c * c);
    c = next;
    const double delta = c * d, ddelta = dc * d + c * dd;
    dh = dh * delta + h * ddelta;
    h *= delta;
    if (std::abs(delta - 1) < 1e-15 && std::abs(ddelta) < 1e-15 * std::abs(dh / h)) break;
  }
  return x * (h * (std::log(x) - digamma(a)) + dh);
}

template <class T>
void gamma_slopes(KernelContext& c) {
  const Tensor& out = c.outputs[0];
  const auto a = broadcast_places(c.inputs[0].shape(), out.shape());
  const auto x = broadcast_places(c.inputs[1].shape(), out.shape());
  for (int64_t i = 0, n = out.elements(); i < n; ++i)
    c.out<T>()[i] = T(gamma_slope(static_cast<double>(c.in<T>(0)[a(i)]), static_cast<double>(c.in<T>(1)[x(i)])));
}

// Knuth's products of uniform numbers below 10, Hormann's transformed rejection from there on.
// std::lgamma writes the sign to a variable shared by all threads.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

double poisson_sample(double rate, Philox& philox) {
  if (!std::isfinite(rate)) return rate > 0 ? rate : std::numeric_limits<double>::quiet_NaN();
  UniformsBackwards uniforms;
  if (rate < 10) {
    const double enough = std::exp(-rate);
    double product = 1, x = 0;
    for (;;) {
      product = product * uniforms.next(philox);
      if (product <= enough) return x;
      x += 1;
    }
  }
  const double log_rate = std::log(rate);
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  for (;;) {
    const double u = uniforms.next(philox) - 0.5;
    const double v = uniforms.next(philox);
    const double shifted = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / shifted + b) * u + rate + 0.43);
    if (shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (shifted < 0.013 && v > shifted)) continue;
    const double s = std::log(v * inverse_alpha / (a / (shifted * shifted) + b));
    if (s <= -rate + k * log_rate - log_gamma(k + 1)) return k;
  }
}

template <class T>
void poissons(KernelContext& c, const Tensor& rate, Philox base) {
  if (c.outputs[0].elements() == 0) return;
  each(base, c.outputs[0], rate.elements(), [in = rate.data<T>()](int64_t k, auto&& stream) {
    Philox philox = stream(kBlocksPerElement);
    return poisson_sample(static_cast<double>(in[k]), philox);
  });
}

double binomial_by_inversion(double count, double p, Philox& philox) {
  UniformsBackwards uniforms;
  double trials = 0;
  for (int successes = 0;; ++successes) {
    trials += std::ceil(std::log(uniforms.next(philox)) / std::log1p(-p));
    if (trials > count) return successes;
  }
}

double stirling_tail(double k) {
  static constexpr double kFirst[] = {0.0810614667953272,  0.0413406959554092,  0.0276779256849983, 0.02079067210376509,
                                      0.0166446911898211,  0.0138761288230707,  0.0118967099458917, 0.0104112652619720,
                                      0.00925546218271273, 0.00833056343336287};
  if (k <= 9) return kFirst[static_cast<int>(k)];
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

double binomial_by_rejection(double count, double p, Philox& philox) {
  const double deviation = std::sqrt(count * p * (1 - p));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double c = count * p + 0.5;
  const double tight = 0.92 - 4.2 / b;
  const double r = p / (1 - p);
  const double alpha = (2.83 + 5.1 / b) * deviation;
  const double m = std::floor((count + 1) * p);
  UniformsBackwards uniforms;
  for (;;) {
    const double u = uniforms.next(philox) - 0.5;
    double v = uniforms.next(philox);
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= tight) return k;
    if (k < 0 || k > count) continue;
    v = std::log(v * alpha / (a / (us * us) + b));
    const double bound = (m + 0.5) * std::log((m + 1) / (r * (count - m + 1))) +
                         (count + 1) * std::log((count - m + 1) / (count - k + 1)) +
                         (k + 0.5) * std::log(r * (count - k + 1) / (k + 1)) + stirling_tail(m) +
                         stirling_tail(count - m) - stirling_tail(k) - stirling_tail(count - k);
    if (v <= bound) return k;
  }
}

template <class T>
void binomials(KernelContext& c, const Tensor& counts, const Tensor& probs, Philox base) {
  const Shape both = broadcast_shape_of({counts.shape(), probs.shape()}, c.row);
  if (c.outputs[0].elements() == 0) return;
  const auto at_count = broadcast_places(counts.shape(), both), at_prob = broadcast_places(probs.shape(), both);
  each(base, c.outputs[0], both.elements(), [&](int64_t k, auto&& stream) {
    const T count = counts.data<T>()[at_count(k)], p = probs.data<T>()[at_prob(k)];
    const double n = static_cast<double>(count);
    if (!std::isfinite(n)) return std::numeric_limits<double>::quiet_NaN();
    if (n <= 0 || p <= T(0)) return 0.0;
    if (p >= T(1)) return n;
    if (std::isnan(static_cast<double>(p))) return static_cast<double>(p);
    const bool swapped = p > T(0.5);
    const T rare = swapped ? T(T(1) - p) : p;
    const bool many = T(count * rare) >= T(10);
    Philox philox = stream(many ? kBlocksPerElement : 42);
    const double q = static_cast<double>(rare);
    const double drawn = many ? binomial_by_rejection(n, q, philox) : binomial_by_inversion(n, q, philox);
    return swapped ? n - drawn : drawn;
  });
}

// A generator's state advances by the most a row of results may use, 256 steps for each draw.
template <class T>
void stateful_binomials(KernelContext& c) {
  const Shape both = broadcast_shape_of({c.inputs[3].shape(), c.inputs[4].shape()}, c.row);
  const int64_t parameters = both.elements(), total = c.outputs[0].elements();
  const int64_t samples = parameters ? total / parameters : 0;
  binomials<T>(c, c.inputs[3], c.inputs[4],
               take_from_state(c, static_cast<uint64_t>(parameters * 2 * 100 * (samples + 3) / 4) * 256));
}

template <class T>
void all() {
  const uint32_t type = bit_of(dtype_of<T>);
  if constexpr (std::is_floating_point_v<T> || sizeof(T) == 2) {
    on_cpu("RandomGamma", type, [](KernelContext& c) {
      gammas<T>(c, c.inputs[1], next_stream(c, static_cast<uint64_t>(c.outputs[0].elements()) * kBlocksPerElement));
    });
    on_cpu("StatelessRandomGammaV2", type,
           [](KernelContext& c) { gammas<T>(c, c.inputs[2], seeded_stream(c.inputs[1])); });
    on_cpu("StatelessRandomGammaV3", type,
           [](KernelContext& c) { gammas<T>(c, c.inputs[4], keyed_stream(c, 1)); });
    on_cpu("RandomGammaGrad", type, gamma_slopes<T>);
  }
  on_cpu("RandomPoissonV2", type, [](KernelContext& c) {
    poissons<T>(c, c.inputs[1], next_stream(c, static_cast<uint64_t>(c.outputs[0].elements()) * kBlocksPerElement));
  });
  on_cpu("StatelessRandomPoisson", type,
         [](KernelContext& c) { poissons<T>(c, c.inputs[2], seeded_stream(c.inputs[1])); });
  on_cpu("StatelessRandomBinomial", type,
         [](KernelContext& c) { binomials<T>(c, c.inputs[2], c.inputs[3], seeded_stream(c.inputs[1])); });
  on_cpu("StatefulRandomBinomial", type, stateful_binomials<T>);
}

}  // namespace

FL_CPU_KERNELS {
  all<float>();
  all<double>();
  all<Float16>();
  all<BFloat16>();
  all<int32_t>();
  all<int64_t>();
}

}  // namespace FL_ISA
}  // namespace footlight
