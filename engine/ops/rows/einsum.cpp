// The row of einsum: sums of products of one or two operands, given by an equation.
#include "engine/ops/define.h"
#include "engine/ops/matrix.h"
#include "engine/tensor/equation.h"

#include <algorithm>
#include <map>

namespace footlight {

namespace {

// The number of dimensions covered by an operand's ellipsis.
int ellipsis_rank(Inference& i, const std::string& labels, size_t input) {
  const Shape& s = i.shape(input);
  const bool ellipsis = labels.find('.') != std::string::npos;
  const int named = static_cast<int>(labels.size()) - ellipsis;
  if (s.rank() < named || (!ellipsis && s.rank() != named))
    invalid("Expected input ", input, " to have rank ", ellipsis ? "at least " : "", named, " but got: ", s.rank(),
            ": '", labels, "' are its labels, its shape is ", s.to_string(), " [Op:Einsum]");
  return s.rank() - named;
}

void einsum_shape(Inference& i) {
  const Equation e = parse_equation(i.attrs.get<std::string>("equation"_attr));
  if (e.inputs.size() != i.inputs.size())
    invalid("Expected ", e.inputs.size(), " inputs from the equation but got: ", i.inputs.size(), " [Op:Einsum]");
  if (e.inputs.size() > 2) invalid("Einsum takes one or two operands, not ", e.inputs.size(), " [Op:Einsum]");
  std::map<char, int64_t> sizes;
  Shape batch;
  for (size_t k = 0; k < i.inputs.size(); ++k) {
    const std::string& labels = e.inputs[k];
    const Shape& s = i.shape(k);
    if (!s.has_rank()) {
      if (labels.find('.') != std::string::npos) batch = Shape::unknown_rank();
      for (char label : labels) sizes.emplace(label, kUnknownDim);
      continue;
    }
    const int rest = ellipsis_rank(i, labels, k);
    int d = 0;
    for (char label : labels) {
      if (label == '.') {
        const Shape here(s.dims().subspan(static_cast<size_t>(d), static_cast<size_t>(rest)));
        d += rest;
        try {
          batch = broadcast(batch, here);
        } catch (const Error&) {
          invalid("the dimensions of the ellipsis do not broadcast: ", i.shape(0).to_string(), " and ",
                  s.to_string(), " [Op:Einsum]");
        }
        continue;
      }
      auto [at, is_new] = sizes.emplace(label, s[d]);
      if (!is_new && at->second >= 0 && s[d] >= 0 && at->second != s[d])
        invalid("Expected dimension ", at->second, " at axis ", d, " of the input ", k, " for label ",
                std::string(1, label), " but got dimension ", s[d], ": the equation is '", to_string(e),
                "' [Op:Einsum]");
      at->second = std::max(at->second, s[d]);
      ++d;
    }
  }
  if (batch.has_rank() && batch.rank() > 0 && e.output.find('.') == std::string::npos)
    invalid("the result of '", to_string(e), "' must have the ellipsis of the operands, which covers dimensions ",
            batch.to_string(), " [Op:Einsum]");
  Shape out;
  for (char label : e.output) {
    if (label == '.') {
      if (!batch.has_rank()) {
        i.output_shapes[0] = batch;
        return;
      }
      for (int64_t size : batch.dims()) out.append(size);
      continue;
    }
    const auto at = sizes.find(label);
    if (at == sizes.end())
      invalid("the label ", std::string(1, label), " of the result is in no operand of '", to_string(e),
              "' [Op:Einsum]");
    out.append(at->second);
  }
  i.output_shapes[0] = out;
}

Tensor einsum(std::initializer_list<Tensor> operands, Equation e) {
  return apply("Einsum"_op, operands, {{"equation"_attr, to_string(e)}});
}

bool has(const std::string& labels, char c) { return labels.find(c) != std::string::npos; }

// The axis of a label: counted from the end if it comes after the ellipsis.
int64_t axis_of(const std::string& labels, char label) {
  const size_t at = labels.find(label), dots = labels.find('.');
  return at < dots ? static_cast<int64_t>(at) : static_cast<int64_t>(at) - static_cast<int64_t>(labels.size());
}

// Returns vector[from:to], where 0 means the end.
Tensor part_of(const Tensor& vector, int64_t from, int64_t to) {
  return apply("StridedSlice"_op, {vector, ops::ints({from}), ops::ints({to}), ops::ints({1})},
               {{"end_mask"_attr, int64_t{to == 0}}}, "strided_slice");
}

// Repeats the gradient along the labels that the forward op summed over.
Tensor repeat_along_summed(const Tensor& gradient, const std::string& output, const std::string& input,
                           const Tensor& operand, const std::string& summed) {
  std::vector<int64_t> axes;
  for (char label : summed) axes.push_back(axis_of(input, label));
  Tensor sizes;
  if (const Shape& s = operand.shape(); s.fully_known()) {
    for (int64_t& axis : axes) axis = s[static_cast<int>(axis < 0 ? axis + s.rank() : axis)];
    sizes = ops::ints(axes);
  } else {
    const Tensor shape = ops::shape(operand);
    std::vector<Tensor> each;
    for (int64_t axis : axes) each.push_back(part_of(shape, axis, axis + 1));
    sizes = ops::concat(each, 0);
  }
  const Tensor kept = ops::shape(gradient);
  const Tensor narrow[] = {ops::ints(std::vector<int64_t>(summed.size(), 1)), kept};
  const Tensor repeated =
      ops::broadcast_to(ops::reshape(gradient, ops::concat(narrow, 0)), ops::concat({sizes, kept}, 0));
  return einsum({repeated}, {{summed + output}, input});
}

// Labels of `input` that occur nowhere else, each once.
std::string only_in(const std::string& input, const std::string& others) {
  std::string out;
  for (char label : input)
    if (label != '.' && !has(others, label) && !has(out, label)) out += label;
  return out;
}

Tensor gradient_of_one(const Tensor& g, const Equation& e, const Tensor& operand) {
  const std::string& input = e.inputs[0];
  const std::string summed = only_in(input, e.output);
  if (summed.empty()) return einsum({g}, {{e.output}, input});
  return repeat_along_summed(g, e.output, input, operand, summed);
}

Tensor gradient_of_two(const Tensor& g, const std::string& output, const Tensor& other, const std::string& other_labels,
                       const std::string& input, const Tensor& operand) {
  const std::string summed = only_in(input, output + other_labels);
  std::string left;
  for (char label : input)
    if (!has(summed, label)) left += label;
  const Tensor reduced = einsum({g, other}, {{output, other_labels}, left});
  return summed.empty() ? reduced : repeat_along_summed(reduced, left, input, operand, summed);
}

// Sums out the ellipsis's broadcast. Its dimensions are `from` to `to` (after the ellipsis, counted from the end).
struct Range {
  int64_t from = 0, behind = 0;
};
Range ellipsis_of(const std::string& labels) {
  const size_t at = labels.find('.');
  return {static_cast<int64_t>(at), static_cast<int64_t>(labels.size() - at - 1)};
}
void einsum_gradient(GradientCall& c) {
  const Equation e = parse_equation(c.attrs.get<std::string>("equation"_attr));
  const Tensor& g = c.output_gradients[0];
  if (c.inputs.size() == 1) {
    c.input_gradients[0] = gradient_of_one(g, e, c.inputs[0]);
    return;
  }
  std::string a = e.inputs[0], b = e.inputs[1];
  if (has(e.output, '.')) {
    if (!has(a, '.')) a += '.';
    if (!has(b, '.')) b += '.';
  }
  const Tensor& x = c.inputs[0];
  const Tensor& y = c.inputs[1];
  Tensor dx = gradient_of_two(g, e.output, ops::conj(y), b, a, x);
  Tensor dy = gradient_of_two(g, e.output, ops::conj(x), a, b, y);
  if (has(e.output, '.')) {
    const Range in_a = ellipsis_of(a), in_b = ellipsis_of(b);
    const Tensor shapes[] = {ops::shape(x), ops::shape(y)};
    const bool known = dx.shape().fully_known() && dx.shape() == x.shape() && dy.shape().fully_known() &&
                       dy.shape() == y.shape();
    if (!known) {
      const Tensor batches[] = {part_of(shapes[0], in_a.from, -in_a.behind),
                                part_of(shapes[1], in_b.from, -in_b.behind)};
      const std::vector<Tensor> axes = apply_all("BroadcastGradientArgs"_op.row(), batches, {});
      dx = ops::reshape(ops::sum(dx, ops::add(axes[0], ops::integer(in_a.from))), shapes[0]);
      dy = ops::reshape(ops::sum(dy, ops::add(axes[1], ops::integer(in_b.from))), shapes[1]);
    }
  }
  c.input_gradients[0] = dx;
  c.input_gradients[1] = dy;
}

}  // namespace

FL_ROWS(einsum) {
  return {{"Einsum", "inputs: N*T -> output: T", "equation: string; N: int; T: numbers", einsum_shape, einsum_gradient,
           OpFamily::kProduct, "a sum of products along named dimensions"}};
}

}  // namespace footlight
