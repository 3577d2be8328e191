// Kernels of biases, cross entropies and local response normalisation.
#include "kernels/cpu/images.h"
#include "kernels/cpu/lanes.h"
#include "kernels/cpu/reduce_row.h"
#include "kernels/functors/arithmetic.h"
#include "kernels/functors/branchless.h"

#include "engine/ops/wanted.h"

#include <cmath>
#include <vector>

namespace footlight::FL_ISA {

namespace {

bool is_channels_first(KernelContext& c) { return c.attrs.get_or("data_format"_attr, std::string("NHWC")) == "NCHW"; }

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

// Sums floats in blocks, so that small terms are not lost next to a large sum.
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

// Sums in separate lanes, so that the loop vectorises.
template <class C, class Term>
C sum_in_lanes(int64_t n, Term&& term) {
  constexpr int64_t kLanes = 16;
  C lanes[kLanes] = {};
  int64_t k = 0;
  for (; k + kLanes <= n; k += kLanes)
    for (int64_t l = 0; l < kLanes; ++l) lanes[l] += term(k + l);
  C sum = 0;
  for (; k < n; ++k) sum += term(k);
  for (const C lane : lanes) sum += lane;
  return sum;
}

// Computes the exponentials of x - max for a row of logits, and their sum.
template <class C>
struct Exponentials {
  C* powers;
  C largest = C(0);
  explicit Exponentials(int64_t n) : powers(scratch<C>(0, n)) {}
  template <class T>
  C of(const T* logits, int64_t n) {
    const C* x = powers;
    if constexpr (std::is_same_v<T, C>) x = logits;
    else for (int64_t k = 0; k < n; ++k) powers[k] = static_cast<C>(logits[k]);
    const C most = largest = reduce_row<LargestOf>(x, n);
    map_lanes(x, powers, n, [&](auto v) FL_INLINE_LAMBDA { return functors::branchless::exp(v - most); });
    return reduce_row<SumOf>(powers, n);
  }
};

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
  const bool gradient = result_wanted(1);
  parallel_for(rows, std::max<int64_t>(1, 8192 / n), [&](int64_t begin, int64_t end) {
    Exponentials<C> row_of(n);
    std::vector<T> wide_logits, wide_labels;
    // Broadcasts a single column to the row.
    const auto widened = [&](const T* from, int64_t columns, std::vector<T>& wide) {
      if (columns == n) return from;
      wide.assign(static_cast<size_t>(n), *from);
      return static_cast<const T*>(wide.data());
    };
    for (int64_t row = begin; row < end; ++row) {
      const T* logits = widened(c.in<T>(0) + (ls[0] == 1 ? 0 : row) * ls[1], ls[1], wide_logits);
      const T* labels = widened(c.in<T>(1) + (ts[0] == 1 ? 0 : row) * ts[1], ts[1], wide_labels);
      const C sum = row_of.of(logits, n);
      const C log_sum = std::log(sum), share = C(1) / sum;
      const C most = row_of.largest;
      const C* e = row_of.powers;
      const C loss = sum_in_lanes<C>(n, [&](int64_t k) {
        const C label = static_cast<C>(labels[k]);
        return label != C(0) ? label * (log_sum - (static_cast<C>(logits[k]) - most)) : C(0);
      });
      c.out<T>(0)[row] = static_cast<T>(loss);
      if (!gradient) continue;
      T* __restrict__ back = c.out<T>(1) + row * n;
      for (int64_t k = 0; k < n; ++k) back[k] = static_cast<T>(e[k] * share - static_cast<C>(labels[k]));
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
  const bool gradient = result_wanted(1);
  parallel_for(rows, std::max<int64_t>(1, 8192 / std::max<int64_t>(1, n)), [&](int64_t begin, int64_t end) {
    Exponentials<C> row_of(n);
    for (int64_t row = begin; row < end; ++row) {
      const T* logits = c.in<T>(0) + row * n;
      const C sum = row_of.of(logits, n), share = C(1) / sum;
      const auto label = static_cast<int64_t>(labels[row]);
      const C* e = row_of.powers;
      c.out<T>(0)[row] = static_cast<T>(std::log(sum) - (static_cast<C>(logits[label]) - row_of.largest));
      if (!gradient) continue;
      T* __restrict__ back = c.out<T>(1) + row * n;
      for (int64_t k = 0; k < n; ++k) back[k] = static_cast<T>(e[k] * share);
      back[label] = static_cast<T>(e[label] * share - C(1));
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

template <class T>
void sigmoid_cross_entropy(KernelContext& c) {
  parallel_for(c.outputs[0].elements(), 1 << 12, [&](int64_t begin, int64_t end) {
    map_lanes(c.in<T>(0) + begin, 1, c.in<T>(1) + begin, 1, c.out<T>() + begin, end - begin,
              [](auto x, auto label) FL_INLINE_LAMBDA {
                using namespace functors::branchless;
                using L = decltype(x);
                const L slope = choose(less(L{}, x), x, L{}) - x * label;
                return slope + functors::branchless::log1p<L>(functors::branchless::exp<L>(-magnitude(x)));
              });
  });
}

template <class T>
void scale_shift(KernelContext& c) {
  using C = Compute<T>;
  const int64_t channels = c.inputs[1].elements();
  if (c.outputs[0].elements() == 0) return;
  const T* in = c.in<T>(0);
  T* out = c.out<T>();
  const int64_t rows = c.outputs[0].elements() / channels;
  parallel_for(rows, std::max<int64_t>(1, 32768 / channels), [&](int64_t begin, int64_t end) {
    const T* __restrict__ scale = c.in<T>(1);
    const T* __restrict__ shift = c.in<T>(2);
    for (int64_t i = begin; i < end; ++i) {
      const T* __restrict__ from = in + i * channels;
      T* __restrict__ to = out + i * channels;
      for (int64_t k = 0; k < channels; ++k)
        to[k] = static_cast<T>(static_cast<C>(static_cast<T>(static_cast<C>(from[k]) * static_cast<C>(scale[k]))) +
                               static_cast<C>(shift[k]));
    }
  });
}

struct Lrn {
  int64_t radius, rows, channels;
  double bias, alpha, beta;
  explicit Lrn(KernelContext& c) {
    radius = c.attrs.get_or("depth_radius"_attr, int64_t{5});
    bias = c.attrs.get_or("bias"_attr, 1.f);
    alpha = c.attrs.get_or("alpha"_attr, 1.f);
    beta = c.attrs.get_or("beta"_attr, 0.5f);
    const Shape& s = c.outputs[0].shape();
    channels = s[3];
    radius = std::min(radius, channels);  // all of them are neighbours then
    rows = s[0] * s[1] * s[2];
  }
  // s[k] = bias + alpha * the squares of the neighbours of x[k], then p[k] = s[k] to the power of -beta. `squares`
  // has `radius` zeros on both sides.
  template <class T, class C>
  void scales(const T* x, C* squares, C* s, C* p) const {
    for (int64_t k = 0; k < channels; ++k) squares[radius + k] = static_cast<C>(x[k]) * static_cast<C>(x[k]);
    neighbours(squares, s);
    for (int64_t k = 0; k < channels; ++k) s[k] = static_cast<C>(bias) + static_cast<C>(alpha) * s[k];
    if (beta == 0.5) {
      for (int64_t k = 0; k < channels; ++k) p[k] = C(1) / std::sqrt(s[k]);
    } else if (beta == 0.75) {
      for (int64_t k = 0; k < channels; ++k) p[k] = C(1) / (std::sqrt(s[k]) * std::sqrt(std::sqrt(s[k])));
    } else {
      map_lanes(s, p, channels, [&](auto x) FL_INLINE_LAMBDA {
        return functors::branchless::exp(static_cast<C>(-beta) * functors::branchless::log(x));
      });
    }
  }
  // sums[k] = the sum of padded[k .. k + 2 radius]
  template <class C>
  void neighbours(const C* __restrict__ padded, C* __restrict__ sums) const {
    std::copy(padded, padded + channels, sums);
    for (int64_t d = 1; d <= 2 * radius; ++d)
      for (int64_t k = 0; k < channels; ++k) sums[k] += padded[k + d];
  }
  int64_t grain() const { return std::max<int64_t>(1, 4096 / std::max<int64_t>(1, channels)); }
};

template <class T>
void lrn(KernelContext& c) {
  using C = Compute<T>;
  const Lrn l(c);
  parallel_for(l.rows, l.grain(), [&](int64_t begin, int64_t end) {
    const auto n = static_cast<size_t>(l.channels);
    std::vector<C> squares(n + 2 * static_cast<size_t>(l.radius), C(0)), s(n), p(n);
    for (int64_t row = begin; row < end; ++row) {
      const T* x = c.in<T>(0) + row * l.channels;
      T* out = c.out<T>() + row * l.channels;
      l.scales(x, squares.data(), s.data(), p.data());
      for (size_t k = 0; k < n; ++k) out[k] = static_cast<T>(static_cast<C>(x[k]) * p[k]);
    }
  });
}

template <class T>
void lrn_grad(KernelContext& c) {
  using C = Compute<T>;
  const Lrn l(c);
  parallel_for(l.rows, l.grain(), [&](int64_t begin, int64_t end) {
    const auto n = static_cast<size_t>(l.channels);
    const auto radius = static_cast<size_t>(l.radius);
    std::vector<C> padded(n + 2 * radius, C(0)), s(n), p(n), around(n);
    for (int64_t row = begin; row < end; ++row) {
      const T* g = c.in<T>(0) + row * l.channels;
      const T* x = c.in<T>(1) + row * l.channels;
      T* out = c.out<T>() + row * l.channels;
      l.scales(x, padded.data(), s.data(), p.data());
      for (size_t k = 0; k < n; ++k) padded[radius + k] = static_cast<C>(g[k]) * static_cast<C>(x[k]) * p[k] / s[k];
      l.neighbours(padded.data(), around.data());
      const C factor = static_cast<C>(2 * l.alpha * l.beta);
      for (size_t k = 0; k < n; ++k)
        out[k] = static_cast<T>(static_cast<C>(g[k]) * p[k] - factor * static_cast<C>(x[k]) * around[k]);
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
  (on_cpu("ScaleShift", bit_of(dtype_of<Types>), scale_shift<Types>), ...);
  (on_cpu("LRN", bit_of(dtype_of<Types>), lrn<Types>), ...);
  (on_cpu("LRNGrad", bit_of(dtype_of<Types>), lrn_grad<Types>), ...);
}

}  // namespace

FL_CPU_KERNELS {
  biases<float, double, Float16, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
         std::complex<float>, std::complex<double>>();
  floats<float, double, Float16, BFloat16>();
  on_cpu("SigmoidCrossEntropy", bit_of(DType::kFloat32), sigmoid_cross_entropy<float>);
  on_cpu("SigmoidCrossEntropy", bit_of(DType::kFloat64), sigmoid_cross_entropy<double>);
}

}  // namespace footlight::FL_ISA
