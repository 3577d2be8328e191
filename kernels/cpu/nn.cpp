// Kernels of biases, cross entropies and local response normalisation.
#include "kernels/cpu/images.h"
#include "kernels/functors/arithmetic.h"

#include <cmath>
#include <vector>

namespace footlight {
namespace FL_ISA {

namespace {

const AttrName kDataFormat{"data_format"};

bool is_channels_first(KernelContext& c) { return c.attrs.get_or(kDataFormat, std::string("NHWC")) == "NCHW"; }

template <class T>
void bias_add(KernelContext& c) {
  using C = Compute<T>;
  const bool first = is_channels_first(c);
  const Shape& shape = c.inputs[0].shape();
  if (c.outputs[0].elements() == 0) return;
  const ImageShape s = image_shape(shape, first);
  const T* in = c.in<T>(0);
  const T* bias = c.in<T>(1);
  T* out = c.out<T>();
  if (first) {
    parallel_for(s.batch * s.channels, std::max<int64_t>(1, 32768 / s.pixels), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const C b = static_cast<C>(bias[i % s.channels]);
        for (int64_t k = i * s.pixels; k < (i + 1) * s.pixels; ++k)
          out[k] = static_cast<T>(functors::Add()(static_cast<C>(in[k]), b));
      }
    });
    return;
  }
  parallel_for(s.batch * s.pixels, std::max<int64_t>(1, 32768 / s.channels), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T* __restrict__ from = in + i * s.channels;
      T* __restrict__ to = out + i * s.channels;
      for (int64_t k = 0; k < s.channels; ++k)
        to[k] = static_cast<T>(functors::Add()(static_cast<C>(from[k]), static_cast<C>(bias[k])));
    }
  });
}

// Sums of floats are taken in blocks, so that small ones are not lost beside a large sum.
template <class T>
void bias_add_grad(KernelContext& c) {
  using C = Compute<T>;
  const bool first = is_channels_first(c);
  const ImageShape s = image_shape(c.inputs[0].shape(), first);
  const T* in = c.in<T>(0);
  const int64_t rows = s.batch * s.pixels;
  const int64_t slots = std::clamp<int64_t>(rows * s.channels / 32768, 1, 64);
  std::vector<C> sums(static_cast<size_t>(slots * s.channels), C(0));
  parallel_for(slots, 1, [&](int64_t begin, int64_t end) {
    for (int64_t slot = begin; slot < end; ++slot) {
      C* __restrict__ own = sums.data() + slot * s.channels;
      if (first) {
        for (int64_t n = s.batch * slot / slots; n < s.batch * (slot + 1) / slots; ++n)
          for (int64_t k = 0; k < s.channels; ++k) {
            C sum(0);
            for (int64_t p = 0; p < s.pixels; ++p)
              sum = functors::Add()(sum, static_cast<C>(in[(n * s.channels + k) * s.pixels + p]));
            own[k] = functors::Add()(own[k], sum);
          }
      } else {
        for (int64_t i = rows * slot / slots; i < rows * (slot + 1) / slots; ++i)
          for (int64_t k = 0; k < s.channels; ++k)
            own[k] = functors::Add()(own[k], static_cast<C>(in[i * s.channels + k]));
      }
    }
  });
  for (int64_t k = 0; k < s.channels; ++k) {
    C sum(0);
    for (int64_t slot = 0; slot < slots; ++slot)
      sum = functors::Add()(sum, sums[static_cast<size_t>(slot * s.channels + k)]);
    c.out<T>()[k] = static_cast<T>(sum);
  }
}

// One row of logits: x - max goes to `out`; returns log(sum(exp(x - max))).
template <class T>
Compute<T> shifted(const T* logits, Compute<T>* out, int64_t n) {
  using C = Compute<T>;
  C largest = static_cast<C>(logits[0]);
  for (int64_t k = 1; k < n; ++k) largest = std::max(largest, static_cast<C>(logits[k]));
  C sum = 0;
  for (int64_t k = 0; k < n; ++k) {
    out[k] = static_cast<C>(logits[k]) - largest;
    sum += std::exp(out[k]);
  }
  return std::log(sum);
}

template <class T>
void cross_entropy(KernelContext& c) {
  using C = Compute<T>;
  const Shape& shape = c.outputs[1].shape();
  const Shape& ls = c.inputs[0].shape();
  const Shape& ts = c.inputs[1].shape();
  const int64_t rows = shape[0], n = shape[1];
  if (n == 0) {
    std::fill(c.out<T>(0), c.out<T>(0) + rows, T(C(0)));
    return;
  }
  parallel_for(rows, std::max<int64_t>(1, 4096 / n), [&](int64_t begin, int64_t end) {
    std::vector<C> x(static_cast<size_t>(2 * n));
    std::vector<T> wide(static_cast<size_t>(n));
    for (int64_t row = begin; row < end; ++row) {
      const T* logits = c.in<T>(0) + (ls[0] == 1 ? 0 : row) * ls[1];
      const T* labels = c.in<T>(1) + (ts[0] == 1 ? 0 : row) * ts[1];
      if (ls[1] == 1 && n != 1) {  // one column stands for all
        std::fill(wide.begin(), wide.end(), logits[0]);
        logits = wide.data();
      }
      const C log_sum = shifted(logits, x.data(), n);
      C loss = 0;
      for (int64_t k = 0; k < n; ++k) {
        const C label = static_cast<C>(labels[ts[1] == 1 ? 0 : k]);
        const C log_p = x[static_cast<size_t>(k)] - log_sum;
        if (label != C(0)) loss -= label * log_p;
        c.out<T>(1)[row * n + k] = static_cast<T>(std::exp(log_p) - label);
      }
      c.out<T>(0)[row] = static_cast<T>(loss);
    }
  });
}

template <class T, class Label>
void sparse_cross_entropy_of(KernelContext& c) {
  using C = Compute<T>;
  const Shape& shape = c.inputs[0].shape();
  const int64_t rows = shape[0], n = shape[1];
  const Label* labels = c.in<Label>(1);
  for (int64_t row = 0; row < rows; ++row)
    if (labels[row] < 0 || labels[row] >= n)
      invalid("Received a label value of ", labels[row], " which is outside the valid range of [0, ", n, "): label ",
              row, " [Op:SparseSoftmaxCrossEntropyWithLogits]");
  parallel_for(rows, std::max<int64_t>(1, 4096 / std::max<int64_t>(1, n)), [&](int64_t begin, int64_t end) {
    std::vector<C> x(static_cast<size_t>(n));
    for (int64_t row = begin; row < end; ++row) {
      const C log_sum = shifted(c.in<T>(0) + row * n, x.data(), n);
      const auto label = static_cast<int64_t>(labels[row]);
      for (int64_t k = 0; k < n; ++k) {
        const C p = std::exp(x[static_cast<size_t>(k)] - log_sum);
        c.out<T>(1)[row * n + k] = static_cast<T>(k == label ? p - C(1) : p);
      }
      c.out<T>(0)[row] = static_cast<T>(log_sum - x[static_cast<size_t>(label)]);
    }
  });
}
template <class T>
void sparse_cross_entropy(KernelContext& c) {
  if (c.inputs[1].dtype() == DType::kInt32)
    sparse_cross_entropy_of<T, int32_t>(c);
  else
    sparse_cross_entropy_of<T, int64_t>(c);
}

struct Lrn {
  int64_t radius, rows, channels;
  double bias, alpha, beta;
  explicit Lrn(KernelContext& c) {
    static const AttrName kRadius{"depth_radius"}, kBias{"bias"}, kAlpha{"alpha"}, kBeta{"beta"};
    radius = c.attrs.get_or(kRadius, int64_t{5});
    bias = c.attrs.get_or(kBias, 1.f);
    alpha = c.attrs.get_or(kAlpha, 1.f);
    beta = c.attrs.get_or(kBeta, 0.5f);
    const Shape& s = c.outputs[0].shape();
    channels = s[3];
    rows = s[0] * s[1] * s[2];
  }
  // s[k] = bias + alpha * the squares of the neighbours of x[k]
  template <class T, class C>
  void scales(const T* x, C* s) const {
    for (int64_t k = 0; k < channels; ++k) {
      C sum = 0;
      for (int64_t j = std::max<int64_t>(0, k - radius); j <= std::min(channels - 1, k + radius); ++j)
        sum += static_cast<C>(x[j]) * static_cast<C>(x[j]);
      s[k] = static_cast<C>(bias) + static_cast<C>(alpha) * sum;
    }
  }
  int64_t grain() const { return std::max<int64_t>(1, 1024 / std::max<int64_t>(1, channels)); }
};

template <class T>
void lrn(KernelContext& c) {
  using C = Compute<T>;
  const Lrn l(c);
  parallel_for(l.rows, l.grain(), [&](int64_t begin, int64_t end) {
    std::vector<C> s(static_cast<size_t>(l.channels));
    for (int64_t row = begin; row < end; ++row) {
      const T* x = c.in<T>(0) + row * l.channels;
      l.scales(x, s.data());
      for (int64_t k = 0; k < l.channels; ++k)
        c.out<T>()[row * l.channels + k] =
            static_cast<T>(static_cast<C>(x[k]) * std::pow(s[static_cast<size_t>(k)], static_cast<C>(-l.beta)));
    }
  });
}

template <class T>
void lrn_grad(KernelContext& c) {
  using C = Compute<T>;
  const Lrn l(c);
  parallel_for(l.rows, l.grain(), [&](int64_t begin, int64_t end) {
    std::vector<C> s(static_cast<size_t>(l.channels)), shared(static_cast<size_t>(l.channels));
    for (int64_t row = begin; row < end; ++row) {
      const T* g = c.in<T>(0) + row * l.channels;
      const T* x = c.in<T>(1) + row * l.channels;
      l.scales(x, s.data());
      for (int64_t k = 0; k < l.channels; ++k) {
        const auto at = static_cast<size_t>(k);
        const C power = std::pow(s[at], static_cast<C>(-l.beta));
        shared[at] = static_cast<C>(g[k]) * static_cast<C>(x[k]) * power / s[at];
        s[at] = power;
      }
      for (int64_t k = 0; k < l.channels; ++k) {
        C sum = 0;
        for (int64_t j = std::max<int64_t>(0, k - l.radius); j <= std::min(l.channels - 1, k + l.radius); ++j)
          sum += shared[static_cast<size_t>(j)];
        c.out<T>()[row * l.channels + k] =
            static_cast<T>(static_cast<C>(g[k]) * s[static_cast<size_t>(k)] -
                           static_cast<C>(2 * l.alpha * l.beta) * static_cast<C>(x[k]) * sum);
      }
    }
  });
}

template <class... Types>
void biases() {
  (on_cpu("BiasAdd", bit_of(dtype_of<Types>), bias_add<Types>), ...);
  (on_cpu("BiasAddGrad", bit_of(dtype_of<Types>), bias_add_grad<Types>), ...);
}
template <class... Types>
void floats() {
  (on_cpu("SoftmaxCrossEntropyWithLogits", bit_of(dtype_of<Types>), cross_entropy<Types>), ...);
  (on_cpu("SparseSoftmaxCrossEntropyWithLogits", bit_of(dtype_of<Types>), sparse_cross_entropy<Types>), ...);
  (on_cpu("LRN", bit_of(dtype_of<Types>), lrn<Types>), ...);
  (on_cpu("LRNGrad", bit_of(dtype_of<Types>), lrn_grad<Types>), ...);
}

}  // namespace

FL_CPU_KERNELS {
  biases<float, double, Float16, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
         std::complex<float>, std::complex<double>>();
  floats<float, double, Float16, BFloat16>();
}

}  // namespace FL_ISA
}  // namespace footlight
