// Convolutions of 3x3 taps and stride 1, and the gradients of their filters, by Winograd's F(2x2, 3x3): 16 products a
// pair of channels make four pixels, where taps one by one take 36. Images, filters and results are converted by sums
// and halves alone, so small whole numbers stay exact, and a pixel depends on no pixel that its taps do not see.
#pragma once

#include "kernels/cpu/register.h"

#include <cstdint>

namespace footlight::FL_ISA {

// Output pixel (y, x) of an image is the sum over taps (i, j) of input pixel (y + i - before_y, x + j - before_x), zero
// outside of the image, times the matrix [in_channels, out_channels] of that tap.
struct Conv3x3Shape {
  int64_t batch;
  int64_t in_height, in_width, in_channels;
  int64_t out_height, out_width, out_channels;
  int64_t before_y, before_x;

  int64_t tile_rows() const { return (out_height + 1) / 2; }
  int64_t tile_columns() const { return (out_width + 1) / 2; }
  int64_t tiles() const { return batch * tile_rows() * tile_columns(); }
  // Whether the channels fill whole vectors, and converting costs less than it saves.
  bool is_worth_converting() const;
};

// The matrices of the taps; `in_step` and `out_step` are the elements between their channels, one of them is 1.
struct TapMatrices {
  const float* taps[9];
  int64_t in_step, out_step;
};

// Both return false if a result is not finite; the caller must then sum tap by tap, since sums of infinite or nearly
// too large values may differ from that.
bool winograd_convolution(const Conv3x3Shape&, const float* in, const TapMatrices&, float* out);
bool winograd_filter_gradient(const Conv3x3Shape&, const float* in, const float* arriving, float* filter);

}  // namespace footlight::FL_ISA
