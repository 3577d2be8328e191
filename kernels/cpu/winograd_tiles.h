// How winograd.h converts: tiles of images to 16 points, and back.
#pragma once

#include "kernels/cpu/conv_tile.h"
#include "kernels/cpu/images.h"
#include "kernels/cpu/winograd.h"

namespace footlight::FL_ISA {
namespace winograd_tiles {

using V = Vector<float>;
inline constexpr int64_t kWidth = Lanes<float>::kWidth;
inline constexpr int64_t kColumns = Lanes<float>::kColumns;
inline constexpr int64_t kRows = Lanes<float>::kRows;
inline constexpr int64_t kPoints = 16;
// Points lie a cache line further apart than they are long, so that they do not map to the same cache sets.
inline constexpr int64_t kGap = 16;

// Positions of a tile's points: channel c of point k is at k * point + c / kColumns * block + c % kColumns.
struct Points {
  int64_t point, block;
};

// Points 4 * i to 4 * i + 3 of B^T d B, where pixel (y, x) of d is at y * row + x * channels.
template <int i>
void convert_tile(const float* from, int64_t row, int64_t channels, float* to, const Points& points) {
  for (int64_t c = 0; c < channels; c += kWidth) {
    V t[4];
#pragma GCC unroll 4
    for (int64_t x = 0; x < 4; ++x) {
      const auto at = [&](int64_t y) { return load(from + c + y * row + x * channels); };
      if constexpr (i == 0) t[x] = at(0) - at(2);
      else if constexpr (i == 1) t[x] = at(1) + at(2);
      else if constexpr (i == 2) t[x] = at(2) - at(1);
      else t[x] = at(1) - at(3);
    }
    float* const block = to + c / kColumns * points.block + c % kColumns;
    store(block, t[0] - t[2]);
    store(block + points.point, t[1] + t[2]);
    store(block + 2 * points.point, t[2] - t[1]);
    store(block + 3 * points.point, t[1] - t[3]);
  }
}

// The same points of A d A^T for 2x2 pixels.
template <int i>
void convert_pixels(const float* from, int64_t row, int64_t channels, int64_t step, float* to, const Points& points) {
  for (int64_t c = 0; c < channels; c += kWidth) {
    const auto across = [&](int64_t x) {
      const float* const at = from + c + x * step;
      if constexpr (i == 0) return load(at);
      else if constexpr (i == 1) return load(at) + load(at + row);
      else if constexpr (i == 2) return load(at) - load(at + row);
      else return -load(at + row);
    };
    const V left = across(0), right = across(1);
    float* const block = to + c / kColumns * points.block + c % kColumns;
    store(block, left);
    store(block + points.point, left + right);
    store(block + 2 * points.point, left - right);
    store(block + 3 * points.point, -right);
  }
}

// Calls body(first element of size x size pixels, elements between their rows) for the pixels from (y, x) on of an
// image, all their channels. Those that reach beyond the image are copied, zeros outside.
template <int64_t size, class Body>
void with_pixels(const float* image, int64_t height, int64_t width, int64_t channels, int64_t y, int64_t x,
                 Body&& body) {
  const int64_t line = width * channels;
  if (x >= 0 && y >= 0 && x + size <= width && y + size <= height) {
    body(image + y * line + x * channels, line);
    return;
  }
  float* const padded = scratch<float>(0, size * size * channels);
  for (int64_t k = 0; k < size * size; ++k) {
    const int64_t at_y = y + k / size, at_x = x + k % size;
    const bool inside = at_y >= 0 && at_x >= 0 && at_y < height && at_x < width;
    if (inside) std::copy_n(image + at_y * line + at_x * channels, channels, padded + k * channels);
    else std::fill_n(padded + k * channels, channels, 0.f);
  }
  body(padded, size * channels);
}

// The image of a tile and its place in it, in tiles.
struct TilePosition {
  int64_t image, y, x;
};
inline TilePosition place_of(const Conv3x3Shape& shape, int64_t tile) {
  const int64_t row = tile / shape.tile_columns();
  return {row / shape.tile_rows(), row % shape.tile_rows(), tile % shape.tile_columns()};
}

// Calls body(first element, elements between rows) for the 4x4 inputs of a tile.
template <class Body>
void with_inputs(const Conv3x3Shape& shape, const float* in, int64_t tile, Body&& body) {
  const TilePosition at = place_of(shape, tile);
  with_pixels<4>(in + at.image * shape.in_height * shape.in_width * shape.in_channels, shape.in_height, shape.in_width,
                 shape.in_channels, 2 * at.y - shape.before_y, 2 * at.x - shape.before_x, body);
}

// Zero if all of a vector times zero is.
inline bool is_zero(const V& v) {
  float sum = 0;
  for (int64_t k = 0; k < kWidth; ++k) sum += v[k];
  return sum == 0.f;
}

inline BufferPtr memory_for(int64_t elements) {
  return allocate_buffer(Device::cpu(), static_cast<size_t>(elements) * sizeof(float) + 64);
}

}  // namespace winograd_tiles
}  // namespace footlight::FL_ISA
