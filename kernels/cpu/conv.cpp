// Kernels of convolutions. The input gradient is a convolution of the incoming gradient, one pass per remainder modulo
// the strides; the filter gradient sums products of pixels over blocks that stay in the cache.
#include "kernels/cpu/conv_grouped.h"
#include "kernels/cpu/conv_scatter.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/winograd.h"

#include <optional>
#include <vector>

namespace footlight::FL_ISA {

namespace {

struct Geometry : Convolution {
  int64_t group_in, group_out;  // channels of a group
  const Window* window[3];
  explicit Geometry(const Convolution& c)
      : Convolution(c),
        group_in(c.in_channels / std::max<int64_t>(1, c.groups)),
        group_out(c.out_channels / std::max<int64_t>(1, c.groups)),
        window{&d, &h, &w} {}
  Geometry(const Geometry&) = delete;
  // Whether a single tap reads each pixel once. Then the pixels of all images can be treated as one line.
  bool is_pointwise() const {
    bool all = true;
    for (const Window* o : window) all &= o->size == 1 && o->stride == 1 && o->before == 0 && o->in == o->out;
    return all;
  }
  // Whether a single tap skips pixels between those that it reads.
  bool is_strided_pointwise() const {
    bool single = true, strided = false;
    for (const Window* o : window) {
      single &= o->size == 1 && o->before == 0 && (o->out - 1) * o->stride < o->in;
      strided |= o->stride > 1;
    }
    return single && strided;
  }
  // The convolution of images that consist of the pixels read.
  Convolution without_strides() const {
    Convolution c = *this;
    for (Window* o : {&c.d, &c.h, &c.w}) *o = {o->out, 1, 1, 1, 0, 0, o->out};
    return c;
  }
  int64_t filter_index(int64_t z, int64_t y, int64_t x) const { return (z * h.size + y) * w.size + x; }
};

// The shape for winograd.h, if that can compute the convolution at all and is faster.
std::optional<Conv3x3Shape> conv3x3_shape(const Geometry& g) {
  const bool flat = g.d.in == 1 && g.d.size == 1 && g.d.out == 1 && g.groups == 1;
  for (const Window* w : {&g.h, &g.w})
    if (!flat || w->size != 3 || w->stride != 1 || w->dilation != 1) return {};
  const Conv3x3Shape shape{g.batch, g.h.in,  g.w.in,           g.in_channels, g.h.out,
                           g.w.out, g.out_channels, g.h.before, g.w.before};
  if (!shape.is_worth_converting()) return {};
  return shape;
}

// Returns where the weights of each tap begin.
template <class T>
std::vector<const T*> tap_starts(const Pass<T>& pass, const Geometry& g, const T* filter) {
  std::vector<const T*> starts;
  for (const Tap& a : pass.taps[0])
    for (const Tap& b : pass.taps[1])
      for (const Tap& c : pass.taps[2])
        starts.push_back(filter + g.filter_index(a.index, b.index, c.index) * g.group_in * g.out_channels);
  return starts;
}

// Describes a convolution with a single tap as one pass over all pixels.
template <class T>
void pointwise(const Geometry& g, const T* in, int64_t in_channels, const Weights<T>& weights, T* out,
               int64_t out_channels) {
  const int64_t pixels = g.batch * g.d.in * g.h.in * g.w.in;
  const Pass<T> pass{{in, {1, 1, pixels}, in_channels},
                     {1, 1, 1},
                     {{{0, 0}}, {{0, 0}}, {{0, 0}}},
                     g.groups,
                     in_channels / g.groups,
                     out_channels / g.groups,
                     out,
                     {1, 1, pixels},
                     {0, 0, out_channels},
                     0};
  PassRunner<T>(pass, 1, weights).run();
}

// The pixels that a single tap with strides reads.
template <class T>
class StridedPixels {
 public:
  explicit StridedPixels(const Geometry& g) : g_(g), lines_(g.batch * g.d.out * g.h.out) {
    memory_ = allocate_buffer(Device::cpu(), static_cast<size_t>(lines_ * g.w.out * g.in_channels) * sizeof(T) + 64);
  }
  T* data() const { return static_cast<T*>(memory_->data()); }

  const T* copy_from(const T* images) const {
    parallel_for(lines_, grain(), [&](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line) {
        T* to = data() + line * g_.w.out * g_.in_channels;
        const T* from = images + image_line(line) * g_.w.in * g_.in_channels;
        for (int64_t x = 0; x < g_.w.out; ++x, to += g_.in_channels, from += g_.w.stride * g_.in_channels)
          std::memcpy(to, from, static_cast<size_t>(g_.in_channels) * sizeof(T));
      }
    });
    return data();
  }

  // Copies the pixels to their places in the images, and writes zeros to all others.
  void copy_to(T* images) const {
    const int64_t line_size = g_.w.in * g_.in_channels;
    const int64_t stride = g_.h.stride, bands = pieces(g_.h.in, stride);  // a line that was read, and those below it
    parallel_for(g_.batch * g_.d.in * bands, grain(), [&](int64_t begin, int64_t end) {
      for (int64_t band = begin; band < end; ++band) {
        const int64_t plane = band / bands, y = band % bands;
        const int64_t n = plane / g_.d.in, z = plane % g_.d.in;
        T* to = images + (plane * g_.h.in + y * stride) * line_size;
        std::fill(to, to + std::min(stride, g_.h.in - y * stride) * line_size, T(0));
        if (z % g_.d.stride != 0 || z / g_.d.stride >= g_.d.out || y >= g_.h.out) continue;
        const T* from = data() + ((n * g_.d.out + z / g_.d.stride) * g_.h.out + y) * g_.w.out * g_.in_channels;
        for (int64_t x = 0; x < g_.w.out; ++x, from += g_.in_channels, to += g_.w.stride * g_.in_channels)
          std::memcpy(to, from, static_cast<size_t>(g_.in_channels) * sizeof(T));
      }
    });
  }

 private:
  int64_t grain() const { return std::max<int64_t>(1, 65536 / std::max<int64_t>(1, g_.w.out * g_.in_channels)); }
  // The line of the images that a line of these pixels was read from.
  int64_t image_line(int64_t line) const {
    const int64_t y = line % g_.h.out, z = line / g_.h.out % g_.d.out, n = line / g_.h.out / g_.d.out;
    return (n * g_.d.in + z * g_.d.stride) * g_.h.in + y * g_.h.stride;
  }
  const Geometry& g_;
  const int64_t lines_;
  BufferPtr memory_;
};

template <class T>
void forward(const Geometry& g, const T* in, const T* filter, T* out) {
  if (g.is_strided_pointwise())
    return forward(Geometry(g.without_strides()), StridedPixels<T>(g).copy_from(in), filter, out);
  if constexpr (std::is_same_v<T, float>)
    if (const auto shape = conv3x3_shape(g)) {
      TapMatrices matrices{{}, g.out_channels, 1};
      for (int64_t k = 0; k < 9; ++k) matrices.taps[k] = filter + k * g.in_channels * g.out_channels;
      if (winograd_convolution(*shape, in, matrices, out)) return;
    }
  if (g.is_pointwise()) {
    Weights<T> weights{{}, g.out_channels, 1};
    for (int64_t group = 0; group < g.groups; ++group) weights.starts.push_back({filter + group * g.group_out});
    return pointwise(g, in, g.in_channels, weights, out, g.out_channels);
  }
  Pass<T> pass{{in, {g.d.in, g.h.in, g.w.in}, g.in_channels}, {}, {}, g.groups, g.group_in, g.group_out, out, {}, {},
               0};
  for (int d = 0; d < 3; ++d) {
    const Window& w = *g.window[d];
    pass.step[d] = w.stride;
    pass.count[d] = w.out;
    for (int64_t k = 0; k < w.size; ++k) pass.taps[d].push_back({k * w.dilation - w.before, k});
  }
  pass.stride[2] = g.out_channels;
  pass.stride[1] = g.w.out * pass.stride[2];
  pass.stride[0] = g.h.out * pass.stride[1];
  pass.image = g.d.out * pass.stride[0];
  Weights<T> weights{{}, g.out_channels, 1};
  for (int64_t group = 0; group < g.groups; ++group)
    weights.starts.push_back(tap_starts(pass, g, filter + group * g.group_out));
  PassRunner<T>(pass, g.batch, weights).run();
}

// Pixels with the same remainder modulo the strides use the same taps, read from the incoming gradient `step` 1
// apart: pixel p + s * i gets tap k from output i + (p + before - k * dilation) / s where that is an integer.
template <class T>
void to_input(const Geometry& g, const T* arriving, const T* filter, T* out) {
  if (g.is_strided_pointwise()) {
    const StridedPixels<T> pixels(g);
    to_input(Geometry(g.without_strides()), arriving, filter, pixels.data());
    return pixels.copy_to(out);
  }
  if constexpr (std::is_same_v<T, float>)
    if (const auto shape = conv3x3_shape(g)) {
      const Conv3x3Shape s = *shape;
      const Conv3x3Shape back{s.batch,    s.out_height, s.out_width,      s.out_channels,  s.in_height,
                              s.in_width, s.in_channels, 2 - s.before_y, 2 - s.before_x};
      TapMatrices matrices{{}, 1, g.out_channels};
      for (int64_t k = 0; k < 9; ++k) matrices.taps[8 - k] = filter + k * g.in_channels * g.out_channels;
      if (winograd_convolution(back, arriving, matrices, out)) return;
    }
  if (g.is_pointwise()) {
    Weights<T> weights{{}, 1, g.out_channels};
    for (int64_t group = 0; group < g.groups; ++group) weights.starts.push_back({filter + group * g.group_out});
    return pointwise(g, arriving, g.out_channels, weights, out, g.in_channels);
  }
  if (InputGradientByScatter<T>::is_worthwhile(g)) return InputGradientByScatter<T>(g, arriving, filter, out).run();
  int64_t phase[3];
  for (phase[0] = 0; phase[0] < std::min(g.d.stride, g.d.in); ++phase[0])
    for (phase[1] = 0; phase[1] < std::min(g.h.stride, g.h.in); ++phase[1])
      for (phase[2] = 0; phase[2] < std::min(g.w.stride, g.w.in); ++phase[2]) {
        Pass<T> pass{{arriving, {g.d.out, g.h.out, g.w.out}, g.out_channels},
                     {1, 1, 1},
                     {},
                     g.groups,
                     g.group_out,
                     g.group_in,
                     out,
                     {},
                     {},
                     0};
        const int64_t whole[3] = {g.h.in * g.w.in * g.in_channels, g.w.in * g.in_channels, g.in_channels};
        pass.image = g.d.in * whole[0];
        for (int d = 0; d < 3; ++d) {
          const Window& w = *g.window[d];
          pass.count[d] = (w.in - phase[d] + w.stride - 1) / w.stride;
          pass.stride[d] = w.stride * whole[d];
          pass.out += phase[d] * whole[d];
          for (int64_t k = w.size - 1; k >= 0; --k) {
            const int64_t at = phase[d] + w.before - k * w.dilation;
            if (at % w.stride == 0) pass.taps[d].push_back({at / w.stride, k});
          }
        }
        Weights<T> weights{{}, 1, g.out_channels};
        for (int64_t group = 0; group < g.groups; ++group)
          weights.starts.push_back(tap_starts(pass, g, filter + group * g.group_out));
        PassRunner<T>(pass, g.batch, weights).run();
      }
}

// Part of an image, zero-filled where it reaches beyond; nothing is copied where it does not.
template <class T>
struct Slab {
  const T* data;
  int64_t plane, row;  // strides in elements
};

template <class T>
Slab<T> slab(const View<T>& image, const int64_t (&from)[3], const int64_t (&count)[3], int which) {
  const int64_t row = image.size[2] * image.channels;
  const int64_t plane = image.size[1] * row;
  if (inside_of(image, from, count))
    return {image.data + from[0] * plane + from[1] * row + from[2] * image.channels, plane, row};
  const int64_t to_row = count[2] * image.channels;
  T* const memory = scratch<T>(which, count[0] * count[1] * to_row);
  const int64_t left = std::clamp<int64_t>(-from[2], 0, count[2]);
  const int64_t right = std::clamp<int64_t>(image.size[2] - from[2], left, count[2]);
  T* to = memory;
  for (int64_t z = from[0]; z < from[0] + count[0]; ++z)
    for (int64_t y = from[1]; y < from[1] + count[1]; ++y, to += to_row)
      copy_padded(image, z, y, from[2], left, right, count[2], to);
  return {memory, count[1] * to_row, to_row};
}

// The gradient by the filter, tap by tap. Each thread sums over blocks of pixels of its own, and the sums are added at
// the end.
template <class T>
class FilterGradient {
 public:
  FilterGradient(const Geometry& g, const T* in, const T* arriving) : g_(g), in_(in), arriving_(arriving) {
    const int64_t row_bytes = (g.w.out * g.out_channels + columns_in_ * g.in_channels * g.h.stride) *
                              static_cast<int64_t>(sizeof(T));
    const int64_t shared = pieces(g.batch * g.d.out * g.h.out, pool_size());
    rows_ = std::clamp<int64_t>((int64_t{1} << 18) / std::max<int64_t>(1, row_bytes), 1, std::min(shared, g.h.out));
    blocks_ = pieces(g.h.out, rows_);
  }

  void run(T* out) const {
    const int64_t tasks = g_.batch * g_.d.out * blocks_;
    const double work = static_cast<double>(g_.batch * g_.d.out * g_.h.out * g_.w.out) *
                        static_cast<double>(taps_ * g_.group_in) * static_cast<double>(g_.out_channels);
    const int64_t slots = work < 200000 ? 1 : std::min<int64_t>(tasks, pool_size());
    const BufferPtr memory =
        allocate_buffer(Device::cpu(), static_cast<size_t>(slots * g_.groups * sums_) * sizeof(T) + 64);
    T* const sums = static_cast<T*>(memory->data());
    parallel_for(slots, 1, [&](int64_t first, int64_t last) {
      for (int64_t slot = first; slot < last; ++slot) {
        T* const own = sums + slot * g_.groups * sums_;
        std::fill(own, own + g_.groups * sums_, T(0));
        for (int64_t task = tasks * slot / slots; task < tasks * (slot + 1) / slots; ++task) add_block(task, own);
      }
    });
    add_up(sums, slots, out);
  }

 private:
  static constexpr int64_t kWidth = Lanes<T>::kWidth;
  static constexpr int64_t kRows = Lanes<T>::kRows;

  // Where the incoming gradients of a group are, and the elements from one pixel to the next.
  struct Outputs {
    const T* data;
    int64_t pixel;
  };

  // Adds what a block of rows contributes.
  void add_block(int64_t task, T* own) const {
    const Geometry& g = g_;
    const int64_t y0 = task % blocks_ * rows_;
    const int64_t z = task / blocks_ % g.d.out;
    const int64_t n = task / blocks_ / g.d.out;
    const int64_t height = std::min(rows_, g.h.out - y0);
    const View<T> image{in_ + n * in_image_, {g.d.in, g.h.in, g.w.in}, g.in_channels};
    const int64_t from[3] = {z * g.d.stride - g.d.before, y0 * g.h.stride - g.h.before, -g.w.before};
    const int64_t size[3] = {g.d.reach(), (height - 1) * g.h.stride + g.h.reach(), columns_in_};
    const Slab<T> s = slab(image, from, size, 0);
    const T* block = arriving_ + ((n * g.d.out + z) * g.h.out + y0) * g.w.out * g.out_channels;
    for (int64_t group = 0; group < g.groups; ++group) {
      const Outputs outputs = whole_vectors({block + group * g.group_out, g.out_channels}, height * g.w.out);
      add_taps(s, y0, height, group, outputs, own + group * sums_);
    }
  }

  // Copies the pixels if the channels of a group do not fill whole vectors.
  Outputs whole_vectors(const Outputs& given, int64_t count) const {
    if (padded_ == g_.group_out) return given;
    T* copy = scratch<T>(1, count * padded_);
    for (int64_t p = 0; p < count; ++p) {
      std::memcpy(copy + p * padded_, given.data + p * given.pixel, static_cast<size_t>(g_.group_out) * sizeof(T));
      std::fill(copy + p * padded_ + g_.group_out, copy + (p + 1) * padded_, T(0));
    }
    return {copy, padded_};
  }

  void add_taps(const Slab<T>& s, int64_t y0, int64_t height, int64_t group, const Outputs& outputs, T* sums) const {
    const Geometry& g = g_;
    FilterTile<T> tile{height,        g.w.out, g.h.stride * s.row, g.w.stride * g.in_channels, g.w.out * outputs.pixel,
                       outputs.pixel, padded_};
    const int64_t run = merged_ ? g.w.size * g.group_in : g.group_in;
    const int64_t strips = pieces(run, kRows);
    for (int64_t tz = 0; tz < g.d.size; ++tz)
      for (int64_t ty = 0; ty < g.h.size; ++ty) {
        // The output rows for which this tap is inside the image.
        int64_t first = 0;
        tile.height = height;
        const int64_t at = y0 * g.h.stride - g.h.before + ty * g.h.dilation;
        while (tile.height > 0 && at + first * g.h.stride < 0) ++first, --tile.height;
        while (tile.height > 0 && at + (first + tile.height - 1) * g.h.stride >= g.h.in) --tile.height;
        if (tile.height == 0) continue;
        for (int64_t tx = 0; tx < (merged_ ? 1 : g.w.size); ++tx) {
          const T* line = s.data + tz * g.d.dilation * s.plane + ty * g.h.dilation * s.row + first * tile.in_row +
                          tx * g.w.dilation * g.in_channels + group * g.group_in;
          const T* from = outputs.data + first * tile.row;
          T* to = sums + g.filter_index(tz, ty, tx) * g.group_in * padded_;
          for (int64_t j = 0; j < padded_; j += 2 * kWidth)
            for (int64_t k = 0, r = 0; k < strips; ++k) {
              const int64_t next = (k + 1) * run / strips;
              kTiles<T>.filter[next - r][padded_ - j > kWidth ? 2 : 1](tile, line + r, from + j, to + r * padded_ + j);
              r = next;
            }
        }
      }
  }

  // Adds the sums of all threads, in their order, without the padding.
  void add_up(const T* sums, int64_t slots, T* out) const {
    for (int64_t group = 0; group < g_.groups; ++group)
      for (int64_t k = 0; k < taps_ * g_.group_in; ++k) {
        T* to = out + k * g_.out_channels + group * g_.group_out;
        const T* from = sums + group * sums_ + k * padded_;
        std::memcpy(to, from, static_cast<size_t>(g_.group_out) * sizeof(T));
        for (int64_t slot = 1; slot < slots; ++slot) {
          from += g_.groups * sums_;
          for (int64_t j = 0; j < g_.group_out; ++j) to[j] += from[j];
        }
      }
  }

  const Geometry& g_;
  const T* const in_;
  const T* const arriving_;
  const bool merged_ = g_.groups == 1 && (g_.w.dilation == 1 || g_.w.size == 1);  // taps of a row are adjacent
  const int64_t taps_ = g_.d.size * g_.h.size * g_.w.size;
  const int64_t padded_ = (g_.group_out + kWidth - 1) / kWidth * kWidth;  // channels of a group, in whole vectors
  const int64_t sums_ = taps_ * g_.group_in * padded_;                    // of a group
  const int64_t columns_in_ = (g_.w.out - 1) * g_.w.stride + g_.w.reach();
  const int64_t in_image_ = g_.d.in * g_.h.in * g_.w.in * g_.in_channels;
  int64_t rows_ = 0, blocks_ = 0;  // a block has that many rows, so that both sides stay in the cache
};

template <class T>
void to_filter(const Geometry& g, const T* in, const T* arriving, T* out) {
  if (g.is_strided_pointwise())
    return to_filter(Geometry(g.without_strides()), StridedPixels<T>(g).copy_from(in), arriving, out);
  if constexpr (std::is_same_v<T, float>)
    if (GroupedFilterGradient::is_worthwhile(g)) return GroupedFilterGradient(g, in, arriving, out).run();
  if constexpr (std::is_same_v<T, float>)
    if (const auto shape = conv3x3_shape(g))
      if (winograd_filter_gradient(*shape, in, arriving, out)) return;
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    // Pixels so far apart share a few sets of the L1 cache where they lie; a product of matrices packs them.
    constexpr int64_t kFarApart = 1024 / static_cast<int64_t>(sizeof(T));
    const int64_t pixels = g.batch * g.d.in * g.h.in * g.w.in;
    if (g.groups == 1 && g.is_pointwise() && g.in_channels >= kFarApart)
      return gemm<T>(g.in_channels, g.out_channels, pixels, {in, 1, g.in_channels}, {arriving, g.out_channels, 1}, out,
                     g.out_channels);
  }
  FilterGradient<T>(g, in, arriving).run(out);
}

Geometry geometry(KernelContext& c, int spatial, const Shape& input, const Shape& filter) {
  return Geometry(convolution(c.row, c.attrs, spatial, false, input, filter));
}

// If one of the operands is empty, the result is zero.
template <class T>
bool nothing_to_compute(KernelContext& c) {
  bool empty = c.outputs[0].elements() == 0;
  for (size_t k = 0; k < c.inputs.size(); ++k)
    if (c.inputs[k].dtype() == c.outputs[0].dtype() || c.inputs[k].shape().rank() > 1)
      empty |= c.inputs[k].elements() == 0;
  if (!empty) return false;
  std::fill(c.out<T>(), c.out<T>() + c.outputs[0].elements(), T(0.f));
  return true;
}

template <class T, int kSpatial>
void conv(KernelContext& c) {
  if (nothing_to_compute<T>(c)) return;
  const Geometry g = geometry(c, kSpatial, c.inputs[0].shape(), c.inputs[1].shape());
  const ImagesIn<T> in(c.inputs[0], g.attrs.channels_first);
  const ImagesIn<T> filter(c.inputs[1], false);
  ImagesOut<T> out(c.outputs[0], g.attrs.channels_first);
  forward(g, in.data(), filter.data(), out.data());
  out.finish();
}

template <class T, int kSpatial>
void conv_to_input(KernelContext& c) {
  if (nothing_to_compute<T>(c)) return;
  const Geometry g = geometry(c, kSpatial, c.outputs[0].shape(), c.inputs[1].shape());
  const ImagesIn<T> arriving(c.inputs[2], g.attrs.channels_first);
  const ImagesIn<T> filter(c.inputs[1], false);
  ImagesOut<T> out(c.outputs[0], g.attrs.channels_first);
  to_input(g, arriving.data(), filter.data(), out.data());
  out.finish();
}

template <class T, int kSpatial>
void conv_to_filter(KernelContext& c) {
  if (nothing_to_compute<T>(c)) return;
  const Geometry g = geometry(c, kSpatial, c.inputs[0].shape(), c.outputs[0].shape());
  const ImagesIn<T> in(c.inputs[0], g.attrs.channels_first);
  const ImagesIn<T> arriving(c.inputs[2], g.attrs.channels_first);
  ImagesOut<T> out(c.outputs[0], false);
  to_filter(g, in.data(), arriving.data(), out.data());
  out.finish();
}

// The rank of the input gives the number of spatial dimensions; several batch dimensions are flattened.
template <class T>
void conv_any(KernelContext& c) {
  const int batch_dims = static_cast<int>(c.attrs.get_or("batch_dims"_attr, int64_t{1}));
  const auto flat = [&](const Tensor& t) {
    Shape s{1};
    for (int d = 0; d < batch_dims; ++d) s.set(0, s[0] * t.shape()[d]);
    for (int d = batch_dims; d < t.shape().rank(); ++d) s.append(t.shape()[d]);
    return t.reshaped(s);
  };
  const Tensor inputs[] = {flat(c.inputs[0]), c.inputs[1]};
  // A small tensor stores its elements inline, where nobody else can write them.
  Tensor output = batch_dims == 1 ? c.outputs[0] : Tensor::empty(c.outputs[0].dtype(), flat(c.outputs[0]).shape());
  KernelContext inner{c.row, c.attrs, inputs, {&output, 1}, c.device, c.stream};
  if (inputs[0].shape().rank() == 5)
    conv<T, 3>(inner);
  else
    conv<T, 2>(inner);
  if (batch_dims != 1) std::memcpy(c.outputs[0].raw(), output.raw(), output.bytes());
}

template <class... Types>
void convolutions() {
  (on_cpu("Conv2D", bit_of(dtype_of<Types>), conv<Types, 2>), ...);
  (on_cpu("Conv2DBackpropInput", bit_of(dtype_of<Types>), conv_to_input<Types, 2>), ...);
  (on_cpu("Conv2DBackpropFilter", bit_of(dtype_of<Types>), conv_to_filter<Types, 2>), ...);
  (on_cpu("Conv3D", bit_of(dtype_of<Types>), conv<Types, 3>), ...);
  (on_cpu("Conv3DBackpropInputV2", bit_of(dtype_of<Types>), conv_to_input<Types, 3>), ...);
  (on_cpu("Conv3DBackpropFilterV2", bit_of(dtype_of<Types>), conv_to_filter<Types, 3>), ...);
  (on_cpu("Conv", bit_of(dtype_of<Types>), conv_any<Types>), ...);
}

}  // namespace

FL_CPU_KERNELS { convolutions<float, double, Float16, BFloat16, int32_t>(); }

}  // namespace footlight::FL_ISA
