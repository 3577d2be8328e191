// Public functions: cross entropies and other losses of neural networks.
#include "engine/ops/composite/define.h"
#include "engine/ops/wanted.h"

#include <numbers>

namespace footlight::composite {

namespace {

Tensor one_of(const Op& op, const Tensor& x) { return apply(op, {x}); }
Tensor log1p(const Tensor& x) { return one_of("Log1p"_op, x); }
Tensor greater_equal(const Tensor& x, const Tensor& y) { return apply("GreaterEqual"_op, {x, y}); }

void check_both_given(const Arg& labels, const Arg& logits, const char* function) {
  if (labels.none() || logits.none()) fail(ErrorKind::kValue, "both labels and logits must be given to ", function);
}
void check_same_shape(const Tensor& x, const Tensor& y, const char* names) {
  if (!compatible(x.shape(), y.shape()))
    fail(ErrorKind::kValue, names, " must have the same shape, got ", x.shape().to_string(), " and ",
         y.shape().to_string());
}

Tensor move_to_end(const Tensor& x, int64_t axis, int rank) {
  std::vector<int64_t> order;
  for (int64_t d = 0; d < rank; ++d)
    if (d != axis) order.push_back(d);
  order.push_back(axis);
  return ops::transpose(x, ops::ints(order));
}

// All dimensions of a tensor's shape but the last, as a tensor.
Tensor outer_shape(const Tensor& x) {
  const Shape& s = x.shape();
  if (s.has_rank()) {
    const auto outer = s.dims().first(static_cast<size_t>(s.rank() - 1));
    if (Shape(outer).fully_known()) return ops::ints(outer);
  }
  return apply("StridedSlice"_op, {ops::shape(x), ops::ints({0}), ops::ints({-1}), ops::ints({1})},
               {{"begin_mask"_attr, int64_t{1}}});
}

Tensor as_matrix(const Tensor& x) {
  const Shape& s = x.shape();
  if (s.has_rank() && s.rank() == 2) return x;
  if (s.has_rank() && s[s.rank() - 1] >= 0) {
    // With a last dimension of 0, the first cannot be inferred by -1.
    if (s.fully_known()) {
      int64_t rows = 1;
      for (int d = 0; d + 1 < s.rank(); ++d) rows *= s[d];
      return ops::reshape(x, ops::ints({rows, s[s.rank() - 1]}));
    }
    return ops::reshape(x, ops::ints({-1, s[s.rank() - 1]}));
  }
  const Tensor last = apply("StridedSlice"_op, {ops::shape(x), ops::ints({-1}), ops::ints({0}), ops::ints({1})},
                            {{"end_mask"_attr, int64_t{1}}});
  const Tensor parts[] = {ops::ints({-1}), last};
  return ops::reshape(x, ops::concat(parts, 0));
}

// Sets a known shape on a result whose op cannot infer it.
Tensor with_shape(const Tensor& x, const Shape& shape) {
  if (!x.is_symbolic() || is_subshape(x.shape(), shape)) return x;
  return apply("EnsureShape"_op, {x}, {{"shape"_attr, shape}});
}

// Returns the losses, output 0. The op also computes their gradient, if a tape or a trace needs it.
Tensor losses_of(const OpRow& row, std::span<const Tensor> both, std::string_view name) {
  if (this_thread.recorders || both[0].is_symbolic() || both[1].is_symbolic()) return apply_all(row, both, {}, name)[0];
  const FirstResultWanted losses_alone;
  return apply_all(row, both, {}, name)[0];
}

Arg softmax_cross_entropy(const Tensor& labels_given, const Tensor& given, int64_t axes, std::string_view name) {
  const DType type = given.dtype();
  const bool narrow = type == DType::kFloat16 || type == DType::kBFloat16;
  const Scope scope(name_or(name, "softmax_cross_entropy_with_logits"));
  Tensor logits = narrow ? ops::cast(given, DType::kFloat32) : given;
  Tensor labels = ops::cast(labels_given, logits.dtype());
  const Shape& shape = given.shape();
  int64_t axis = axes;
  if (axis != -1) {
    const Shape& like = shape.has_rank() ? shape : labels.shape();
    if (!like.has_rank())
      fail(ErrorKind::kValue, "the rank of labels or logits must be known to move axis ", axis, " to the end");
    const int rank = like.rank();
    if (axis < -rank || axis >= rank)
      fail(ErrorKind::kInvalidArgument, "axis ", axis, " is outside of [-", rank, ", ", rank,
           ") of logits with shape ", shape.to_string());
    if (axis < 0) axis += rank;
    logits = move_to_end(logits, axis, rank);
    labels = move_to_end(labels, axis, rank);
  } else if (shape.has_rank()) {
    axis = shape.rank() - 1;
  }
  if (shape.has_rank() && shape.rank() == 0)
    invalid("logits must have at least one dimension, got a scalar [Op:SoftmaxCrossEntropyWithLogits]");
  const Tensor both[] = {as_matrix(logits), as_matrix(labels)};
  Tensor cost = losses_of("SoftmaxCrossEntropyWithLogits"_op.row(), both, scope.own_name());
  if (!shape.has_rank() || shape.rank() != 2) {
    cost = ops::reshape(cost, outer_shape(logits));
    if (shape.has_rank()) {
      Shape outer;
      for (int d = 0; d < shape.rank(); ++d)
        if (d != axis) outer.append(shape[d]);
      cost = with_shape(cost, outer);
    }
  }
  return {ops::cast(cost, type)};
}

Arg sparse_softmax_cross_entropy(const Tensor& labels, const Tensor& given, std::string_view name) {
  const Shape& ls = labels.shape();
  const Shape& s = given.shape();
  const Scope scope(name_or(name, "SparseSoftmaxCrossEntropyWithLogits"));
  if (s.has_rank() && s.rank() == 0) fail(ErrorKind::kValue, "logits cannot be a scalar");
  if (s.has_rank() && ls.has_rank() && ls.rank() != s.rank() - 1)
    fail(ErrorKind::kValue, "labels must have one dimension less than logits, their shapes are ", ls.to_string(),
         " and ", s.to_string());
  if (s.has_rank() && ls.fully_known()) {
    const Shape outer(s.dims().first(static_cast<size_t>(s.rank() - 1)));
    if (outer.fully_known() && !(outer == ls))
      fail(ErrorKind::kValue, "labels must have the shape of logits but for the last dimension, their shapes are ",
           ls.to_string(), " and ", s.to_string());
  }
  const DType type = given.dtype();
  const Tensor logits = type == DType::kFloat16 ? ops::cast(given, DType::kFloat32) : given;
  const bool matrix = s.has_rank() && s.rank() == 2;
  const Tensor both[] = {as_matrix(logits), matrix ? labels : ops::reshape(labels, ops::ints({-1}))};
  Tensor cost = losses_of("SparseSoftmaxCrossEntropyWithLogits"_op.row(), both, matrix ? scope.own_name() : "");
  if (!matrix) cost = with_shape(ops::reshape(cost, ops::shape(labels)), ls);
  return {ops::cast(cost, type)};
}

// Eager values on the host need no graph of TensorFlow's individual ops.
bool runs_as_one_op(const Tensor& t) {
  return !t.is_symbolic() && t.device() == Device::cpu() &&
         (t.dtype() == DType::kFloat32 || t.dtype() == DType::kFloat64);
}

// max(x, 0) - x z + log(1 + exp(-|x|)), in parts that have a gradient at 0.
Arg sigmoid_cross_entropy(const Arg& labels_given, const Arg& logits_given, std::string_view name) {
  check_both_given(labels_given, logits_given, "tf.nn.sigmoid_cross_entropy_with_logits");
  const Tensor& labels = tensor(labels_given);
  const Tensor& logits = tensor(logits_given);
  check_same_shape(logits, labels, "logits and labels");
  if (runs_as_one_op(logits) && runs_as_one_op(labels)) {
    return {apply("SigmoidCrossEntropy"_op, {logits, labels})};
  }
  const Scope scope(name_or(name, "logistic_loss"));
  const Tensor zeros = ops::zeros_like(logits);
  const Tensor positive = greater_equal(logits, zeros);
  const Tensor relu = ops::where(positive, logits, zeros);
  const Tensor minus_abs = ops::where(positive, ops::neg(logits), logits);
  return {ops::add(ops::sub(relu, ops::mul(logits, labels)), log1p(ops::exp(minus_abs)), scope.own_name())};
}

// (1 - z) x + (1 + (q - 1) z) (log(1 + exp(-|x|)) + max(-x, 0))
Arg weighted_cross_entropy(const Tensor& labels, const Tensor& logits, const Tensor& weight, std::string_view name) {
  check_same_shape(logits, labels, "logits and labels");
  const Scope scope(name_or(name, "logistic_loss"));
  const auto one = [](const Tensor& like) { return ops::number(1, like.dtype()); };
  const Tensor log_weight = ops::add(one(labels), ops::mul(ops::sub(weight, one(weight)), labels));
  const Tensor soft =
      ops::add(log1p(ops::exp(ops::neg(one_of("Abs"_op, logits)))), one_of("Relu"_op, ops::neg(logits)));
  return {ops::add(ops::mul(ops::sub(one(labels), labels), logits), ops::mul(log_weight, soft), scope.own_name())};
}

// exp(c) - z c, with compute_full_loss the logarithm of z! by Stirling for z > 1.
Arg log_poisson(const Tensor& targets, const Tensor& input, bool compute_full_loss, std::string_view name) {
  check_same_shape(input, targets, "log_input and targets");
  const Scope scope(name_or(name, "log_poisson_loss"));
  const Tensor loss = ops::sub(ops::exp(input), ops::mul(input, targets));
  if (!compute_full_loss) return {loss};
  const DType t = targets.dtype();
  const Tensor stirling =
      ops::add(ops::sub(ops::mul(targets, ops::log(targets)), targets),
               ops::mul(ops::number(0.5, t), ops::log(ops::mul(ops::number(2 * std::numbers::pi, t), targets))));
  const Tensor zeros = ops::zeros_like(targets);
  const Tensor small = apply(
      "LogicalAnd"_op, {greater_equal(targets, zeros), apply("LessEqual"_op, {targets, ops::ones_like(targets)})});
  return {ops::add(loss, ops::where(small, zeros, stirling))};
}

}  // namespace

FL_PUBLIC(losses) {
  return {
      {"nn.softmax_cross_entropy_with_logits",
       "labels: tensor like logits, logits: tensor, axis: int = -1, name: str? = None", bind<softmax_cross_entropy>,
       "the cross entropy of labels and softmax(logits)"},
      {"nn.sparse_softmax_cross_entropy_with_logits", "labels: tensor, logits: tensor, name: str? = None",
       bind<sparse_softmax_cross_entropy>, "the cross entropy of class numbers and softmax(logits)"},
      {"nn.sigmoid_cross_entropy_with_logits",
       "labels: tensor? like logits = None, logits: tensor? = None, name: str? = None", bind<sigmoid_cross_entropy>,
       "the cross entropy of labels and sigmoid(logits)"},
      {"nn.weighted_cross_entropy_with_logits",
       "labels: tensor like logits, logits: tensor, pos_weight: tensor like logits, name: str? = None",
       bind<weighted_cross_entropy>, "the same with a weight for the positive ones"},
      {"nn.log_poisson_loss",
       "targets: tensor like log_input, log_input: tensor, compute_full_loss: bool = False, name: str? = None",
       bind<log_poisson>, "the loss of Poisson counts, given the logarithm of the prediction"},
  };
}

}  // namespace footlight::composite
