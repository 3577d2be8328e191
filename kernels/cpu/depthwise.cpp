// Kernels of depthwise convolutions: every channel has its own `multiplier` filters.
#include "kernels/cpu/images.h"
#include "kernels/cpu/vector.h"

#include <span>
#include <vector>

namespace footlight::FL_ISA {

namespace {

// A tap of the filter along one dimension, and the element of the other side that it connects with a given element.
struct TapPair {
  int64_t tap, other;
};
// The pairs of all elements along a dimension.
struct TapPairs {
  std::vector<TapPair> all;
  std::vector<size_t> start;  // the beginning for each element, and the end
  std::span<const TapPair> of(int64_t at) const {
    const auto k = static_cast<size_t>(at);
    return {all.data() + start[k], start[k + 1] - start[k]};
  }
};
// Lists the inputs of each output.
TapPairs of_outputs(const Window& w) {
  TapPairs m;
  for (int64_t o = 0; o < w.out; ++o) {
    m.start.push_back(m.all.size());
    for (int64_t k = 0; k < w.size; ++k) {
      const int64_t i = o * w.stride - w.before + k * w.dilation;
      if (i >= 0 && i < w.in) m.all.push_back({k, i});
    }
  }
  m.start.push_back(m.all.size());
  return m;
}
// Lists the outputs of each input.
TapPairs of_inputs(const Window& w) {
  TapPairs m;
  for (int64_t i = 0; i < w.in; ++i) {
    m.start.push_back(m.all.size());
    for (int64_t k = 0; k < w.size; ++k) {
      const int64_t at = i + w.before - k * w.dilation;
      if (at >= 0 && at % w.stride == 0 && at / w.stride < w.out) m.all.push_back({k, at / w.stride});
    }
  }
  m.start.push_back(m.all.size());
  return m;
}

// kPixels pixels that lie `out_step` elements apart and whose taps are those of the first, each `step` elements
// further: the sums over their taps of the other side times the filter, in kVectors registers of kBytes bytes for
// each. Starts at channel `at`; returns the first channel not done.
template <class C, int kPixels, int kBytes, int kVectors>
int64_t gather_channels(std::span<const TapPair> rows, std::span<const TapPair> columns, const C* other,
                        int64_t other_width, int64_t step, const C* filter, int64_t filter_width, int64_t at,
                        int64_t channels, C* out, int64_t out_step) {
  typedef C Vector __attribute__((vector_size(kBytes), aligned(alignof(C)), may_alias));
  constexpr int64_t kWidth = kBytes / static_cast<int64_t>(sizeof(C));
  for (; at + kVectors * kWidth <= channels; at += kVectors * kWidth) {
    Vector sums[kPixels][kVectors] = {};
    for (const TapPair& y : rows) {
      const C* line = other + y.other * other_width * channels + at;
      const C* weights = filter + y.tap * filter_width * channels + at;
      for (const TapPair& x : columns) {
        Vector w[kVectors];
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v)
          w[v] = *reinterpret_cast<const Vector*>(weights + x.tap * channels + v * kWidth);
        const C* from = line + x.other * channels;
#pragma GCC unroll 4
        for (int p = 0; p < kPixels; ++p, from += step)
#pragma GCC unroll 2
          for (int v = 0; v < kVectors; ++v)
            sums[p][v] += *reinterpret_cast<const Vector*>(from + v * kWidth) * w[v];
      }
    }
#pragma GCC unroll 4
    for (int p = 0; p < kPixels; ++p)
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v)
        *reinterpret_cast<Vector*>(out + p * out_step + at + v * kWidth) = sums[p][v];
  }
  return at;
}
template <class C, int kPixels>
void gather_pixels(std::span<const TapPair> rows, std::span<const TapPair> columns, const C* other,
                   int64_t other_width, int64_t step, const C* filter, int64_t filter_width, int64_t channels,
                   C* out, int64_t out_step) {
  const auto some = [&](auto bytes, auto vectors, int64_t at) {
    return gather_channels<C, kPixels, bytes, vectors>(rows, columns, other, other_width, step, filter, filter_width,
                                                       at, channels, out, out_step);
  };
  constexpr std::integral_constant<int, 1> kOne{};
  int64_t at = some(std::integral_constant<int, kVectorBytes>(), std::integral_constant<int, 2>(), 0);
  if constexpr (kVectorBytes >= 64) at = some(std::integral_constant<int, 64>(), kOne, at);
  if constexpr (kVectorBytes >= 32) at = some(std::integral_constant<int, 32>(), kOne, at);
  at = some(std::integral_constant<int, 16>(), kOne, at);
  for (; at < channels; ++at)
    for (int p = 0; p < kPixels; ++p) {
      C sum = 0;
      for (const TapPair& y : rows)
        for (const TapPair& x : columns)
          sum += other[(y.other * other_width + x.other) * channels + p * step + at] *
                 filter[(y.tap * filter_width + x.tap) * channels + at];
      out[p * out_step + at] = sum;
    }
}

// Every `stride`-th pixel of a row from `first` on. Pixels [same_begin, same_end) of these use the same taps, each
// `step` further.
struct Phase {
  int64_t first, stride, same_begin = 0, same_end = 0;
  int64_t pixels(int64_t width) const { return (width - first + stride - 1) / stride; }
};

// Whether pixel x + n * stride uses the same taps as pixel x, n * step further.
bool uses_same_taps(const TapPairs& m, int64_t x, int64_t n, int64_t stride, int64_t step) {
  const auto a = m.of(x), b = m.of(x + n * stride);
  if (a.size() != b.size()) return false;
  for (size_t k = 0; k < a.size(); ++k)
    if (a[k].tap != b[k].tap || a[k].other + n * step != b[k].other) return false;
  return true;
}

// The phases of a row, each with its longest run of pixels that use the same taps.
std::vector<Phase> phases_of(const TapPairs& m, int64_t width, int64_t stride, int64_t step) {
  std::vector<Phase> phases;
  for (int64_t first = 0; first < std::min(stride, width); ++first) {
    Phase phase{first, stride};
    for (int64_t begin = 0; begin < phase.pixels(width);) {
      int64_t end = begin + 1;
      while (end < phase.pixels(width) && uses_same_taps(m, first + begin * stride, end - begin, stride, step)) ++end;
      if (end - begin > phase.same_end - phase.same_begin) phase.same_begin = begin, phase.same_end = end;
      begin = end;
    }
    phases.push_back(phase);
  }
  return phases;
}

// Memory that the next row of pixels will read and write: it is fetched piece by piece while this row is computed,
// because the many short runs of a row's taps do not look like streams to the processor.
struct RowPrefetch {
  const char* at = nullptr;
  int64_t bytes = 0, done = 0;
  RowPrefetch() = default;
  template <class C>
  RowPrefetch(const C* from, int64_t elements)
      : at(reinterpret_cast<const char*>(from)), bytes(elements * static_cast<int64_t>(sizeof(C))) {}
  void fetch(int64_t until) {
    for (until = std::min(until, bytes); done < until; done += 64) __builtin_prefetch(at + done, 0, 2);
  }
};
template <class C>
void gather_row(std::span<const TapPair> rows, const TapPairs& columns, std::span<const Phase> phases, int64_t width,
                const C* other, int64_t other_width, int64_t step, const C* filter, int64_t filter_width,
                int64_t channels, C* out, RowPrefetch ahead, RowPrefetch ahead_out) {
  int64_t done = 0;
  for (const Phase& phase : phases) {
    const int64_t out_step = phase.stride * channels, pixels = phase.pixels(width);
    for (int64_t k = 0; k < pixels;) {
      constexpr int kPixels = 4;
      ahead.fetch(ahead.bytes * (done + k + kPixels) / width);
      ahead_out.fetch(ahead_out.bytes * (done + k + kPixels) / width);
      const int64_t x = phase.first + k * phase.stride;
      if (k >= phase.same_begin && k + kPixels <= phase.same_end) {
        gather_pixels<C, kPixels>(rows, columns.of(x), other, other_width, step * channels, filter, filter_width,
                                  channels, out + x * channels, out_step);
        k += kPixels;
      } else {
        gather_pixels<C, 1>(rows, columns.of(x), other, other_width, 0, filter, filter_width, channels,
                            out + x * channels, out_step);
        ++k;
      }
    }
    done += pixels;
  }
}

struct Depthwise : Convolution {
  int64_t multiplier, filter_size;
  explicit Depthwise(const Convolution& c, const Shape& filter)
      : Convolution(c),
        multiplier(filter[3]),
        filter_size(h.size * w.size * out_channels) {}
};

Depthwise geometry(KernelContext& c, const Shape& input, const Shape& filter) {
  return Depthwise(convolution(c.row, c.attrs, 2, true, input, filter), filter);
}

int64_t rows_at_once(const Depthwise& g) {
  return std::max<int64_t>(1, 65536 / std::max<int64_t>(1, g.w.out * g.filter_size));
}

// The images on one side of a convolution.
struct Side {
  int64_t height, width, channels;
  int64_t image() const { return height * width * channels; }
};
Side inputs_of(const Depthwise& g) { return {g.h.in, g.w.in, g.in_channels}; }
Side outputs_of(const Depthwise& g) { return {g.h.out, g.w.out, g.out_channels}; }

// One past the last line that meets a row.
int64_t end_of(std::span<const TapPair> lines) {
  return lines.empty() ? 0 : std::max(lines.front().other, lines.back().other) + 1;
}

// Images of at most this many bytes are assumed to be in the caches.
constexpr int64_t kMaxCached = 8 << 20;

// Each pixel of one side from the pixels of the other that its taps reach, `step` further for each `stride` pixels of a
// row: add(pixel, other pixel, weights) combines their channels if there are several filters per channel.
template <class C, class Add>
void gather(const Depthwise& g, const Side& side, C* out, const Side& other, const C* in, const TapPairs& rows,
            const TapPairs& columns, int64_t stride, int64_t step, const C* filter, Add&& add) {
  const std::vector<Phase> phases = phases_of(columns, side.width, stride, step);
  const bool fetches = g.batch * (side.image() + other.image()) * static_cast<int64_t>(sizeof(C)) > kMaxCached;
  parallel_for(g.batch * side.height, rows_at_once(g), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const C* from = in + row / side.height * other.image();
      C* to = out + row * side.width * side.channels;
      const auto lines = rows.of(row % side.height);
      if (g.multiplier == 1) {
        RowPrefetch ahead, ahead_out;
        if (fetches && row + 1 < end) {
          const int64_t line = other.width * other.channels, known = end_of(lines);
          const int64_t next = end_of(rows.of((row + 1) % side.height));
          if (next > known) ahead = RowPrefetch(from + known * line, (next - known) * line);
          ahead_out = RowPrefetch(to + side.width * side.channels, side.width * side.channels);
        }
        gather_row<C>(lines, columns, phases, side.width, from, other.width, step, filter, g.w.size, g.in_channels,
                      to, ahead, ahead_out);
        continue;
      }
      for (int64_t x = 0; x < side.width; ++x, to += side.channels) {
        std::fill(to, to + side.channels, C(0));
        for (const TapPair& v : lines)
          for (const TapPair& h : columns.of(x))
            add(to, from + (v.other * other.width + h.other) * other.channels,
                filter + (v.tap * g.w.size + h.tap) * g.out_channels);
      }
    }
  });
}

template <class T>
void forward(KernelContext& c) {
  using C = Compute<T>;
  if (c.outputs[0].elements() == 0) return;
  const Depthwise g = geometry(c, c.inputs[0].shape(), c.inputs[1].shape());
  const ImagesIn<T> in(c.inputs[0], g.attrs.channels_first);
  const ImagesIn<T> filter(c.inputs[1], false);
  ImagesOut<T> out(c.outputs[0], g.attrs.channels_first);
  gather(g, outputs_of(g), out.data(), inputs_of(g), in.data(), of_outputs(g.h), of_outputs(g.w), 1, g.w.stride,
         filter.data(), [&](C* to, const C* pixel, const C* weights) {
           for (int64_t k = 0; k < g.in_channels; ++k)
             for (int64_t m = 0; m < g.multiplier; ++m)
               to[k * g.multiplier + m] += pixel[k] * weights[k * g.multiplier + m];
         });
  out.finish();
}

template <class T>
void to_input(KernelContext& c) {
  using C = Compute<T>;
  if (c.outputs[0].elements() == 0) return;
  if (c.inputs[1].elements() == 0 || c.inputs[2].elements() == 0) {
    std::fill(c.out<T>(), c.out<T>() + c.outputs[0].elements(), T(C(0)));
    return;
  }
  const Depthwise g = geometry(c, c.outputs[0].shape(), c.inputs[1].shape());
  const ImagesIn<T> filter(c.inputs[1], false);
  const ImagesIn<T> arriving(c.inputs[2], g.attrs.channels_first);
  ImagesOut<T> out(c.outputs[0], g.attrs.channels_first);
  gather(g, inputs_of(g), out.data(), outputs_of(g), arriving.data(), of_inputs(g.h), of_inputs(g.w), g.w.stride, 1,
         filter.data(), [&](C* to, const C* pixel, const C* weights) {
           for (int64_t k = 0; k < g.in_channels; ++k)
             for (int64_t m = 0; m < g.multiplier; ++m)
               to[k] += pixel[k * g.multiplier + m] * weights[k * g.multiplier + m];
         });
  out.finish();
}

// Adds to `sums`, over a row of pixels, input times incoming gradient. Four vectors of channels stay in registers.
template <class C>
void add_row(const Depthwise& g, const TapRange& s, const C* in, const C* arriving, C* sums) {
  constexpr int64_t kWidth = VectorOf<C>::kLength;
  const int64_t step = g.w.stride * g.in_channels;
  const C* x = in + s.input * g.in_channels;
  const C* a = arriving + s.begin * g.out_channels;
  int64_t at = 0;
  if (g.multiplier == 1) {
    const auto some = [&](auto vectors) {
      constexpr int64_t kVectors = vectors;
      for (; at + kVectors * kWidth <= g.in_channels; at += kVectors * kWidth) {
        Vector<C> sum[kVectors];
        for (int64_t v = 0; v < kVectors; ++v) sum[v] = load(sums + at + v * kWidth);
        const C* p = x + at;
        const C* q = a + at;
        for (int64_t k = s.begin; k < s.end; ++k, p += step, q += g.out_channels)
          for (int64_t v = 0; v < kVectors; ++v) sum[v] += load(p + v * kWidth) * load(q + v * kWidth);
        for (int64_t v = 0; v < kVectors; ++v) store(sums + at + v * kWidth, sum[v]);
      }
    };
    some(std::integral_constant<int64_t, 4>());
    some(std::integral_constant<int64_t, 1>());
  }
  for (int64_t k = s.begin; k < s.end; ++k, x += step, a += g.out_channels)
    for (int64_t c = at; c < g.in_channels; ++c)
      for (int64_t m = 0; m < g.multiplier; ++m) sums[c * g.multiplier + m] += x[c] * a[c * g.multiplier + m];
}

// Each thread sums over its own lines of all images.
template <class T>
void to_filter(KernelContext& c) {
  using C = Compute<T>;
  if (c.outputs[0].elements() == 0) return;
  if (c.inputs[0].elements() == 0 || c.inputs[2].elements() == 0) {
    std::fill(c.out<T>(), c.out<T>() + c.outputs[0].elements(), T(C(0)));
    return;
  }
  const Depthwise g = geometry(c, c.inputs[0].shape(), c.outputs[0].shape());
  const ImagesIn<T> in(c.inputs[0], g.attrs.channels_first);
  const ImagesIn<T> arriving(c.inputs[2], g.attrs.channels_first);
  ImagesOut<T> out(c.outputs[0], false);
  const TapPairs rows = of_outputs(g.h);
  std::vector<TapRange> spans;
  for (int64_t k = 0; k < g.w.size; ++k) spans.push_back(outputs_of_tap(g.w, k));
  constexpr int64_t kWorthAThread = 100000;
  const int64_t lines = g.batch * g.h.out;
  const int64_t slots = std::clamp<int64_t>(lines * g.w.out * g.filter_size / kWorthAThread, 1,
                                            std::min<int64_t>(lines, pool_size()));
  std::vector<C> sums(static_cast<size_t>(slots * g.filter_size), C(0));
  parallel_for(slots, 1, [&](int64_t begin, int64_t end) {
    for (int64_t slot = begin; slot < end; ++slot) {
      C* own = sums.data() + slot * g.filter_size;
      for (int64_t line = lines * slot / slots; line < lines * (slot + 1) / slots; ++line) {
        const int64_t n = line / g.h.out, y = line % g.h.out;
        for (const TapPair& v : rows.of(y))
          for (int64_t kx = 0; kx < g.w.size; ++kx)
            add_row(g, spans[static_cast<size_t>(kx)],
                    in.data() + n * inputs_of(g).image() + v.other * g.w.in * g.in_channels,
                    arriving.data() + n * outputs_of(g).image() + y * g.w.out * g.out_channels,
                    own + (v.tap * g.w.size + kx) * g.out_channels);
      }
    }
  });
  for (int64_t i = 0; i < g.filter_size; ++i) {
    C sum = sums[static_cast<size_t>(i)];
    for (int64_t slot = 1; slot < slots; ++slot) sum += sums[static_cast<size_t>(slot * g.filter_size + i)];
    out.data()[i] = sum;
  }
  out.finish();
}

template <class... Types>
void depthwise() {
  (on_cpu("DepthwiseConv2dNative", bit_of(dtype_of<Types>), forward<Types>), ...);
  (on_cpu("DepthwiseConv2dNativeBackpropInput", bit_of(dtype_of<Types>), to_input<Types>), ...);
  (on_cpu("DepthwiseConv2dNativeBackpropFilter", bit_of(dtype_of<Types>), to_filter<Types>), ...);
}

}  // namespace

FL_CPU_KERNELS { depthwise<float, double, Float16, BFloat16>(); }

}  // namespace footlight::FL_ISA
