// Kernels on the colours of images.
#include "engine/base/thread_pool.h"
#include "kernels/cpu/register.h"
#include "kernels/functors/common.h"

#include <algorithm>
#include <cmath>

namespace footlight::FL_ISA {

namespace {

using functors::Compute;

// Red, green, blue or hue, saturation, value.
template <class C>
struct Colour {
  C of[3];
};

template <class C>
Colour<C> to_hsv(const Colour<C>& rgb) {
  const C red = rgb.of[0], green = rgb.of[1], blue = rgb.of[2];
  const C value = std::max({red, green, blue}), range = value - std::min({red, green, blue});
  if (!(range > 0)) return {{0, value > 0 ? range / value : C(0), value}};
  const C norm = C(1) / (C(6) * range);
  C hue = red == value     ? norm * (green - blue)
          : green == value ? norm * (blue - red) + C(2) / C(6)
                           : norm * (red - green) + C(4) / C(6);
  if (hue < 0) hue += 1;
  return {{hue, value > 0 ? range / value : C(0), value}};
}

template <class C>
Colour<C> to_rgb(const Colour<C>& hsv) {
  const C hue = hsv.of[0] * 6, rest = 1 - hsv.of[1];
  const auto within = [](C x) { return std::min(std::max(x, C(0)), C(1)); };
  const C red = within(std::abs(hue - 3) - 1), green = within(2 - std::abs(hue - 2)),
          blue = within(2 - std::abs(hue - 4));
  return {{(rest + hsv.of[1] * red) * hsv.of[2], (rest + hsv.of[1] * green) * hsv.of[2],
           (rest + hsv.of[1] * blue) * hsv.of[2]}};
}

// out = change(in) for every colour.
template <class T, class Change>
void for_colours(KernelContext& c, Change&& change) {
  using C = Compute<T>;
  const T* in = c.in<T>(0);
  T* out = c.out<T>();
  parallel_for(c.outputs[0].elements() / 3, 4096, [&](int64_t begin, int64_t end) {
    for (int64_t i = 3 * begin; i < 3 * end; i += 3) {
      const Colour<C> made = change(Colour<C>{{static_cast<C>(in[i]), static_cast<C>(in[i + 1]),
                                               static_cast<C>(in[i + 2])}}, i);
      for (int k = 0; k < 3; ++k) out[i + k] = static_cast<T>(made.of[k]);
    }
  });
}

template <class T>
void rgb_to_hsv(KernelContext& c) {
  for_colours<T>(c, [](const Colour<Compute<T>>& colour, int64_t) { return to_hsv(colour); });
}
template <class T>
void hsv_to_rgb(KernelContext& c) {
  for_colours<T>(c, [](const Colour<Compute<T>>& colour, int64_t) { return to_rgb(colour); });
}

// How hue, saturation and value change with the largest, the smallest and the channel between them. Of equal channels
// the first is the largest; where nothing can be said there is no slope.
template <class T>
void rgb_to_hsv_gradient(KernelContext& c) {
  using C = Compute<T>;
  const T *hsv = c.in<T>(1), *grads = c.in<T>(2);
  const auto over = [](C x, C y) { return y == 0 ? C(0) : x / y; };
  for_colours<T>(c, [&](const Colour<C>& colour, int64_t at) {
    const C* x = colour.of;
    const int big = x[0] >= x[2] && x[0] >= x[1] ? 0 : x[1] > x[0] && x[1] >= x[2] ? 1 : 2;
    const int small = x[0] < x[2] && x[0] < x[1] ? 0 : x[1] <= x[0] && x[1] < x[2] ? 1 : 2;
    const C by_hue = static_cast<C>(grads[at]), by_saturation = static_cast<C>(grads[at + 1]);
    Colour<C> made{{0, 0, 0}};
    made.of[big] += static_cast<C>(grads[at + 2]);
    if (x[big] > 0) made.of[big] += by_saturation * over(x[small], x[big] * x[big]);
    if (x[small] > 0 && small != big) made.of[small] -= by_saturation * over(1, x[big]);
    if (x[big] > 0) {
      const int next = (big + 1) % 3, last = (big + 2) % 3;  // the hue is that of (next - last) / range
      const C saturation = static_cast<C>(hsv[at + 1]), value = static_cast<C>(hsv[at + 2]);
      const C range = x[big] - x[small], hue = by_hue / 6;
      made.of[big] -= hue * over(over(x[next] - x[last], saturation * saturation), value * value);
      made.of[next] += hue * (next == small ? over(x[big] - x[last], range * range) : over(1, range));
      made.of[last] -= hue * (last == small ? over(x[big] - x[next], range * range) : over(1, range));
    }
    return made;
  });
}

template <class T>
void adjust_hue(KernelContext& c) {
  const float turn = *c.in<float>(1);
  for_colours<T>(c, [&](const Colour<Compute<T>>& colour, int64_t) {
    Colour<Compute<T>> hsv = to_hsv(colour);
    hsv.of[0] += turn;
    hsv.of[0] -= std::floor(hsv.of[0]);
    return to_rgb(hsv);
  });
}
template <class T>
void adjust_saturation(KernelContext& c) {
  const float factor = *c.in<float>(1);
  for_colours<T>(c, [&](const Colour<Compute<T>>& colour, int64_t) {
    Colour<Compute<T>> hsv = to_hsv(colour);
    hsv.of[1] = std::min(1.f, std::max(0.f, hsv.of[1] * factor));
    return to_rgb(hsv);
  });
}

template <class T>
void adjust_contrast(KernelContext& c) {
  const Shape& shape = c.inputs[0].shape();
  const int rank = shape.rank();
  const int64_t depth = shape[rank - 1], pixels = shape[rank - 2] * shape[rank - 3];
  if (c.outputs[0].elements() == 0) return;
  const float factor = *c.in<float>(1);
  const T* in = c.in<T>(0);
  T* out = c.out<T>();
  parallel_for(c.outputs[0].elements() / (pixels * depth), std::max<int64_t>(1, 16384 / (pixels * depth)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t n = begin; n < end; ++n)
                   for (int64_t k = 0; k < depth; ++k) {
                     const int64_t first = n * pixels * depth + k;
                     double sum = 0;
                     for (int64_t i = 0; i < pixels; ++i)
                       sum += static_cast<double>(static_cast<Compute<T>>(in[first + i * depth]));
                     const auto mean = static_cast<float>(sum / static_cast<double>(pixels));
                     for (int64_t i = 0; i < pixels; ++i) {
                       const float x = static_cast<Compute<T>>(in[first + i * depth]);
                       out[first + i * depth] = static_cast<T>((x - mean) * factor + mean);
                     }
                   }
               });
}

template <class... Types>
void colours() {
  (on_cpu("RGBToHSV", bit_of(dtype_of<Types>), rgb_to_hsv<Types>), ...);
  (on_cpu("RGBToHSVGrad", bit_of(dtype_of<Types>), rgb_to_hsv_gradient<Types>), ...);
  (on_cpu("HSVToRGB", bit_of(dtype_of<Types>), hsv_to_rgb<Types>), ...);
}
template <class... Types>
void adjustments() {
  (on_cpu("AdjustContrastv2", bit_of(dtype_of<Types>), adjust_contrast<Types>), ...);
  (on_cpu("AdjustHue", bit_of(dtype_of<Types>), adjust_hue<Types>), ...);
  (on_cpu("AdjustSaturation", bit_of(dtype_of<Types>), adjust_saturation<Types>), ...);
}

}  // namespace

FL_CPU_KERNELS {
  colours<Float16, BFloat16, float, double>();
  adjustments<Float16, float>();
}

}  // namespace footlight::FL_ISA
