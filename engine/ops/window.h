// The window geometry of convolutions and poolings: their attributes parsed and checked, paddings and output sizes.
// Computed in one place, for the shape rules of rows and for kernels.
#pragma once

#include "engine/ops/row.h"

namespace footlight {

enum class Padding : uint8_t { kValid, kSame, kExplicit };

// The attributes of one op, for its 2 or 3 spatial dimensions.
struct WindowAttrs {
  int spatial = 2;
  bool channels_first = false;
  Padding padding = Padding::kValid;
  int64_t stride[3] = {1, 1, 1};
  int64_t dilation[3] = {1, 1, 1};
  int64_t before[3] = {};  // explicit paddings
  int64_t after[3] = {};
  int64_t size[3] = {1, 1, 1};  // `ksize` of a pooling
  int64_t channel_size = 1;     // a pooling may cover channels too
  int64_t channel_stride = 1;

  int rank() const { return spatial + 2; }
  int channel_axis() const { return channels_first ? 1 : spatial + 1; }
  int axis(int d) const { return channels_first ? d + 2 : d + 1; }
};

// One spatial dimension of an op: `in` elements, and `out` windows of `size` elements. kUnknownDim where not known.
struct Window {
  int64_t in = 1, size = 1, stride = 1, dilation = 1, before = 0, after = 0, out = 1;
  int64_t reach() const { return (size - 1) * dilation + 1; }
};

// Reads strides, dilations (or rates), ksize, padding, explicit_paddings and data_format; throws kInvalidArgument
// that names the op and the attribute. `spatial`: 2 or 3.
WindowAttrs window_attrs(const OpRow&, const Attrs&, int spatial);
Window window(const OpRow&, const WindowAttrs&, int d, int64_t in, int64_t size);

// A convolution as far as it is known; 2 spatial dimensions are the last two of three.
struct Convolution {
  WindowAttrs attrs;
  int64_t batch = 1;
  int64_t in_channels = 1;   // channels of the whole input
  int64_t out_channels = 1;  // channels of the whole output
  int64_t groups = 1;        // each reads in_channels / groups of the input and computes out_channels / groups
  Window d, h, w;
};
// Computed from the shapes of input and filter, which may be partly unknown; checks that they fit.
Convolution convolution(const OpRow&, const Attrs&, int spatial, bool depthwise, const Shape& input,
                        const Shape& filter);
// The shape of its output.
Shape output_shape(const Convolution&);

}  // namespace footlight
