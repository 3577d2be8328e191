// One pass of a convolution over its output: lines of pixels by panels of packed weights. Images are read in place;
// a strip of a line that reaches beyond its image gets a copy padded with zeros.
#pragma once

#include "kernels/cpu/conv_tile.h"
#include "kernels/cpu/images.h"

#include <vector>

namespace footlight::FL_ISA {

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
  View<T> in;  // view of the first image
  int64_t step[3];
  std::vector<Tap> taps[3];
  int64_t groups, group_in, group_out;  // groups; channels of the input and of the output in each
  T* out;                      // output of the first image and pixel
  int64_t count[3];            // pixels
  int64_t stride[3];           // elements between them
  int64_t image;               // elements between images
};

// The beginning of each tap's weights, group by group; channel c and column j are at c * channel + j * column, where
// one of the two strides is 1.
template <class T>
struct Weights {
  std::vector<std::vector<const T*>> starts;  // indexed by group
  int64_t channel, column;
};

// A panel holds kColumns outputs of a group: tap, channel, column. Missing columns are zeros.
template <class T>
void pack_panel(const Weights<T>& weights, int64_t group, int64_t first, int64_t columns, int64_t group_in, T* to) {
  constexpr int64_t kColumns = Lanes<T>::kColumns;
  for (const T* start : weights.starts[static_cast<size_t>(group)]) {
    const T* from = start + first * weights.column;
    if (columns < kColumns) std::fill(to, to + group_in * kColumns, T(0));
    if (weights.column == 1 && columns == kColumns) {
      for (int64_t c = 0; c < group_in; ++c)
        std::memcpy(to + c * kColumns, from + c * weights.channel, kColumns * sizeof(T));
    } else if (weights.column == 1) {
      for (int64_t c = 0; c < group_in; ++c)
        std::memcpy(to + c * kColumns, from + c * weights.channel, static_cast<size_t>(columns) * sizeof(T));
    } else {
      constexpr int64_t kTile = 16;
      for (int64_t c0 = 0; c0 < group_in; c0 += kTile)
        for (int64_t j = 0; j < columns; ++j)
          for (int64_t c = c0; c < std::min(group_in, c0 + kTile); ++c)
            to[c * kColumns + j] = from[c * weights.channel + j * weights.column];
    }
    to += group_in * kColumns;
  }
}

// Bytes of one panel that a block of taps may take (of the L1 cache), of panels that a thread keeps in the L2 cache,
// and of images that are kept there meanwhile.
constexpr int64_t kInnerWeights = 64 << 10, kResidentWeights = 192 << 10, kResidentImages = 256 << 10;
// With at most this many pixels, packing all weights before the first product would cost too much: each thread then
// packs the panels that only it multiplies with.
constexpr int64_t kMaxPixelsOfOwnPanels = 2048;

// One pass over the output: segments of lines by panels of channels by blocks of taps. Lines are read where they lie; a
// segment that reaches beyond the image is copied with zeros around it.
template <class T>
class PassRunner {
  static constexpr int64_t kColumns = Lanes<T>::kColumns;
  static constexpr int64_t kRows = Lanes<T>::kRows;

 public:
  PassRunner(const Pass<T>& pass, int64_t batch, const Weights<T>& weights)
      : pass_(pass), weights_(weights), in_(pass.in), batch_(batch) {
    bool empty = false;
    for (int d = 0; d < 3; ++d) {
      empty |= pass.taps[d].empty();
      low_[d] = empty ? 0 : pass.taps[d].front().offset;
      reach_[d] = empty ? 1 : pass.taps[d].back().offset - low_[d] + 1;
    }
    lines_ = batch * pass.count[0] * pass.count[1];
    group_panels_ = pieces(pass.group_out, kColumns);
    if (!empty) {
      line_taps_ = static_cast<int64_t>(pass.taps[2].size());
      tap_rows_ = static_cast<int64_t>(pass.taps[0].size() * pass.taps[1].size());
    }
    // Adjacent taps along the width with contiguous channels are one run.
    const bool merged = pass.groups == 1 && reach_[2] == line_taps_;
    runs_ = merged ? std::min<int64_t>(1, line_taps_) : line_taps_;
    run_ = merged ? line_taps_ * pass.group_in : pass.group_in;
    panel_size_ = tap_rows_ * runs_ * run_ * kColumns;
    divide_taps();
  }

  void run() {
    const int64_t panels = pass_.groups * group_panels_, threads = pool_size();
    const int64_t line_work = pass_.count[2] * tap_rows_ * line_taps_ * pass_.group_in;
    constexpr int64_t kWorthATask = 100000;
    if (lines_ * pass_.count[2] <= kMaxPixelsOfOwnPanels && panels >= 2 * threads) {
      const BufferPtr padded = pad_images();
      divide_lines(1);
      parallel_for(panels, grain(kWorthATask, lines_ * line_work * kColumns), [&](int64_t begin, int64_t end) {
        const int64_t chunk = std::min(end - begin, resident_panels());
        T* const own = scratch<T>(1, chunk * panel_size_);
        for (int64_t p = begin; p < end; p += chunk) {
          const int64_t last = std::min(end, p + chunk);
          for (int64_t k = p; k < last; ++k) pack(k, own + (k - p) * panel_size_);
          for (int64_t s = 0; s < segments(); ++s) multiply(segment(s), p, last, own);
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
    divide_lines(4 * threads);
    const int64_t work = lines_ * line_work * pass_.group_out * pass_.groups / segments();
    parallel_for(segments(), grain(kWorthATask, work), [&](int64_t begin, int64_t end) {
      for (int64_t s = begin; s < end; ++s) multiply(segment(s), 0, panels, all);
    });
  }

 private:
  // A part of a panel of at most kInnerWeights: whole rows of taps, or where one row is larger, some runs of a row or a
  // part of one run.
  struct Block {
    int64_t row = 0, rows = 0;      // range of taps
    int64_t run = 0, runs = 0;      // range of runs in each row
    int64_t offset = 0, count = 0;  // within each run
  };
  // Lines [y0, y1) of an image, of their pixels [x0, x1).
  struct Segment {
    int64_t n, z, y0, y1, x0, x1;
  };

  static int64_t grain(int64_t worth, int64_t work) { return std::max<int64_t>(1, worth / std::max<int64_t>(1, work)); }

  int64_t resident_panels() const {
    const int64_t bytes = panel_size_ * static_cast<int64_t>(sizeof(T));
    return std::max<int64_t>(1, kResidentWeights / std::max<int64_t>(1, bytes));
  }

  void divide_taps() {
    constexpr int64_t kMax = kInnerWeights / kColumns / static_cast<int64_t>(sizeof(T));
    if (tap_rows_ == 0) {
      blocks_.push_back({});
    } else if (runs_ * run_ <= kMax) {
      const int64_t parts = pieces(tap_rows_, std::max<int64_t>(1, kMax / (runs_ * run_)));
      for (int64_t k = 0; k < parts; ++k) {
        const int64_t row = tap_rows_ * k / parts;
        blocks_.push_back({row, tap_rows_ * (k + 1) / parts - row, 0, runs_, 0, run_});
      }
    } else {
      const int64_t together = std::max<int64_t>(1, kMax / run_), parts = pieces(run_, kMax);
      for (int64_t row = 0; row < tap_rows_; ++row)
        for (int64_t r = 0; r < runs_; r += together)
          for (int64_t k = 0; k < parts; ++k) {
            const int64_t at = run_ * k / parts;
            blocks_.push_back({row, 1, r, std::min(together, runs_ - r), at, run_ * (k + 1) / parts - at});
          }
    }
  }

  // Segments that stay in the L2 cache, at least `wanted` of them if there are enough pixels.
  void divide_lines(int64_t wanted) {
    const int64_t row = in_.size[2] * in_.channels;
    const int64_t out_row = pass_.count[2] * pass_.group_out * pass_.groups;
    const int64_t bytes = (pass_.step[1] * row + out_row) * static_cast<int64_t>(sizeof(T));
    lines_per_segment_ = std::clamp<int64_t>(std::min(kResidentImages / bytes, lines_ / wanted), 1, pass_.count[1]);
    line_parts_ = std::max(pieces(bytes, kResidentImages), lines_per_segment_ > 1 ? 1 : pieces(wanted, lines_));
    line_parts_ = std::clamp<int64_t>(line_parts_, 1, pieces(pass_.count[2], 4 * kRows));
    image_parts_ = pieces(pass_.count[1], lines_per_segment_);
    tap_offsets_in_image_ = taps_of(in_.size[1] * row, row);
    slab_row_ = ((pieces(pass_.count[2], line_parts_) - 1) * pass_.step[2] + reach_[2]) * in_.channels;
    slab_rows_ = (lines_per_segment_ - 1) * pass_.step[1] + reach_[1];
    tap_offsets_in_slab_ = taps_of(slab_rows_ * slab_row_, slab_row_);
  }

  int64_t segments() const { return batch_ * pass_.count[0] * image_parts_ * line_parts_; }
  Segment segment(int64_t s) const {
    const int64_t part = s % line_parts_, lines = s / line_parts_ % image_parts_;
    const int64_t plane = s / line_parts_ / image_parts_;
    return {plane / pass_.count[0],
            plane % pass_.count[0],
            pass_.count[1] * lines / image_parts_,
            pass_.count[1] * (lines + 1) / image_parts_,
            pass_.count[2] * part / line_parts_,
            pass_.count[2] * (part + 1) / line_parts_};
  }

  void pack(int64_t panel, T* to) const {
    const int64_t first = panel % group_panels_ * kColumns;
    pack_panel(weights_, panel / group_panels_, first, std::min(kColumns, pass_.group_out - first), pass_.group_in, to);
  }

  // Offsets of the runs from a pixel's first tap, in memory with these strides.
  std::vector<int64_t> taps_of(int64_t plane, int64_t row) const {
    std::vector<int64_t> taps;
    if (tap_rows_ == 0) return taps;
    for (const Tap& a : pass_.taps[0])
      for (const Tap& b : pass_.taps[1])
        for (int64_t c = 0; c < runs_; ++c)
          taps.push_back((a.offset - low_[0]) * plane + (b.offset - low_[1]) * row +
                         (pass_.taps[2][static_cast<size_t>(c)].offset - low_[2]) * in_.channels);
    return taps;
  }

  // The rows of taps that are inside of the image for line y; only where there is one plane.
  void inside(int64_t y, int64_t& first, int64_t& end) const {
    const auto& rows = pass_.taps[1];
    first = 0;
    end = tap_rows_;
    if (pass_.taps[0].size() != 1) return;
    const int64_t at = y * pass_.step[1];
    while (first < end && at + rows[static_cast<size_t>(first)].offset < 0) ++first;
    while (end > first && at + rows[static_cast<size_t>(end - 1)].offset >= pass_.in.size[1]) --end;
  }

  // Copies all images with zeros around them, if any pixel reaches beyond: then all are read in place.
  BufferPtr pad_images() {
    int64_t size[3];
    bool reaches_beyond = false;
    for (int d = 0; d < 3; ++d) {
      size[d] = (pass_.count[d] - 1) * pass_.step[d] + reach_[d];
      reaches_beyond |= low_[d] < 0 || low_[d] + size[d] > in_.size[d];
    }
    if (!reaches_beyond || tap_rows_ == 0) return {};
    const int64_t lines = size[0] * size[1], row = size[2] * in_.channels;
    const BufferPtr memory = allocate_buffer(Device::cpu(), static_cast<size_t>(batch_ * lines * row) * sizeof(T) + 64);
    T* const to = static_cast<T*>(memory->data());
    parallel_for(batch_ * lines, grain(65536, row), [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        View<T> image = pass_.in;
        image.data += k / lines * image.size[0] * image.size[1] * image.size[2] * image.channels;
        copy_line(image, k % lines / size[1] + low_[0], k % size[1] + low_[1], low_[2], size[2], to + k * row);
      }
    });
    in_ = {to, {size[0], size[1], size[2]}, in_.channels};
    is_padded_ = true;
    return memory;
  }

  // `count` pixels of line (z, y) from x on, zeros outside of the image.
  static void copy_line(const View<T>& image, int64_t z, int64_t y, int64_t x, int64_t count, T* to) {
    const int64_t left = std::clamp<int64_t>(-x, 0, count);
    copy_padded(image, z, y, x, left, std::clamp<int64_t>(image.size[2] - x, left, count), count, to);
  }

  // A segment by panels [p0, p1), which lie at `panels`.
  void multiply(const Segment& s, int64_t p0, int64_t p1, const T* panels) const {
    View<T> image = in_;
    image.data += s.n * image.size[0] * image.size[1] * image.size[2] * image.channels;
    const int64_t first[3] = {s.z, s.y0, s.x0};
    int64_t from[3];
    for (int d = 0; d < 3; ++d) from[d] = first[d] * pass_.step[d] + (is_padded_ ? 0 : low_[d]);
    const int64_t size[3] = {reach_[0], (s.y1 - s.y0 - 1) * pass_.step[1] + reach_[1],
                             (s.x1 - s.x0 - 1) * pass_.step[2] + reach_[2]};
    int64_t row = image.size[2] * image.channels;
    const int64_t* taps = tap_offsets_in_image_.data();
    const T* at = image.data;
    if (tap_rows_ > 0 && inside_of(image, from, size)) {
      at += (from[0] * image.size[1] + from[1]) * row + from[2] * image.channels;
    } else if (tap_rows_ > 0) {
      T* const slab = scratch<T>(0, reach_[0] * slab_rows_ * slab_row_);
      for (int64_t z = 0; z < size[0]; ++z)
        for (int64_t y = 0; y < size[1]; ++y)
          copy_line(image, from[0] + z, from[1] + y, from[2], size[2], slab + (z * slab_rows_ + y) * slab_row_);
      at = slab;
      row = slab_row_;
      taps = tap_offsets_in_slab_.data();
    }
    T* const out = pass_.out + s.n * pass_.image + s.z * pass_.stride[0] + s.x0 * pass_.stride[2];
    // With several blocks of taps, all lines are multiplied by one block before the next. With a single block, several
    // panels are multiplied at once, so that the outputs of a pixel are written together.
    const int64_t together = blocks_.size() == 1 ? resident_panels() : 1;
    for (int64_t p = p0; p < p1; p += together)
      for (const Block& block : blocks_)
        for (int64_t y = s.y0; y < s.y1; ++y)
          multiply_line(block, y, s.x1 - s.x0, taps, at + (y - s.y0) * pass_.step[1] * row, p,
                        std::min(p1, p + together), panels + (p - p0) * panel_size_, out + y * pass_.stride[1]);
  }

  // Sets or adds a block of taps for `width` pixels of line y.
  void multiply_line(const Block& block, int64_t y, int64_t width, const int64_t* taps, const T* at, int64_t p0,
                     int64_t p1, const T* panels, T* out) const {
    int64_t first, end;
    inside(y, first, end);
    const bool none = first >= end;  // no tap is inside, so the pixels are zero
    const int64_t row = std::max(first, block.row), rows = std::min(end, block.row + block.rows) - row;
    if (none ? block.row + block.run + block.offset > 0 : rows <= 0) return;
    PixelTile<T> tile{nullptr, 0, block.count, pass_.step[2] * in_.channels, pass_.stride[2], false};
    if (!none) {
      tile.taps = taps + row * runs_ + block.run;
      tile.tap_count = rows * block.runs;
      tile.add = row > first || block.run > 0 || block.offset > 0;
      panels += ((row * runs_ + block.run) * run_ + block.offset) * kColumns;
      at += block.offset;
    }
    // The pixels of a single tap are read once for all panels: those of the next strip are fetched meanwhile.
    const bool single = tile.tap_count == 1 && in_.channels == block.count;
    constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(T));
    const int64_t strips = pieces(width, kRows);  // strips of nearly equal width
    for (int64_t k = 0, x = 0; k < strips; ++k) {
      const int64_t next = (k + 1) * width / strips;
      const T* panel = panels;
      const T* const ahead = at + next * tile.pixel;
      const int64_t ahead_end = single && k + 1 < strips ? ((k + 2) * width / strips - next) * tile.pixel : 0;
      int64_t fetched = 0;
      for (int64_t p = p0; p < p1; ++p, panel += panel_size_) {
        for (const int64_t until = ahead_end * (p + 1 - p0) / (p1 - p0); fetched < until; fetched += kLine)
          __builtin_prefetch(ahead + fetched);
        const int64_t group = p / group_panels_, j = p % group_panels_ * kColumns;
        const int64_t columns = std::min(kColumns, pass_.group_out - j);
        kTiles<T>.pixels[next - x][columns > Lanes<T>::kWidth ? 2 : 1](
            tile, at + x * tile.pixel + group * pass_.group_in, panel,
            out + x * tile.out_pixel + group * pass_.group_out + j, columns);
      }
      x = next;
    }
  }

  const Pass<T>& pass_;
  const Weights<T>& weights_;
  View<T> in_;  // the images, or their copy with zeros around them
  bool is_padded_ = false;
  int64_t batch_, low_[3], reach_[3];
  int64_t lines_, group_panels_, line_taps_ = 0, tap_rows_ = 0, panel_size_ = 0;
  int64_t runs_ = 0, run_ = 0;  // runs of weights in a row of taps, and weights of each
  int64_t lines_per_segment_ = 1, line_parts_ = 1, image_parts_ = 1, slab_row_ = 0, slab_rows_ = 0;
  std::vector<Block> blocks_;
  std::vector<int64_t> tap_offsets_in_image_, tap_offsets_in_slab_;
};

}  // namespace footlight::FL_ISA
