// Kernels of morphological dilation, and those that move pixels between space and channels.
#include "engine/base/thread_pool.h"
#include "engine/ops/window.h"
#include "kernels/cpu/register.h"
#include "kernels/functors/common.h"

#include <algorithm>
#include <cstring>

namespace footlight::FL_ISA {

namespace {

using functors::Compute;

// For every element of the deep image (pixel y, x; block offset by, bx; channel c): the elements of both sides.
template <bool kToDepth>
void space_depth(KernelContext& c) {
  const int64_t block = c.attrs.get<int64_t>("block_size"_attr);
  const bool first = c.attrs.get_or("data_format"_attr, std::string("NHWC")) == "NCHW";
  const Shape& flat = kToDepth ? c.inputs[0].shape() : c.outputs[0].shape();
  const int64_t batch = flat[0], height = flat[first ? 2 : 1], width = flat[first ? 3 : 2],
                depth = flat[first ? 1 : 3];
  const int64_t low_height = height / block, low_width = width / block;
  const DType type = c.inputs[0].dtype();
  const auto size = static_cast<int64_t>(size_of(type));
  const char* in = static_cast<const char*>(c.inputs[0].raw());
  char* out = static_cast<char*>(c.outputs[0].raw());
  const auto move = [&](int64_t deep_at, int64_t flat_at, int64_t n) {
    const int64_t from = kToDepth ? flat_at : deep_at;
    const int64_t to = kToDepth ? deep_at : flat_at;
    if (type == DType::kString)
      std::copy_n(c.in<std::string>(0) + from, n, c.out<std::string>() + to);
    else
      std::memcpy(out + to * size, in + from * size, static_cast<size_t>(n * size));
  };
  if (!is_plain(type) && type != DType::kString)
    invalid("a tensor of ", name_of(type), " cannot be moved between space and depth [Op:", c.row.name, "]");
  parallel_for(
      batch * height, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, width * depth)),
      [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          const int64_t n = row / height, y = row % height;
          for (int64_t x = 0; x < width; ++x) {
            const int64_t place = y % block * block + x % block;
            if (!first) {
              move(((n * low_height + y / block) * low_width + x / block) * block * block * depth + place * depth,
                   (row * width + x) * depth, depth);
            } else {
              for (int64_t k = 0; k < depth; ++k)
                move(((n * block * block * depth + place * depth + k) * low_height + y / block) * low_width +
                         x / block,
                     ((n * depth + k) * height + y) * width + x, 1);
            }
          }
        }
      });
}

// Calls body(output, input, filter) with the elements of the maximum of each window, the first of equal ones.
template <class T, class Body>
void for_largest(KernelContext& c, Body&& body) {
  using C = Compute<T>;
  const Shape& in = c.inputs[0].shape();
  const Shape& filter = c.inputs[1].shape();
  const WindowAttrs attrs = window_attrs(c.row, c.attrs, 2);
  const Window h = window(c.row, attrs, 0, in[1], filter[0]);
  const Window w = window(c.row, attrs, 1, in[2], filter[1]);
  const int64_t depth = in[3];
  const T* x = c.in<T>(0);
  const T* f = c.in<T>(1);
  int64_t at = 0;
  for (int64_t n = 0; n < in[0]; ++n)
    for (int64_t oy = 0; oy < h.out; ++oy)
      for (int64_t ox = 0; ox < w.out; ++ox)
        for (int64_t k = 0; k < depth; ++k, ++at) {
          int64_t best_in = -1, best_filter = -1;
          C best{};
          for (int64_t fy = 0; fy < h.size; ++fy) {
            const int64_t y = oy * h.stride - h.before + fy * h.dilation;
            if (y < 0 || y >= in[1]) continue;
            for (int64_t fx = 0; fx < w.size; ++fx) {
              const int64_t column = ox * w.stride - w.before + fx * w.dilation;
              if (column < 0 || column >= in[2]) continue;
              const int64_t i = ((n * in[1] + y) * in[2] + column) * depth + k;
              const int64_t j = (fy * w.size + fx) * depth + k;
              const C sum = static_cast<C>(static_cast<C>(x[i]) + static_cast<C>(f[j]));
              if (best_in >= 0 && !(sum > best)) continue;
              best = sum;
              best_in = i;
              best_filter = j;
            }
          }
          body(at, best_in, best_filter, best);
        }
}

template <class T>
void dilation(KernelContext& c) {
  for_largest<T>(c, [&](int64_t at, int64_t in, int64_t, Compute<T> sum) {
    c.out<T>()[at] = in < 0 ? std::numeric_limits<T>::lowest() : static_cast<T>(sum);
  });
}
template <class T, bool kFilter>
void dilation_gradient(KernelContext& c) {
  using C = Compute<T>;
  T* out = c.out<T>();
  std::fill(out, out + c.outputs[0].elements(), T(C(0)));
  for_largest<T>(c, [&](int64_t at, int64_t in, int64_t filter, C) {
    const int64_t to = kFilter ? filter : in;
    if (to >= 0) out[to] = static_cast<T>(static_cast<C>(static_cast<C>(out[to]) + static_cast<C>(c.in<T>(2)[at])));
  });
}
template <class T, bool kFilter>
void dilation_at_maximum(KernelContext& c) {
  for_largest<T>(c, [&](int64_t at, int64_t in, int64_t filter, Compute<T>) {
    const int64_t from = kFilter ? filter : in;
    c.out<T>()[at] = from < 0 ? T(Compute<T>(0)) : c.in<T>(2)[from];
  });
}

template <class... Types>
void dilations() {
  (on_cpu("Dilation2D", bit_of(dtype_of<Types>), dilation<Types>), ...);
  (on_cpu("Dilation2DBackpropInput", bit_of(dtype_of<Types>), dilation_gradient<Types, false>), ...);
  (on_cpu("Dilation2DBackpropFilter", bit_of(dtype_of<Types>), dilation_gradient<Types, true>), ...);
  (on_cpu("Dilation2DPickInput", bit_of(dtype_of<Types>), dilation_at_maximum<Types, false>), ...);
  (on_cpu("Dilation2DPickFilter", bit_of(dtype_of<Types>), dilation_at_maximum<Types, true>), ...);
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("SpaceToDepth", kAllTypes, space_depth<true>);
  on_cpu("DepthToSpace", kAllTypes, space_depth<false>);
  dilations<float, double, Float16, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
            uint64_t>();
}

}  // namespace footlight::FL_ISA
