// Kernels that resize images. Positions and weights are computed in float, as TensorFlow does.
#include "engine/base/thread_pool.h"
#include "kernels/cpu/register.h"
#include "kernels/functors/common.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace footlight::FL_ISA {

namespace {

using functors::Compute;

struct Sizes {
  int64_t batch, in_height, in_width, out_height, out_width, channels;
};
Sizes sizes_of(const Shape& in, const Shape& out) { return {in[0], in[1], in[2], out[1], out[2], in[3]}; }

int64_t rows_at_once(const Sizes& s) {
  return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, s.out_width * s.channels));
}

// Positions of the output's pixels in the input.
class Positions {
 public:
  Positions(const KernelContext& c, int64_t in, int64_t out) {
    align_ = c.attrs.get_or("align_corners"_attr, false);
    half_ = c.attrs.get_or("half_pixel_centers"_attr, false);
    scale_ = align_ && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                               : static_cast<float>(in) / static_cast<float>(out);
  }
  float operator()(int64_t i) const {
    return half_ ? (static_cast<float>(i) + 0.5f) * scale_ - 0.5f : static_cast<float>(i) * scale_;
  }
  int64_t nearest(int64_t i, int64_t in) const {
    const float at = half_ ? (static_cast<float>(i) + 0.5f) * scale_ : static_cast<float>(i) * scale_;
    const auto whole = static_cast<int64_t>(align_ ? std::roundf(at) : std::floor(at));
    return std::clamp<int64_t>(whole, 0, in - 1);
  }
  float scale() const { return scale_; }
  bool half() const { return half_; }

 private:
  float scale_;
  bool align_, half_;
};

struct LinearTaps {
  int64_t low, high;
  float share;  // weight of the higher one
};
std::vector<LinearTaps> linear_taps(const KernelContext& c, int64_t in, int64_t out) {
  const Positions position(c, in, out);
  std::vector<LinearTaps> list;
  list.reserve(static_cast<size_t>(out));
  for (int64_t i = 0; i < out; ++i) {
    const float at = position(i), whole = std::floor(at);
    list.push_back({std::max<int64_t>(static_cast<int64_t>(whole), 0),
                    std::min<int64_t>(static_cast<int64_t>(std::ceil(at)), in - 1), at - whole});
  }
  return list;
}

template <class T>
float number(T x) { return static_cast<float>(static_cast<Compute<T>>(x)); }

template <class T>
void bilinear(KernelContext& c) {
  const Sizes s = sizes_of(c.inputs[0].shape(), c.outputs[0].shape());
  const T* in = c.in<T>(0);
  float* out = c.out<float>();
  const auto ys = linear_taps(c, s.in_height, s.out_height), xs = linear_taps(c, s.in_width, s.out_width);
  parallel_for(s.batch * s.out_height, rows_at_once(s), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const LinearTaps& y = ys[static_cast<size_t>(row % s.out_height)];
      const T* image = in + row / s.out_height * s.in_height * s.in_width * s.channels;
      const T* top = image + y.low * s.in_width * s.channels;
      const T* bottom = image + y.high * s.in_width * s.channels;
      float* to = out + row * s.out_width * s.channels;
      for (const LinearTaps& x : xs) {
        const int64_t low = x.low * s.channels, high = x.high * s.channels;
        for (int64_t k = 0; k < s.channels; ++k) {
          const float a = number(top[low + k]), b = number(bottom[low + k]);
          const float upper = a + (number(top[high + k]) - a) * x.share;
          const float lower = b + (number(bottom[high + k]) - b) * x.share;
          *to++ = upper + (lower - upper) * y.share;
        }
      }
    }
  });
}

template <class T>
void add_to(T& place, float value) {
  place = static_cast<T>(static_cast<Compute<T>>(static_cast<Compute<T>>(place) + static_cast<Compute<T>>(value)));
}

// Calls body(image, row of gradients) for each image of a batch in parallel, with its output cleared before.
template <class T, class Body>
void for_images_gradient(KernelContext& c, const Sizes& s, Body&& body) {
  T* out = c.out<T>();
  const int64_t size = s.in_height * s.in_width * s.channels;
  std::fill(out, out + c.outputs[0].elements(), T{});
  parallel_for(s.batch, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, s.out_height * s.out_width * s.channels)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t n = begin; n < end; ++n)
                   body(out + n * size, n * s.out_height * s.out_width * s.channels);
               });
}

template <class T>
void bilinear_gradient(KernelContext& c) {
  const Sizes s = sizes_of(c.outputs[0].shape(), c.inputs[0].shape());
  if (c.outputs[0].elements() == 0) return;
  const float* grads = c.in<float>(0);
  const auto ys = linear_taps(c, s.in_height, s.out_height), xs = linear_taps(c, s.in_width, s.out_width);
  for_images_gradient<T>(c, s, [&](T* image, int64_t at) {
    for (const LinearTaps& y : ys) {
      T* top = image + y.low * s.in_width * s.channels;
      T* bottom = image + y.high * s.in_width * s.channels;
      for (const LinearTaps& x : xs)
        for (int64_t k = 0; k < s.channels; ++k, ++at) {
          const int64_t low = x.low * s.channels + k, high = x.high * s.channels + k;
          const float g = grads[at];
          add_to(top[low], g * (1 - y.share) * (1 - x.share));
          add_to(top[high], g * (1 - y.share) * x.share);
          add_to(bottom[low], g * y.share * (1 - x.share));
          add_to(bottom[high], g * y.share * x.share);
        }
    }
  });
}

std::vector<int64_t> nearest_of(const KernelContext& c, int64_t in, int64_t out) {
  const Positions position(c, in, out);
  std::vector<int64_t> list;
  for (int64_t i = 0; i < out; ++i) list.push_back(position.nearest(i, in));
  return list;
}

template <class T>
void nearest(KernelContext& c) {
  const Sizes s = sizes_of(c.inputs[0].shape(), c.outputs[0].shape());
  const T* in = c.in<T>(0);
  T* out = c.out<T>();
  const auto ys = nearest_of(c, s.in_height, s.out_height), xs = nearest_of(c, s.in_width, s.out_width);
  parallel_for(s.batch * s.out_height, rows_at_once(s), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t y = row / s.out_height * s.in_height + ys[static_cast<size_t>(row % s.out_height)];
      T* to = out + row * s.out_width * s.channels;
      for (const int64_t x : xs) to = std::copy_n(in + (y * s.in_width + x) * s.channels, s.channels, to);
    }
  });
}

template <class T>
void nearest_gradient(KernelContext& c) {
  using C = Compute<T>;
  const Sizes s = sizes_of(c.outputs[0].shape(), c.inputs[0].shape());
  if (c.outputs[0].elements() == 0) return;
  const T* grads = c.in<T>(0);
  const auto ys = nearest_of(c, s.in_height, s.out_height), xs = nearest_of(c, s.in_width, s.out_width);
  for_images_gradient<T>(c, s, [&](T* image, int64_t at) {
    for (const int64_t y : ys)
      for (const int64_t x : xs) {
        T* to = image + (y * s.in_width + x) * s.channels;
        for (int64_t k = 0; k < s.channels; ++k, ++at) {
          using Sum = std::conditional_t<std::is_integral_v<T>, functors::Wrapping<T>, C>;
          to[k] = static_cast<T>(static_cast<Sum>(static_cast<Sum>(to[k]) + static_cast<Sum>(grads[at])));
        }
      }
  });
}

struct CubicTaps {
  std::array<int64_t, 4> places;
  std::array<float, 4> weights;
};

constexpr int kCubicSteps = 1024;
// The cubic with parameter a at distances from 0 to 1 (even elements) and from 1 to 2 (odd ones).
std::vector<float> cubic_table(float a) {
  std::vector<float> table(2 * (kCubicSteps + 1));
  for (int i = 0; i <= kCubicSteps; ++i) {
    float x = static_cast<float>(i) / kCubicSteps;
    table[static_cast<size_t>(2 * i)] = ((a + 2) * x - (a + 3)) * x * x + 1;
    x += 1;
    table[static_cast<size_t>(2 * i + 1)] = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  }
  return table;
}

std::vector<CubicTaps> cubic_taps(const KernelContext& c, int64_t in, int64_t out) {
  static const std::vector<float> keys = cubic_table(-0.5f), older = cubic_table(-0.75f);
  const Positions position(c, in, out);
  const std::vector<float>& table = position.half() ? keys : older;
  std::vector<CubicTaps> list;
  list.reserve(static_cast<size_t>(out));
  for (int64_t i = 0; i < out; ++i) {
    const float at = position(i);
    const auto whole = static_cast<int64_t>(std::floor(at));
    const auto step = static_cast<size_t>(std::lrintf((at - static_cast<float>(whole)) * kCubicSteps));
    CubicTaps taps{{}, {table[2 * step + 1], table[2 * step], table[2 * (kCubicSteps - step)],
                   table[2 * (kCubicSteps - step) + 1]}};
    float sum = 0;
    for (int k = 0; k < 4; ++k) {
      const auto slot = static_cast<size_t>(k);
      taps.places[slot] = std::clamp<int64_t>(whole - 1 + k, 0, in - 1);
      // Keys's cubic gives pixels outside of the image no weight, the older one repeats the border.
      if (position.half() && taps.places[slot] != whole - 1 + k) taps.weights[slot] = 0;
      sum += taps.weights[slot];
    }
    if (position.half() && std::abs(sum) >= 1000 * std::numeric_limits<float>::min()) {
      const float factor = 1 / sum;
      for (float& weight : taps.weights) weight *= factor;
    }
    list.push_back(taps);
  }
  return list;
}

template <class T>
void bicubic(KernelContext& c) {
  const Sizes s = sizes_of(c.inputs[0].shape(), c.outputs[0].shape());
  const T* in = c.in<T>(0);
  float* out = c.out<float>();
  const auto ys = cubic_taps(c, s.in_height, s.out_height), xs = cubic_taps(c, s.in_width, s.out_width);
  const int64_t width = s.in_width * s.channels;
  parallel_for(s.batch * s.out_height, rows_at_once(s), [&](int64_t begin, int64_t end) {
    std::vector<float> line(static_cast<size_t>(width));
    for (int64_t row = begin; row < end; ++row) {
      const CubicTaps& y = ys[static_cast<size_t>(row % s.out_height)];
      const T* image = in + row / s.out_height * s.in_height * width;
      const T* rows[] = {image + y.places[0] * width, image + y.places[1] * width, image + y.places[2] * width,
                         image + y.places[3] * width};
      for (int64_t j = 0; j < width; ++j)
        line[static_cast<size_t>(j)] = number(rows[0][j]) * y.weights[0] + number(rows[1][j]) * y.weights[1] +
                                       number(rows[2][j]) * y.weights[2] + number(rows[3][j]) * y.weights[3];
      float* to = out + row * s.out_width * s.channels;
      for (const CubicTaps& x : xs)
        for (int64_t k = 0; k < s.channels; ++k) {
          float sum = 0;
          for (size_t j = 0; j < 4; ++j) sum += line[static_cast<size_t>(x.places[j] * s.channels + k)] * x.weights[j];
          *to++ = sum;
        }
    }
  });
}

template <class T>
void bicubic_gradient(KernelContext& c) {
  const Sizes s = sizes_of(c.outputs[0].shape(), c.inputs[0].shape());
  if (c.outputs[0].elements() == 0) return;
  const float* grads = c.in<float>(0);
  const auto ys = cubic_taps(c, s.in_height, s.out_height), xs = cubic_taps(c, s.in_width, s.out_width);
  for_images_gradient<T>(c, s, [&](T* image, int64_t at) {
    for (const CubicTaps& y : ys)
      for (const CubicTaps& x : xs)
        for (int64_t k = 0; k < s.channels; ++k, ++at)
          for (size_t i = 0; i < 4; ++i)
            for (size_t j = 0; j < 4; ++j)
              add_to(image[(y.places[i] * s.in_width + x.places[j]) * s.channels + k],
                     grads[at] * y.weights[i] * x.weights[j]);
  });
}

// --- sums of weighted pixels: areas, and kernels of any width ---
struct Span {
  int64_t begin;
  std::vector<float> weights;
};

std::vector<Span> areas(const KernelContext& c, int64_t in, int64_t out) {
  const float scale = Positions(c, in, out).scale();
  std::vector<Span> spans;
  for (int64_t i = 0; i < out; ++i) {
    const float begin = static_cast<float>(i) * scale, end = static_cast<float>(i + 1) * scale;
    const auto first = static_cast<int64_t>(std::floor(begin)), last = static_cast<int64_t>(std::ceil(end));
    Span span{first, {}};
    for (int64_t j = first; j < last; ++j) {
      const auto low = static_cast<float>(j), high = static_cast<float>(j + 1);
      span.weights.push_back(low < begin ? (high > end ? scale : high - begin) : (high > end ? end - low : 1.f));
    }
    spans.push_back(std::move(span));
  }
  return spans;
}

template <class T>
void area(KernelContext& c) {
  const Sizes s = sizes_of(c.inputs[0].shape(), c.outputs[0].shape());
  const T* in = c.in<T>(0);
  float* out = c.out<float>();
  const auto ys = areas(c, s.in_height, s.out_height), xs = areas(c, s.in_width, s.out_width);
  const float scale =
      1 / (Positions(c, s.in_height, s.out_height).scale() * Positions(c, s.in_width, s.out_width).scale());
  parallel_for(s.batch * s.out_height, rows_at_once(s), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const Span& y = ys[static_cast<size_t>(row % s.out_height)];
      const T* image = in + row / s.out_height * s.in_height * s.in_width * s.channels;
      float* to = out + row * s.out_width * s.channels;
      for (const Span& x : xs)
        for (int64_t k = 0; k < s.channels; ++k) {
          float sum = 0;
          for (size_t i = 0; i < y.weights.size(); ++i) {
            const int64_t line = std::min(y.begin + static_cast<int64_t>(i), s.in_height - 1);
            float inner = 0;
            for (size_t j = 0; j < x.weights.size(); ++j) {
              const int64_t column = std::min(x.begin + static_cast<int64_t>(j), s.in_width - 1);
              inner += number(image[(line * s.in_width + column) * s.channels + k]) * x.weights[j];
            }
            sum += inner * y.weights[i];
          }
          *to++ = sum * scale;
        }
    }
  });
}

struct ResizeKernel {
  float radius;
  float (*weight)(float distance, float radius);
};

float lanczos(float x, float radius) {
  constexpr float kPi = 3.14159265359f;
  if (x > radius) return 0;
  if (x <= 1e-3f) return 1;
  return radius * std::sin(kPi * x) * std::sin(kPi * x / radius) / (kPi * kPi * x * x);
}
float gaussian(float x, float radius) {
  const float sigma = radius / 3;
  return x >= radius ? 0 : std::exp(-x * x / (2 * sigma * sigma));
}
float box(float x, float) { return x < 0.5f ? 1.f : x == 0.5f ? 0.5f : 0.f; }
float triangle(float x, float) { return x < 1 ? 1 - x : 0; }
float keys_cubic(float x, float) {
  return x >= 2 ? 0 : x >= 1 ? ((-0.5f * x + 2.5f) * x - 4) * x + 2 : (1.5f * x - 2.5f) * x * x + 1;
}
float mitchell_cubic(float x, float) {
  if (x >= 2) return 0;
  if (x >= 1) return ((-7.f / 18 * x + 2) * x - 10.f / 3) * x + 16.f / 9;
  return (7.f / 6 * x - 2) * x * x + 8.f / 9;
}

ResizeKernel resize_kernel(const KernelContext& c) {
  const std::string name = c.attrs.get_or("kernel_type"_attr, std::string("lanczos3"));
  if (name == "lanczos1") return {1, lanczos};
  if (name == "lanczos3") return {3, lanczos};
  if (name == "lanczos5") return {5, lanczos};
  if (name == "gaussian") return {1.5f, gaussian};
  if (name == "box") return {0.5f, box};
  if (name == "triangle") return {1, triangle};
  if (name == "keyscubic") return {2, keys_cubic};
  if (name == "mitchellcubic") return {2, mitchell_cubic};
  invalid("Unrecognized kernel type: ", name, " [Op:", c.row.name, "]");
}

std::vector<Span> weighted_spans(const KernelContext& c, int64_t in, int64_t out, float scale, float translation) {
  if (!(scale > 0) || !std::isfinite(scale))
    invalid("Scale must be greater than zero, got ", scale, " [Op:", c.row.name, "]");
  const ResizeKernel kernel = resize_kernel(c);
  const float back = 1 / scale, shift = -back * translation;
  const float stretch = c.attrs.get_or("antialias"_attr, true) ? std::max(back, 1.f) : 1.f;
  const float reach = kernel.radius * stretch;
  std::vector<Span> spans;
  for (int64_t i = 0; i < out; ++i) {
    const float at = (static_cast<float>(i) + 0.5f) * back + shift;
    Span span{0, {}};
    if (at >= 0 && at <= static_cast<float>(in)) {
      const auto bounded = [&](float place) {
        return static_cast<int64_t>(std::clamp(place, 0.f, static_cast<float>(in - 1)));
      };
      span.begin = bounded(std::ceil(at - reach - 0.5f));
      const int64_t last = bounded(std::floor(at + reach - 0.5f));
      float sum = 0;
      for (int64_t j = span.begin; j <= last; ++j) {
        const float distance = std::abs((static_cast<float>(j) + 0.5f - at) * (1 / stretch));
        span.weights.push_back(kernel.weight(distance, kernel.radius));
        sum += span.weights.back();
      }
      if (std::abs(sum) >= 1000 * std::numeric_limits<float>::min()) {
        const float factor = 1 / sum;
        for (float& weight : span.weights) weight *= factor;
      } else {
        span.weights.clear();
      }
    }
    spans.push_back(std::move(span));
  }
  return spans;
}

template <class T>
void scale_and_translate(KernelContext& c) {
  const Sizes s = sizes_of(c.inputs[0].shape(), c.outputs[0].shape());
  const T* in = c.in<T>(0);
  float* out = c.out<float>();
  const float *scale = c.in<float>(2), *translation = c.in<float>(3);
  const auto ys = weighted_spans(c, s.in_height, s.out_height, scale[0], translation[0]);
  const auto xs = weighted_spans(c, s.in_width, s.out_width, scale[1], translation[1]);
  const int64_t width = s.in_width * s.channels;
  parallel_for(s.batch * s.out_height, rows_at_once(s), [&](int64_t begin, int64_t end) {
    std::vector<float> line(static_cast<size_t>(width));
    for (int64_t row = begin; row < end; ++row) {
      const Span& y = ys[static_cast<size_t>(row % s.out_height)];
      const T* from = in + (row / s.out_height * s.in_height + y.begin) * width;
      std::fill(line.begin(), line.end(), 0.f);
      for (const float weight : y.weights) {
        for (int64_t j = 0; j < width; ++j) line[static_cast<size_t>(j)] += number(from[j]) * weight;
        from += width;
      }
      float* to = out + row * s.out_width * s.channels;
      for (const Span& x : xs)
        for (int64_t k = 0; k < s.channels; ++k) {
          float sum = 0;
          for (size_t j = 0; j < x.weights.size(); ++j)
            sum += line[static_cast<size_t>((x.begin + static_cast<int64_t>(j)) * s.channels + k)] * x.weights[j];
          *to++ = sum;
        }
    }
  });
}

void scale_and_translate_gradient(KernelContext& c) {
  const Sizes s = sizes_of(c.outputs[0].shape(), c.inputs[0].shape());
  if (c.outputs[0].elements() == 0) return;
  const float* grads = c.in<float>(0);
  const float *scale = c.in<float>(2), *translation = c.in<float>(3);
  const auto ys = weighted_spans(c, s.in_height, s.out_height, scale[0], translation[0]);
  const auto xs = weighted_spans(c, s.in_width, s.out_width, scale[1], translation[1]);
  const int64_t width = s.in_width * s.channels;
  for_images_gradient<float>(c, s, [&](float* image, int64_t at) {
    std::vector<float> line(static_cast<size_t>(width));
    for (const Span& y : ys) {
      std::fill(line.begin(), line.end(), 0.f);
      for (const Span& x : xs)
        for (int64_t k = 0; k < s.channels; ++k, ++at)
          for (size_t j = 0; j < x.weights.size(); ++j)
            line[static_cast<size_t>((x.begin + static_cast<int64_t>(j)) * s.channels + k)] += grads[at] * x.weights[j];
      float* to = image + y.begin * width;
      for (const float weight : y.weights) {
        for (int64_t j = 0; j < width; ++j) to[j] += line[static_cast<size_t>(j)] * weight;
        to += width;
      }
    }
  });
}

template <class T>
void any_image() {
  constexpr uint32_t type = bit_of(dtype_of<T>);
  on_cpu("ResizeBilinear", type, bilinear<T>);
  on_cpu("ResizeBicubic", type, bicubic<T>);
  on_cpu("ResizeNearestNeighbor", type, nearest<T>);
  on_cpu("ResizeArea", type, area<T>);
  on_cpu("ScaleAndTranslate", type, scale_and_translate<T>);
}

}  // namespace

FL_CPU_KERNELS {
  any_image<int8_t>();
  any_image<uint8_t>();
  any_image<int16_t>();
  any_image<uint16_t>();
  any_image<int32_t>();
  any_image<int64_t>();
  any_image<Float16>();
  any_image<BFloat16>();
  any_image<float>();
  any_image<double>();
  on_cpu("ResizeBilinearGrad", bit_of(DType::kFloat32), bilinear_gradient<float>);
  on_cpu("ResizeBilinearGrad", bit_of(DType::kFloat64), bilinear_gradient<double>);
  on_cpu("ResizeBilinearGrad", bit_of(DType::kFloat16), bilinear_gradient<Float16>);
  on_cpu("ResizeBilinearGrad", bit_of(DType::kBFloat16), bilinear_gradient<BFloat16>);
  on_cpu("ResizeBicubicGrad", bit_of(DType::kFloat32), bicubic_gradient<float>);
  on_cpu("ResizeBicubicGrad", bit_of(DType::kFloat64), bicubic_gradient<double>);
  on_cpu("ResizeNearestNeighborGrad", bit_of(DType::kUInt8), nearest_gradient<uint8_t>);
  on_cpu("ResizeNearestNeighborGrad", bit_of(DType::kInt8), nearest_gradient<int8_t>);
  on_cpu("ResizeNearestNeighborGrad", bit_of(DType::kInt32), nearest_gradient<int32_t>);
  on_cpu("ResizeNearestNeighborGrad", bit_of(DType::kFloat16), nearest_gradient<Float16>);
  on_cpu("ResizeNearestNeighborGrad", bit_of(DType::kBFloat16), nearest_gradient<BFloat16>);
  on_cpu("ResizeNearestNeighborGrad", bit_of(DType::kFloat32), nearest_gradient<float>);
  on_cpu("ResizeNearestNeighborGrad", bit_of(DType::kFloat64), nearest_gradient<double>);
  on_cpu("ScaleAndTranslateGrad", bit_of(DType::kFloat32), scale_and_translate_gradient);
}

}  // namespace footlight::FL_ISA
