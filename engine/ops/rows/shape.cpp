// Rows that move elements or query shapes, without computing.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"
#include "engine/ops/indexed_slices.h"
#include "engine/tensor/size.h"

namespace footlight {

namespace {

void pass_gradient(GradientCall& c) { c.input_gradients[0] = c.output_gradients[0]; }

void cast_gradient(GradientCall& c) {
  const DType from = c.inputs[0].dtype();
  if ((is_floating(from) || is_complex(from)) &&
      (is_floating(c.outputs[0].dtype()) || is_complex(c.outputs[0].dtype())))
    c.input_gradients[0] =
        ops::map_rows(c.output_gradients[0], [&](const Tensor& t) { return ops::cast(t, from); });
}

void cast_shape(Inference& i) {
  infer::same(i);
  i.output_dtypes[0] = i.attrs.get<DType>("DstT"_attr);
}

void reshape_shape(Inference& i) {
  const Shape& in = i.shape(0);
  Shape out = infer::shape_from(i, 1, infer::NegativeSizes::kAllowed);
  i.output_shapes[0] = out;
  if (!out.has_rank()) return;
  if (i.inputs[1].is_symbolic() && !i.constant(1)) {
    // A single unknown dimension among known ones follows from the number of elements.
    int unknown = -1;
    int64_t others = 1;
    for (int d = 0; d < out.rank(); ++d) {
      if (out[d] >= 0) others = multiply_sizes(others, out[d]);
      else if (unknown < 0) unknown = d;
      else return;
    }
    if (unknown >= 0 && in.fully_known() && others > 0 && in.elements() % others == 0) {
      out.set(unknown, in.elements() / others);
      i.output_shapes[0] = out;
    }
    return;
  }
  int open = -1;
  int64_t rest = 1;
  int64_t rest_without_zeros = 1;
  for (int d = 0; d < out.rank(); ++d) {
    if (out[d] == -1) {
      if (open >= 0) invalid("Only one input size may be -1, not both ", open, " and ", d, " [Op:Reshape]");
      open = d;
    } else if (out[d] == 0) {
      rest = 0;
    } else {
      rest_without_zeros = multiply_sizes(rest_without_zeros, out[d]);
    }
  }
  rest *= rest_without_zeros;
  if (!in.fully_known()) return;
  const int64_t count = in.elements();
  if (open >= 0) {
    // If a size is zero, the zeros of the input are left out of the product too.
    int64_t count_without_zeros = 1;
    for (int64_t d : in.dims())
      if (d) count_without_zeros *= d;
    const bool fits = rest == 0 ? count == 0 && count_without_zeros % rest_without_zeros == 0 : count % rest == 0;
    if (!fits)
      invalid("Input to reshape is a tensor with ", count, " values, but the requested shape requires a multiple of ",
              rest, ": ", in.to_string(), " to ", out.to_string(), " [Op:Reshape]");
    out.set(open, rest == 0 ? count_without_zeros / rest_without_zeros : count / rest);
  } else if (rest != count) {
    invalid("Input to reshape is a tensor with ", count, " values, but the requested shape has ", rest, ": ",
            in.to_string(), " to ", out.to_string(), " [Op:Reshape]");
  }
  i.output_shapes[0] = out;
}

void reshape_gradient(GradientCall& c) {
  c.input_gradients[0] = ops::reshape(c.output_gradients[0], ops::shape(c.inputs[0]));
}

void expand_dims_shape(Inference& i) {
  const Shape& in = i.shape(0);
  const auto axis = infer::constant_ints(i, 1);
  if (!in.has_rank() || !axis) {
    i.output_shapes[0] = in.has_rank() ? Shape::of_rank(in.rank() + 1) : Shape::unknown_rank();
    return;
  }
  if (axis->size() != 1) invalid("dim must be one number, got ", axis->size(), " [Op:ExpandDims]");
  const int64_t a = (*axis)[0];
  if (a < -in.rank() - 1 || a > in.rank())
    invalid("Tried to expand dim index ", a, " for tensor with ", in.rank(), " dimensions [Op:ExpandDims]");
  const int at = static_cast<int>(a < 0 ? a + in.rank() + 1 : a);
  Shape out;
  for (int d = 0; d <= in.rank(); ++d) {
    if (d == at) out.append(1);
    if (d < in.rank()) out.append(in[d]);
  }
  i.output_shapes[0] = out;
}

void squeeze_shape(Inference& i) {
  const Shape& in = i.shape(0);
  const std::vector<int64_t> dims = i.attrs.get_or("squeeze_dims"_attr, std::vector<int64_t>{});
  if (!in.has_rank()) return infer::unknown(i);
  uint64_t out_dims = 0;
  for (int64_t axis : dims) {
    const int a = static_cast<int>(infer::normalize_axis(axis, in.rank(), i.row));
    if (in[a] >= 0 && in[a] != 1)
      invalid("Can not squeeze dim[", a, "], expected a dimension of 1, got ", in[a], " [Op:Squeeze]");
    out_dims |= uint64_t{1} << a;
  }
  if (dims.empty()) {
    for (int d = 0; d < in.rank(); ++d) {
      if (in[d] < 0) return infer::unknown(i);
      if (in[d] == 1) out_dims |= uint64_t{1} << d;
    }
  }
  Shape out;
  for (int d = 0; d < in.rank(); ++d)
    if (!(out_dims >> d & 1)) out.append(in[d]);
  i.output_shapes[0] = out;
}

void transpose_shape(Inference& i) {
  const Shape& in = i.shape(0);
  const auto perm = infer::constant_ints(i, 1);
  if (!perm) {
    if (in.has_rank()) i.output_shapes[0] = Shape::of_rank(in.rank());
    else
      i.output_shapes[0] = i.shape(1).has_rank() && i.shape(1).rank() == 1 && i.shape(1)[0] >= 0
                               ? unknown_dimensions(i.shape(1)[0])
                               : Shape::unknown_rank();
    return;
  }
  if (!in.has_rank()) {
    i.output_shapes[0] = Shape::of_rank(static_cast<int>(perm->size()));
    return;
  }
  if (static_cast<int>(perm->size()) != in.rank())
    invalid("transpose expects a vector of size ", in.rank(), ", but perm is a vector of size ", perm->size(),
            " [Op:Transpose]");
  Shape out;
  uint64_t seen = 0;
  for (int64_t p : *perm) {
    const int64_t a = p < 0 ? p + in.rank() : p;
    if (a < 0 || a >= in.rank())
      invalid("perm says ", p, ", out of range for ", in.rank(), " dimensions [Op:Transpose]");
    if (seen >> a & 1) invalid(a, " is twice in perm [Op:Transpose]");
    seen |= uint64_t{1} << a;
    out.append(in[static_cast<int>(a)]);
  }
  i.output_shapes[0] = out;
}

void transpose_gradient(GradientCall& c) {
  const Tensor known = known_value(c.inputs[1]);
  if (known) {
    const auto perm = infer::ints_of(known);
    std::vector<int64_t> back(perm.size());
    // The permutation is checked here too, because the op itself may not have run yet.
    for (size_t k = 0; k < perm.size(); ++k)
      back[static_cast<size_t>(infer::normalize_axis(perm[k], static_cast<int>(perm.size()), c.row))] =
          static_cast<int64_t>(k);
    c.input_gradients[0] = ops::transpose(c.output_gradients[0], ops::ints(back));
  } else {
    c.input_gradients[0] = ops::transpose(c.output_gradients[0], apply("InvertPermutation"_op, {c.inputs[1]}));
  }
}

void invert_shape(Inference& i) {
  infer::check_rank(i, 0, 1);
  i.output_shapes[0] = i.shape(0).has_rank() ? i.shape(0) : Shape{kUnknownDim};
}

void shape_shape(Inference& i) {
  i.output_shapes[0] = i.shape(0).has_rank() ? Shape{i.shape(0).rank()} : Shape{kUnknownDim};
}

void broadcast_to_shape(Inference& i) {
  const Shape out = infer::shape_from(i, 1);
  const Shape& in = i.shape(0);
  i.output_shapes[0] = out;
  if (!out.has_rank() || !in.has_rank()) return;
  bool fits = in.rank() <= out.rank();
  for (int d = 1; fits && d <= in.rank(); ++d) {
    const int64_t from = in[in.rank() - d];
    const int64_t to = out[out.rank() - d];
    fits = from < 0 || to < 0 || from == 1 || from == to;
  }
  // Dimensions other than 1 are kept.
  for (int d = 1; fits && d <= in.rank(); ++d)
    if (out[out.rank() - d] < 0 && in[in.rank() - d] > 1) i.output_shapes[0].set(out.rank() - d, in[in.rank() - d]);
  if (!fits)
    invalid("Incompatible shapes: ", in.brackets(), " cannot be broadcast to ", out.brackets(), " [Op:BroadcastTo]");
}

void broadcast_to_gradient(GradientCall& c) {
  c.input_gradients[0] = ops::sum_to_shape_of(c.output_gradients[0], c.inputs[0]);
}

void select_shape(Inference& i) { infer::broadcast(i); }

// Gives a vector of conditions, which chooses whole rows, the rank that SelectV2 needs.
Tensor by_rows(const Tensor& condition, const Tensor& like) {
  const Shape &given = condition.shape(), &whole = like.shape();
  if (given.has_rank() && given.rank() != 1) return condition;
  if (given.has_rank() && whole.has_rank()) {
    Tensor rows = condition;
    for (int d = 1; d < whole.rank(); ++d) rows = ops::expand_dims(rows, -1);
    return rows;
  }
  // Appends as many dimensions of 1 as the condition lacks.
  const Tensor missing = ops::reshape(ops::sub(ops::rank(like), ops::rank(condition)), ops::ints({1}));
  const Tensor ones = ops::fill(missing, ops::integer(1));
  return ops::reshape(condition, ops::concat(std::vector<Tensor>{ops::shape(condition), ones}, 0));
}

void row_select_shape(Inference& i) {
  const Shape &condition = i.shape(0), &t = i.shape(1), &e = i.shape(2);
  if (!compatible(t, e))
    invalid("the two values to choose from must have one shape, they have ", t.to_string(), " and ", e.to_string(),
            " [Op:Select]");
  i.output_shapes[0] = merge(t, e);
  const Shape& whole = i.output_shapes[0];
  if (!condition.has_rank() || !whole.has_rank() || condition.rank() == 0 || compatible(condition, whole)) return;
  const bool rows = condition.rank() == 1 && whole.rank() >= 1;
  if (!rows || (condition[0] >= 0 && whole[0] >= 0 && condition[0] != whole[0]))
    invalid("the condition has shape ", condition.to_string(),
            ", it must be a scalar, a vector with an element for each row of the values, or have their shape, ",
            whole.to_string(), " [Op:Select]");
}

void row_select_gradient(GradientCall& c) {
  const Tensor& g = c.output_gradients[0];
  const Tensor zero = ops::number(0, g.dtype()), condition = by_rows(c.inputs[0], g);
  c.input_gradients[1] = ops::where(condition, g, zero);
  c.input_gradients[2] = ops::where(condition, zero, g);
}

void select_gradient(GradientCall& c) {
  const Tensor& g = c.output_gradients[0];
  const Tensor zero = ops::number(0, g.dtype());
  c.input_gradients[1] = ops::sum_to_shape_of(ops::where(c.inputs[0], g, zero), c.inputs[1]);
  c.input_gradients[2] = ops::sum_to_shape_of(ops::where(c.inputs[0], zero, g), c.inputs[2]);
}

}  // namespace

FL_ROWS(shape) {
  constexpr RowsOf move_row{OpFamily::kMove}, elementwise_row{OpFamily::kElementwise};
  constexpr const char* kShapeOf = "T: any; out_type: index = int32";
  return {
      move_row("Identity", "input: T -> output: T", "T: any", infer::same, pass_gradient, "the same value",
               {.takes_slices = true, .alias = Alias::kSame}),
      move_row("StopGradient", "input: T -> output: T", "T: any", infer::same, nullptr,
               "the same value, through which no gradient flows", {.zero_gradient = true, .alias = Alias::kSame}),
      move_row("PreventGradient", "input: T -> output: T", "T: any; message: string = ''", infer::same, nullptr,
               "the same value; asking for a gradient through it is an error", {.alias = Alias::kSame}),
      elementwise_row("Cast", "x: SrcT -> y: DstT", "SrcT: plain; DstT: plain; Truncate: bool = false", cast_shape,
                      cast_gradient, "the values in another dtype",
                      {.takes_slices = true, .copies_elements = true, .alias = Alias::kShares, .flops = flops::none}),
      move_row("Reshape", "tensor: T, shape: Tshape -> output: T", "T: any; Tshape: index = int32", reshape_shape,
               reshape_gradient, "the same elements in another shape", {.host_inputs = 2, .alias = Alias::kView}),
      move_row("ExpandDims", "input: T, dim: Tdim -> output: T", "T: any; Tdim: index = int32", expand_dims_shape,
               reshape_gradient, "one more dimension, of size 1", {.host_inputs = 2, .alias = Alias::kView}),
      move_row("Squeeze", "input: T -> output: T", "T: any; squeeze_dims: list(int) = []", squeeze_shape,
               reshape_gradient, "without dimensions of size 1", {.alias = Alias::kView}),
      move_row("Transpose", "x: T, perm: Tperm -> y: T", "T: any; Tperm: index = int32", transpose_shape,
               transpose_gradient, "the dimensions in another order", {.host_inputs = 2}),
      move_row("InvertPermutation", "x: T -> y: T", "T: index = int32", invert_shape, nullptr,
               "the permutation that undoes x", {.zero_gradient = true}),
      move_row("Shape", "input: T -> output: out_type", kShapeOf, shape_shape, nullptr, "the shape as a tensor",
               {.zero_gradient = true}),
      move_row("Size", "input: T -> output: out_type", kShapeOf, infer::scalar, nullptr, "the number of elements",
               {.zero_gradient = true}),
      move_row("Rank", "input: T -> output: int32", "T: any", infer::scalar, nullptr, "the number of dimensions",
               {.zero_gradient = true}),
      move_row("BroadcastTo", "input: T, shape: Tidx -> output: T", "T: any; Tidx: index = int32", broadcast_to_shape,
               broadcast_to_gradient, "repeated to a larger shape", {.host_inputs = 2, .alias = Alias::kShares}),
      move_row("BroadcastGradientArgs", "s0: T, s1: T -> r0: T, r1: T", "T: index = int32", infer::vector, nullptr,
               "the dimensions over which the gradients of a broadcast are summed",
               {.host_inputs = 3, .zero_gradient = true}),
      elementwise_row("SelectV2", "condition: bool, t: T, e: T -> output: T", "T: any", select_shape, select_gradient,
                      "t where the condition is true, else e", {.dispatch = 1, .flops = flops::none}),
      elementwise_row("Select", "condition: bool, t: T, e: T -> output: T", "T: any", row_select_shape,
                      row_select_gradient, "t where the condition is true, else e; a vector chooses among rows",
                      {.dispatch = 1, .flops = flops::none}),
  };
}

}  // namespace footlight
