// The gradient of a 3x3 filter by winograd.h: at each of 16 points, the products of converted inputs and converted
// gradients are summed over all tiles, and the sums converted to taps at the end.
#include "kernels/cpu/winograd_tiles.h"

#include <atomic>

namespace footlight::FL_ISA {

namespace {

using namespace winograd_tiles;

// Tiles and blocks of output channels at once, so that what is converted of them stays in the L2 cache.
constexpr int64_t kTilesAtOnce = 64, kBlocksAtOnce = 16;
// If the sums of all threads have at most this many elements, each thread has its own sums.
constexpr int64_t kMaxElementsOfSums = int64_t{1} << 20;

class WinogradFilterGradient {
 public:
  WinogradFilterGradient(const Conv3x3Shape& shape, const float* in, const float* arriving, float* filter)
      : shape_(shape),
        in_(in),
        arriving_(arriving),
        filter_(filter),
        in_blocks_(pieces(shape.in_channels, kColumns)),
        out_blocks_(pieces(shape.out_channels, kColumns)),
        sums_row_(out_blocks_ * kColumns),
        sums_point_(shape.in_channels * sums_row_ + kGap) {}

  bool run() {
    const int64_t tiles = shape_.tiles();
    slots_ = std::clamp<int64_t>(kMaxElementsOfSums / (kPoints * shape_.in_channels * sums_row_), 1,
                                 std::min<int64_t>(pool_size(), pieces(tiles, 2 * kTilesAtOnce)));
    // As many tasks as there are threads, although sums are few: then each thread has some output channels.
    const int64_t groups = std::min(out_blocks_, std::max(pieces(out_blocks_, kBlocksAtOnce),
                                                          pieces(pool_size(), 4 * slots_)));
    const BufferPtr memory = memory_for(slots_ * kPoints * sums_point_);
    sums_ = static_cast<float*>(memory->data());
    parallel_for(4 * groups * slots_, 1, [&](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item) {
        const int64_t slot = item % slots_, group = item / slots_ % groups;
        const Part part{tiles * slot / slots_,
                        tiles * (slot + 1) / slots_,
                        out_blocks_ * group / groups,
                        out_blocks_ * (group + 1) / groups,
                        sums_ + (slot * kPoints + item / slots_ / groups * 4) * sums_point_};
        switch (item / slots_ / groups) {
          case 0: sum_products<0>(part); break;
          case 1: sum_products<1>(part); break;
          case 2: sum_products<2>(part); break;
          case 3: sum_products<3>(part); break;
        }
      }
    });
    parallel_for(shape_.in_channels, std::max<int64_t>(1, 4096 / shape_.out_channels), [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) finish_row(c);
    });
    return finite_;
  }

 private:
  // Tiles and blocks of output channels of one task, and the sums of its first point.
  struct Part {
    int64_t first, last, block, end;
    float* sums;
  };

  // Sets the sums of a part at points 4 * i to 4 * i + 3.
  template <int i>
  void sum_products(const Part& part) const {
    const int64_t most = std::min(kTilesAtOnce, part.last - part.first), blocks = part.end - part.block;
    const Points inputs{in_blocks_ * most * kColumns + kGap, most * kColumns};
    const Points gradients{blocks * most * kColumns + kGap, most * kColumns};
    float* const converted = scratch<float>(1, 4 * inputs.point);
    float* const arriving = scratch<float>(2, 4 * gradients.point);
    for (int64_t t = part.first; t < part.last; t += most) {
      const int64_t count = std::min(most, part.last - t);
      for (int64_t k = 0; k < count; ++k) {
        with_inputs(shape_, in_, t + k, [&](const float* from, int64_t row) {
          convert_tile<i>(from, row, shape_.in_channels, converted + k * kColumns, inputs);
        });
        convert_gradients<i>(part, t + k, arriving + k * kColumns, gradients);
      }
      for (int64_t k = 0; k < 4; ++k)
        for (int64_t b = part.block; b < part.end; ++b)
          multiply(count, converted + k * inputs.point, inputs.block,
                   arriving + k * gradients.point + (b - part.block) * gradients.block, b,
                   part.sums + k * sums_point_ + b * kColumns, t > part.first);
    }
  }

  template <int i>
  void convert_gradients(const Part& part, int64_t tile, float* to, const Points& points) const {
    const TilePosition at = place_of(shape_, tile);
    const int64_t first = part.block * kColumns;
    const int64_t channels = std::min(part.end * kColumns, shape_.out_channels) - first;
    with_pixels<2>(arriving_ + at.image * shape_.out_height * shape_.out_width * shape_.out_channels,
                   shape_.out_height, shape_.out_width, shape_.out_channels, 2 * at.y, 2 * at.x,
                   [&](const float* from, int64_t row) {
                     convert_pixels<i>(from + first, row, channels, shape_.out_channels, to, points);
                   });
  }

  // Sets or adds the products of all input channels by a block of output channels, at one point.
  void multiply(int64_t tiles, const float* inputs, int64_t input_block, const float* gradients, int64_t block,
                float* sums, bool add) const {
    const int vectors = shape_.out_channels - block * kColumns > kWidth ? 2 : 1;
    const FilterTile<float> tile{1, tiles, 0, kColumns, 0, kColumns, sums_row_, add};
    for (int64_t b = 0; b < in_blocks_; ++b) {
      const int64_t channels = std::min(kColumns, shape_.in_channels - b * kColumns);
      const int64_t strips = pieces(channels, kRows);
      for (int64_t s = 0, r = 0; s < strips; ++s) {
        const int64_t next = (s + 1) * channels / strips;
        kTiles<float>.filter[next - r][vectors](tile, inputs + b * input_block + r, gradients,
                                                sums + (b * kColumns + r) * sums_row_);
        r = next;
      }
    }
  }

  // The taps G^T s G of one input channel.
  void finish_row(int64_t channel) {
    const int64_t step = shape_.in_channels * shape_.out_channels;
    float* const to = filter_ + channel * shape_.out_channels;
    V check{};
    for (int64_t j = 0; j < shape_.out_channels; j += kWidth) {
      const float* const from = sums_ + channel * sums_row_ + j;
      const auto point = [&](int64_t k) {
        V sum = load(from + k * sums_point_);
        for (int64_t slot = 1; slot < slots_; ++slot) sum += load(from + (slot * kPoints + k) * sums_point_);
        return sum;
      };
      V down[3][4];
#pragma GCC unroll 4
      for (int64_t x = 0; x < 4; ++x) {
        const V second = point(4 + x), third = point(8 + x), half = (second + third) * 0.5f;
        down[0][x] = point(x) + half;
        down[1][x] = (second - third) * 0.5f;
        down[2][x] = half + point(12 + x);
      }
#pragma GCC unroll 3
      for (int64_t i = 0; i < 3; ++i) {
        const V half = (down[i][1] + down[i][2]) * 0.5f;
        const V a = down[i][0] + half, b = (down[i][1] - down[i][2]) * 0.5f, z = half + down[i][3];
        check += (a + b + z) * 0.f;
        store(to + 3 * i * step + j, a);
        store(to + (3 * i + 1) * step + j, b);
        store(to + (3 * i + 2) * step + j, z);
      }
    }
    if (!is_zero(check)) finite_.store(false, std::memory_order_relaxed);
  }

  const Conv3x3Shape& shape_;
  const float* const in_;
  const float* const arriving_;
  float* const filter_;
  const int64_t in_blocks_, out_blocks_, sums_row_, sums_point_;
  int64_t slots_ = 1;
  float* sums_ = nullptr;
  std::atomic<bool> finite_{true};
};

}  // namespace

bool winograd_filter_gradient(const Conv3x3Shape& shape, const float* in, const float* arriving, float* filter) {
  return WinogradFilterGradient(shape, in, arriving, filter).run();
}

}  // namespace footlight::FL_ISA
