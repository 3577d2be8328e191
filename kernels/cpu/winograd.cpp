// Convolutions of winograd.h: tiles of 4x4 pixels and filters are converted to 16 points, multiplied at each of these,
// and the sums converted back to 2x2 pixels.
#include "kernels/cpu/winograd_tiles.h"

#include <atomic>

namespace footlight::FL_ISA {

namespace {

using namespace winograd_tiles;

// Tiles and panels of output channels that are multiplied at once, so that their sums stay in the L2 cache.
constexpr int64_t kTilesAtOnce = 48, kPanelsAtOnce = 32;
// If all converted tiles have at most this many elements, threads divide the filters instead of the tiles.
constexpr int64_t kMaxSharedElements = int64_t{1} << 20;

// to[k] = (G g G^T)[k] for a panel of output channels; rows of a tap's matrix are `row` apart.
void convert_filter(const float* const (&taps)[9], int64_t row, int64_t channels, int64_t columns, float* to,
                    int64_t point) {
  for (int64_t c = 0; c < channels; ++c) {
    // Rows are far apart, and nine streams of pieces of them are more than the processor follows.
    for (int k = 0; k < 9; ++k) __builtin_prefetch(taps[k] + std::min(c + 8, channels - 1) * row);
    for (int64_t j = 0; j < kColumns; j += kWidth) {
      float* const at = to + c * kColumns + j;
      if (j >= columns) {
        for (int64_t k = 0; k < kPoints; ++k) store(at + k * point, V{});
        continue;
      }
      V down[4][3];
#pragma GCC unroll 3
      for (int x = 0; x < 3; ++x) {
        const V a = load(taps[x] + c * row + j), b = load(taps[3 + x] + c * row + j);
        const V z = load(taps[6 + x] + c * row + j);
        const V half = (a + z) * 0.5f;
        down[0][x] = a;
        down[1][x] = half + b * 0.5f;
        down[2][x] = half - b * 0.5f;
        down[3][x] = z;
      }
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        const V half = (down[i][0] + down[i][2]) * 0.5f;
        store(at + 4 * i * point, down[i][0]);
        store(at + (4 * i + 1) * point, half + down[i][1] * 0.5f);
        store(at + (4 * i + 2) * point, half - down[i][1] * 0.5f);
        store(at + (4 * i + 3) * point, down[i][2]);
      }
    }
  }
}

class WinogradConvolution {
 public:
  WinogradConvolution(const Conv3x3Shape& shape, const float* in, const TapMatrices& matrices, float* out)
      : shape_(shape),
        in_(in),
        matrices_(matrices),
        out_(out),
        row_(shape.in_channels + kGap),
        panels_(pieces(shape.out_channels, kColumns)),
        filter_point_(shape.in_channels * kColumns + kGap),
        panel_(kPoints * filter_point_) {}

  bool run() {
    if (kPoints * shape_.tiles() * row_ <= kMaxSharedElements && panels_ >= 2 * pool_size()) run_over_filters();
    else run_over_tiles();
    return finite_;
  }

 private:
  Points points_of(int64_t tiles) const { return {tiles * row_ + kGap, kColumns}; }

  // All tiles are converted first; each thread then converts the panels of filters that it multiplies with.
  void run_over_filters() {
    const int64_t tiles = shape_.tiles();
    const Points points = points_of(tiles);
    const BufferPtr memory = memory_for(kPoints * points.point);
    float* const converted = static_cast<float*>(memory->data());
    parallel_for(tiles, std::max<int64_t>(1, 8192 / shape_.in_channels), [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) convert(t, converted + t * row_, points);
    });
    parallel_for(panels_, 1, [&](int64_t begin, int64_t end) {
      float* const filters = scratch<float>(1, panel_);
      const int64_t parts = (tiles + 2 * kTilesAtOnce - 1) / (2 * kTilesAtOnce);
      for (int64_t p = begin; p < end; ++p) {
        convert_panel(p, filters);
        for (int64_t k = 0; k < parts; ++k) {
          const int64_t first = tiles * k / parts;
          multiply(first, tiles * (k + 1) / parts, converted + first * row_, points.point, p, p + 1, filters);
        }
      }
    });
  }

  // All filters are converted first; each thread then converts and multiplies some tiles.
  void run_over_tiles() {
    const BufferPtr memory = memory_for(panels_ * panel_);
    float* const filters = static_cast<float*>(memory->data());
    parallel_for(panels_, std::max<int64_t>(1, 16384 / panel_), [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) convert_panel(p, filters + p * panel_);
    });
    const int64_t tiles = shape_.tiles(), threads = pool_size();
    const int64_t tasks = pieces(tiles, kTilesAtOnce * threads) * threads;
    parallel_for(tasks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        const int64_t first = tiles * task / tasks, last = tiles * (task + 1) / tasks;
        const Points points = points_of(last - first);
        float* const converted = scratch<float>(1, kPoints * points.point);
        for (int64_t t = first; t < last; ++t) convert(t, converted + (t - first) * row_, points);
        for (int64_t p = 0; p < panels_; p += kPanelsAtOnce)
          multiply(first, last, converted, points.point, p, std::min(panels_, p + kPanelsAtOnce), filters + p * panel_);
      }
    });
  }

  void convert(int64_t tile, float* to, const Points& points) const {
    with_inputs(shape_, in_, tile, [&](const float* from, int64_t row) {
      convert_tile<0>(from, row, shape_.in_channels, to, points);
      convert_tile<1>(from, row, shape_.in_channels, to + 4 * points.point, points);
      convert_tile<2>(from, row, shape_.in_channels, to + 8 * points.point, points);
      convert_tile<3>(from, row, shape_.in_channels, to + 12 * points.point, points);
    });
  }

  void convert_panel(int64_t panel, float* to) const {
    const int64_t first = panel * kColumns, columns = std::min(kColumns, shape_.out_channels - first);
    const float* taps[9];
    for (int k = 0; k < 9; ++k) taps[k] = matrices_.taps[k] + first * matrices_.out_step;
    int64_t row = matrices_.in_step;
    if (matrices_.out_step != 1) {
      row = kColumns;
      const int64_t one = shape_.in_channels * kColumns;
      float* const turned = scratch<float>(3, 9 * one);
      for (int k = 0; k < 9; ++k) {
        transpose_copy(taps[k], matrices_.out_step, turned + k * one, kColumns, columns, shape_.in_channels);
        taps[k] = turned + k * one;
      }
    }
    convert_filter(taps, row, shape_.in_channels, columns, to, filter_point_);
  }

  // The pixels of tiles [first, last) for the output channels of panels [p0, p1).
  void multiply(int64_t first, int64_t last, const float* converted, int64_t point, int64_t p0, int64_t p1,
                const float* filters) {
    const int64_t tiles = last - first, width = (p1 - p0) * kColumns, sums_point = tiles * width + kGap;
    float* const sums = scratch<float>(2, kPoints * sums_point);
    const int64_t tap = 0, strips = pieces(tiles, kRows);
    const PixelTile<float> tile{&tap, 1, shape_.in_channels, row_, width};
    for (int64_t k = 0; k < kPoints; ++k)
      for (int64_t p = p0; p < p1; ++p) {
        const float* const panel = filters + (p - p0) * panel_ + k * filter_point_;
        float* const to = sums + k * sums_point + (p - p0) * kColumns;
        for (int64_t s = 0, r = 0; s < strips; ++s) {
          const int64_t next = (s + 1) * tiles / strips;
          kTiles<float>.pixels[next - r][2](tile, converted + k * point + r * row_, panel, to + r * width, kColumns);
          r = next;
        }
      }
    const int64_t channel = p0 * kColumns, channels = std::min(width, shape_.out_channels - channel);
    for (int64_t t = first; t < last; ++t) finish_tile(t, sums + (t - first) * width, sums_point, channel, channels);
  }

  // The 2x2 pixels A^T m A of a tile, for `channels` channels from `channel` on.
  void finish_tile(int64_t tile, const float* sums, int64_t point, int64_t channel, int64_t channels) {
    const TilePosition at = place_of(shape_, tile);
    const int64_t x = 2 * at.x, y = 2 * at.y;
    float* const out =
        out_ + ((at.image * shape_.out_height + y) * shape_.out_width + x) * shape_.out_channels + channel;
    const int64_t right = x + 1 < shape_.out_width ? shape_.out_channels : 0;
    const int64_t below = y + 1 < shape_.out_height ? shape_.out_width * shape_.out_channels : 0;
    V check{};
    for (int64_t c = 0; c < channels; c += kWidth) {
      V upper[4], lower[4];
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        const float* const m = sums + c + j * point;
        const V second = load(m + 4 * point), third = load(m + 8 * point);
        upper[j] = load(m) + second + third;
        lower[j] = second - third - load(m + 12 * point);
      }
      const V a = upper[0] + upper[1] + upper[2], b = upper[1] - upper[2] - upper[3];
      const V d = lower[0] + lower[1] + lower[2], e = lower[1] - lower[2] - lower[3];
      check += (a + b + d + e) * 0.f;
      // Pixels beyond the image are written first, and then overwritten.
      store(out + c + below + right, e);
      store(out + c + below, d);
      store(out + c + right, b);
      store(out + c, a);
    }
    if (!is_zero(check)) finite_.store(false, std::memory_order_relaxed);
  }

  const Conv3x3Shape& shape_;
  const float* const in_;
  const TapMatrices& matrices_;
  float* const out_;
  const int64_t row_, panels_, filter_point_, panel_;
  std::atomic<bool> finite_{true};
};

}  // namespace

bool Conv3x3Shape::is_worth_converting() const {
  return in_channels % kWidth == 0 && out_channels % kWidth == 0 && in_channels >= 32 && out_channels >= 16 &&
         tiles() >= 12;
}

bool winograd_convolution(const Conv3x3Shape& shape, const float* in, const TapMatrices& matrices, float* out) {
  return WinogradConvolution(shape, in, matrices, out).run();
}

}  // namespace footlight::FL_ISA
