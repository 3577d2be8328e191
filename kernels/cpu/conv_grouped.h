// The filter gradient of a convolution with many groups of few channels. Those of one group would fill a part of
// a vector only; here a vector holds those of several groups, and a sum takes the same input channel of each group.
#pragma once

#include "kernels/cpu/conv_tile.h"
#include "kernels/cpu/images.h"

#include <utility>
#include <vector>

namespace footlight::FL_ISA {

class GroupedFilterGradient {
  using V = Lanes<float>::Vector;
  static constexpr int64_t kWidth = Lanes<float>::kWidth;
  static constexpr int kMaxTaps = 3;

 public:
  // Two or four channels per group, both of the input and of the output.
  static bool is_worthwhile(const Convolution& c) {
    const int64_t channels = c.groups > 0 ? c.in_channels / c.groups : 0;
    return (channels == 2 || channels == 4) && c.in_channels == c.out_channels && c.out_channels % kWidth == 0 &&
           c.d.in == 1 && c.d.size == 1 && c.d.out == 1;
  }

  GroupedFilterGradient(const Convolution& c, const float* in, const float* arriving, float* out)
      : c_(c), in_(in), arriving_(arriving), out_(out), channels_(c.in_channels / c.groups) {
    for (int64_t k = 0; k < c.w.size; ++k) columns_.push_back(outputs_of_tap(c.w, k));
  }

  void run() {
    constexpr int64_t kResident = 256 << 10, kWorthAThread = 100000;
    const int64_t line_bytes = (c_.w.in * c_.h.stride + c_.w.out) * c_.in_channels * int64_t{sizeof(float)};
    const int64_t lines = std::clamp<int64_t>(kResident / std::max<int64_t>(1, line_bytes), 1, c_.h.out);
    const int64_t parts = pieces(c_.h.out, lines), tasks = c_.batch * parts;
    const int64_t size = c_.h.size * c_.w.size * channels_ * c_.out_channels;
    const int64_t slots = std::clamp<int64_t>(c_.batch * c_.h.out * c_.w.out * size / kWorthAThread, 1,
                                              std::min<int64_t>(tasks, pool_size()));
    const BufferPtr memory = allocate_buffer(Device::cpu(), static_cast<size_t>(slots * size) * sizeof(float));
    float* const sums = static_cast<float*>(memory->data());
    parallel_for(slots, 1, [&](int64_t begin, int64_t end) {
      for (int64_t slot = begin; slot < end; ++slot) {
        std::fill(sums + slot * size, sums + (slot + 1) * size, 0.f);
        for (int64_t task = tasks * slot / slots; task < tasks * (slot + 1) / slots; ++task)
          add_lines(task / parts, c_.h.out * (task % parts) / parts, c_.h.out * (task % parts + 1) / parts,
                    sums + slot * size);
      }
    });
    std::copy(sums, sums + size, out_);
    for (int64_t slot = 1; slot < slots; ++slot)
      for (int64_t i = 0; i < size; ++i) out_[i] += sums[slot * size + i];
  }

 private:
  // Adds what output lines [begin, end) of image n contribute.
  void add_lines(int64_t n, int64_t begin, int64_t end, float* sums) const {
    const float* const image = in_ + n * c_.h.in * c_.w.in * c_.in_channels;
    const float* const arriving = arriving_ + n * c_.h.out * c_.w.out * c_.out_channels;
    for (int64_t channel = 0; channel < c_.out_channels; channel += kWidth)
      for (int64_t ky = 0; ky < c_.h.size; ++ky) {
        const TapRange inside = outputs_of_tap(c_.h, ky);
        const int64_t y0 = std::max(begin, inside.begin), y1 = std::min(end, inside.end);
        if (y0 >= y1) continue;
        const int64_t top = inside.input + (y0 - inside.begin) * c_.h.stride;
        const Lines lines{y1 - y0, image + top * c_.w.in * c_.in_channels + channel,
                          arriving + y0 * c_.w.out * c_.out_channels + channel};
        for (int64_t kx = 0; kx < c_.w.size;) {
          const int64_t taps = std::min<int64_t>(kMaxTaps, c_.w.size - kx);
          add_taps(lines, kx, taps, sums + (ky * c_.w.size + kx) * channels_ * c_.out_channels + channel);
          kx += taps;
        }
      }
  }

  struct Lines {
    int64_t count;
    const float* in;
    const float* arriving;
  };

  // Pixels that all taps reach are read once for all; the others are added tap by tap.
  void add_taps(const Lines& lines, int64_t first, int64_t count, float* sums) const {
    TapRange common = columns_[static_cast<size_t>(first)];
    for (int64_t k = first + 1; k < first + count; ++k) {
      common.begin = std::max(common.begin, columns_[static_cast<size_t>(k)].begin);
      common.end = std::min(common.end, columns_[static_cast<size_t>(k)].end);
    }
    if (common.begin < common.end) add_range(lines, first, count, common.begin, common.end, sums);
    for (int64_t k = first; k < first + count; ++k, sums += channels_ * c_.out_channels) {
      const TapRange& own = columns_[static_cast<size_t>(k)];
      const int64_t left = std::min(common.begin, own.end), right = std::max({common.end, common.begin, own.begin});
      if (own.begin < left) add_range(lines, k, 1, own.begin, left, sums);
      if (right < own.end) add_range(lines, k, 1, right, own.end, sums);
    }
  }

  void add_range(const Lines& lines, int64_t tap, int64_t taps, int64_t begin, int64_t end, float* sums) const {
    const int64_t column = begin * c_.w.stride + tap * c_.w.dilation - c_.w.before;
    const FilterTile<float> tile{lines.count,
                             end - begin,
                             c_.h.stride * c_.w.in * c_.in_channels,
                             c_.w.stride * c_.in_channels,
                             c_.w.out * c_.out_channels,
                             c_.out_channels,
                             c_.out_channels};
    const float* const in = lines.in + column * c_.in_channels;
    const float* const arriving = lines.arriving + begin * c_.out_channels;
    const auto add = [&]<int kChannels>(std::integral_constant<int, kChannels>) {
      if (taps == 1) add_tile<kChannels, 1>(tile, in, arriving, sums);
      else if (taps == 2) add_tile<kChannels, 2>(tile, in, arriving, sums);
      else add_tile<kChannels, 3>(tile, in, arriving, sums);
    };
    if (channels_ == 2) add(std::integral_constant<int, 2>());
    else add(std::integral_constant<int, 4>());
  }

  template <int kChannels, int kTaps>
  void add_tile(const FilterTile<float>& tile, const float* in, const float* arriving, float* to) const {
    const int64_t tap = c_.w.dilation * c_.in_channels;
    V sums[kTaps][kChannels];
#pragma GCC unroll 4
    for (int t = 0; t < kTaps; ++t)
#pragma GCC unroll 4
      for (int k = 0; k < kChannels; ++k)
        sums[t][k] = *reinterpret_cast<const V*>(to + (t * kChannels + k) * tile.sums_row);
    for (int64_t y = 0; y < tile.height; ++y) {
      const float* a = in + y * tile.in_row;
      const float* g = arriving + y * tile.row;
      for (int64_t x = 0; x < tile.width; ++x, a += tile.in_pixel, g += tile.pixel) {
        const V gradient = *reinterpret_cast<const V*>(g);
        const auto add_tap = [&]<int... kChannel>(int t, std::integer_sequence<int, kChannel...>) {
          const V pixel = *reinterpret_cast<const V*>(a + t * tap);
          ((sums[t][kChannel] += repeat_channel<kChannels, kChannel>(pixel) * gradient), ...);
        };
#pragma GCC unroll 4
        for (int t = 0; t < kTaps; ++t) add_tap(t, std::make_integer_sequence<int, kChannels>());
      }
    }
#pragma GCC unroll 4
    for (int t = 0; t < kTaps; ++t)
#pragma GCC unroll 4
      for (int k = 0; k < kChannels; ++k)
        *reinterpret_cast<V*>(to + (t * kChannels + k) * tile.sums_row) = sums[t][k];
  }

  // Each lane gets channel kChannel of its group.
  template <int kChannels, int kChannel>
  static V repeat_channel(V v) {
    return [&]<int... kLane>(std::integer_sequence<int, kLane...>) {
      return __builtin_shufflevector(v, v, (kLane / kChannels * kChannels + kChannel)...);
    }(std::make_integer_sequence<int, static_cast<int>(kWidth)>());
  }

  const Convolution& c_;
  const float* const in_;
  const float* const arriving_;
  float* const out_;
  const int64_t channels_;  // per group
  std::vector<TapRange> columns_;
};

}  // namespace footlight::FL_ISA
