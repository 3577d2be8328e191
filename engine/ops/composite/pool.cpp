// Public functions of pooling.
#include "engine/ops/composite/windows.h"

namespace footlight::composite {

namespace {

Attrs attrs_of(const Ints& size, const Ints& strides, const PaddingAttrs& padding, const std::string& format) {
  Attrs attrs = window_attrs(strides, padding, format);
  attrs.set("ksize"_attr, size);
  return attrs;
}

struct Kind {
  Op plane, volume;
  bool largest;
  const char* one_dimensional;
  const char* function;
};
const Kind& kind(bool largest) {
  static const Kind all[] = {{Op("AvgPool"), Op("AvgPool3D"), false, "AvgPool1D", "tf.nn.avg_pool"},
                             {Op("MaxPool"), Op("MaxPool3D"), true, "MaxPool1d", "tf.nn.max_pool"}};
  return all[largest];
}

PaddingAttrs padding_for(const Kind& k, const Arg& padding, int rank) {
  return k.largest && rank < 5 ? padding_of(padding, rank) : padding_without_pairs(padding, k.function);
}

// The window parameters, as all pooling functions take them.
struct Windows {
  const Arg &ksize, &strides, &padding, &data_format;
};

Tensor in_volume(const Kind& k, const Tensor& x, const Windows& w, std::string_view name) {
  const bool first = starts_with_nc(w.data_format);
  return apply(k.volume, {x},
               attrs_of(per_dimension(w.ksize, 3, first, "ksize"), per_dimension(w.strides, 3, first, "strides"),
                        padding_for(k, w.padding, 5), w.data_format.none() ? "NDHWC" : text(w.data_format)),
               name);
}

Tensor in_plane(const Kind& k, const Tensor& x, const Windows& w, std::string_view name) {
  const bool first = starts_with_nc(w.data_format);
  return apply(k.plane, {x},
               attrs_of(per_dimension(w.ksize, 2, first, "ksize"), per_dimension(w.strides, 2, first, "strides"),
                        padding_for(k, w.padding, 4), w.data_format.none() ? "NHWC" : text(w.data_format)),
               name);
}

// Pools a sequence as an image of height 1.
Tensor pool_sequence(const Kind& k, const Tensor& x, const Windows& w, std::string_view name) {
  const bool first = starts_with_nc(w.data_format);
  const auto with_height = [&](const Arg& a, const char* what) {
    Ints values = per_dimension(a, 1, first, what);
    values.insert(values.begin(), 1);
    return values;
  };
  PaddingAttrs padding = padding_for(k, w.padding, 3);
  if (!padding.pairs.empty()) padding.pairs.insert(padding.pairs.begin() + (first ? 4 : 2), {0, 0});
  const Scope scope(name_or(name, k.one_dimensional));
  const int64_t at = first ? 2 : 1;
  const Tensor wide = ops::expand_dims(x, at);
  const Tensor out = apply(
      k.plane, {wide},
      attrs_of(with_height(w.ksize, "ksize"), with_height(w.strides, "strides"), padding, first ? "NCHW" : "NHWC"),
      scope.own_name());
  return ops::squeeze(out, {at});
}

template <bool largest>
Arg pool1d(const Tensor& x, const Arg& ksize, const Arg& strides, const Arg& padding, const Arg& data_format,
           std::string_view name) {
  return {pool_sequence(kind(largest), x, {ksize, strides, padding, data_format}, name)};
}
template <bool largest>
Arg pool2d(const Tensor& x, const Arg& ksize, const Arg& strides, const Arg& padding, const Arg& data_format,
           std::string_view name) {
  return {in_plane(kind(largest), x, {ksize, strides, padding, data_format},
                   name_or(name, largest ? "MaxPool2d" : "AvgPool2D"))};
}
template <bool largest>
Arg pool3d(const Tensor& x, const Arg& ksize, const Arg& strides, const Arg& padding, const Arg& data_format,
           std::string_view name) {
  return {in_volume(kind(largest), x, {ksize, strides, padding, data_format},
                    name_or(name, largest ? "MaxPool3D" : "AvgPool3D"))};
}

// Chooses the op by the rank of the input.
template <bool largest>
Arg pool_any(const Tensor& x, const Arg& ksize, const Arg& strides, const Arg& padding, const Arg& data_format,
             std::string_view name) {
  const Shape& shape = x.shape();
  if (!shape.has_rank())
    fail(ErrorKind::kValue, "the rank of the input of ", kind(largest).function, " must be known");
  const Windows windows{ksize, strides, padding, data_format};
  switch (shape.rank()) {
    case 3: return {pool_sequence(kind(largest), x, windows, name)};
    case 4: return {in_plane(kind(largest), x, windows, name)};
    case 5: return {in_volume(kind(largest), x, windows, name)};
    default:
      fail(ErrorKind::kValue, "the input of ", kind(largest).function, " must have rank 3, 4 or 5, its shape is ",
           shape.to_string());
  }
}

Arg max_pool_with_argmax(const Tensor& x, const Arg& ksize, const Arg& strides, const Arg& padding,
                         const std::string& data_format, DType output_dtype, bool include_batch_in_index,
                         std::string_view name) {
  if (data_format != "NHWC")
    fail(ErrorKind::kValue, "data_format of tf.nn.max_pool_with_argmax must be 'NHWC', not '", data_format, "'");
  const Attrs attrs{{"ksize"_attr, per_dimension(ksize, 2, false, "ksize")},
                    {"strides"_attr, per_dimension(strides, 2, false, "strides")},
                    {"padding"_attr, padding_without_pairs(padding, "tf.nn.max_pool_with_argmax").padding},
                    {"Targmax"_attr, output_dtype},
                    {"include_batch_in_index"_attr, include_batch_in_index}};
  const std::vector<Tensor> both = apply_all("MaxPoolWithArgmax"_op.row(), {&x, 1}, attrs, name);
  return {ArgList{{both[0]}, {both[1]}}};
}

Ints rates_of(const Arg& a, size_t n, const char* what) {
  if (a.none()) return Ints(n, 1);
  Ints values = integers(a);
  if (values.size() != n) fail(ErrorKind::kValue, what, " should have ", n, " entries, it has ", values.size());
  for (const int64_t v : values)
    if (v < 1) fail(ErrorKind::kValue, "all ", what, " must be positive, got ", v);
  return values;
}

// Pools with dilated windows: pixels `rates` apart become images of their own, in which windows are dense.
Tensor pool_dilated(const Tensor& x, const Ints& rates, bool first, const std::function<Tensor(const Tensor&)>& body) {
  const auto n = static_cast<int64_t>(rates.size());
  std::vector<int64_t> order;
  Tensor images = x;
  if (first) {
    order.push_back(0);
    for (int64_t d = 0; d < n; ++d) order.push_back(d + 2);
    order.push_back(1);
    images = ops::transpose(x, ops::ints(order));
  }
  const Tensor block = ops::ints(rates);
  const Tensor zeros = ops::ints(Ints(static_cast<size_t>(n), 0));
  const Shape& shape = images.shape();
  Tensor missing;
  bool known = shape.has_rank();
  for (int64_t d = 0; known && d < n; ++d) known = shape[static_cast<int>(d + 1)] >= 0;
  if (known) {
    Ints values;
    for (int64_t d = 0; d < n; ++d) {
      const int64_t rate = rates[static_cast<size_t>(d)];
      values.push_back((rate - shape[static_cast<int>(d + 1)] % rate) % rate);
    }
    missing = ops::ints(values);
  } else {
    const Tensor sizes = ops::slice(ops::shape(images), ops::ints({1}), ops::ints({n}));
    missing = apply("FloorMod"_op, {ops::neg(sizes), block});
  }
  const Tensor paddings = ops::pack({zeros, missing}, 1);
  const Tensor pooled = body(apply("SpaceToBatchND"_op, {images, block, paddings}));
  const Tensor out = apply("BatchToSpaceND"_op, {pooled, block, paddings});
  if (!first) return out;
  order = {0, n + 1};
  for (int64_t d = 0; d < n; ++d) order.push_back(d + 1);
  return ops::transpose(out, ops::ints(order));
}

Arg pool(const Tensor& x, const Ints& window, const std::string& type, const Arg& strides_given,
         const Arg& padding_given, const Arg& data_format, const Arg& dilations, std::string_view name) {
  const size_t n = window.size();
  if (n < 1 || n > 3) fail(ErrorKind::kValue, "window_shape must have 1, 2 or 3 entries, it has ", n);
  const bool largest = type == "MAX";
  if (!largest && type != "AVG") fail(ErrorKind::kValue, "pooling_type must be 'MAX' or 'AVG', not '", type, "'");
  const int rank = static_cast<int>(n) + 2;
  if (x.shape().has_rank() && x.shape().rank() != rank)
    fail(ErrorKind::kValue, "a window of ", n, " dimensions needs an input of rank ", rank, ", its shape is ",
         x.shape().to_string());
  const Ints strides = rates_of(strides_given, n, "strides");
  const Ints rates = rates_of(dilations, n, "dilations");
  const auto more_than_one = [](int64_t v) { return v > 1; };
  const bool dilated = std::any_of(rates.begin(), rates.end(), more_than_one);
  if (dilated && std::any_of(strides.begin(), strides.end(), more_than_one))
    fail(ErrorKind::kValue, "strides > 1 are not supported together with dilations > 1 in tf.nn.pool");
  const std::string padding = padding_without_pairs(padding_given, "tf.nn.pool").padding;
  if (dilated && padding == "SAME") fail(ErrorKind::kValue, "tf.nn.pool with dilations > 1 needs padding 'VALID'");
  for (size_t d = 0; d < n; ++d)
    if (strides[d] > window[d])
      fail(ErrorKind::kValue, "strides must not be larger than the window in tf.nn.pool: ", strides[d], " and ",
           window[d], " in dimension ", d);
  const bool first = starts_with_nc(data_format);
  const auto listed = [](const Ints& values) {
    ArgList list;
    for (const int64_t v : values) list.push_back({v});
    return Arg{list};
  };
  const auto pooled = [&](const Tensor& images, bool channels_first_here) {
    static constexpr const char* kFirst[] = {"NCW", "NCHW", "NCDHW"};
    static constexpr const char* kLast[] = {"NWC", "NHWC", "NDHWC"};
    const Arg format = dilated          ? Arg{std::string(kLast[n - 1])}
                       : data_format.none() ? Arg{std::string((channels_first_here ? kFirst : kLast)[n - 1])}
                                        : data_format;
    const Arg sizes = listed(window), steps = listed(strides), edges{padding};
    const Windows windows{sizes, steps, edges, format};
    const std::string_view node = dilated ? std::string_view() : name_or(name, largest ? "max_pool" : "avg_pool");
    if (n == 1) return pool_sequence(kind(largest), images, windows, node);
    return n == 2 ? in_plane(kind(largest), images, windows, node) : in_volume(kind(largest), images, windows, node);
  };
  if (!dilated) return {pooled(x, first)};
  const Scope scope(name_or(name, largest ? "max_pool" : "avg_pool"));
  return {pool_dilated(x, rates, first, [&](const Tensor& images) { return pooled(images, false); })};
}

#define FL_POOLED "input: tensor, ksize: ints, strides: ints, padding: any, data_format: "

}  // namespace

FL_PUBLIC(pool) {
  return {
      {"nn.max_pool", FL_POOLED "str? = None, name: str? = None", bind<pool_any<true>>, "the largest in each window"},
      {"nn.max_pool1d", FL_POOLED "str? = 'NWC', name: str? = None", bind<pool1d<true>>,
       "the largest in each window along one dimension"},
      {"nn.max_pool2d", FL_POOLED "str? = 'NHWC', name: str? = None", bind<pool2d<true>>,
       "the largest in each window of images"},
      {"nn.max_pool3d", FL_POOLED "str? = 'NDHWC', name: str? = None", bind<pool3d<true>>,
       "the largest in each window of volumes"},
      {"nn.avg_pool", FL_POOLED "str? = None, name: str? = None", bind<pool_any<false>>, "the mean in each window"},
      {"nn.avg_pool1d", FL_POOLED "str? = 'NWC', name: str? = None", bind<pool1d<false>>,
       "the mean in each window along one dimension"},
      {"nn.avg_pool2d", FL_POOLED "str? = 'NHWC', name: str? = None", bind<pool2d<false>>,
       "the mean in each window of images"},
      {"nn.avg_pool3d", FL_POOLED "str? = 'NDHWC', name: str? = None", bind<pool3d<false>>,
       "the mean in each window of volumes"},
      {"nn.max_pool_with_argmax",
       FL_POOLED "str = 'NHWC', output_dtype: dtype = int64, include_batch_in_index: bool = False, name: str? = None "
                 "-> MaxPoolWithArgmax(output, argmax)",
       bind<max_pool_with_argmax>, "the maximum of each window and its index"},
      {"nn.pool",
       "input: tensor, window_shape: ints, pooling_type: str, strides: ints? = None, padding: any = 'VALID', "
       "data_format: str? = None, dilations: ints? = None, name: str? = None",
       bind<pool>, "the largest or the mean in each window over 1, 2 or 3 dimensions"},
  };
}

}  // namespace footlight::composite
