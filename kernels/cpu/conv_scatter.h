// The input gradient of a convolution whose input has few channels. The channels of a pixel would fill a part of a
// vector only; here the vectors are filled by all taps: each incoming pixel is multiplied by the whole filter, and the
// products are added where its taps lie.
#pragma once

#include "kernels/cpu/conv_pass.h"

namespace footlight::FL_ISA {

template <class T>
class InputGradientByScatter {
  static constexpr int64_t kWidth = Lanes<T>::kWidth;
  static constexpr int64_t kColumns = Lanes<T>::kColumns;
  static constexpr int64_t kRows = Lanes<T>::kRows;

 public:
  static bool is_worthwhile(const Convolution& c) {
    return c.groups == 1 && c.d.in == 1 && c.d.size == 1 && c.d.out == 1 && 2 * c.in_channels <= kWidth &&
           c.h.size * c.w.size > 1 && c.out_channels >= 16;
  }

  InputGradientByScatter(const Convolution& c, const T* arriving, const T* filter, T* out)
      : c_(c),
        arriving_(arriving),
        out_(out),
        tap_row_(c.w.size * c.in_channels),
        panels_(pieces(c.h.size * tap_row_, kColumns)),
        weights_{{{filter}}, 1, c.out_channels} {}

  void run() {
    const int64_t panel_size = c_.out_channels * kColumns, columns = c_.h.size * tap_row_;
    const BufferPtr memory = allocate_buffer(Device::cpu(), static_cast<size_t>(panels_ * panel_size) * sizeof(T) + 64);
    T* const panels = static_cast<T*>(memory->data());
    for (int64_t p = 0; p < panels_; ++p)
      pack_panel(weights_, 0, p * kColumns, std::min(kColumns, columns - p * kColumns), c_.out_channels,
                 panels + p * panel_size);
    // Neighbouring parts of an image both multiply the lines whose taps reach into both.
    const int64_t most = std::max<int64_t>(1, c_.h.in / (4 * c_.h.reach()));
    const int64_t parts = std::clamp<int64_t>(pieces(4 * pool_size(), c_.batch), 1, most);
    const int64_t work = c_.h.out * c_.w.out * c_.out_channels * columns / parts;
    const int64_t grain = std::max<int64_t>(1, 100000 / std::max<int64_t>(1, work));
    parallel_for(c_.batch * parts, grain, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k)
        set_lines(k / parts, c_.h.in * (k % parts) / parts, c_.h.in * (k % parts + 1) / parts, panels);
    });
  }

 private:
  // Sets lines [begin, end) of image n.
  void set_lines(int64_t n, int64_t begin, int64_t end, const T* panels) const {
    const int64_t row = c_.w.in * c_.in_channels, width = panels_ * kColumns;
    T* const image = out_ + n * c_.h.in * row;
    std::fill(image + begin * row, image + end * row, T(0));
    T* const products = scratch<T>(0, c_.w.out * width);
    for (int64_t y = 0; y < c_.h.out; ++y) {
      const int64_t top = y * c_.h.stride - c_.h.before;
      if (top + c_.h.reach() <= begin || top >= end) continue;
      multiply_line(arriving_ + (n * c_.h.out + y) * c_.w.out * c_.out_channels, panels, products);
      for (int64_t k = 0; k < c_.h.size; ++k) {
        const int64_t at = top + k * c_.h.dilation;
        if (at >= begin && at < end) add_line(products + k * tap_row_, width, image + at * row);
      }
    }
  }

  // The products of a line of incoming pixels with all taps.
  void multiply_line(const T* pixels, const T* panels, T* to) const {
    const int64_t tap = 0, width = panels_ * kColumns, strips = pieces(c_.w.out, kRows);
    const PixelTile<T> tile{&tap, 1, c_.out_channels, c_.out_channels, width};
    for (int64_t k = 0, x = 0; k < strips; ++k) {
      const int64_t next = (k + 1) * c_.w.out / strips;
      for (int64_t p = 0; p < panels_; ++p)
        kTiles<T>.pixels[next - x][2](tile, pixels + x * c_.out_channels, panels + p * c_.out_channels * kColumns,
                                      to + x * width + p * kColumns, kColumns);
      x = next;
    }
  }

  // Adds the products of one row of taps to a line of the image.
  void add_line(const T* products, int64_t width, T* line) const {
    // Pixels next to each other reach the same elements; one after the other they would wait for each other's stores.
    const int64_t apart = pieces(c_.w.reach(), c_.w.stride);
    for (int64_t first = 0; first < std::min(apart, c_.w.out); ++first)
      for (int64_t x = first; x < c_.w.out; x += apart) {
        const int64_t at = x * c_.w.stride - c_.w.before;
        const T* const from = products + x * width;
        if (at >= 0 && at + c_.w.size <= c_.w.in && c_.w.dilation == 1) {
          add(from, tap_row_, line + at * c_.in_channels);
          continue;
        }
        for (int64_t k = 0; k < c_.w.size; ++k) {
          const int64_t pixel = at + k * c_.w.dilation;
          if (pixel < 0 || pixel >= c_.w.in) continue;
          for (int64_t c = 0; c < c_.in_channels; ++c)
            line[pixel * c_.in_channels + c] += from[k * c_.in_channels + c];
        }
      }
  }

  static void add(const T* from, int64_t count, T* to) {
    using V = typename Lanes<T>::Vector;
    int64_t k = 0;
    for (; k + kWidth <= count; k += kWidth)
      *reinterpret_cast<V*>(to + k) += *reinterpret_cast<const V*>(from + k);
    for (; k < count; ++k) to[k] += from[k];
  }

  const Convolution& c_;
  const T* const arriving_;
  T* const out_;
  const int64_t tap_row_, panels_;  // products of a row of taps, and panels of all products
  const Weights<T> weights_;
};

}  // namespace footlight::FL_ISA
