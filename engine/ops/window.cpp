// Parses the attributes of convolutions and poolings, and computes sizes and paddings.
#include "engine/ops/window.h"

#include "engine/ops/builder.h"
#include "engine/tensor/size.h"

#include <algorithm>

namespace footlight {

namespace {

const AttrName kExplicit{"explicit_paddings"};
const AttrName kBatchDims{"batch_dims"};  // only for the op that convolves any number of dimensions

// An attribute with one entry per dimension, split into the spatial ones and the channels'.
// Dilations and explicit paddings: kernels multiply places in a window and its padding by the sizes of images.
constexpr int64_t kLargest = (int64_t{1} << 31) - 1;

void per_dimension(const OpRow& row, const Attrs& attrs, AttrName name, const WindowAttrs& w, int64_t* spatial,
                   int64_t* channel) {
  const AttrValue* value = attrs.find(name);
  if (!value) return;
  const auto& list = std::get<std::vector<int64_t>>(*value);
  if (list.empty()) return;
  const auto rank = static_cast<size_t>(w.rank());
  if (list.size() != rank)
    invalid("the attribute '", name.text(), "' must have ", rank, " entries, one per dimension, it has ", list.size(),
            " [Op:", row.name, "]");
  const int64_t of_channels = list[static_cast<size_t>(w.channel_axis())];
  if (list[0] != 1 || (!channel && of_channels != 1))
    invalid("the attribute '", name.text(), "' must be 1 for the batch",
            channel ? "" : " and the depth: other values are not supported there", "; it is ", list[0], " and ",
            of_channels, " [Op:", row.name, "]");
  for (int d = 0; d < w.spatial; ++d) {
    spatial[d] = list[static_cast<size_t>(w.axis(d))];
    if (spatial[d] <= 0)
      invalid("the attribute '", name.text(), "' must be positive in every dimension, got ", spatial[d],
              " [Op:", row.name, "]");
  }
  if (channel) {
    *channel = of_channels;
    if (of_channels <= 0)
      invalid("the attribute '", name.text(), "' must be positive in every dimension, got ", of_channels,
              " [Op:", row.name, "]");
  }
}

std::string text_of(const Attrs& attrs, AttrName name, const char* otherwise) {
  const AttrValue* value = attrs.find(name);
  return value ? std::get<std::string>(*value) : otherwise;
}

bool has_attr(const OpRow& row, AttrName name) {
  for (const AttrSpec& spec : row.attrs)
    if (spec.key == name) return true;
  return false;
}

}  // namespace

WindowAttrs window_attrs(const OpRow& row, const Attrs& attrs, int spatial) {
  WindowAttrs w;
  w.spatial = spatial;
  const bool any_rank = has_attr(row, kBatchDims);
  const char* last = any_rank ? "CHANNELS_LAST" : spatial == 3 ? "NDHWC" : "NHWC";
  const char* first = any_rank ? "CHANNELS_FIRST" : spatial == 3 ? "NCDHW" : "NCHW";
  const std::string format = text_of(attrs, "data_format"_attr, last);
  if (format != last && format != first)
    invalid("Value for attr 'data_format' of \"", format, "\" is not in the list of allowed values: \"", last,
            "\", \"", first, "\" [Op:", row.name, "]");
  w.channels_first = format == first;
  const bool may_be_explicit = has_attr(row, kExplicit);
  const std::string padding = text_of(attrs, "padding"_attr, "VALID");
  if (padding == "VALID")
    w.padding = Padding::kValid;
  else if (padding == "SAME")
    w.padding = Padding::kSame;
  else if (padding == "EXPLICIT" && may_be_explicit)
    w.padding = Padding::kExplicit;
  else
    invalid("Value for attr 'padding' of \"", padding, "\" is not in the list of allowed values: \"SAME\", \"VALID\"",
            may_be_explicit ? ", \"EXPLICIT\"" : "", " [Op:", row.name, "]");
  const AttrValue* size = attrs.find("ksize"_attr);
  per_dimension(row, attrs, "strides"_attr, w, w.stride, size ? &w.channel_stride : nullptr);
  per_dimension(row, attrs, "dilations"_attr, w, w.dilation, nullptr);
  per_dimension(row, attrs, "rates"_attr, w, w.dilation, nullptr);
  for (const int64_t dilation : w.dilation)
    if (dilation > kLargest)
      invalid("dilations must be at most ", kLargest, ", got ", dilation, " [Op:", row.name, "]");
  per_dimension(row, attrs, "ksize"_attr, w, w.size, &w.channel_size);
  if (w.channel_size == 1) w.channel_stride = 1;
  const AttrValue* given = attrs.find(kExplicit);
  const std::vector<int64_t> none;
  const auto& list = given ? std::get<std::vector<int64_t>>(*given) : none;
  if (w.padding != Padding::kExplicit) {
    if (!list.empty())
      invalid("explicit_paddings are for padding \"EXPLICIT\" only, the padding is \"", padding, "\" [Op:", row.name,
              "]");
    return w;
  }
  if (list.size() != static_cast<size_t>(2 * w.rank()))
    invalid("explicit_paddings must have ", 2 * w.rank(), " entries, two per dimension, it has ", list.size(),
            " [Op:", row.name, "]");
  for (int axis = 0; axis < w.rank(); ++axis) {
    const int64_t before = list[static_cast<size_t>(2 * axis)];
    const int64_t after = list[static_cast<size_t>(2 * axis + 1)];
    if (before < 0 || after < 0 || before > kLargest || after > kLargest)
      invalid("explicit_paddings cannot be negative, or above ", kLargest, ": ", before, " and ", after,
              " for dimension ", axis, " [Op:", row.name, "]");
    if (axis == 0 || axis == w.channel_axis()) {
      if (before != 0 || after != 0)
        invalid("explicit_paddings must be 0 for the batch and the depth: ", before, " and ", after,
                " for dimension ", axis, " [Op:", row.name, "]");
      continue;
    }
    const int d = w.channels_first ? axis - 2 : axis - 1;
    w.before[d] = before;
    w.after[d] = after;
  }
  return w;
}

namespace {
// Returns w.reach() after checking that it does not overflow.
int64_t reach_of(const Window& w) {
  return w.size > 0 ? add_sizes(multiply_sizes(w.size - 1, w.dilation), 1) : w.reach();
}

// Computes padding and output size of one dimension.
Window placed(const OpRow& row, const WindowAttrs& attrs, int d, int64_t in, int64_t size) {
  Window w{in, size, attrs.stride[d], attrs.dilation[d], attrs.before[d], attrs.after[d], kUnknownDim};
  if (attrs.padding == Padding::kSame) {
    if (in < 0) return w;
    w.out = steps_over(in, w.stride);
    if (size < 0) return w;
    const int64_t reach = reach_of(w);
    const int64_t missing = w.out == 0 ? 0 : std::max<int64_t>(0, add_sizes((w.out - 1) * w.stride, reach) - in);
    w.before = missing / 2;
    w.after = missing - w.before;
    return w;
  }
  if (in < 0 || size < 0) return w;
  const int64_t padded = add_sizes(add_sizes(in, w.before), w.after);
  const int64_t reach = reach_of(w);
  w.out = padded < reach ? (padded - reach + w.stride) / w.stride : (padded - reach) / w.stride + 1;
  // A window that does not fit is refused while tracing, even if a stride leaves an empty output.
  if (reach > padded && this_thread.builder && !has_attr(row, "rates"_attr))
    invalid("Negative dimension size caused by subtracting ", reach, " from ", padded,
            ": the window is larger than the input [Op:", row.name, "]");
  if (w.out < 0)
    invalid("Computed output size would be negative: ", w.out, " [input_size: ", in,
            ", effective_filter_size: ", reach, ", stride: ", w.stride,
            "]: the window is larger than the input [Op:", row.name, "]");
  return w;
}

}  // namespace

Window window(const OpRow& row, const WindowAttrs& attrs, int d, int64_t in, int64_t size) {
  Window w = placed(row, attrs, d, in, size);
  if (w.out == 0 || w.out == 1) w.stride = 1;  // with one window, a huge stride must not overflow
  return w;
}

Convolution convolution(const OpRow& row, const Attrs& attrs, int spatial, bool depthwise, const Shape& input,
                        const Shape& filter) {
  Convolution c;
  c.attrs = window_attrs(row, attrs, spatial);
  const int rank = spatial + 2;
  const auto check = [&](const Shape& s, const char* what) {
    if (s.has_rank() && s.rank() != rank)
      invalid("the ", what, " must have rank ", rank, ", its shape is ", s.to_string(), " [Op:", row.name, "]");
  };
  check(input, "input");
  check(filter, "filter");
  const auto in = [&](int axis) { return input.has_rank() ? input[axis] : kUnknownDim; };
  const auto of_filter = [&](int axis) { return filter.has_rank() ? filter[axis] : kUnknownDim; };
  Window* all[] = {&c.d, &c.h, &c.w};
  for (int d = 0; d < spatial; ++d)
    *all[3 - spatial + d] = window(row, c.attrs, d, in(c.attrs.axis(d)), of_filter(d));
  c.batch = in(0);
  c.in_channels = in(c.attrs.channel_axis());
  const int64_t seen = of_filter(spatial);
  c.out_channels = of_filter(spatial + 1);
  if (depthwise) {
    if (c.in_channels >= 0 && seen >= 0 && c.in_channels != seen)
      invalid("input and filter must have the same depth: ", c.in_channels, " vs ", seen, " [Op:", row.name, "]");
    if (c.in_channels < 0) c.in_channels = seen;
    c.groups = c.in_channels;
    if (c.out_channels >= 0) c.out_channels = multiply_sizes(c.in_channels, c.out_channels);
    return c;
  }
  if (c.in_channels < 0 || seen < 0) {
    c.groups = kUnknownDim;
    return c;
  }
  if (seen == 0) return c;
  if (c.in_channels % seen != 0)
    invalid("input depth must be evenly divisible by filter depth: ", c.in_channels, " vs ", seen, " [Op:", row.name,
            "]");
  c.groups = std::max<int64_t>(1, c.in_channels / seen);
  if (c.out_channels >= 0 && c.out_channels % c.groups != 0)
    invalid("output depth must be evenly divisible by the number of groups: ", c.out_channels, " vs ", c.groups,
            " [Op:", row.name, "]");
  return c;
}

Shape output_shape(const Convolution& c) {
  Shape out = Shape::of_rank(c.attrs.rank());
  out.set(0, c.batch);
  out.set(c.attrs.channel_axis(), c.out_channels);
  const Window* all[] = {&c.d, &c.h, &c.w};
  for (int d = 0; d < c.attrs.spatial; ++d) out.set(c.attrs.axis(d), all[3 - c.attrs.spatial + d]->out);
  return out;
}

}  // namespace footlight
