// Kernels that take parts out of images: boxes, patches, projections.
#include "engine/base/thread_pool.h"
#include "kernels/cpu/register.h"
#include "kernels/functors/common.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace footlight::FL_ISA {

namespace {

using functors::Compute;

template <class T>
float number(T x) { return static_cast<float>(static_cast<Compute<T>>(x)); }

bool is_nearest(const KernelContext& c) { return c.attrs.get_or("method"_attr, std::string("bilinear")) == "nearest"; }

void check_places(const KernelContext& c, const Tensor& places, int64_t batch) {
  const auto* place = places.data<int32_t>();
  for (int64_t i = 0; i < places.elements(); ++i)
    if (place[i] < 0 || place[i] >= batch)
      fail(ErrorKind::kOutOfRange, "box_index has values outside [0, batch_size) [Op:", c.row.name, "]");
}

// Positions of a crop's pixels along one dimension of its image, from the two borders of its box.
struct CropAxis {
  float begin, step, ratio;  // `ratio`: of a whole image
  int64_t size, crop;
  float last;

  CropAxis(float low, float high, int64_t image_size, int64_t crop_size)
      : size(image_size), crop(crop_size), last(static_cast<float>(image_size - 1)) {
    ratio = crop > 1 ? last / static_cast<float>(crop - 1) : 0;
    step = crop > 1 ? (high - low) * last / static_cast<float>(crop - 1) : 0;
    begin = crop > 1 ? low * last : 0.5f * (low + high) * last;
  }
  float at(int64_t i) const { return begin + static_cast<float>(i) * step; }
  bool inside(float place) const { return place >= 0 && place <= last; }  // false for NaN
};

struct Corners {
  int64_t low, high;
  float share;
  explicit Corners(float at)
      : low(static_cast<int64_t>(std::floor(at))), high(static_cast<int64_t>(std::ceil(at))),
        share(at - std::floor(at)) {}
};

template <class T>
void crop_and_resize(KernelContext& c) {
  const Shape &image = c.inputs[0].shape(), &crops = c.outputs[0].shape();
  const int64_t height = image[1], width = image[2], depth = image[3];
  check_places(c, c.inputs[2], image[0]);
  const float outside = c.attrs.get_or("extrapolation_value"_attr, 0.f);
  const bool nearest = is_nearest(c);
  const T* in = c.in<T>(0);
  const float* boxes = c.in<float>(1);
  const auto* places = c.in<int32_t>(2);
  float* out = c.out<float>();
  const int64_t line = crops[2] * depth;
  parallel_for(crops[0], std::max<int64_t>(1, 16384 / std::max<int64_t>(1, crops[1] * line)),
               [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      const float* box = boxes + 4 * n;
      const CropAxis down(box[0], box[2], height, crops[1]), across(box[1], box[3], width, crops[2]);
      const T* from = in + places[n] * height * width * depth;
      float* to = out + n * crops[1] * line;
      for (int64_t y = 0; y < crops[1]; ++y, to += line) {
        const float at_y = down.at(y);
        if (!down.inside(at_y)) {
          std::fill(to, to + line, outside);
          continue;
        }
        for (int64_t x = 0; x < crops[2]; ++x) {
          const float at_x = across.at(x);
          float* pixel = to + x * depth;
          if (!across.inside(at_x)) {
            std::fill(pixel, pixel + depth, outside);
          } else if (nearest) {
            const auto i = static_cast<int64_t>(std::round(at_y)), j = static_cast<int64_t>(std::round(at_x));
            for (int64_t k = 0; k < depth; ++k) pixel[k] = number(from[(i * width + j) * depth + k]);
          } else {
            const Corners i(at_y), j(at_x);
            for (int64_t k = 0; k < depth; ++k) {
              const float a = number(from[(i.low * width + j.low) * depth + k]);
              const float b = number(from[(i.high * width + j.low) * depth + k]);
              const float top = a + (number(from[(i.low * width + j.high) * depth + k]) - a) * j.share;
              const float bottom = b + (number(from[(i.high * width + j.high) * depth + k]) - b) * j.share;
              pixel[k] = top + (bottom - top) * i.share;
            }
          }
        }
      }
    }
  });
}

template <class T>
void add_to(T& place, float value) {
  place = static_cast<T>(static_cast<Compute<T>>(static_cast<Compute<T>>(place) + static_cast<Compute<T>>(value)));
}

template <class T>
void crop_to_image(KernelContext& c) {
  const Shape &image = c.outputs[0].shape(), &crops = c.inputs[0].shape();
  T* out = c.out<T>();
  std::fill(out, out + c.outputs[0].elements(), T{});
  check_places(c, c.inputs[2], image[0]);
  if (crops[3] != image[3])
    invalid("image_size and grads are incompatible: ", image[3], " and ", crops[3], " channels [Op:", c.row.name, "]");
  if (image[1] <= 0 || image[2] <= 0) invalid("image dimensions must be positive [Op:", c.row.name, "]");
  const bool nearest = is_nearest(c);
  const int64_t height = image[1], width = image[2], depth = image[3];
  const float *g = c.in<float>(0), *boxes = c.in<float>(1);
  for (int64_t n = 0; n < crops[0]; ++n) {
    const float* box = boxes + 4 * n;
    const CropAxis down(box[0], box[2], height, crops[1]), across(box[1], box[3], width, crops[2]);
    T* to = out + c.in<int32_t>(2)[n] * height * width * depth;
    for (int64_t y = 0; y < crops[1]; ++y)
      for (int64_t x = 0; x < crops[2]; ++x, g += depth) {
        const float at_y = down.at(y), at_x = across.at(x);
        if (!down.inside(at_y) || !across.inside(at_x)) continue;
        if (nearest) {
          const auto i = static_cast<int64_t>(std::round(at_y)), j = static_cast<int64_t>(std::round(at_x));
          for (int64_t k = 0; k < depth; ++k) add_to(to[(i * width + j) * depth + k], g[k]);
          continue;
        }
        const Corners i(at_y), j(at_x);
        for (int64_t k = 0; k < depth; ++k) {
          const float top = (1 - i.share) * g[k], bottom = i.share * g[k];
          add_to(to[(i.low * width + j.low) * depth + k], (1 - j.share) * top);
          add_to(to[(i.low * width + j.high) * depth + k], j.share * top);
          add_to(to[(i.high * width + j.low) * depth + k], (1 - j.share) * bottom);
          add_to(to[(i.high * width + j.high) * depth + k], j.share * bottom);
        }
      }
  }
}

template <class T>
void crop_to_boxes(KernelContext& c) {
  const Shape &image = c.inputs[1].shape(), &crops = c.inputs[0].shape();
  float* out = c.out<float>();
  std::fill(out, out + c.outputs[0].elements(), 0.f);
  check_places(c, c.inputs[3], image[0]);
  const int64_t height = image[1], width = image[2], depth = image[3];
  if (crops[3] != depth || crops[0] != c.outputs[0].shape()[0])
    invalid("image and grads are incompatible [Op:", c.row.name, "]");
  if (height <= 0 || width <= 0) invalid("image dimensions must be positive [Op:", c.row.name, "]");
  const float *g = c.in<float>(0), *boxes = c.in<float>(2);
  for (int64_t n = 0; n < crops[0]; ++n, out += 4) {
    const float* box = boxes + 4 * n;
    const CropAxis down(box[0], box[2], height, crops[1]), across(box[1], box[3], width, crops[2]);
    const T* from = c.in<T>(1) + c.in<int32_t>(3)[n] * height * width * depth;
    for (int64_t y = 0; y < crops[1]; ++y)
      for (int64_t x = 0; x < crops[2]; ++x, g += depth) {
        const float at_y = down.at(y), at_x = across.at(x);
        if (!down.inside(at_y) || !across.inside(at_x)) continue;
        const Corners i(at_y), j(at_x);
        for (int64_t k = 0; k < depth; ++k) {
          const float a = number(from[(i.low * width + j.low) * depth + k]);
          const float b = number(from[(i.low * width + j.high) * depth + k]);
          const float d = number(from[(i.high * width + j.low) * depth + k]);
          const float e = number(from[(i.high * width + j.high) * depth + k]);
          const float by_y = ((1 - j.share) * (d - a) + j.share * (e - b)) * g[k];
          const float by_x = ((1 - i.share) * (b - a) + i.share * (e - d)) * g[k];
          const auto share = [&](const CropAxis& along, int64_t place, float slope, float& low, float& high) {
            const float far = along.crop > 1 ? static_cast<float>(place) * along.ratio : 0.5f * along.last;
            low += slope * (along.last - far);
            high += slope * far;
          };
          share(down, y, by_y, out[0], out[2]);
          share(across, x, by_x, out[1], out[3]);
        }
      }
  }
}

enum class Fill { kConstant, kReflect, kWrap, kNearest };
Fill fill_of(const KernelContext& c) {
  const std::string mode = c.attrs.get_or("fill_mode"_attr, std::string("CONSTANT"));
  if (mode == "CONSTANT") return Fill::kConstant;
  if (mode == "REFLECT") return Fill::kReflect;
  if (mode == "WRAP") return Fill::kWrap;
  if (mode == "NEAREST") return Fill::kNearest;
  invalid("fill_mode must be CONSTANT, REFLECT, WRAP or NEAREST, not ", mode, " [Op:", c.row.name, "]");
}

// Maps a position that may be outside of the image to the one inside that stands for it.
float bring_inside(Fill fill, float at, int64_t size) {
  const auto length = static_cast<float>(size);
  switch (fill) {
    case Fill::kConstant:
      return at;
    case Fill::kNearest:
      break;
    case Fill::kReflect:
      if (at < 0) {
        if (size <= 1) return 0;
        const float twice = 2 * length;
        if (at < twice) at = twice * std::trunc(-at / twice) + at;
        at = at < -length ? at + twice : -at - 1;
      } else if (at > length - 1) {
        if (size <= 1) return 0;
        const float twice = 2 * length;
        at -= twice * std::trunc(at / twice);
        if (at >= length) at = twice - at - 1;
      }
      break;
    case Fill::kWrap:
      if (at < 0) {
        if (size <= 1) return 0;
        at += length * (std::trunc(-at / (length - 1)) + 1);
      } else if (at > length - 1) {
        if (size <= 1) return 0;
        at -= length * std::trunc(at / (length - 1));
      }
      break;
  }
  return std::clamp(at, 0.f, length - 1);
}

template <class T>
void project(KernelContext& c) {
  using C = Compute<T>;
  const std::string& name = c.attrs.get<std::string>("interpolation"_attr);
  if (name != "NEAREST" && name != "BILINEAR")
    invalid("Invalid interpolation ", name, ". Supported types: NEAREST, BILINEAR [Op:", c.row.name, "]");
  const bool nearest = name == "NEAREST";
  const Fill fill = fill_of(c);
  const Shape &in = c.inputs[0].shape(), &out = c.outputs[0].shape();
  const int64_t height = in[1], width = in[2], depth = in[3];
  const T* images = c.in<T>(0);
  const T outside = static_cast<T>(static_cast<C>(*c.in<float>(3)));
  const bool one = c.inputs[1].shape()[0] == 1;
  const auto finite = [](float x) { return std::abs(x) < 1e9f; };
  parallel_for(out[0] * out[1], std::max<int64_t>(1, 8192 / std::max<int64_t>(1, out[2] * depth)),
               [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t n = row / out[1];
      const auto y = static_cast<float>(row % out[1]);
      const float* t = c.in<float>(1) + (one ? 0 : 8 * n);
      const T* image = images + n * height * width * depth;
      T* to = c.out<T>() + row * out[2] * depth;
      const auto read = [&](int64_t i, int64_t j, int64_t k) {
        return i >= 0 && i < height && j >= 0 && j < width ? image[(i * width + j) * depth + k] : outside;
      };
      for (int64_t column = 0; column < out[2]; ++column, to += depth) {
        const auto x = static_cast<float>(column);
        const float projection = t[6] * x + t[7] * y + 1;
        float from_x = 0, from_y = 0;
        bool known = projection != 0;
        if (known) {
          from_x = bring_inside(fill, (t[0] * x + t[1] * y + t[2]) / projection, width);
          from_y = bring_inside(fill, (t[3] * x + t[4] * y + t[5]) / projection, height);
          known = finite(from_x) && finite(from_y);
        }
        if (!known) {
          std::fill(to, to + depth, outside);
        } else if (nearest) {
          const auto i = static_cast<int64_t>(std::round(from_y)), j = static_cast<int64_t>(std::round(from_x));
          for (int64_t k = 0; k < depth; ++k) to[k] = read(i, j, k);
        } else {
          const float top = std::floor(from_y), left = std::floor(from_x);
          const float bottom = top + 1, right = left + 1;
          const auto i = static_cast<int64_t>(top), j = static_cast<int64_t>(left);
          const auto weight = [](float w) { return static_cast<C>(static_cast<T>(static_cast<C>(w))); };
          for (int64_t k = 0; k < depth; ++k) {
            const auto mix = [&](int64_t line) {
              return static_cast<T>(static_cast<C>(weight(right - from_x) * static_cast<C>(read(line, j, k)) +
                                                   weight(from_x - left) * static_cast<C>(read(line, j + 1, k))));
            };
            to[k] = static_cast<T>(static_cast<C>(weight(bottom - from_y) * static_cast<C>(mix(i)) +
                                                  weight(from_y - top) * static_cast<C>(mix(i + 1))));
          }
        }
      }
    }
  });
}

void patches(KernelContext& c) {
  using Ints = std::vector<int64_t>;
  const auto &sizes = c.attrs.get<Ints>("ksizes"_attr), &strides = c.attrs.get<Ints>("strides"_attr),
             &rates = c.attrs.get<Ints>("rates"_attr);
  const bool same = c.attrs.get<std::string>("padding"_attr) == "SAME";
  const Shape &in = c.inputs[0].shape(), &out = c.outputs[0].shape();
  const DType type = c.inputs[0].dtype();
  if (!is_plain(type)) invalid("patches of ", name_of(type), " cannot be taken [Op:", c.row.name, "]");
  const auto bytes = static_cast<int64_t>(size_of(type)) * in[3];
  int64_t before[2];
  for (size_t d = 0; d < 2; ++d) {
    const int64_t reach = (sizes[d + 1] - 1) * rates[d + 1] + 1;
    const int64_t n = static_cast<int>(d) == 0 ? out[1] : out[2];
    const int64_t missing = (n - 1) * strides[d + 1] + reach - in[static_cast<int>(d) + 1];
    before[d] = same ? std::max<int64_t>(missing, 0) / 2 : 0;
  }
  const char* from = static_cast<const char*>(c.inputs[0].raw());
  char* to = static_cast<char*>(c.outputs[0].raw());
  const int64_t patch = sizes[1] * sizes[2] * bytes;
  parallel_for(out[0] * out[1], std::max<int64_t>(1, 65536 / std::max<int64_t>(1, out[2] * patch)),
               [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t n = row / out[1], top = row % out[1] * strides[1] - before[0];
      char* put = to + row * out[2] * patch;
      for (int64_t column = 0; column < out[2]; ++column)
        for (int64_t i = 0; i < sizes[1]; ++i)
          for (int64_t j = 0; j < sizes[2]; ++j, put += bytes) {
            const int64_t y = top + i * rates[1], x = column * strides[2] - before[1] + j * rates[2];
            if (y >= 0 && y < in[1] && x >= 0 && x < in[2])
              std::memcpy(put, from + ((n * in[1] + y) * in[2] + x) * bytes, static_cast<size_t>(bytes));
            else
              std::memset(put, 0, static_cast<size_t>(bytes));
          }
    }
  });
}

template <class T>
void draw_boxes(KernelContext& c) {
  using C = Compute<T>;
  static constexpr float kPalette[][4] = {{1, 1, 0, 1}, {0, 0, 1, 1}, {1, 0, 0, 1}, {0, 1, 0, 1}, {0.5f, 0, 0.5f, 1},
                                          {0.5f, 0.5f, 0, 1}, {0.5f, 0, 0, 1}, {0, 0, 0.5f, 1}, {0, 1, 1, 1},
                                          {1, 0, 1, 1}};
  const Shape &images = c.inputs[0].shape(), &boxes = c.inputs[1].shape();
  const Shape given = c.inputs.size() > 2 ? c.inputs[2].shape() : Shape{0, images[3]};
  const int64_t height = images[1], width = images[2], depth = images[3];
  std::vector<std::vector<float>> colors;
  if (given[1] < depth)
    invalid("colors must have equal or more channels than the image provided: ", given[1], " and ", depth,
            " [Op:", c.row.name, "]");
  if (given[0] > 0) {
    for (int64_t i = 0; i < given[0]; ++i) {
      const float* color = c.in<float>(2) + i * given[1];
      colors.emplace_back(color, color + given[1]);
    }
  } else {
    for (const auto& color : kPalette) colors.emplace_back(color, color + 4);
    if (depth == 1)
      for (auto& color : colors) color[0] = 1;
  }
  const T* in = c.in<T>(0);
  T* out = c.out<T>();
  std::copy_n(in, c.inputs[0].elements(), out);
  for (int64_t n = 0; n < images[0]; ++n)
    for (int64_t b = 0; b < boxes[1]; ++b) {
      const float* box = c.in<float>(1) + (n * boxes[1] + b) * 4;
      const auto place = [](float share, int64_t size) {
        const float at = share * static_cast<float>(size - 1);
        return static_cast<int64_t>(std::clamp(std::isnan(at) ? -1.f : at, -1e9f, 1e9f));
      };
      const int64_t top = place(box[0], height), bottom = place(box[2], height);
      const int64_t left = place(box[1], width), right = place(box[3], width);
      if (top > bottom || left > right) continue;
      if (top >= height || bottom < 0 || left >= width || right < 0) continue;
      const std::vector<float>& color = colors[static_cast<size_t>(b) % colors.size()];
      const auto dot = [&](int64_t y, int64_t x) {
        T* pixel = out + ((n * height + y) * width + x) * depth;
        for (int64_t k = 0; k < depth; ++k) pixel[k] = static_cast<T>(static_cast<C>(color[static_cast<size_t>(k)]));
      };
      const int64_t first = std::max<int64_t>(left, 0), last = std::min(right, width - 1);
      for (int64_t x = first; x <= last; ++x) {
        if (top >= 0) dot(top, x);
        if (bottom < height) dot(bottom, x);
      }
      for (int64_t y = std::max<int64_t>(top, 0); y <= std::min(bottom, height - 1); ++y) {
        if (left >= 0) dot(y, left);
        if (right < width) dot(y, right);
      }
    }
}

template <class... Types>
void crops() {
  (on_cpu("CropAndResize", bit_of(dtype_of<Types>), crop_and_resize<Types>), ...);
  (on_cpu("CropAndResizeGradBoxes", bit_of(dtype_of<Types>), crop_to_boxes<Types>), ...);
}
template <class... Types>
void projections() { (on_cpu("ImageProjectiveTransformV3", bit_of(dtype_of<Types>), project<Types>), ...); }

}  // namespace

FL_CPU_KERNELS {
  crops<uint8_t, uint16_t, int8_t, int16_t, int32_t, int64_t, Float16, float, double>();
  on_cpu("CropAndResizeGradImage", bit_of(DType::kFloat16), crop_to_image<Float16>);
  on_cpu("CropAndResizeGradImage", bit_of(DType::kFloat32), crop_to_image<float>);
  on_cpu("CropAndResizeGradImage", bit_of(DType::kFloat64), crop_to_image<double>);
  projections<uint8_t, int32_t, int64_t, Float16, BFloat16, float, double>();
  on_cpu("ExtractImagePatches", kAllTypes, patches);
  for (const char* op : {"DrawBoundingBoxes", "DrawBoundingBoxesV2"}) {
    on_cpu(op, bit_of(DType::kFloat16), draw_boxes<Float16>);
    on_cpu(op, bit_of(DType::kFloat32), draw_boxes<float>);
  }
}

}  // namespace footlight::FL_ISA
