// Kernels of batch normalisations and of their gradients. The data are blocks of channels, each with `inner`
// elements: one with the channels last.
#include "engine/base/thread_pool.h"
#include "kernels/cpu/register.h"

#include <cmath>
#include <vector>

namespace footlight::FL_ISA {

namespace {

struct Layout {
  int64_t outer = 1, channels = 0, inner = 1;
  int64_t count() const { return outer * inner; }  // elements of a channel
};

Layout layout_of(const KernelContext& c, const Shape& shape) {
  const bool first = c.attrs.get_or("data_format"_attr, std::string("NHWC"))[1] == 'C';
  const int axis = first ? 1 : shape.rank() - 1;
  Layout l;
  l.channels = shape[axis];
  for (int d = 0; d < shape.rank(); ++d)
    if (d != axis) (first && d > axis ? l.inner : l.outer) *= shape[d];
  return l;
}

constexpr int64_t kBlock = 1 << 14;  // elements that are summed before partial sums are added

// Sums over all elements of each channel: body(to, channel, index of the element) adds to two floats. Parts
// of a fixed size are added up in their order, so the result does not depend on the number of threads.
template <class Body>
void sums(const Layout& l, double* one, double* two, Body&& body) {
  std::fill_n(one, l.channels, 0.);
  if (two) std::fill_n(two, l.channels, 0.);
  const int64_t row = l.channels * l.inner;
  if (!row) return;  // however many of them there are
  const int64_t rows = std::max<int64_t>(1, kBlock / row), parts = (l.outer + rows - 1) / rows;
  const auto width = static_cast<size_t>(2 * l.channels);
  std::vector<float> partial(width * static_cast<size_t>(parts));
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      float* const a = partial.data() + static_cast<size_t>(part) * width;
      float* const b = a + l.channels;
      for (int64_t o = part * rows, last = std::min(l.outer, o + rows); o < last; ++o) {
        if (l.inner == 1) {
          for (int64_t k = 0; k < l.channels; ++k) body(a[k], b[k], k, o * l.channels + k);
          continue;
        }
        for (int64_t k = 0; k < l.channels; ++k) {
          double x = 0, y = 0;
          for (int64_t i = 0, at = o * row + k * l.inner; i < l.inner; i += 256) {
            float p = 0, q = 0;
            for (int64_t j = i, stop = std::min(l.inner, i + 256); j < stop; ++j) body(p, q, k, at + j);
            x += static_cast<double>(p);
            y += static_cast<double>(q);
          }
          a[k] += static_cast<float>(x);
          b[k] += static_cast<float>(y);
        }
      }
    }
  });
  for (int64_t part = 0; part < parts; ++part)
    for (int64_t k = 0; k < l.channels; ++k) {
      const float* const a = partial.data() + static_cast<size_t>(part) * width;
      one[k] += static_cast<double>(a[k]);
      if (two) two[k] += static_cast<double>(a[l.channels + k]);
    }
}

// Calls body(channel, index) for each element.
template <class Body>
void each(const Layout& l, Body&& body) {
  const int64_t row = l.channels * l.inner;
  if (row) parallel_for(l.outer, std::max<int64_t>(1, kBlock / row), [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      if (l.inner == 1) {
        for (int64_t k = 0; k < l.channels; ++k) body(k, o * l.channels + k);
        continue;
      }
      for (int64_t k = 0; k < l.channels; ++k)
        for (int64_t at = o * row + k * l.inner, last = at + l.inner; at < last; ++at) body(k, at);
    }
  });
}

std::vector<float> reciprocal_roots(const float* variance, int64_t n, float epsilon) {
  std::vector<float> roots(static_cast<size_t>(n));
  for (int64_t k = 0; k < n; ++k) roots[static_cast<size_t>(k)] = 1 / std::sqrt(variance[k] + epsilon);
  return roots;
}

template <class T>
void forward(KernelContext& c) {
  const Layout l = layout_of(c, c.inputs[0].shape());
  const T* const x = c.in<T>(0);
  const float *const scale = c.in<float>(1), *const offset = c.in<float>(2);
  float *const mean = c.out<float>(3), *const variance = c.out<float>(4);
  float *const next_mean = c.out<float>(1), *const next_variance = c.out<float>(2);
  const auto n = static_cast<size_t>(l.channels);
  if (c.attrs.get_or("is_training"_attr, true)) {
    std::vector<double> total(n);
    const auto count = static_cast<double>(l.count());
    sums(l, total.data(), nullptr,
         [&](float& a, float&, int64_t, int64_t at) { a += static_cast<float>(x[at]); });
    for (size_t k = 0; k < n; ++k) mean[k] = l.count() ? static_cast<float>(total[k] / count) : 0.f;
    sums(l, total.data(), nullptr, [&](float& a, float&, int64_t k, int64_t at) {
      const float d = static_cast<float>(x[at]) - mean[k];
      a += d * d;
    });
    const float factor = c.attrs.get_or("exponential_avg_factor"_attr, 1.f);
    const double others = std::max(1., count - 1);
    for (size_t k = 0; k < n; ++k) {
      variance[k] = l.count() ? static_cast<float>(total[k] / count) : 0.f;
      const auto unbiased = static_cast<float>(total[k] / others);
      const float none = l.count() ? 0.f : std::nanf("");
      next_mean[k] = none + (factor == 1.f ? mean[k] : (1 - factor) * c.in<float>(3)[k] + factor * mean[k]);
      next_variance[k] =
          none + (factor == 1.f ? unbiased : (1 - factor) * c.in<float>(4)[k] + factor * unbiased);
    }
  } else {
    for (float* to : {mean, next_mean}) std::copy_n(c.in<float>(3), n, to);
    for (float* to : {variance, next_variance}) std::copy_n(c.in<float>(4), n, to);
  }
  std::vector<float> by = reciprocal_roots(variance, l.channels, c.attrs.get_or("epsilon"_attr, 0.0001f));
  for (size_t k = 0; k < n; ++k) by[k] *= scale[k];
  T* const y = c.out<T>(0);
  each(l, [&, by = by.data()](int64_t k, int64_t at) {
    y[at] = static_cast<T>((static_cast<float>(x[at]) - mean[k]) * by[k] + offset[k]);
  });
}

template <class T>
void backward(KernelContext& c) {
  const Layout l = layout_of(c, c.inputs[1].shape());
  const T *const arriving = c.in<T>(0), *const x = c.in<T>(1);
  const float *const scale = c.in<float>(2), *const mean = c.in<float>(3);
  const auto n = static_cast<size_t>(l.channels);
  const std::vector<float> roots =
      reciprocal_roots(c.in<float>(4), l.channels, c.attrs.get_or("epsilon"_attr, 0.0001f));
  std::vector<double> plain(n), weighed(n);
  sums(l, plain.data(), weighed.data(), [&](float& a, float& b, int64_t k, int64_t at) {
    const auto g = static_cast<float>(arriving[at]);
    a += g;
    b += g * (static_cast<float>(x[at]) - mean[k]);
  });
  std::vector<float> by(n), less(n), along(n);
  const bool own = c.attrs.get_or("is_training"_attr, true);
  for (size_t k = 0; k < n; ++k) {
    const auto root = static_cast<double>(roots[k]), count = static_cast<double>(l.count());
    c.out<float>(1)[k] = static_cast<float>(weighed[k] * root);
    c.out<float>(2)[k] = static_cast<float>(plain[k]);
    by[k] = scale[k] * roots[k];
    less[k] = own ? static_cast<float>(plain[k] / count) : 0.f;
    along[k] = own ? static_cast<float>(weighed[k] * root * root / count) : 0.f;
  }
  T* const out = c.out<T>(0);
  each(l, [&, by = by.data(), less = less.data(), along = along.data()](int64_t k, int64_t at) {
    const float centred = static_cast<float>(x[at]) - mean[k];
    out[at] = static_cast<T>(by[k] * (static_cast<float>(arriving[at]) - less[k] - centred * along[k]));
  });
}

}  // namespace

FL_CPU_KERNELS {
  for (const char* op : {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"}) {
    on_cpu(op, bit_of(DType::kFloat32), forward<float>);
    if (std::string_view(op) == "FusedBatchNorm") continue;
    on_cpu(op, bit_of(DType::kFloat16), forward<Float16>);
    on_cpu(op, bit_of(DType::kBFloat16), forward<BFloat16>);
  }
  for (const char* op : {"FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"}) {
    on_cpu(op, bit_of(DType::kFloat32), backward<float>);
    if (std::string_view(op) == "FusedBatchNormGrad") continue;
    on_cpu(op, bit_of(DType::kFloat16), backward<Float16>);
    on_cpu(op, bit_of(DType::kBFloat16), backward<BFloat16>);
  }
}

}  // namespace footlight::FL_ISA
