// Public functions of neural networks: moments, normalisations, biases, dropout, embeddings, space and depth.
#include "engine/ops/composite/define.h"
#include "engine/ops/composite/scalar.h"
#include "engine/ops/composite/random.h"
#include "engine/ops/indexed_slices.h"
#include "engine/ops/random_seeds.h"

namespace footlight::composite {

namespace {

Tensor reduce(const Op& op, const Tensor& x, const Ints& axes, std::string_view name, bool keep = true) {
  return apply(op, {x, ops::ints(axes)}, {{"keep_dims"_attr, keep}}, name);
}
Tensor squared_difference(const Tensor& x, const Tensor& y) { return apply("SquaredDifference"_op, {x, y}); }

Arg bias_add(const Tensor& value, const Tensor& bias, const std::string* data_format, std::string_view name) {
  std::string format = "NHWC";
  if (data_format) {
    const std::string& given = *data_format;
    if (given.starts_with("NC"))
      format = "NCHW";
    else if (!given.starts_with("N") || !given.ends_with("C"))
      fail(ErrorKind::kValue, "data_format must be of the form 'N...C' or 'NC...', not '", given, "'");
  }
  return {apply("BiasAdd"_op, {value, bias}, {{"data_format"_attr, format}}, name)};
}

// Half precision is computed in float, because its range is too small for sums of squares.
Arg moments(const Tensor& x, const Ints& axes, const Arg&, bool keep, std::string_view name) {
  const bool narrow = x.dtype() == DType::kFloat16;
  const Scope scope(name_or(name, "moments"));
  const Tensor y = narrow ? ops::cast(x, DType::kFloat32) : x;
  Tensor mean = reduce("Mean"_op, y, axes, "mean");
  // No gradient flows through the mean, because the variance does not change with it.
  Tensor variance = reduce("Mean"_op, squared_difference(y, apply("StopGradient"_op, {mean})), axes, "variance");
  if (!keep) {
    mean = ops::squeeze(mean, axes);
    variance = ops::squeeze(variance, axes);
  }
  return {ArgList{{ops::cast(mean, x.dtype())}, {ops::cast(variance, x.dtype())}}};
}

Arg weighted_moments(const Tensor& given, const Ints& axes, const Tensor& frequency_weights, bool keep,
                     std::string_view name) {
  static const Op sum{"Sum"};
  const bool narrow = given.dtype() == DType::kFloat16;
  const Scope scope(name_or(name, "weighted_moments"));
  const Tensor x = narrow ? ops::cast(given, DType::kFloat32) : given;
  const Tensor weights = ops::cast(frequency_weights, x.dtype());
  const Tensor weighted_sum = reduce(sum, ops::mul(weights, x), axes, "weighted_input_sum");
  const Tensor all_weights = reduce(sum, ops::add(weights, ops::zeros_like(x)), axes, "sum_of_weights");
  Tensor mean = apply("DivNoNan"_op, {weighted_sum, all_weights});
  const Tensor distances = reduce(sum, ops::mul(weights, squared_difference(x, mean)), axes, "weighted_distsq");
  Tensor variance = apply("DivNoNan"_op, {distances, all_weights});
  if (!keep) {
    mean = ops::squeeze(mean, axes);
    variance = ops::squeeze(variance, axes);
  }
  return {ArgList{{ops::cast(mean, given.dtype())}, {ops::cast(variance, given.dtype())}}};
}

Arg sufficient_statistics(const Tensor& x, const Ints& axes_given, const Arg& shift_given, bool keep,
                          std::string_view name) {
  Ints axes = axes_given;
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  const Scope scope(name_or(name, "sufficient_statistics"));
  const Shape& s = x.shape();
  bool known = s.has_rank();
  double many = 1;
  for (const int64_t axis : axes) {
    if (!known) break;
    if (axis < -s.rank() || axis >= s.rank())
      fail(ErrorKind::kIndex, "axis ", axis, " is outside of a tensor with shape ", s.to_string());
    const int64_t size = s[static_cast<int>(axis < 0 ? axis + s.rank() : axis)];
    known = size >= 0;
    many *= static_cast<double>(size);
  }
  Tensor counts;
  if (known) {
    counts = constant(ops::number(many, x.dtype()));
  } else {
    // Negative axes need a rank that is known only at run time.
    std::vector<Tensor> positive;
    const Tensor dims = ops::cast(ops::shape(x), x.dtype());
    for (const int64_t axis : axes)
      positive.push_back(axis < 0 ? ops::add(ops::rank(x), ops::integer(axis)) : ops::integer(axis));
    const Tensor picked = positive.empty() ? ops::ints({}) : ops::pack(positive, 0);
    counts = apply("Prod"_op, {ops::gather(dims, picked), ops::ints({0})}, {}, "count");
  }
  Tensor shifted = x, squares;
  if (shift_given.none()) {
    squares = ops::square(x);
  } else {
    const Tensor& shift = tensor(shift_given);
    shifted = ops::sub(x, shift);
    squares = squared_difference(x, shift);
  }
  return {ArgList{{counts},
                  {reduce("Sum"_op, shifted, axes, "mean_ss", keep)},
                  {reduce("Sum"_op, squares, axes, "var_ss", keep)},
                  shift_given}};
}

Arg normalize_moments(const Tensor& counts, const Tensor& mean_ss, const Tensor& variance_ss, const Tensor& shift,
                      std::string_view name) {
  const Scope scope(name_or(name, "normalize"));
  const Tensor divisor = ops::reciprocal(counts);
  const Tensor shifted = ops::mul(mean_ss, divisor);
  const Tensor mean = !shift ? shifted : ops::add(shifted, shift);
  const Tensor variance = ops::sub(ops::mul(variance_ss, divisor), ops::square(shifted));
  return {ArgList{{mean}, {variance}}};
}

Arg batch_normalization(const Tensor& x, const Tensor& mean, const Tensor& variance, const Tensor& offset_given,
                        const Tensor& scale, const Tensor& variance_epsilon, std::string_view name) {
  const Scope scope(name_or(name, "batchnorm"));
  Tensor inverse = apply("Rsqrt"_op, {ops::add(variance, variance_epsilon)});
  if (scale) inverse = ops::mul(inverse, scale);
  const Tensor shift =
      !offset_given ? ops::mul(ops::neg(mean), inverse) : ops::sub(offset_given, ops::mul(mean, inverse));
  const Tensor factor = ops::cast(inverse, x.dtype());
  const Tensor offset = ops::cast(shift, x.dtype());
  // Eager, with a vector per channel: one pass over x instead of two.
  const auto fits = [&](const Tensor& t) {
    return t.shape().rank() == 1 && t.shape()[0] == x.shape()[x.shape().rank() - 1];
  };
  if (!this_thread.builder && is_floating(x.dtype()) && !x.is_symbolic() && x.shape().rank() > 1 && fits(factor) &&
      fits(offset)) {
    return {apply("ScaleShift"_op, {x, factor, offset})};
  }
  return {ops::add(ops::mul(x, factor), offset)};
}

Arg local_response_normalization(const Tensor& input, int64_t depth_radius, double bias, double alpha, double beta,
                                 std::string_view name) {
  const auto number = [](double value) { return static_cast<float>(value); };
  return {apply("LRN"_op, {input},
                {{"depth_radius"_attr, depth_radius},
                 {"bias"_attr, number(bias)},
                 {"alpha"_attr, number(alpha)},
                 {"beta"_attr, number(beta)}},
                name)};
}

// A shape whose unknown dimensions are taken from x.
Tensor noise_shape_of(const Tensor& x, const Arg& given) {
  if (given.none()) return ops::shape(x);
  const Shape* shape = std::get_if<Shape>(&given.value);
  if (!shape || !shape->has_rank() || shape->fully_known()) return shape ? shape_tensor(given) : tensor(given);
  if (!x.shape().has_rank() || x.shape().rank() != shape->rank())
    fail(ErrorKind::kValue, "the noise_shape ", shape->to_string(),
         " with unknown dimensions needs the rank of x, whose shape is ", x.shape().to_string());
  Shape whole = *shape;
  for (int d = 0; d < whole.rank(); ++d)
    if (whole[d] < 0) whole.set(d, x.shape()[d]);
  return shape_tensor({whole});
}

// Kept elements are scaled up, so that the expected sum is unchanged. `draw` gives numbers in [0, 1).
template <class Draw>
Tensor dropout_of(const Tensor& x, const Arg& rate, const Arg& noise_shape, std::string_view name, Draw&& draw) {
  const Tensor* rate_tensor = std::get_if<Tensor>(&rate.value);
  double number = 0;
  if (const auto* whole = std::get_if<int64_t>(&rate.value))
    number = static_cast<double>(*whole);
  else if (const auto* real_number = std::get_if<double>(&rate.value))
    number = *real_number;
  else if (!rate_tensor)
    fail(ErrorKind::kValue, "rate must be a number or a scalar tensor");
  if (number < 0 || number >= 1)
    fail(ErrorKind::kValue, "rate must be a scalar tensor or a number of the range [0, 1), not ", number);
  const DType type = x.dtype();
  if (!is_floating(type))
    fail(ErrorKind::kValue, "x must be a tensor of floats, as it will be scaled, not of ", name_of(type));
  const Scope scope(name);
  Tensor scaled, bound;
  if (rate_tensor) {
    if (rate_tensor->shape().has_rank() && rate_tensor->shape().rank() != 0)
      fail(ErrorKind::kValue, "rate must be a scalar, its shape is ", rate_tensor->shape().to_string());
    if (rate_tensor->dtype() != type)
      fail(ErrorKind::kValue, "x and rate must have one dtype, they are ", name_of(type), " and ",
           name_of(rate_tensor->dtype()));
    bound = *rate_tensor;
    scaled = ops::div(x, ops::sub(ops::number(1, type), bound));
  } else {
    bound = ops::number(number, type);
    scaled = ops::mul(x, ops::number(1 / (1 - number), type));
  }
  const Tensor kept = apply("GreaterEqual"_op, {draw(noise_shape_of(x, noise_shape)), bound});
  return ops::where(kept, scaled, ops::number(0, type));
}

bool is_zero(const Arg& rate) {
  if (const auto* whole = std::get_if<int64_t>(&rate.value)) return *whole == 0;
  const auto* real_number = std::get_if<double>(&rate.value);
  return real_number && *real_number == 0;
}

Arg dropout(const Tensor& x, const Arg& rate_given, const Arg& noise_shape, const Arg& seed_given,
            std::string_view name) {
  const std::optional<int64_t> op_seed = seed(seed_given);
  if (is_zero(rate_given) && is_floating(x.dtype())) {
    // Without dropout nothing is drawn, but a seed is consumed, so that later draws do not depend on the rate.
    Attrs used;
    random::set_seeds(used, "RandomUniform"_op, op_seed);
    return {x};
  }
  return {dropout_of(x, rate_given, noise_shape, name_or(name, "dropout"),
                     [&](const Tensor& shape) { return random_uniform(shape, x.dtype(), op_seed); })};
}

Arg stateless_dropout(const Tensor& x, const Arg& rate, const Tensor& seed, const Arg& rng_alg, const Arg& noise_shape,
                      std::string_view name) {
  if (is_zero(rate) && is_floating(x.dtype())) return {x};
  return {dropout_of(x, rate, noise_shape, name_or(name, "stateless_dropout"), [&](const Tensor& shape) {
    return stateless_uniform(shape, seed, x.dtype(), rng_alg);
  })};
}

const PublicFunction& public_function(std::string_view name) {
  for (const PublicFunction& f : public_functions())
    for (const std::string_view one : f.names)
      if (one == name) return f;
  fail(ErrorKind::kInternal, "there is no function ", name);
}

Arg embedding_lookup(const std::vector<Tensor>& parts, const Tensor& ids, const Arg& max_norm, std::string_view name) {
  if (parts.empty()) fail(ErrorKind::kValue, "params of tf.nn.embedding_lookup must have at least one tensor");
  const Scope scope(name_or(name, "embedding_lookup"));
  // Partitions hold consecutive rows; the first ones have one more where the split is uneven.
  std::vector<Tensor> values;
  if (parts.size() > 1)
    for (const Tensor& part : parts) values.push_back(ops::value_of(part));
  const Tensor params = parts.size() == 1 ? parts[0] : ops::concat(values, 0);
  const Tensor rows = ops::gather_rows(params, ids, scope.own_name());
  if (max_norm.none()) return {ops::identity(rows)};
  const Shape& of_ids = ids.shape();
  const Shape& of_rows = rows.shape();
  if (!of_ids.has_rank() || !of_rows.has_rank())
    fail(ErrorKind::kValue, "max_norm of tf.nn.embedding_lookup needs the ranks of params and ids");
  Ints axes;
  for (int d = of_ids.rank(); d < of_rows.rank(); ++d) axes.push_back(d);
  const double* number = std::get_if<double>(&max_norm.value);
  const int64_t* whole = std::get_if<int64_t>(&max_norm.value);
  const Arg norm = number  ? Arg{ops::number(*number, rows.dtype())}
                   : whole ? Arg{ops::number(static_cast<double>(*whole), rows.dtype())}
                           : Arg{value_tensor(max_norm, "max_norm of tf.nn.embedding_lookup", rows.dtype())};
  const std::vector<Arg> clipped{{rows}, norm, {ops::ints(axes)}};
  return public_function("clip_by_norm").call(clipped, "");
}

template <Literal op_name>
Arg space_depth(const Tensor& input, int64_t block_size, const std::string& data_format, std::string_view name) {
  return {
      apply(op_named<op_name>(), {input}, {{"block_size"_attr, block_size}, {"data_format"_attr, data_format}}, name)};
}

}  // namespace

FL_PUBLIC(nn) {
  return {
      {"nn.bias_add", "value: tensor, bias: tensor like value, data_format: str? = None, name: str? = None",
       bind<bias_add>,
       "adds a vector along the channels"},
      {"nn.moments", "x: tensor, axes: ints, shift: any = None, keepdims: bool = False, name: str? = None -> tuple",
       bind<moments>, "mean and variance over some dimensions"},
      {"nn.weighted_moments",
       "x: tensor, axes: ints, frequency_weights: tensor, keepdims: bool = False, name: str? = None -> tuple",
       bind<weighted_moments>, "weighted mean and variance over some dimensions"},
      {"nn.sufficient_statistics",
       "x: tensor, axes: ints, shift: tensor? like x = None, keepdims: bool = False, name: str? = None -> tuple",
       bind<sufficient_statistics>, "the statistics for mean and variance: count, sum, sum of squares, shift"},
      {"nn.normalize_moments",
       "counts: tensor, mean_ss: tensor like counts, variance_ss: tensor like counts, shift: tensor? like counts, "
       "name: str? = None -> tuple",
       bind<normalize_moments>, "mean and variance from sufficient statistics"},
      {"nn.batch_normalization",
       "x: tensor, mean: tensor like x, variance: tensor like x, offset: tensor? like x, scale: tensor? like x, "
       "variance_epsilon: tensor like variance, name: str? = None",
       bind<batch_normalization>, "(x - mean) / sqrt(variance + epsilon), scaled and shifted"},
      {"nn.local_response_normalization nn.lrn",
       "input: tensor, depth_radius: int = 5, bias: float = 1, alpha: float = 1, beta: float = 0.5, name: str? = "
       "None",
       bind<local_response_normalization>, "each element divided by the size of its neighbours among the channels"},
      {"nn.dropout", "x: tensor, rate: any, noise_shape: shape? = None, seed: int? = None, name: str? = None",
       bind<dropout>, "elements set to 0 with the probability `rate`, the others scaled up"},
      {"nn.experimental.stateless_dropout",
       "x: tensor, rate: any, seed: tensor, rng_alg: any = None, noise_shape: shape? = None, name: str? = None",
       bind<stateless_dropout>, "dropout that depends on nothing but its seed"},
      {"nn.embedding_lookup", "params: tensors or variable, ids: tensor, max_norm: any = None, name: str? = None",
       bind<embedding_lookup>, "the rows of params that ids name"},
      {"nn.space_to_depth", "input: tensor, block_size: int, data_format: str = 'NHWC', name: str? = None",
       bind<space_depth<"SpaceToDepth">>, "blocks of pixels as channels of one pixel"},
      {"nn.depth_to_space", "input: tensor, block_size: int, data_format: str = 'NHWC', name: str? = None",
       bind<space_depth<"DepthToSpace">>, "channels as blocks of pixels"},
  };
}

}  // namespace footlight::composite
