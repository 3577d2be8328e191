// Public functions of norms and normalisation.
#include "engine/ops/composite/composites.h"
#include "engine/ops/composite/define.h"
#include "engine/ops/matrix.h"

#include <cmath>

namespace footlight::composite {

namespace {

Tensor reduce(const Op& op, const Tensor& x, const Tensor& axes) {
  return apply(op, {x, axes}, {{"keep_dims"_attr, true}});
}

// The order of a norm. The Euclidean and the Frobenius norm have order 2 and are `named`.
struct Order {
  double p = 2;
  bool named = false;  // 'euclidean' or 'fro'
};

std::string in_words(const Arg& a) {
  if (const auto* s = std::get_if<std::string>(&a.value)) return *s;
  if (const auto* d = std::get_if<double>(&a.value)) return str(*d);
  if (const auto* i = std::get_if<int64_t>(&a.value)) return str(*i);
  return "something else";
}

// The value of a one-element tensor; -1, which is no valid order, if it is not known.
double number_in(const Tensor& t) {
  const Tensor known = known_value(t);
  double value = -1;
  if (!known || known.elements() != 1 || !in_set(known.dtype(), kRealTypes)) return value;
  with_plain_type(known.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_same_v<T, std::complex<float>> && !std::is_same_v<T, std::complex<double>>)
      value = static_cast<double>(*known.data<T>());
  });
  return value;
}

Order order_of(const Arg& a, bool matrices) {
  const std::string* name = std::get_if<std::string>(&a.value);
  Order order;
  if (const auto* i = std::get_if<int64_t>(&a.value)) order.p = static_cast<double>(*i);
  else if (const auto* d = std::get_if<double>(&a.value)) order.p = *d;
  else if (const auto* t = std::get_if<Tensor>(&a.value)) order.p = number_in(*t);
  else if (!name) order.p = -1;
  order.named = name && (*name == "euclidean" || (matrices && *name == "fro"));
  const bool known = matrices ? order.p == 1 || order.p == 2 || std::isinf(order.p) : order.p > 0;
  if ((name && !order.named) || !known || order.p < 0)
    fail(ErrorKind::kValue, "tf.norm: 'ord' must be a supported ",
         matrices ? "matrix norm: 'euclidean', 'fro', 1, 2 or inf" : "vector norm: 'euclidean' or a number above 0",
         "; got ", in_words(a));
  return order;
}

// The axes of vectors (one, or none: all) or of matrices (two).
std::optional<std::vector<int64_t>> axes_of(const Arg& a) {
  if (a.none()) return std::nullopt;
  if (const auto* one = std::get_if<int64_t>(&a.value)) return std::vector<int64_t>{*one};
  if (const auto* list = std::get_if<ArgList>(&a.value); list && list->size() == 2) {
    const auto* first = std::get_if<int64_t>(&(*list)[0].value);
    const auto* second = std::get_if<int64_t>(&(*list)[1].value);
    if (first && second && *first != *second) return std::vector<int64_t>{*first, *second};
  }
  fail(ErrorKind::kValue, "tf.norm: 'axis' must be None, an integer, or two different integers");
}

Tensor order_list(std::span<const int64_t> axes, int rank, bool back) {
  std::vector<int64_t> perm, last;
  for (int64_t axis : axes) last.push_back(axis < 0 ? axis + rank : axis);
  for (int d = 0; d < rank; ++d)
    if (std::find(last.begin(), last.end(), d) == last.end()) perm.push_back(d);
  perm.insert(perm.end(), last.begin(), last.end());
  std::vector<int64_t> inverse(perm.size());
  for (size_t d = 0; d < perm.size(); ++d) inverse[static_cast<size_t>(perm[d])] = static_cast<int64_t>(d);
  return ops::ints(back ? inverse : perm);
}

// The largest singular values, with the dimensions of the matrices as trailing 1s.
Tensor largest_values(const Tensor& matrices) {
  const Tensor values = abs(apply_all("Svd"_op.row(), {&matrices, 1}, {{"compute_uv"_attr, false}})[0], {});
  return ops::expand_dims(reduce("Max"_op, values, ops::ints({-1})), -1);
}

// spectral() for a rank known only at run time: the axes are computed in the graph.
Tensor spectral_at_run_time(const Tensor& x, std::span<const int64_t> axes) {
  const Tensor count = ops::rank(x);
  const Tensor given = ops::ints(axes);
  const Tensor at = ops::where(ops::less(given, ops::integer(0)), ops::add(given, count), given);
  const Tensor chosen = ops::sum(apply("OneHot"_op, {at, count, ops::integer(1), ops::integer(0)}), ops::ints({0}));
  const Tensor others = apply("Where"_op, {ops::equal(chosen, ops::integer(0))});
  const Tensor parts[] = {ops::cast(ops::reshape(others, ops::ints({-1})), DType::kInt32), at};
  const Tensor perm = ops::concat(parts, 0);
  return ops::transpose(largest_values(ops::transpose(x, perm)), apply("InvertPermutation"_op, {perm}));
}

// The largest singular value of the matrices in two axes.
Tensor spectral(const Tensor& x, std::span<const int64_t> axes) {
  const Shape& s = x.shape();
  if (!s.has_rank()) return spectral_at_run_time(x, axes);
  for (int64_t axis : axes)
    if (axis < -s.rank() || axis >= s.rank())
      invalid("tf.norm: axis ", axis, " is out of range for the shape ", s.to_string());
  const Tensor matrices = ops::transpose(x, order_list(axes, s.rank(), false));
  return ops::transpose(largest_values(matrices), order_list(axes, s.rank(), true));
}

// The norm, with the reduced dimensions kept as 1.
Tensor kept_norm(const Tensor& x, const Order& order, const std::optional<std::vector<int64_t>>& axes) {
  static const Op sum{"Sum"};
  const bool matrices = axes && axes->size() == 2;
  const Tensor along = axes ? ops::ints(*axes) : ops::all_axes(x);
  if (matrices && order.p == 2 && !order.named) return spectral(x, *axes);
  if (order.p == 2 && !in_set(x.dtype(), kNumberTypes))
    fail(ErrorKind::kType, "tf.norm: a tensor of numbers is wanted, not of ", name_of(x.dtype()));
  if (order.p == 2) return ops::sqrt(reduce(sum, ops::mul(x, ops::conj(x)), along));
  const Tensor sizes = abs(x, {});
  if (matrices) {
    const size_t summed = order.p == 1 ? 0 : 1;
    return reduce("Max"_op, reduce(sum, sizes, ops::ints({(*axes)[summed]})), ops::ints({(*axes)[1 - summed]}));
  }
  if (order.p == 1) return reduce(sum, sizes, along);
  if (std::isinf(order.p)) return reduce("Max"_op, sizes, along);
  const DType t = sizes.dtype();
  const Tensor powers = reduce(sum, apply("Pow"_op, {sizes, ops::number(order.p, t)}), along);
  return apply("Pow"_op, {powers, ops::number(1 / order.p, t)});
}

Tensor norm_of(const Tensor& x, const Arg& ord, const Arg& axis, bool keep) {
  const auto axes = axes_of(axis);
  const Order order = order_of(ord, axes && axes->size() == 2);
  const Tensor kept = kept_norm(x, order, axes);
  if (keep) return kept;
  if (!axes && kept.shape().has_rank() && kept.shape().rank() == 0) return kept;
  return ops::squeeze(kept, axes.value_or(std::vector<int64_t>{}));
}

Arg norm(const Tensor& x, const Arg& ord, const Arg& axis, std::optional<bool> keepdims, std::string_view name) {
  const Scope scope(name_or(name, "norm"));
  return {norm_of(x, ord, axis, keepdims.value_or(false))};
}

Arg normalize(const Tensor& x, const Arg& ord, const Arg& axis, std::string_view name) {
  const Scope scope(name_or(name, "normalize"));
  const Tensor length = ops::cast(norm_of(x, ord, axis, true), x.dtype());
  return {ArgList{{ops::div(x, length)}, {length}}};
}

Arg l2_normalize(const Tensor& x, const Arg& axes, double epsilon, const Arg& dim, std::string_view name) {
  const Scope scope(name_or(name, "l2_normalize"));
  if (!axes.none() && !dim.none())
    fail(ErrorKind::kValue, "tf.nn.l2_normalize: `dim` is an old name of `axis`; give one of them");
  const Arg& axis = axes.none() ? dim : axes;
  const Tensor along = axis.none() ? ops::all_axes(x) : tensor(axis);
  const bool complex = is_complex(x.dtype());
  const Tensor squares = complex ? ops::real(ops::mul(x, ops::conj(x))) : ops::square(x);
  const Tensor size = reduce("Sum"_op, squares, along);
  if (!is_floating(size.dtype()))
    fail(ErrorKind::kType, "tf.nn.l2_normalize: `x` must be of floats or complex numbers, not ", name_of(x.dtype()));
  const Tensor factor = apply("Rsqrt"_op, {ops::maximum(size, ops::number(epsilon, size.dtype()))});
  return {ops::mul(x, ops::cast(factor, x.dtype()))};
}

}  // namespace

FL_PUBLIC(norm) {
  constexpr const char* kNorm =
      "tensor: tensor, ord: any = 'euclidean', axis: any? = None, keepdims: bool? = None, name: str? = None";
  constexpr const char* kNormalize =
      "tensor: tensor, ord: any = 'euclidean', axis: any? = None, name: str? = None -> tuple";
  return {
      {"linalg.norm norm", kNorm, bind<norm>, "the size of vectors or matrices, by one of several measures"},
      {"linalg.normalize", kNormalize, bind<normalize>, "divided by its norm, and the norm"},
      {"nn.l2_normalize linalg.l2_normalize math.l2_normalize",
       "x: tensor, axis: tensor? of int32 = None, epsilon: float = 1e-12, name: str? = None, dim: tensor? of int32 = "
       "None",
       bind<l2_normalize>, "scaled to Euclidean length 1"},
  };
}

}  // namespace footlight::composite
