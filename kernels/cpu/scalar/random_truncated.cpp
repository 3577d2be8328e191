// Kernels that draw normal numbers between given bounds: plain rejection, or from a uniform or an exponential proposal,
// whichever accepts most.
#include "kernels/cpu/scalar/random_streams.h"
#include "kernels/cpu/register.h"

#include <cmath>

namespace footlight::FL_ISA {

namespace {

constexpr int kMaxTries = 1000;

[[noreturn]] void gave_up(const OpRow& row) {
  fail(ErrorKind::kInternal, "no number between the bounds was accepted in ", kMaxTries, " tries [Op:", row.name, "]");
}

// Samples of one set of parameters, in standard units: take(z) returns whether another is needed.
template <class T, class F, class Take>
void between(F low, F high, Philox& philox, const OpRow& row, Take&& take) {
  constexpr F kWide = F(1.3);
  constexpr int kCount = Uniform<T>::kCount;
  const F root = std::sqrt(low * low + F(4));
  const F cutoff = F(2) * std::exp(F(0.5) + low * (low - root) / F(4)) / (low + root);
  const F width = high - low;
  int tries = 0;
  if ((low < -kWide && high >= 0) || (high > kWide && low <= 0)) {
    for (;;) {
      T normal[kCount];
      Normal<T>::draw(philox, normal);
      for (const T drawn : normal) {
        const F z = static_cast<F>(drawn);
        if (z >= low && z <= high) {
          tries = 0;
          if (!take(z)) return;
        } else if (++tries > kMaxTries) {
          gave_up(row);
        }
      }
    }
  }
  if (width < cutoff) {
    const F plus = low < 0 ? F(0) : low * low;
    for (;;) {
      T place[kCount], u[kCount];
      Uniform<T>::draw(philox, place);
      Uniform<T>::draw(philox, u);
      for (int i = 0; i < kCount; ++i) {
        const F z = static_cast<F>(place[i]) * width + low;
        if (static_cast<F>(u[i]) <= std::exp((plus - z * z) / F(2))) {
          tries = 0;
          if (!take(z)) return;
        } else if (++tries >= kMaxTries) {
          gave_up(row);
        }
      }
    }
  }
  const F alpha = (low + std::sqrt(low * low + F(4))) / F(2);
  for (;;) {
    T u[kCount];
    Uniform<T>::draw(philox, u);
    for (int i = 0; i < kCount; i += 2) {
      const F z = -std::log(static_cast<F>(u[i])) / alpha + low;
      const F x = low < alpha ? alpha - z : low - alpha;
      if (static_cast<F>(u[i + 1]) <= std::exp(-x * x / F(2)) && z < high) {
        tries = 0;
        if (!take(z)) return;
      } else if (++tries >= kMaxTries) {
        gave_up(row);
      }
    }
  }
}

// The four parameters are the inputs from `first` on. Results are laid out as [samples, parameters].
template <class T>
void draw(KernelContext& c, size_t first, Philox philox) {
  using F = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const int64_t total = c.outputs[0].elements();
  if (total == 0) return;
  const Shape all = broadcast_shape_of({c.inputs[first].shape(), c.inputs[first + 1].shape(),
                                        c.inputs[first + 2].shape(), c.inputs[first + 3].shape()}, c.row);
  const int64_t parameters = all.elements(), samples = total / parameters;
  std::vector<BroadcastPlaces> places;
  for (size_t k = 0; k < 4; ++k) places.emplace_back(c.inputs[first + k].shape(), all);
  for (int64_t p = 0; p < parameters; ++p) {
    F of[4];
    for (size_t k = 0; k < 4; ++k) of[k] = static_cast<F>(c.in<T>(first + k)[places[k](p)]);
    F mean = of[0], deviation = of[1], low = of[2], high = of[3];
    if (!(deviation > 0) || !(low < high) || !(std::isfinite(low) || std::isfinite(high)))
      invalid("Invalid parameters: a truncated normal distribution needs a positive deviation and minval < maxval, one "
              "of them finite; got mean ", mean, ", stddev ", deviation, ", minval ", low, ", maxval ", high,
              " [Op:", c.row.name, "]");
    if ((std::isinf(low) && low < 0) || high < mean) {
      std::swap(low, high);
      deviation = -deviation;
    }
    int64_t s = 0;
    between<T, F>((low - mean) / deviation, (high - mean) / deviation, philox, c.row, [&](F z) {
      c.out<T>()[s * parameters + p] = T(z * deviation + mean);
      return ++s < samples;
    });
  }
}

template <class T>
void all() {
  const uint32_t type = bit_of(dtype_of<T>);
  on_cpu("StatelessParameterizedTruncatedNormal", type,
         [](KernelContext& c) { draw<T>(c, 2, seeded_stream(c.inputs[1])); });
  on_cpu("ParameterizedTruncatedNormal", type, [](KernelContext& c) {
    draw<T>(c, 1, next_stream(c, static_cast<uint64_t>(c.outputs[0].elements()) * 2 * kMaxTries));
  });
}

}  // namespace

FL_CPU_KERNELS {
  all<float>();
  all<double>();
  all<Float16>();
}

}  // namespace footlight::FL_ISA
