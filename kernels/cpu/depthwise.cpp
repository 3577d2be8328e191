// Kernels of depthwise convolutions: every channel has filters of its own, `multiplier` of them.
#include "kernels/cpu/images.h"

#include <vector>

namespace footlight {
namespace FL_ISA {

namespace {

// The part of [0, out) whose window place k lies inside of the input.
struct Span {
  int64_t begin, end;
};
Span inside(const Window& w, int64_t k) {
  const int64_t shift = k * w.dilation - w.before;
  const int64_t begin = shift >= 0 ? 0 : (-shift + w.stride - 1) / w.stride;
  const int64_t end = w.in - 1 - shift < 0 ? 0 : std::min(w.out, (w.in - 1 - shift) / w.stride + 1);
  return {begin, std::max(begin, end)};
}

// Calls body(filter place, output x, input pixel, output pixel) for the places of one output row.
template <class Body>
void for_row(const Convolution& g, int64_t y, Body&& body) {
  for (int64_t ky = 0; ky < g.h.size; ++ky) {
    const int64_t iy = y * g.h.stride - g.h.before + ky * g.h.dilation;
    if (iy < 0 || iy >= g.h.in) continue;
    for (int64_t kx = 0; kx < g.w.size; ++kx) {
      const Span s = inside(g.w, kx);
      for (int64_t x = s.begin; x < s.end; ++x)
        body(ky * g.w.size + kx, iy * g.w.in + x * g.w.stride - g.w.before + kx * g.w.dilation, y * g.w.out + x);
    }
  }
}

template <class C>
void multiply_add(const C* in, const C* filter, C* out, int64_t channels, int64_t multiplier) {
  if (multiplier == 1) {
    for (int64_t c = 0; c < channels; ++c) out[c] += in[c] * filter[c];
  } else {
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t m = 0; m < multiplier; ++m) out[c * multiplier + m] += in[c] * filter[c * multiplier + m];
  }
}

struct Depthwise : Convolution {
  int64_t multiplier, in_image, out_image, filter_size;
  explicit Depthwise(const Convolution& c, const Shape& filter)
      : Convolution(c),
        multiplier(filter[3]),
        in_image(h.in * w.in * in_channels),
        out_image(h.out * w.out * out_channels),
        filter_size(h.size * w.size * out_channels) {}
};

Depthwise geometry(KernelContext& c, const Shape& input, const Shape& filter) {
  return Depthwise(convolution(c.row, c.attrs, 2, true, input, filter), filter);
}

int64_t rows_at_once(const Depthwise& g) {
  return std::max<int64_t>(1, 65536 / std::max<int64_t>(1, g.w.out * g.filter_size));
}

template <class T>
void forward(KernelContext& c) {
  using C = Compute<T>;
  if (c.outputs[0].elements() == 0) return;
  const Depthwise g = geometry(c, c.inputs[0].shape(), c.inputs[1].shape());
  const ImagesIn<T> in(c.inputs[0], g.attrs.channels_first);
  const ImagesIn<T> filter(c.inputs[1], false);
  ImagesOut<T> out(c.outputs[0], g.attrs.channels_first);
  parallel_for(g.batch * g.h.out, rows_at_once(g), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t n = row / g.h.out, y = row % g.h.out;
      const C* from = in.data() + n * g.in_image;
      C* to = out.data() + n * g.out_image;
      std::fill(to + y * g.w.out * g.out_channels, to + (y + 1) * g.w.out * g.out_channels, C(0));
      for_row(g, y, [&](int64_t place, int64_t in_pixel, int64_t out_pixel) {
        multiply_add(from + in_pixel * g.in_channels, filter.data() + place * g.out_channels,
                     to + out_pixel * g.out_channels, g.in_channels, g.multiplier);
      });
    }
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
  parallel_for(g.batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      const C* from = arriving.data() + n * g.out_image;
      C* to = out.data() + n * g.in_image;
      std::fill(to, to + g.in_image, C(0));
      for (int64_t y = 0; y < g.h.out; ++y)
        for_row(g, y, [&](int64_t place, int64_t in_pixel, int64_t out_pixel) {
          const C* a = from + out_pixel * g.out_channels;
          const C* f = filter.data() + place * g.out_channels;
          C* x = to + in_pixel * g.in_channels;
          if (g.multiplier == 1) {
            for (int64_t k = 0; k < g.in_channels; ++k) x[k] += a[k] * f[k];
          } else {
            for (int64_t k = 0; k < g.in_channels; ++k)
              for (int64_t m = 0; m < g.multiplier; ++m) x[k] += a[k * g.multiplier + m] * f[k * g.multiplier + m];
          }
        });
    }
  });
  out.finish();
}

// Each thread sums over images of its own.
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
  const int64_t slots = std::clamp<int64_t>(g.batch, 1, pool_size());
  std::vector<C> sums(static_cast<size_t>(slots * g.filter_size), C(0));
  parallel_for(slots, 1, [&](int64_t begin, int64_t end) {
    for (int64_t slot = begin; slot < end; ++slot) {
      C* own = sums.data() + slot * g.filter_size;
      for (int64_t n = g.batch * slot / slots; n < g.batch * (slot + 1) / slots; ++n)
        for (int64_t y = 0; y < g.h.out; ++y)
          for_row(g, y, [&](int64_t place, int64_t in_pixel, int64_t out_pixel) {
            const C* x = in.data() + n * g.in_image + in_pixel * g.in_channels;
            const C* a = arriving.data() + n * g.out_image + out_pixel * g.out_channels;
            multiply_add(x, a, own + place * g.out_channels, g.in_channels, g.multiplier);
          });
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

}  // namespace FL_ISA
}  // namespace footlight
