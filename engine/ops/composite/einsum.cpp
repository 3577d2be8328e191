// Public functions that sum products along chosen dimensions: einsum and tensordot.
#include "engine/ops/composite/define.h"
#include "engine/ops/composite/scalar.h"
#include "engine/ops/infer.h"
#include "engine/tensor/equation.h"

#include <algorithm>
#include <limits>
#include <set>

namespace footlight::composite {

namespace {

bool has(const std::string& labels, char c) { return labels.find(c) != std::string::npos; }

// The user's equation with an explicit result: without "->" the labels that occur once, in alphabetical order.
Equation equation_of(std::string text, size_t operands) {
  std::erase(text, ' ');
  const bool given = text.find("->") != std::string::npos;
  Equation e;
  try {
    e = parse_equation(given ? text : text + "->");
  } catch (const Error& error) {
    fail(ErrorKind::kValue, "tf.einsum: subscripts have incorrect format: ", error.message());
  }
  if (e.inputs.size() != operands)
    fail(ErrorKind::kValue, "tf.einsum: got ", operands, " inputs for equation \"", text, "\", expecting ",
         e.inputs.size());
  std::string all;
  for (const std::string& labels : e.inputs) all += labels;
  if (!given) {
    for (char label : std::set<char>(all.begin(), all.end()))
      if (std::count(all.begin(), all.end(), label) == 1) e.output += label;
  }
  for (char label : e.output) {
    if (std::count(e.output.begin(), e.output.end(), label) > 1)
      fail(ErrorKind::kValue, "tf.einsum: the result of '", text, "' has a label more than once");
    if (label != '.' && !has(all, label))
      fail(ErrorKind::kValue, "tf.einsum: the result of '", text, "' has the label ", std::string(1, label),
           ", which no operand has");
  }
  return e;
}

Tensor contract(std::span<const Tensor> operands, const Equation& e) {
  return apply("Einsum"_op.row(), operands, {{"equation"_attr, to_string(e)}}, "Einsum");
}

// The number of elements of an operand with these labels; unknown sizes count as 1.
double size_of(const std::string& labels, std::span<const Tensor> operands, const Equation& e) {
  double size = 1;
  for (char label : labels) {
    for (size_t k = 0; k < operands.size(); ++k) {
      const Shape& s = operands[k].shape();
      const size_t at = e.inputs[k].find(label);
      if (label == '.' || at == std::string::npos || !s.has_rank()) continue;
      const size_t dots = e.inputs[k].find('.');
      const auto d = static_cast<int>(at) + (dots < at ? s.rank() - static_cast<int>(e.inputs[k].size()) : 0);
      if (d < 0 || d >= s.rank() || s[d] < 0) continue;
      size *= static_cast<double>(s[d]);
      break;
    }
  }
  return size;
}

// The labels of two operands that the result or the other operands still need.
std::string kept(const Equation& e, size_t i, size_t j) {
  std::string wanted = e.output;
  for (size_t k = 0; k < e.inputs.size(); ++k)
    if (k != i && k != j) wanted += e.inputs[k];
  std::string out;
  for (char label : e.inputs[i] + e.inputs[j])
    if (has(wanted, label) && !has(out, label)) out += label;
  return out;
}

// Greedy pairwise order: first the pair whose product is smallest compared to what it replaces.
Tensor contract_all(std::vector<Tensor> operands, Equation e) {
  while (operands.size() > 2) {
    size_t first = 0, second = 1;
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < operands.size(); ++i)
      for (size_t j = i + 1; j < operands.size(); ++j) {
        const double cost = size_of(kept(e, i, j), operands, e) - size_of(e.inputs[i], operands, e) -
                            size_of(e.inputs[j], operands, e);
        if (cost < least) least = cost, first = i, second = j;
      }
    const std::string left = kept(e, first, second);
    const Tensor pair[] = {operands[first], operands[second]};
    const Tensor product = contract(pair, {{e.inputs[first], e.inputs[second]}, left});
    for (size_t k : {second, first}) {
      operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(k));
      e.inputs.erase(e.inputs.begin() + static_cast<std::ptrdiff_t>(k));
    }
    operands.push_back(product);
    e.inputs.push_back(left);
  }
  return contract(operands, e);
}

Arg einsum(const std::string& equation, const std::vector<Tensor>& operands, const Arg&, std::string_view name) {
  const Equation e = equation_of(equation, operands.size());
  for (size_t k = 0; operands.size() > 2 && k < operands.size(); ++k) {
    const Shape& s = operands[k].shape();
    const int named = static_cast<int>(e.inputs[k].size()) - has(e.inputs[k], '.');
    if (s.has_rank() && (s.rank() < named || (s.rank() > named && !has(e.inputs[k], '.'))))
      fail(ErrorKind::kValue, "tf.einsum: input ", k, " of '", to_string(e), "' has ", named, " labels, its shape is ",
           s.to_string());
  }
  const Scope scope(name_or(name, "einsum"));
  return {contract_all(operands, e)};
}

// The axes of one side as numbers if they are known, else as a tensor.
struct Axes {
  std::optional<std::vector<int64_t>> known;
  Tensor tensor;
};

struct Matrix {
  Tensor value;
  Tensor free;                          // the sizes of the remaining dimensions
  std::vector<int64_t> free_sizes;      // the same, -1 where unknown; when `known`
  bool known = false;                   // the rank is
};

Tensor product_of(const Tensor& sizes) { return apply("Prod"_op, {sizes, ops::ints({0})}); }

Tensor taken(const Tensor& sizes, const Tensor& at) { return ops::gather(sizes, at); }

// The axes that are not in `axes`, for a rank known only at run time.
Tensor others(const Tensor& rank, const Tensor& axes) {
  const Tensor counted =
      ops::sum(apply("OneHot"_op, {axes, rank, ops::integer(1), ops::integer(0)}), ops::ints({0}));
  const Tensor places = apply("Where"_op, {ops::equal(counted, ops::integer(0))});
  return ops::cast(ops::reshape(places, ops::ints({-1})), DType::kInt32);
}

// Turns the operand into a matrix: [free dimensions, contracted ones], or the reverse for the second operand.
Matrix as_matrix(const Tensor& x, const Axes& axes, bool second, const char* which) {
  const Shape& s = x.shape();
  Matrix m;
  if (!s.has_rank() || !axes.known) {
    const Tensor count = ops::rank(x);
    Tensor at = axes.known ? ops::ints(*axes.known) : as_int32(axes.tensor, "an axis");
    at = ops::where(ops::less(at, ops::integer(0)), ops::add(at, count), at);
    const Tensor free = others(count, at), shape = ops::shape(x);
    m.free = taken(shape, free);
    const Tensor order[] = {second ? at : free, second ? free : at};
    const Tensor sizes[] = {product_of(taken(shape, order[0])), product_of(taken(shape, order[1]))};
    m.value = ops::reshape(ops::transpose(x, ops::concat(order, 0)), ops::pack(sizes, 0));
    return m;
  }
  m.known = true;
  std::vector<int64_t> summed, perm;
  for (int64_t axis : *axes.known) {
    if (axis < -s.rank() || axis >= s.rank())
      fail(ErrorKind::kIndex, "tf.tensordot: axis ", axis, " of `", which, "` is out of range for its shape ",
           s.to_string());
    summed.push_back(axis < 0 ? axis + s.rank() : axis);
  }
  int64_t inner = 1, outer = 1;
  const auto times = [](int64_t& product, int64_t size) { product = product < 0 || size < 0 ? -1 : product * size; };
  for (int d = 0; d < s.rank(); ++d) {
    if (std::find(summed.begin(), summed.end(), d) != summed.end()) continue;
    perm.push_back(d);
    m.free_sizes.push_back(s[d]);
    times(outer, s[d]);
  }
  if (perm.size() + summed.size() > static_cast<size_t>(s.rank()))
    fail(ErrorKind::kValue, "tf.tensordot: an axis of `", which, "` is given twice");
  std::vector<int64_t> free = perm;
  for (int64_t axis : summed) times(inner, s[static_cast<int>(axis)]);
  perm.insert(second ? perm.begin() : perm.end(), summed.begin(), summed.end());
  const bool in_order = std::is_sorted(perm.begin(), perm.end());
  const Tensor transposed = in_order ? x : ops::transpose(x, ops::ints(perm));
  if (outer >= 0 && inner >= 0) {
    m.free = ops::ints(m.free_sizes);
    m.value = ops::reshape(transposed, second ? ops::ints({inner, outer}) : ops::ints({outer, inner}));
    return m;
  }
  const Tensor shape = ops::shape(x);
  m.free = taken(shape, ops::ints(free));
  const Tensor sizes[] = {product_of(m.free), product_of(taken(shape, ops::ints(summed)))};
  const Tensor order[] = {second ? sizes[1] : sizes[0], second ? sizes[0] : sizes[1]};
  m.value = ops::reshape(transposed, ops::pack(order, 0));
  return m;
}

std::vector<int64_t> counted(int64_t from, int64_t to) {
  std::vector<int64_t> out;
  for (int64_t i = from; i < to; ++i) out.push_back(i);
  return out;
}

Axes axes_from(const Arg& a) {
  Axes out;
  if (const auto* t = std::get_if<Tensor>(&a.value)) {
    if (const Tensor known = known_value(*t)) out.known = infer::ints_of(known);
    out.tensor = t->shape().has_rank() && t->shape().rank() == 0 ? ops::reshape(*t, ops::ints({1})) : *t;
    return out;
  }
  const auto is_whole = [](const Arg& one) { return std::holds_alternative<int64_t>(one.value); };
  const auto* list = std::get_if<ArgList>(&a.value);
  if (!is_whole(a) && !(list && std::ranges::all_of(*list, is_whole)))
    fail(ErrorKind::kType, "tf.tensordot: each axis must be an integer");
  out.known = list ? integers(a) : std::vector<int64_t>{integer(a)};
  return out;
}

// Reads the contracted axes of both operands: a number n means the last n of the first and the first n of the second.
std::pair<Axes, Axes> axes_of(const Tensor& a, const Arg& given) {
  Arg arg = given;
  if (const auto* t = std::get_if<Tensor>(&given.value)) {
    const Tensor known = known_value(*t);
    if (!known || known.shape().rank() > 0) {
      const auto row = [&](int64_t i) {
        return Arg{taken(*t, ops::ints({i}).reshaped(Shape()))};
      };
      return {axes_from(row(0)), axes_from(row(1))};
    }
    arg = {infer::ints_of(known)[0]};
  }
  if (const auto* count = std::get_if<int64_t>(&arg.value)) {
    const Shape& s = a.shape();
    if (*count < 0) fail(ErrorKind::kValue, "tf.tensordot: `axes` must be at least 0, not ", *count);
    if (s.has_rank() && *count > s.rank())
      fail(ErrorKind::kValue, "tf.tensordot: `axes` must not be larger than the number of dimensions of `a`, got ",
           *count, " for shape ", s.to_string());
    if (s.has_rank()) return {{counted(s.rank() - *count, s.rank()), {}}, {counted(0, *count), {}}};
    const Tensor all = ops::rank(a);
    return {{std::nullopt, ops::range(ops::sub(all, ops::integer(*count)), all)},
            {counted(0, *count), {}}};
  }
  const auto* list = std::get_if<ArgList>(&arg.value);
  if (!list || list->size() != 2)
    fail(ErrorKind::kValue, "tf.tensordot: `axes` must be an integer or two lists of axes");
  std::pair<Axes, Axes> out{axes_from((*list)[0]), axes_from((*list)[1])};
  if (out.first.known && out.second.known && out.first.known->size() != out.second.known->size())
    fail(ErrorKind::kValue, "tf.tensordot: axes of `a` and `b` must be equally many, got ", out.first.known->size(),
         " and ", out.second.known->size());
  return out;
}

Arg tensordot(const Tensor& a, const Tensor& b, const Arg& axes_given, std::string_view name) {
  const Scope scope(name_or(name, "Tensordot"));
  const auto axes = axes_of(a, axes_given);
  const Matrix x = as_matrix(a, axes.first, false, "a"), y = as_matrix(b, axes.second, true, "b");
  const Tensor product = ops::matmul(x.value, y.value);
  const auto known = [](const Tensor& t) { return t.shape().has_rank() && t.shape().rank() == 1 && t.shape()[0] == 0; };
  const Tensor shape = known(x.free) ? y.free : known(y.free) ? x.free : ops::concat({x.free, y.free}, 0);
  const Tensor out = apply("Reshape"_op, {product, shape}, {}, scope.own_name());
  if (!x.known || !y.known || out.shape().fully_known()) return {out};
  // The static shape keeps sizes that are known only in part.
  Shape sizes_known{std::span<const int64_t>(x.free_sizes)};
  for (int64_t size : y.free_sizes) sizes_known.append(size);
  return {apply("EnsureShape"_op, {out}, {{"shape"_attr, sizes_known}})};
}

}  // namespace

FL_PUBLIC(einsum) {
  return {
      {"linalg.einsum einsum", "equation: str, *inputs: tensors of any, name: str? = None, optimize: str = 'greedy'",
       bind<einsum>,
       "sums of products along dimensions that an equation names"},
      {"linalg.tensordot tensordot", "a: tensor, b: tensor, axes: any, name: str? = None", bind<tensordot>,
       "products of two tensors summed over pairs of axes"},
  };
}

}  // namespace footlight::composite
