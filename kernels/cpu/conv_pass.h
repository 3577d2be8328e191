// One pass of a convolution over its output: lines of pixels by panels of packed weights. Images are read in place;
// a strip of a line that reaches beyond its image gets a copy padded with zeros.
#pragma once

#include "kernels/cpu/conv_tile.h"
#include "kernels/cpu/images.h"

#include <vector>

namespace footlight {
namespace FL_ISA {

// A filter tap: its offset from the pixel's window, and its index in the filter.
struct Tap {
  int64_t offset, index;
};

// Images in memory, channels last.
template <class T>
struct View {
  const T* data;
  int64_t size[3];  // depth, height, width
  int64_t channels;
};

template <class T>
bool inside_of(const View<T>& image, const int64_t (&from)[3], const int64_t (&count)[3]) {
  bool inside = true;
  for (int d = 0; d < 3; ++d) inside &= from[d] >= 0 && from[d] + count[d] <= image.size[d];
  return inside;
}

// Copies `count` pixels of line (z, y) from pixel x on, of which [left, right) are inside of the image, others zeros.
template <class T>
void copy_padded(const View<T>& image, int64_t z, int64_t y, int64_t x, int64_t left, int64_t right, int64_t count,
                 T* to) {
  if (z < 0 || z >= image.size[0] || y < 0 || y >= image.size[1]) {
    std::fill(to, to + count * image.channels, T(0));
    return;
  }
  const T* line = image.data + ((z * image.size[1] + y) * image.size[2] + x) * image.channels;
  std::fill(to, to + left * image.channels, T(0));
  if (right > left)
    std::memcpy(to + left * image.channels, line + left * image.channels,
                static_cast<size_t>((right - left) * image.channels) * sizeof(T));
  std::fill(to + right * image.channels, to + count * image.channels, T(0));
}

// Output pixel (z, y, x) of one pass: the sum over taps at (z * step + tap, ...) times the filter there.
template <class T>
struct Pass {
  View<T> in;  // of the first image
  int64_t step[3];
  std::vector<Tap> taps[3];
  int64_t groups, seen, made;  // channels of the input and of the output, per group
  T* out;                      // of the first image and pixel
  int64_t count[3];            // pixels
  int64_t stride[3];           // elements between them
  int64_t image;               // elements between images
};

// Where the weights of each tap begin, a group after the other; channel c and column j lie at c * channel + j * column,
// where one of the two strides is 1.
template <class T>
struct Weights {
  std::vector<std::vector<const T*>> starts;  // by group
  int64_t channel, column;
};

// A panel holds kColumns outputs of a group: tap, channel, column. Missing columns are zeros.
template <class T>
void pack_panel(const Weights<T>& weights, int64_t group, int64_t first, int64_t columns, int64_t seen, T* to) {
  constexpr int64_t kColumns = Lanes<T>::kColumns;
  for (const T* start : weights.starts[static_cast<size_t>(group)]) {
    const T* from = start + first * weights.column;
    if (columns < kColumns) std::fill(to, to + seen * kColumns, T(0));
    if (weights.column == 1 && columns == kColumns) {
      for (int64_t c = 0; c < seen; ++c)
        std::memcpy(to + c * kColumns, from + c * weights.channel, kColumns * sizeof(T));
    } else if (weights.column == 1) {
      for (int64_t c = 0; c < seen; ++c)
        std::memcpy(to + c * kColumns, from + c * weights.channel, static_cast<size_t>(columns) * sizeof(T));
    } else {
      constexpr int64_t kTile = 16;
      for (int64_t c0 = 0; c0 < seen; c0 += kTile)
        for (int64_t j = 0; j < columns; ++j)
          for (int64_t c = c0; c < std::min(seen, c0 + kTile); ++c)
            to[c * kColumns + j] = from[c * weights.channel + j * weights.column];
    }
    to += seen * kColumns;
  }
}

// Bytes of weights that stay in the L2 cache while lines pass by, and bytes of images that stay in the L3 cache while
// all weights do.
constexpr int64_t kResidentWeights = 192 << 10, kResidentImages = 1 << 20;
// With at most so many pixels, packing all weights before the first product would cost too much: each thread then packs
// the panels that it alone multiplies with.
constexpr int64_t kMaxPixelsOfOwnPanels = 2048;

// One pass over the output: lines of pixels by panels of channels. Lines are read where they lie; what reaches beyond
// the image is copied, a strip at a time.
template <class T>
class PassRunner {
  static constexpr int64_t kColumns = Lanes<T>::kColumns;
  static constexpr int64_t kRows = Lanes<T>::kRows;

 public:
  PassRunner(const Pass<T>& pass, int64_t batch, const Weights<T>& weights) : pass_(pass), weights_(weights) {
    bool empty = false;
    for (int d = 0; d < 3; ++d) {
      empty |= pass.taps[d].empty();
      low_[d] = empty ? 0 : pass.taps[d].front().offset;
      reach_[d] = empty ? 1 : pass.taps[d].back().offset - low_[d] + 1;
    }
    lines_ = batch * pass.count[0] * pass.count[1];
    group_panels_ = (pass.made + kColumns - 1) / kColumns;
    if (empty) return;
    line_taps_ = static_cast<int64_t>(pass.taps[2].size());
    tap_total_ = static_cast<int64_t>(pass.taps[0].size() * pass.taps[1].size()) * line_taps_;
    // Adjacent taps along the width with contiguous channels are one run.
    merged_ = pass.groups == 1 && reach_[2] == line_taps_;
    panel_size_ = tap_total_ * pass.seen * kColumns;
    row_ = pass.in.size[2] * pass.in.channels;
    patch_[2] = (kRows - 1) * pass.step[2] + reach_[2];
    patch_[1] = reach_[1];
    patch_[0] = reach_[0];
    in_place_ = taps_of(pass.in.size[1] * row_, row_);
    in_patch_ = taps_of(patch_[1] * patch_[2] * pass.in.channels, patch_[2] * pass.in.channels);
  }

  void run() {
    const int64_t panels = pass_.groups * group_panels_, threads = pool_size();
    const int64_t line_work = pass_.count[2] * tap_total_ * pass_.seen;
    constexpr int64_t kWorthATask = 100000;
    if (lines_ * pass_.count[2] <= kMaxPixelsOfOwnPanels && panels >= 2 * threads) {
      parallel_for(panels, grain(kWorthATask, lines_ * line_work * kColumns), [&](int64_t begin, int64_t end) {
        const int64_t chunk = std::min(end - begin, resident_panels());
        T* const own = scratch<T>(1, chunk * panel_size_);
        for (int64_t p = begin; p < end; p += chunk) {
          const int64_t last = std::min(end, p + chunk);
          for (int64_t k = p; k < last; ++k) pack(k, own + (k - p) * panel_size_);
          multiply(0, lines_, p, last, own);
        }
      });
      return;
    }
    const BufferPtr memory =
        allocate_buffer(Device::cpu(), static_cast<size_t>(panels * panel_size_ + 1) * sizeof(T));
    T* const all = static_cast<T*>(memory->data());
    parallel_for(panels, grain(32768, panel_size_), [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) pack(p, all + p * panel_size_);
    });
    const int64_t line_bytes = std::max<int64_t>(1, pass_.step[1] * row_ * static_cast<int64_t>(sizeof(T)));
    const int64_t each = std::clamp<int64_t>(std::min(kResidentImages / line_bytes, lines_ / (4 * threads)), 1, lines_);
    const int64_t tasks = (lines_ + each - 1) / each, work = each * line_work * pass_.made * pass_.groups;
    parallel_for(tasks, grain(kWorthATask, work), [&](int64_t begin, int64_t end) {
      const int64_t chunk = resident_panels();
      for (int64_t task = begin; task < end; ++task)
        for (int64_t p = 0; p < panels; p += chunk)
          multiply(task * each, std::min(lines_, (task + 1) * each), p, std::min(panels, p + chunk),
                   all + p * panel_size_);
    });
  }

 private:
  static int64_t grain(int64_t worth, int64_t work) { return std::max<int64_t>(1, worth / std::max<int64_t>(1, work)); }

  int64_t resident_panels() const {
    const int64_t bytes = panel_size_ * static_cast<int64_t>(sizeof(T));
    return std::max<int64_t>(1, kResidentWeights / std::max<int64_t>(1, bytes));
  }

  void pack(int64_t panel, T* to) const {
    const int64_t first = panel % group_panels_ * kColumns;
    pack_panel(weights_, panel / group_panels_, first, std::min(kColumns, pass_.made - first), pass_.seen, to);
  }

  // Offsets of the taps from a pixel's first, in memory with these strides.
  std::vector<int64_t> taps_of(int64_t plane, int64_t row) const {
    std::vector<int64_t> taps;
    for (const Tap& a : pass_.taps[0])
      for (const Tap& b : pass_.taps[1])
        for (int64_t c = 0; c < (merged_ ? 1 : line_taps_); ++c)
          taps.push_back((a.offset - low_[0]) * plane + (b.offset - low_[1]) * row +
                         (pass_.taps[2][static_cast<size_t>(c)].offset - low_[2]) * pass_.in.channels);
    return taps;
  }

  // The taps of `lines` that are inside of the image at row `at`; only where there is one plane.
  void inside(int64_t at, int64_t& first, int64_t& end) const {
    const auto& lines = pass_.taps[1];
    first = 0;
    end = static_cast<int64_t>(lines.size());
    while (first < end && at + lines[static_cast<size_t>(first)].offset < 0) ++first;
    while (end > first && at + lines[static_cast<size_t>(end - 1)].offset >= pass_.in.size[1]) --end;
  }

  // Lines [first, last) by panels [p0, p1), which lie at `panels`.
  void multiply(int64_t first, int64_t last, int64_t p0, int64_t p1, const T* panels) const {
    const int64_t strips = (pass_.count[2] + kRows - 1) / kRows;  // of nearly equal width
    const int64_t in_image = pass_.in.size[0] * pass_.in.size[1] * row_, pixel = pass_.step[2] * pass_.in.channels;
    const bool one_plane = pass_.taps[0].size() == 1;
    const int64_t taps_in_line = merged_ ? 1 : line_taps_;
    PixelTile<T> tile{nullptr, 0, merged_ ? line_taps_ * pass_.seen : pass_.seen, pixel, pass_.stride[2]};
    for (int64_t line = first; line < last; ++line) {
      const int64_t y = line % pass_.count[1], z = line / pass_.count[1] % pass_.count[0];
      const int64_t n = line / pass_.count[1] / pass_.count[0];
      T* const out = pass_.out + n * pass_.image + z * pass_.stride[0] + y * pass_.stride[1];
      View<T> image = pass_.in;
      image.data += n * in_image;
      int64_t from[3] = {z * pass_.step[0] + low_[0], y * pass_.step[1] + low_[1], 0}, tap = 0;
      int64_t rows = tap_total_ ? static_cast<int64_t>(pass_.taps[1].size()) : 0, size[3] = {patch_[0], patch_[1], 0};
      if (one_plane && rows > 0) {
        int64_t end;
        inside(y * pass_.step[1], tap, end);
        rows = end - tap;
        if (rows > 0) {
          const auto offset = [&](int64_t k) { return pass_.taps[1][static_cast<size_t>(k)].offset; };
          from[1] += offset(tap) - low_[1];
          size[1] = offset(end - 1) - offset(tap) + 1;
        }
      }
      tile.tap_count = static_cast<int64_t>(pass_.taps[0].size()) * rows * taps_in_line;
      for (int64_t k = 0, x = 0; k < strips; ++k) {
        const int64_t next = (k + 1) * pass_.count[2] / strips;
        const T* at = image.data;
        if (tile.tap_count > 0) {
          from[2] = x * pass_.step[2] + low_[2];
          size[2] = (next - x - 1) * pass_.step[2] + reach_[2];
          const bool whole = inside_of(image, from, size);
          const auto& taps = whole ? in_place_ : in_patch_;
          tile.taps = taps.data() + tap * taps_in_line;
          at = (whole ? image.data + (from[0] * image.size[1] + from[1]) * row_ + from[2] * image.channels
                      : patch(image, from, size)) - *tile.taps;
        }
        const T* panel = panels + tap * line_taps_ * pass_.seen * kColumns;
        for (int64_t p = p0; p < p1; ++p, panel += panel_size_) {
          const int64_t group = p / group_panels_, j = p % group_panels_ * kColumns;
          const int64_t columns = std::min(kColumns, pass_.made - j);
          kTiles<T>.pixels[next - x][columns > Lanes<T>::kWidth ? 2 : 1](
              tile, at + group * pass_.seen, panel, out + x * pass_.stride[2] + group * pass_.made + j, columns);
        }
        x = next;
      }
    }
  }

  // The part of an image that a strip reads, zeros where it reaches beyond; rows have patch_[2] pixels.
  const T* patch(const View<T>& image, const int64_t (&from)[3], const int64_t (&size)[3]) const {
    const int64_t to_row = patch_[2] * image.channels;
    T* const memory = scratch<T>(0, patch_[0] * patch_[1] * to_row);
    const int64_t left = std::clamp<int64_t>(-from[2], 0, size[2]);
    const int64_t right = std::clamp<int64_t>(image.size[2] - from[2], left, size[2]);
    for (int64_t z = 0; z < size[0]; ++z)
      for (int64_t y = 0; y < size[1]; ++y)
        copy_padded(image, from[0] + z, from[1] + y, from[2], left, right, size[2],
                    memory + (z * patch_[1] + y) * to_row);
    return memory;
  }

  const Pass<T>& pass_;
  const Weights<T>& weights_;
  int64_t low_[3], reach_[3];
  int64_t lines_, group_panels_, line_taps_ = 0, tap_total_ = 0, panel_size_ = 0, row_ = 0;
  int64_t patch_[3] = {};
  bool merged_ = false;
  std::vector<int64_t> in_place_, in_patch_;
};

}  // namespace FL_ISA
}  // namespace footlight
