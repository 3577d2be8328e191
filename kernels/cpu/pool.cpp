// Kernels of pooling: the channels of a pixel vectorised, window positions in a loop.
#include "kernels/cpu/images.h"
#include "kernels/cpu/vector.h"

#include <limits>

namespace footlight::FL_ISA {

namespace {

struct Pool {
  WindowAttrs attrs;
  Window window[3];  // depth, height, width
  int64_t batch, channels, pooled;
  int64_t in_image, out_image;  // elements of one

  Pool(KernelContext& c, const Shape& in) : attrs(window_attrs(c.row, c.attrs, in.rank() - 2)) {
    const int spatial = in.rank() - 2;
    for (int d = 0; d < spatial; ++d)
      window[3 - spatial + d] = footlight::window(c.row, attrs, d, in[attrs.axis(d)], attrs.size[d]);
    batch = in[0];
    channels = in[attrs.channel_axis()];
    pooled = channels < attrs.channel_size ? 0 : (channels - attrs.channel_size) / attrs.channel_stride + 1;
    in_image = channels;
    out_image = pooled;
    for (const Window& w : window) {
      in_image *= w.in;
      out_image *= w.out;
    }
  }
  int64_t window_size() const { return window[0].size * window[1].size * window[2].size; }
  // Whether windows neither overlap nor leave gaps.
  bool side_by_side() const {
    bool yes = true;
    for (const Window& w : window) yes &= w.stride == w.size;
    return yes;
  }
  int64_t rows() const { return window[0].out * window[1].out; }
  int64_t rows_at_once() const {
    const double row = static_cast<double>(window[2].out * pooled) * static_cast<double>(window[1].size) *
                       static_cast<double>(window[2].size);
    return std::max<int64_t>(1, static_cast<int64_t>(16384 / std::max(1.0, row)));
  }
};

// Calls body(output pixel, places) for the pixels of an output row; places are the input pixels of its window.
template <class Body>
void for_pixels(const Pool& p, int64_t row, Body&& body) {
  const int64_t z = row / p.window[1].out, y = row % p.window[1].out;
  int64_t begin[3], end[3];
  const auto bounds = [&](int d, int64_t at) {
    const Window& w = p.window[d];
    begin[d] = std::max<int64_t>(0, at * w.stride - w.before);
    end[d] = std::min(w.in, at * w.stride - w.before + w.size);
  };
  bounds(0, z);
  bounds(1, y);
  for (int64_t x = 0; x < p.window[2].out; ++x) {
    bounds(2, x);
    body(row * p.window[2].out + x, [&](auto&& place) {
      for (int64_t iz = begin[0]; iz < end[0]; ++iz)
        for (int64_t iy = begin[1]; iy < end[1]; ++iy)
          for (int64_t ix = begin[2]; ix < end[2]; ++ix) place((iz * p.window[1].in + iy) * p.window[2].in + ix);
    });
  }
}

// Calls body(image, output pixel, places) for all output pixels, parallel by rows.
template <class Body>
void for_windows(const Pool& p, Body&& body) {
  parallel_for(p.batch * p.rows(), p.rows_at_once(), [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row)
      for_pixels(p, row % p.rows(), [&](int64_t pixel, auto&& places) { body(row / p.rows(), pixel, places); });
  });
}

// Writes zeros to the places after the last window, if windows lie side by side.
template <class C>
void clear_rest(const Pool& p, C* image) {
  const auto& w = p.window;
  const auto covered = [&](int d) { return std::min(w[d].in, w[d].out * w[d].stride - w[d].before); };
  const int64_t row = w[2].in * p.channels, plane = w[1].in * row;
  for (int64_t z = 0; z < covered(0); ++z) {
    C* const at = image + z * plane;
    for (int64_t y = 0; y < covered(1); ++y)
      std::fill(at + y * row + covered(2) * p.channels, at + (y + 1) * row, C(0));
    std::fill(at + covered(1) * row, at + plane, C(0));
  }
  std::fill(image + covered(0) * plane, image + w[0].in * plane, C(0));
}

// The same for bodies that add to the places of `images`, zero at first, or set all places of their windows, if these
// lie side by side: a thread owns whole images, in which the windows overlap.
template <class C, class Body>
void add_to_windows(const Pool& p, C* images, Body&& body, bool sets = false) {
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, p.in_image));
  parallel_for(p.batch, grain, [&](int64_t first, int64_t last) {
    for (int64_t n = first; n < last; ++n) {
      if (sets) clear_rest(p, images + n * p.in_image);
      else std::fill(images + n * p.in_image, images + (n + 1) * p.in_image, C(0));
      for (int64_t row = 0; row < p.rows(); ++row)
        for_pixels(p, row, [&](int64_t pixel, auto&& places) { body(n, pixel, places); });
    }
  });
}

// Calls body(first channel, step) for each channel of a window; usually there is one, and the step is 1.
template <class Body>
void for_channels(const Pool& p, Body&& body) {
  if (p.attrs.channel_size == 1 && p.attrs.channel_stride == 1)
    body(0, std::integral_constant<int64_t, 1>());
  else
    for (int64_t k = 0; k < p.attrs.channel_size; ++k) body(k, p.attrs.channel_stride);
}

template <class C>
constexpr C lowest() {
  if constexpr (std::is_floating_point_v<C>)
    return -std::numeric_limits<C>::infinity();
  else
    return std::numeric_limits<C>::lowest();
}

// Combines the places of a window, for as many channels at a time as fit a register of kBytes bytes; starts at channel
// `at`, returns the first one not done.
template <int kBytes, class Combine, class Finish>
int64_t combine_places(const float* image, const int64_t* starts, int64_t count, int64_t at, int64_t channels,
                       float* out, float neutral, Combine&& combine, Finish&& finish) {
  // Vectors in memory are unaligned, but templates drop that attribute of a type.
  typedef float Unaligned __attribute__((vector_size(kBytes), aligned(alignof(float)), may_alias));
  typedef float Vector __attribute__((vector_size(kBytes)));
  constexpr int64_t kWidth = kBytes / static_cast<int64_t>(sizeof(float));
  for (; at + kWidth <= channels; at += kWidth) {
    Vector sum = Vector{} + neutral;
    for (int64_t k = 0; k < count; ++k) {
      const Vector x = *reinterpret_cast<const Unaligned*>(image + starts[k] + at);
      sum = combine(sum, x);
    }
    *reinterpret_cast<Unaligned*>(out + at) = finish(sum);
  }
  return at;
}

// Combines the places of a window in registers and writes finish(combined, number of places). False if the channels do
// not fill registers, or the window is too large.
template <class Places, class Combine, class Finish>
bool in_registers(const Pool& p, const float* image, float* out, Places&& places, float neutral, Combine&& combine,
                  Finish&& finish) {
  constexpr int64_t kMax = 64;
  if (p.attrs.channel_size != 1 || p.attrs.channel_stride != 1 || p.pooled % 4 != 0 || p.window_size() > kMax)
    return false;
  int64_t starts[kMax];
  int64_t count = 0;
  places([&](int64_t place) { starts[count++] = place * p.channels; });
  const auto end = [&](const auto& sum) { return finish(sum, static_cast<float>(count)); };
  int64_t at = 0;
  if constexpr (kVectorBytes >= 64)
    at = combine_places<64>(image, starts, count, at, p.pooled, out, neutral, combine, end);
  if constexpr (kVectorBytes >= 32)
    at = combine_places<32>(image, starts, count, at, p.pooled, out, neutral, combine, end);
  combine_places<16>(image, starts, count, at, p.pooled, out, neutral, combine, end);
  return true;
}

template <class T>
void max_pool(KernelContext& c) {
  using C = Compute<T>;
  const Pool p(c, c.inputs[0].shape());
  if (c.outputs[0].elements() == 0) return;
  const ImagesIn<T> in(c.inputs[0], p.attrs.channels_first);
  ImagesOut<T> out(c.outputs[0], p.attrs.channels_first);
  for_windows(p, [&](int64_t n, int64_t pixel, auto&& places) {
    const C* from = in.data() + n * p.in_image;
    C* __restrict__ best = out.data() + n * p.out_image + pixel * p.pooled;
    if constexpr (std::is_same_v<C, float>) {
      if (in_registers(
              p, from, best, places, lowest<float>(),
              [](const auto& most, const auto& x) { return x > most ? x : most; },
              [](const auto& most, float) { return most; }))
        return;
    }
    std::fill(best, best + p.pooled, lowest<C>());
    places([&](int64_t place) {
      for_channels(p, [&](int64_t channel, auto step) {
        const C* __restrict__ x = from + place * p.channels + channel;
        for (int64_t k = 0; k < p.pooled; ++k) {
          const C value = x[k * step];
          best[k] = value > best[k] ? value : best[k];
        }
      });
    });
  });
  out.finish();
}

// Finds, for each channel of a window, the index of the place with the maximum, the first of equal ones; NaN is the
// maximum only if it comes first.
template <class C>
struct Largest {
  C* best;
  int32_t* where;
  explicit Largest(int64_t pooled) : best(scratch<C>(0, pooled)), where(scratch<int32_t>(1, pooled)) {}

  template <class Places>
  void find(const Pool& p, const C* image, Places&& places) const {
    int32_t number = 0;
    places([&](int64_t place) {
      for_channels(p, [&](int64_t channel, auto step) {
        const C* __restrict__ x = image + place * p.channels + channel;
        C* __restrict__ b = best;
        int32_t* __restrict__ w = where;
        if (number == 0) {
          for (int64_t k = 0; k < p.pooled; ++k) b[k] = x[k * step];
          std::fill(w, w + p.pooled, 0);
        } else {
          for (int64_t k = 0; k < p.pooled; ++k) {
            const bool larger = x[k * step] > b[k];
            b[k] = larger ? x[k * step] : b[k];
            w[k] = larger ? number : w[k];
          }
        }
        ++number;
      });
    });
  }
};

// The same in registers, for a vector of channels at a time: adds the incoming gradient of a window to the place of
// its maximum, or sets all its places.
template <class C>
struct LargestInVectors {
  static constexpr int64_t kWidth = VectorOf<C>::kLength;

  // `places`: the first channel of each place, in elements. The channels are a multiple of kWidth.
  template <bool kSet>
  static void add(const C* image, C* to, const int64_t* places, int64_t count, const C* arriving, int64_t channels) {
    using Index = decltype(Vector<C>{} > Vector<C>{});
    using Number = std::conditional_t<sizeof(C) == 4, int32_t, int64_t>;
    for (int64_t at = 0; at < channels; at += kWidth) {
      Vector<C> best = load(image + places[0] + at);
      Index where{};
      for (int64_t k = 1; k < count; ++k) {
        const Vector<C> x = load(image + places[k] + at);
        const Index larger = x > best;
        best = larger ? x : best;
        where = larger ? Index{} + static_cast<Number>(k) : where;
      }
      const Vector<C> g = load(arriving + at);
      for (int64_t k = 0; k < count; ++k) {
        C* const y = to + places[k] + at;
        const Vector<C> here = where == Index{} + static_cast<Number>(k) ? g : Vector<C>{};
        if constexpr (kSet) store(y, here);
        else store(y, load(y) + here);
      }
    }
  }
};

template <class T>
void max_pool_grad(KernelContext& c) {
  using C = Compute<T>;
  const Pool p(c, c.inputs[0].shape());
  const ImagesIn<T> in(c.inputs[0], p.attrs.channels_first);
  const ImagesIn<T> arriving(c.inputs[2], p.attrs.channels_first);
  ImagesOut<T> out(c.outputs[0], p.attrs.channels_first);
  constexpr int64_t kMax = 64;
  const bool vectors = std::is_floating_point_v<C> && p.attrs.channel_size == 1 && p.attrs.channel_stride == 1 &&
                       p.pooled % LargestInVectors<C>::kWidth == 0 && p.window_size() <= kMax;
  const bool sets = vectors && p.side_by_side();
  const auto add = [&](int64_t n, int64_t pixel, auto&& places) {
    const C* from = in.data() + n * p.in_image;
    C* to = out.data() + n * p.in_image;
    const C* __restrict__ g = arriving.data() + n * p.out_image + pixel * p.pooled;
    if constexpr (std::is_floating_point_v<C>) {
      if (vectors) {
        int64_t starts[kMax];
        int64_t count = 0;
        places([&](int64_t place) { starts[count++] = place * p.channels; });
        if (sets) LargestInVectors<C>::template add<true>(from, to, starts, count, g, p.pooled);
        else LargestInVectors<C>::template add<false>(from, to, starts, count, g, p.pooled);
        return;
      }
    }
    const Largest<C> largest(p.pooled);
    largest.find(p, from, places);
    int32_t number = 0;
    places([&](int64_t place) {
      for_channels(p, [&](int64_t channel, auto step) {
        C* __restrict__ y = to + place * p.channels + channel;
        const int32_t* __restrict__ where = largest.where;
        for (int64_t k = 0; k < p.pooled; ++k)
          y[k * step] = static_cast<C>(y[k * step] + (where[k] == number ? g[k] : C(0)));
        ++number;
      });
    });
  };
  add_to_windows(p, out.data(), add, sets);
  out.finish();
}

// Copies the third input's value at the position of the maximum.
template <class T>
void max_pool_grad_grad(KernelContext& c) {
  using C = Compute<T>;
  const Pool p(c, c.inputs[0].shape());
  if (c.outputs[0].elements() == 0) return;
  const ImagesIn<T> in(c.inputs[0], p.attrs.channels_first);
  const ImagesIn<T> arriving(c.inputs[2], p.attrs.channels_first);
  ImagesOut<T> out(c.outputs[0], p.attrs.channels_first);
  for_windows(p, [&](int64_t n, int64_t pixel, auto&& places) {
    const Largest<C> largest(p.pooled);
    largest.find(p, in.data() + n * p.in_image, places);
    C* __restrict__ y = out.data() + n * p.out_image + pixel * p.pooled;
    int32_t number = 0;
    places([&](int64_t place) {
      for_channels(p, [&](int64_t channel, auto step) {
        const C* __restrict__ x = arriving.data() + n * p.in_image + place * p.channels + channel;
        const int32_t* __restrict__ where = largest.where;
        for (int64_t k = 0; k < p.pooled; ++k) y[k] = where[k] == number ? x[k * step] : y[k];
        ++number;
      });
    });
  });
  out.finish();
}

template <class T>
void average_pool(KernelContext& c) {
  using C = Compute<T>;
  const Pool p(c, c.inputs[0].shape());
  if (c.outputs[0].elements() == 0) return;
  const ImagesIn<T> in(c.inputs[0], p.attrs.channels_first);
  ImagesOut<T> out(c.outputs[0], p.attrs.channels_first);
  for_windows(p, [&](int64_t n, int64_t pixel, auto&& places) {
    const C* from = in.data() + n * p.in_image;
    C* __restrict__ sum = out.data() + n * p.out_image + pixel * p.pooled;
    if constexpr (std::is_same_v<C, float>) {
      if (in_registers(
              p, from, sum, places, 0.0f, [](const auto& some, const auto& x) { return some + x; },
              [](const auto& some, float many) { return some / many; }))
        return;
    }
    std::fill(sum, sum + p.pooled, C(0));
    int64_t count = 0;
    places([&](int64_t place) {
      for_channels(p, [&](int64_t channel, auto step) {
        ++count;
        const C* __restrict__ x = from + place * p.channels + channel;
        for (int64_t k = 0; k < p.pooled; ++k) sum[k] += x[k * step];
      });
    });
    const C many = static_cast<C>(count);
    for (int64_t k = 0; k < p.pooled; ++k) sum[k] /= many;
  });
  out.finish();
}

template <class T>
void average_pool_grad(KernelContext& c) {
  using C = Compute<T>;
  const Pool p(c, c.outputs[0].shape());
  if (c.outputs[0].elements() == 0) return;
  const Shape& given = c.inputs[1].shape();
  if (given.elements() != p.batch * p.out_image)
    invalid("Expected grad to have ", p.batch * p.out_image, " elements, its shape is ", given.to_string(),
            " [Op:", c.row.name, "]");
  const ImagesIn<T> arriving(c.inputs[1], p.attrs.channels_first);
  ImagesOut<T> out(c.outputs[0], p.attrs.channels_first);
  add_to_windows(p, out.data(), [&](int64_t n, int64_t pixel, auto&& places) {
    const C* g = arriving.data() + n * p.out_image + pixel * p.pooled;
    C* const share = scratch<C>(0, p.pooled);
    int64_t count = 0;
    places([&](int64_t) { ++count; });
    const C many = static_cast<C>(count * p.attrs.channel_size);
    for (int64_t k = 0; k < p.pooled; ++k) share[k] = g[k] / many;
    places([&](int64_t place) {
      for_channels(p, [&](int64_t channel, auto step) {
        C* __restrict__ y = out.data() + n * p.in_image + place * p.channels + channel;
        const C* __restrict__ s = share;
        for (int64_t k = 0; k < p.pooled; ++k) y[k * step] += s[k];
      });
    });
  });
  out.finish();
}

int64_t base_of(KernelContext& c, const Pool& p, int64_t n) {
  return c.attrs.get_or("include_batch_in_index"_attr, false) ? n * p.in_image : 0;
}

template <class T, class Index>
void max_pool_argmax(KernelContext& c) {
  const Pool p(c, c.inputs[0].shape());
  if (c.inputs[0].elements() == 0)
    invalid("the input must not be empty, its shape is ", c.inputs[0].shape().to_string(), " [Op:MaxPoolWithArgmax]");
  const T* in = c.in<T>(0);
  for_windows(p, [&](int64_t n, int64_t pixel, auto&& places) {
    T* best = c.out<T>(0) + n * p.out_image + pixel * p.pooled;
    Index* where = c.out<Index>(1) + n * p.out_image + pixel * p.pooled;
    const int64_t base = base_of(c, p, n);
    bool some = false;
    places([&](int64_t place) {
      for_channels(p, [&](int64_t channel, auto step) {
        const int64_t at = place * p.channels + channel;
        for (int64_t k = 0; k < p.pooled; ++k) {
          const T value = in[n * p.in_image + at + k * step];
          if (some && !(static_cast<Compute<T>>(value) > static_cast<Compute<T>>(best[k]))) continue;
          best[k] = value;
          where[k] = static_cast<Index>(base + at + k * step);
        }
        some = true;
      });
    });
  });
}

// Calls body(element of the input, element of the output) for each place given by the indices.
template <class Index, class Body>
void for_argmax(KernelContext& c, const Pool& p, const Index* where, Body&& body) {
  for (int64_t i = 0; i < p.batch * p.out_image; ++i) {
    const int64_t n = i / p.out_image;
    const int64_t at = static_cast<int64_t>(where[i]) - base_of(c, p, n);
    if (at < 0 || at >= p.in_image)
      invalid("argmax[", i, "] = ", static_cast<int64_t>(where[i]), " lies outside of the input, whose shape is ",
              c.inputs[0].shape().to_string(), " [Op:", c.row.name, "]");
    body(n * p.in_image + at, i);
  }
}

template <class T, class Index>
void argmax_grad(KernelContext& c) {
  using C = Compute<T>;
  const Pool p(c, c.inputs[0].shape());
  T* out = c.out<T>();
  std::fill(out, out + c.outputs[0].elements(), T(C(0)));
  for_argmax(c, p, c.in<Index>(2), [&](int64_t in, int64_t i) {
    out[in] = static_cast<T>(static_cast<C>(static_cast<C>(out[in]) + static_cast<C>(c.in<T>(1)[i])));
  });
}
template <class T, class Index>
void argmax_grad_grad(KernelContext& c) {
  const Pool p(c, c.inputs[0].shape());
  for_argmax(c, p, c.in<Index>(2), [&](int64_t in, int64_t i) { c.out<T>()[i] = c.in<T>(1)[in]; });
}

// Dispatches on the dtype of the indices: that of tensor `kWhich` of the op, an output or an input.
template <Kernel kInt32, Kernel kInt64, bool kOutput>
void by_index(KernelContext& c) {
  const DType type = kOutput ? c.outputs[1].dtype() : c.inputs[2].dtype();
  (type == DType::kInt32 ? kInt32 : kInt64)(c);
}

template <class... Types>
void averages() {
  (on_cpu("AvgPool", bit_of(dtype_of<Types>), average_pool<Types>), ...);
  (on_cpu("AvgPoolGrad", bit_of(dtype_of<Types>), average_pool_grad<Types>), ...);
  (on_cpu("AvgPool3D", bit_of(dtype_of<Types>), average_pool<Types>), ...);
  (on_cpu("AvgPool3DGrad", bit_of(dtype_of<Types>), average_pool_grad<Types>), ...);
  (on_cpu("MaxPool3D", bit_of(dtype_of<Types>), max_pool<Types>), ...);
  (on_cpu("MaxPool3DGrad", bit_of(dtype_of<Types>), max_pool_grad<Types>), ...);
  (on_cpu("MaxPool3DGradGrad", bit_of(dtype_of<Types>), max_pool_grad_grad<Types>), ...);
}
template <class... Types>
void maxima() {
  (on_cpu("MaxPool", bit_of(dtype_of<Types>), max_pool<Types>), ...);
  (on_cpu("MaxPoolGrad", bit_of(dtype_of<Types>), max_pool_grad<Types>), ...);
  (on_cpu("MaxPoolGradGrad", bit_of(dtype_of<Types>), max_pool_grad_grad<Types>), ...);
  (on_cpu("MaxPoolWithArgmax", bit_of(dtype_of<Types>),
          by_index<max_pool_argmax<Types, int32_t>, max_pool_argmax<Types, int64_t>, true>),
   ...);
  (on_cpu("MaxPoolGradWithArgmax", bit_of(dtype_of<Types>),
          by_index<argmax_grad<Types, int32_t>, argmax_grad<Types, int64_t>, false>),
   ...);
  (on_cpu("MaxPoolGradGradWithArgmax", bit_of(dtype_of<Types>),
          by_index<argmax_grad_grad<Types, int32_t>, argmax_grad_grad<Types, int64_t>, false>),
   ...);
}

}  // namespace

FL_CPU_KERNELS {
  averages<float, double, Float16, BFloat16>();
  maxima<float, double, Float16, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t>();
}

}  // namespace footlight::FL_ISA
