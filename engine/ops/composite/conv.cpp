// Public functions of convolutions.
#include "engine/ops/composite/windows.h"
#include "engine/ops/infer.h"

namespace footlight::composite {

namespace {

Attrs attrs_of(const Ints& strides, const Ints& dilations, const PaddingAttrs& padding, const std::string& format) {
  Attrs attrs = window_attrs(strides, padding, format);
  attrs.set("dilations"_attr, dilations);
  return attrs;
}

// Whether any of the numbers differs from 1.
bool any_but_one(const Ints& values) {
  return std::any_of(values.begin(), values.end(), [](int64_t v) { return v != 1; });
}

Tensor conv2d_of(const Tensor& x, const Tensor& filters, const Attrs& attrs, std::string_view name) {
  if (x.shape().has_rank() && x.shape().rank() > 4)
    return over_flat_batch(x, 3, name, [&](const Tensor& flat) { return apply("Conv2D"_op, {flat, filters}, attrs); });
  return apply("Conv2D"_op, {x, filters}, attrs, name);
}

Tensor conv3d_of(const Tensor& x, const Tensor& filters, const Attrs& attrs, std::string_view name) {
  if (x.shape().has_rank() && x.shape().rank() > 5)
    return over_flat_batch(x, 4, name, [&](const Tensor& flat) { return apply("Conv3D"_op, {flat, filters}, attrs); });
  return apply("Conv3D"_op, {x, filters}, attrs, name);
}

std::string format_or(const Arg& format, const char* otherwise) { return format.none() ? otherwise : text(format); }

Arg conv2d(const Tensor& input, const Tensor& filters, const Arg& strides, const Arg& padding, const Arg& data_format,
           const Arg& dilations, std::string_view name) {
  const bool first = starts_with_nc(data_format);
  return {
      conv2d_of(input, filters,
                attrs_of(per_dimension(strides, 2, first, "strides"), per_dimension(dilations, 2, first, "dilations"),
                         padding_of(padding, 4), format_or(data_format, "NHWC")),
                name)};
}

Arg conv3d(const Tensor& input, const Tensor& filters, const Ints& strides, const Arg& padding, const Arg& data_format,
           const Arg& dilations, std::string_view name) {
  const bool first = starts_with_nc(data_format);
  return {conv3d_of(input, filters,
                    attrs_of(strides, per_dimension(dilations, 3, first, "dilations"),
                             padding_without_pairs(padding, "tf.nn.conv3d"), format_or(data_format, "NDHWC")),
                    name)};
}

// Prepends the height of a 1-D convolution's images and filters, which is 1.
Ints with_height(Ints values) {
  values.insert(values.begin(), 1);
  return values;
}

bool one_dimensional_first(const Arg& format) {
  if (format.none()) return false;
  const std::string& given = text(format);
  if (given == "NWC" || given == "NHWC") return false;
  if (given == "NCW" || given == "NCHW") return true;
  fail(ErrorKind::kValue, "data_format must be 'NWC' or 'NCW', not '", given, "'");
}

// Strides include batch and channels around the one dimension; the new one is inserted after the batch (or the
// channels).
Ints one_dimensional(const Arg& a, bool first, const char* what) {
  Ints values = per_dimension(a, 1, first, what);
  return with_height(std::move(values));
}

Tensor conv1d_of(const Tensor& x, const Tensor& filters, const Ints& strides, const PaddingAttrs& padding, bool first,
                 const Ints& dilations, std::string_view name) {
  const Scope scope(name_or(name, "conv1d"));
  const int64_t at = first ? -2 : -3;
  const Tensor wide = ops::expand_dims(x, at);
  const Tensor out = conv2d_of(wide, ops::expand_dims(filters, 0),
                               attrs_of(strides, dilations, padding, first ? "NCHW" : "NHWC"), scope.own_name());
  return ops::squeeze(out, {at});
}

Arg conv1d(const Tensor& input, const Tensor& filters, const Arg& stride, const Arg& padding, const Arg& data_format,
           const Arg& dilations, std::string_view name) {
  const bool first = one_dimensional_first(data_format);
  return {conv1d_of(input, filters, one_dimensional(stride, first, "stride"),
                    padding_without_pairs(padding, "tf.nn.conv1d"), first,
                    one_dimensional(dilations, first, "dilations"), name)};
}

Arg conv2d_transpose(const Tensor& input, const Tensor& filters, const Arg& output_shape, const Arg& strides,
                     const Arg& padding, const Arg& data_format, const Arg& dilations, std::string_view name) {
  const bool first = starts_with_nc(data_format);
  const Attrs attrs =
      attrs_of(per_dimension(strides, 2, first, "strides"), per_dimension(dilations, 2, first, "dilations"),
               padding_of(padding, 4), format_or(data_format, "NHWC"));
  return {apply("Conv2DBackpropInput"_op, {shape_tensor(output_shape), filters, input}, attrs,
                name_or(name, "conv2d_transpose"))};
}

Arg conv3d_transpose(const Tensor& input, const Tensor& filters, const Arg& output_shape, const Arg& strides,
                     const Arg& padding, const Arg& data_format, const Arg& dilations, std::string_view name) {
  const bool first = starts_with_nc(data_format);
  const Attrs attrs =
      attrs_of(per_dimension(strides, 3, first, "strides"), per_dimension(dilations, 3, first, "dilations"),
               padding_without_pairs(padding, "tf.nn.conv3d_transpose"), format_or(data_format, "NDHWC"));
  return {apply("Conv3DBackpropInputV2"_op, {shape_tensor(output_shape), filters, input}, attrs,
                name_or(name, "conv3d_transpose"))};
}

Arg conv1d_transpose(const Tensor& input, const Tensor& filters, const Arg& output_shape, const Arg& strides,
                     const Arg& padding, const Arg& data_format, const Arg& dilations, std::string_view name) {
  const bool first = channels_first(data_format, "NWC", "NCW");
  const int64_t at = first ? 2 : 1;
  const Attrs attrs =
      attrs_of(one_dimensional(strides, first, "stride"), one_dimensional(dilations, first, "dilations"),
               padding_without_pairs(padding, "tf.nn.conv1d_transpose"), first ? "NCHW" : "NHWC");
  const Scope scope(name_or(name, "conv1d_transpose"));
  const Tensor given = shape_tensor(output_shape);
  Tensor sizes;
  if (const Tensor value = known_value(given); value && value.shape().rank() == 1 && value.elements() == 3) {
    Ints dims = infer::ints_of(value);
    dims.insert(dims.begin() + at, 1);
    sizes = ops::ints(dims, given.dtype());  // the op refuses int64, which conversion would hide
  } else {
    const Tensor parts[] = {apply("StridedSlice"_op, {given, ops::ints({0}), ops::ints({at}), ops::ints({1})},
                                  {{"begin_mask"_attr, int64_t{1}}}),
                            ops::ints({1}, given.dtype()),
                            apply("StridedSlice"_op, {given, ops::ints({at}), ops::ints({0}), ops::ints({1})},
                                  {{"end_mask"_attr, int64_t{1}}})};
    sizes = ops::concat(parts, 0);
  }
  const Tensor out = apply("Conv2DBackpropInput"_op, {sizes, ops::expand_dims(filters, 0), ops::expand_dims(input, at)},
                           attrs, scope.own_name());
  return {ops::squeeze(out, {at})};
}

Arg conv_transpose(const Tensor& input, const Tensor& filters, const Arg& output_shape, const Arg& strides,
                     const Arg& padding, const Arg& data_format, const Arg& dilations, std::string_view name) {
  const Tensor sizes = shape_tensor(output_shape);
  const Shape& s = sizes.shape();
  if (!s.has_rank() || s.rank() != 1 || s[0] < 3 || s[0] > 5)
    fail(ErrorKind::kValue, "output_shape must be of length 3, 4 or 5, its own shape is ", s.to_string());
  const auto transposed = s[0] == 3 ? conv1d_transpose : s[0] == 4 ? conv2d_transpose : conv3d_transpose;
  return transposed(input, filters, {sizes}, strides, padding, data_format, dilations, name_or(name, "conv_transpose"));
}

// Chooses by the rank of the filters (or of the input): 1, 2 or 3 spatial dimensions.
Arg convolution(const Tensor& x, const Tensor& filters, const Arg& strides_given, const Arg& padding_given,
                const Arg& data_format, const Arg& dilations_given, std::string_view name) {
  if (!x.shape().has_rank() && !filters.shape().has_rank())
    fail(ErrorKind::kValue, "the rank of the input or of the filters of tf.nn.convolution must be known");
  const int spatial = (filters.shape().has_rank() ? filters.shape().rank() : x.shape().rank()) - 2;
  if (spatial < 1 || spatial > 3)
    fail(ErrorKind::kValue, "tf.nn.convolution has 1, 2 or 3 spatial dimensions, the filters' shape is ",
         filters.shape().to_string(), ", the input's ", x.shape().to_string());
  static constexpr const char* kLast[] = {"NWC", "NHWC", "NDHWC"};
  static constexpr const char* kFirst[] = {"NCW", "NCHW", "NCDHW"};
  const bool first = starts_with_nc(data_format);
  const std::string format = format_or(data_format, kLast[spatial - 1]);
  if (format != kLast[spatial - 1] && format != kFirst[spatial - 1])
    fail(ErrorKind::kValue, "data_format must be '", kLast[spatial - 1], "' or '", kFirst[spatial - 1], "', not '",
         format, "'");
  const Ints strides = per_dimension(strides_given, spatial, first, "strides");
  const Ints dilations = per_dimension(dilations_given, spatial, first, "dilations");
  const PaddingAttrs padding =
      spatial == 2 ? padding_of(padding_given, 4) : padding_without_pairs(padding_given, "tf.nn.convolution");
  if (any_but_one(dilations)) {
    for (const Ints* list : {&strides, &dilations})
      for (const int64_t value : *list)
        if (value < 1)
          fail(ErrorKind::kValue, "all strides and dilations of tf.nn.convolution must be positive, got ",
               value);
    if (any_but_one(strides))
      fail(ErrorKind::kValue, "strides > 1 are not supported together with dilations > 1 in tf.nn.convolution");
  }
  const std::string_view node = name_or(name, "convolution");
  if (spatial == 1)
    return {conv1d_of(x, filters, with_height(strides), padding, first, with_height(dilations), node)};
  const Attrs attrs = attrs_of(strides, dilations, padding, format);
  return {spatial == 2 ? conv2d_of(x, filters, attrs, node) : conv3d_of(x, filters, attrs, node)};
}

Arg atrous_conv2d(const Tensor& x, const Tensor& filters, const Ints& rate_given, const Arg& padding,
                  std::string_view name) {
  if (!x.shape().has_rank() && !filters.shape().has_rank())
    fail(ErrorKind::kValue, "the rank of the value or of the filters of tf.nn.atrous_conv2d must be known");
  for (const Tensor* t : {&x, &filters})
    if (t->shape().has_rank() && t->shape().rank() != 4)
      fail(ErrorKind::kValue, "tf.nn.atrous_conv2d convolves images: value and filters must have rank 4, got ",
           t->shape().to_string());
  Ints rate = rate_given;
  if (rate.size() == 1) rate.push_back(rate[0]);
  if (rate.size() != 2) fail(ErrorKind::kValue, "rate must be one number or two, got ", rate.size());
  if (rate[0] < 1 || rate[1] < 1)
    fail(ErrorKind::kValue, "rate must be positive, got ", rate[0], " and ", rate[1]);
  return {conv2d_of(
      x, filters,
      attrs_of({1, 1, 1, 1}, {1, rate[0], rate[1], 1}, padding_without_pairs(padding, "tf.nn.atrous_conv2d"), "NHWC"),
      name_or(name, "convolution"))};
}

Attrs depthwise_attrs(const Arg& strides, const Arg& padding, const Arg& format, const Arg& dilations) {
  const bool first = starts_with_nc(format);
  return attrs_of(integers(strides), per_dimension(dilations, 2, first, "dilations"), padding_of(padding, 4),
                  format_or(format, "NHWC"));
}

Arg depthwise_conv2d(const Tensor& input, const Tensor& filter, const Arg& strides, const Arg& padding,
                     const Arg& data_format, const Arg& dilations, std::string_view name) {
  return {apply("DepthwiseConv2dNative"_op, {input, filter}, depthwise_attrs(strides, padding, data_format, dilations),
                name_or(name, "depthwise"))};
}

Arg depthwise_to_input(const Arg& input_sizes, const Tensor& filter, const Tensor& out_backprop, const Arg& strides,
                       const Arg& padding, const Arg& data_format, const Arg& dilations, std::string_view name) {
  return {apply("DepthwiseConv2dNativeBackpropInput"_op, {shape_tensor(input_sizes), filter, out_backprop},
                depthwise_attrs(strides, padding, data_format, dilations), name)};
}

Arg depthwise_to_filter(const Tensor& input, const Arg& filter_sizes, const Tensor& out_backprop, const Arg& strides,
                        const Arg& padding, const Arg& data_format, const Arg& dilations, std::string_view name) {
  return {apply("DepthwiseConv2dNativeBackpropFilter"_op, {input, shape_tensor(filter_sizes), out_backprop},
                depthwise_attrs(strides, padding, data_format, dilations), name)};
}

Arg separable_conv2d(const Tensor& input, const Tensor& depthwise_filter, const Tensor& pointwise, const Arg& strides,
                     const Arg& padding, const Arg& data_format, const Arg& dilations, std::string_view name) {
  const Shape& s = pointwise.shape();
  if (s.has_rank() && (s.rank() != 4 || (s[0] >= 0 && s[0] != 1) || (s[1] >= 0 && s[1] != 1)))
    fail(ErrorKind::kValue, "pointwise_filter must have shape (1, 1, channels, channels), its shape is ",
         s.to_string());
  const Scope scope(name_or(name, "separable_conv2d"));
  const Tensor each = apply("DepthwiseConv2dNative"_op, {input, depthwise_filter},
                            depthwise_attrs(strides, padding, data_format, dilations), "depthwise");
  return {conv2d_of(each, pointwise, attrs_of({1, 1, 1, 1}, {1, 1, 1, 1}, {"VALID", {}},
                                                 format_or(data_format, "NHWC")),
                    scope.own_name())};
}

Arg conv(const Tensor& input, const Tensor& filter, const Ints& strides, const std::string& padding,
         const Ints& explicit_paddings, const std::string& data_format, const Ints& dilations, int64_t batch_dims,
         int64_t groups, std::string_view name) {
  Attrs attrs = attrs_of(strides, dilations, {padding, explicit_paddings}, data_format);
  attrs.set("batch_dims"_attr, batch_dims);
  attrs.set("groups"_attr, groups);
  return {apply("Conv"_op, {input, filter}, attrs, name)};
}

Arg dilation2d(const Tensor& input, const Tensor& filters, const Ints& strides, const std::string& padding,
               const std::string& data_format, const Ints& dilations, std::string_view name) {
  if (data_format != "NHWC")
    fail(ErrorKind::kValue, "data_format of tf.nn.dilation2d must be 'NHWC', not '", data_format, "'");
  return {apply("Dilation2D"_op, {input, filters},
                {{"strides"_attr, strides}, {"rates"_attr, dilations}, {"padding"_attr, padding}}, name)};
}

}  // namespace

FL_PUBLIC(conv) {
  return {
      {"nn.conv1d",
       "input: tensor, filters: tensor like input, stride: ints, padding: any, data_format: str? = 'NWC', "
       "dilations: ints? = None, name: str? = None",
       bind<conv1d>, "the convolution along one dimension"},
      {"nn.conv2d",
       "input: tensor, filters: tensor like input, strides: ints, padding: any, data_format: str? = 'NHWC', "
       "dilations: ints? = None, name: str? = None",
       bind<conv2d>, "the convolution of images with filters"},
      {"nn.conv3d",
       "input: tensor, filters: tensor like input, strides: ints, padding: any, data_format: str? = 'NDHWC', "
       "dilations: ints? = None, name: str? = None",
       bind<conv3d>, "the convolution of volumes with filters"},
      {"nn.convolution",
       "input: tensor, filters: tensor like input, strides: ints? = None, padding: any = 'VALID', "
       "data_format: str? = None, dilations: ints? = None, name: str? = None",
       bind<convolution>, "the convolution over 1, 2 or 3 dimensions, as many as the filters have"},
      {"nn.conv1d_transpose",
       "input: tensor, filters: tensor like input, output_shape: shape, strides: ints, padding: any = 'SAME', "
       "data_format: str? = 'NWC', dilations: ints? = None, name: str? = None",
       bind<conv1d_transpose>, "the transpose of tf.nn.conv1d"},
      {"nn.conv2d_transpose",
       "input: tensor, filters: tensor like input, output_shape: shape, strides: ints, padding: any = 'SAME', "
       "data_format: str? = 'NHWC', dilations: ints? = None, name: str? = None",
       bind<conv2d_transpose>, "the transpose of tf.nn.conv2d"},
      {"nn.conv3d_transpose",
       "input: tensor, filters: tensor like input, output_shape: shape, strides: ints, padding: any = 'SAME', "
       "data_format: str? = 'NDHWC', dilations: ints? = None, name: str? = None",
       bind<conv3d_transpose>, "the transpose of tf.nn.conv3d"},
      {"nn.conv_transpose",
       "input: tensor, filters: tensor like input, output_shape: shape, strides: ints, padding: any = 'SAME', "
       "data_format: str? = None, dilations: ints? = None, name: str? = None",
       bind<conv_transpose>, "the transpose of tf.nn.convolution"},
      {"nn.atrous_conv2d", "value: tensor, filters: tensor like value, rate: ints, padding: any, name: str? = None",
       bind<atrous_conv2d>, "the convolution of images with filters whose taps are `rate` apart"},
      {"nn.depthwise_conv2d",
       "input: tensor, filter: tensor like input, strides: ints, padding: any, data_format: str? = None, "
       "dilations: ints? = None, name: str? = None",
       bind<depthwise_conv2d>, "the convolution of each channel with filters of its own"},
      {"nn.depthwise_conv2d_backprop_input",
       "input_sizes: shape, filter: tensor, out_backprop: tensor like filter, strides: ints, padding: any, "
       "data_format: str? = 'NHWC', dilations: ints = [1, 1, 1, 1], name: str? = None",
       bind<depthwise_to_input>, "the gradient of tf.nn.depthwise_conv2d with respect to its input"},
      {"nn.depthwise_conv2d_backprop_filter",
       "input: tensor, filter_sizes: shape, out_backprop: tensor like input, strides: ints, padding: any, "
       "data_format: str? = 'NHWC', dilations: ints = [1, 1, 1, 1], name: str? = None",
       bind<depthwise_to_filter>, "the gradient of tf.nn.depthwise_conv2d with respect to its filter"},
      {"nn.separable_conv2d",
       "input: tensor, depthwise_filter: tensor like input, pointwise_filter: tensor like input, strides: ints, "
       "padding: any, data_format: str? = None, dilations: ints? = None, name: str? = None",
       bind<separable_conv2d>, "a depthwise convolution, then one that mixes the channels"},
      {"nn.dilation2d",
       "input: tensor, filters: tensor like input, strides: ints, padding: str, data_format: str, dilations: ints, "
       "name: str? = None",
       bind<dilation2d>, "the largest of input plus filter in each window"},
      {"conv",
       "input: tensor, filter: tensor like input, strides: ints, padding: str, explicit_paddings: ints = [], "
       "data_format: str = 'CHANNELS_LAST', dilations: ints = [], batch_dims: int = 1, groups: int = 1, "
       "name: str? = None",
       bind<conv>, "the convolution over 2 or 3 dimensions, by the rank of the input"},
  };
}

}  // namespace footlight::composite
