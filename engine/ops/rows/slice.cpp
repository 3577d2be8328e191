// Rows that split and join tensors.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"
#include "engine/ops/indexed_slices.h"
#include "engine/ops/rows/padding.h"
#include "engine/tensor/size.h"
#include "engine/tensor/slice_spec.h"

#include <algorithm>

namespace footlight {

namespace {

const AttrName kAxis{"axis"};
const AttrName kBatchDims{"batch_dims"};

// The gradients of all outputs, with zeros for outputs that have none.
std::vector<Tensor> filled(const GradientCall& c) {
  std::vector<Tensor> g(c.output_gradients.begin(), c.output_gradients.end());
  for (size_t i = 0; i < g.size(); ++i)
    if (!g[i]) g[i] = ops::zeros_like(c.outputs[i]);
  return g;
}

void concat_shape(Inference& i) {
  const size_t n = i.inputs.size() - 1;
  if (n == 0) invalid("concat needs at least one tensor [Op:ConcatV2]");
  // The size is a scalar or a vector of one number.
  if (i.shape(n).fully_known() && (i.shape(n).rank() > 1 || i.shape(n).elements() != 1))
    invalid("axis must be a scalar, its shape is ", i.shape(n).to_string(), " [Op:ConcatV2]");
  const auto axis_value = infer::constant_ints(i, n);
  Shape out = Shape::unknown_rank();
  for (size_t k = 0; k < n; ++k) {
    if (!i.shape(k).has_rank()) continue;
    if (i.shape(k).rank() == 0)
      invalid(
          "ConcatOp : Expected concatenating dimensions in the range [0, 0): scalars cannot be concatenated, "
          "stack them [Op:ConcatV2]");
    if (out.has_rank() && out.rank() != i.shape(k).rank())
      invalid("ConcatOp : Ranks of all input tensors should match: shape[0] = ", i.shape(0).brackets(),
              " vs. shape[", k, "] = ", i.shape(k).brackets(), " [Op:ConcatV2]");
    if (!out.has_rank()) out = i.shape(k);
  }
  if (!out.has_rank() || !axis_value) {
    i.output_shapes[0] = out.has_rank() ? Shape::of_rank(out.rank()) : out;
    return;
  }
  const int axis = static_cast<int>(infer::normalize_axis(axis_value->at(0), out.rank(), i.row));
  Shape rest = Shape::of_rank(out.rank());
  int64_t sum = 0;
  for (size_t k = 0; k < n; ++k) {
    const Shape& s = i.shape(k);
    if (!s.has_rank()) {
      sum = kUnknownDim;
      continue;
    }
    sum = add_sizes(sum, s[axis]);
    for (int d = 0; d < s.rank(); ++d) {
      if (d == axis || s[d] < 0) continue;
      if (rest[d] >= 0 && rest[d] != s[d])
        invalid("ConcatOp : Dimension ", d, " in both shapes must be equal: shape[0] = ", i.shape(0).brackets(),
                " vs. shape[", k, "] = ", s.brackets(), " [Op:ConcatV2]");
      rest.set(d, s[d]);
    }
  }
  rest.set(axis, sum);
  i.output_shapes[0] = rest;
}

void concat_gradient(GradientCall& c) {
  const Tensor& g = c.output_gradients[0];
  const size_t n = c.inputs.size() - 1;
  const Tensor axis_value = known_value(c.inputs[n]);
  bool known = axis_value && axis_value.elements() == 1;
  for (size_t k = 0; k < n; ++k) known &= c.inputs[k].shape().fully_known();
  if (known) {
    const int rank = c.inputs[0].shape().rank();
    const int64_t axis = infer::normalize_axis(infer::ints_of(axis_value)[0], rank, c.row);
    std::vector<int64_t> begin(static_cast<size_t>(rank), 0);
    for (size_t k = 0; k < n; ++k) {
      c.input_gradients[k] = ops::slice(g, ops::ints(begin), ops::shape(c.inputs[k]));
      begin[static_cast<size_t>(axis)] += c.inputs[k].shape()[static_cast<int>(axis)];
    }
    return;
  }
  std::vector<Tensor> shapes;
  for (size_t k = 0; k < n; ++k) shapes.push_back(ops::shape(c.inputs[k]));
  std::vector<Tensor> inputs{ops::cast(c.inputs[n], DType::kInt32)};
  inputs.insert(inputs.end(), shapes.begin(), shapes.end());
  const std::vector<Tensor> begins = apply_all("ConcatOffset"_op.row(), inputs, {});
  for (size_t k = 0; k < n; ++k) c.input_gradients[k] = ops::slice(g, begins[k], shapes[k]);
}

void concat_offset_shape(Inference& i) {
  if (i.shape(0).fully_known() && i.shape(0).elements() != 1)
    invalid("Concat dim tensor should be a scalar integer, but got shape ", i.shape(0).brackets(),
            " [Op:ConcatOffset]");
  for (size_t k = 0; k < i.output_shapes.size(); ++k) i.output_shapes[k] = i.shape(k + 1);
}

void pack_shape(Inference& i) {
  if (i.inputs.empty()) invalid("stack needs at least one tensor [Op:Pack]");
  Shape one = i.shape(0);
  for (size_t k = 1; k < i.inputs.size(); ++k) {
    if (!compatible(one, i.shape(k)))
      invalid("Shapes of all inputs must match: values[0].shape = ", i.shape(0).brackets(), " != values[", k,
              "].shape = ", i.shape(k).brackets(), " [Op:Pack]");
    one = merge(one, i.shape(k));
  }
  if (!one.has_rank()) {
    i.output_shapes[0] = one;
    return;
  }
  const int64_t axis = infer::normalize_axis(i.attrs.get_or(kAxis, int64_t{0}), one.rank() + 1, i.row);
  Shape out;
  for (int d = 0; d <= one.rank(); ++d) {
    if (d == axis) out.append(static_cast<int64_t>(i.inputs.size()));
    if (d < one.rank()) out.append(one[d]);
  }
  i.output_shapes[0] = out;
}

void pack_gradient(GradientCall& c) {
  const std::vector<Tensor> parts =
      apply_all("Unpack"_op.row(), {&c.output_gradients[0], 1},
                {{"num"_attr, static_cast<int64_t>(c.inputs.size())}, {kAxis, c.attrs.get_or(kAxis, int64_t{0})}});
  std::copy(parts.begin(), parts.end(), c.input_gradients.begin());
}

void unpack_shape(Inference& i) {
  const Shape& in = i.shape(0);
  Shape out;
  if (!in.has_rank()) {
    out = in;
  } else {
    if (in.rank() == 0) invalid("a scalar cannot be unstacked [Op:Unpack]");
    const int64_t axis = infer::normalize_axis(i.attrs.get_or(kAxis, int64_t{0}), in.rank(), i.row);
    const int64_t num = i.attrs.get<int64_t>("num"_attr);
    if (in[static_cast<int>(axis)] >= 0 && in[static_cast<int>(axis)] != num)
      invalid("Input shape axis ", axis, " must equal ", num, ", got shape ", in.brackets(), " [Op:Unpack]");
    for (int d = 0; d < in.rank(); ++d)
      if (d != axis) out.append(in[d]);
  }
  for (Shape& s : i.output_shapes) s = out;
}

void unpack_gradient(GradientCall& c) {
  c.input_gradients[0] = ops::pack(filled(c), c.attrs.get_or(kAxis, int64_t{0}));
}

void slice_shape(Inference& i) {
  const Shape& in = i.shape(0);
  const auto begin = infer::constant_ints(i, 1);
  const auto size = infer::constant_ints(i, 2);
  infer::check_rank(i, 1, 1);
  infer::check_rank(i, 2, 1);
  if (!compatible(i.shape(1), i.shape(2)))
    invalid("begin and size must have equally many entries, their shapes are ", i.shape(1).to_string(), " and ",
            i.shape(2).to_string(), " [Op:Slice]");
  const Shape known_length = merge(i.shape(1), i.shape(2));
  const size_t given = known_length.has_rank() && known_length[0] > 0 ? static_cast<size_t>(known_length[0]) : 0;
  if (!in.has_rank()) {
    i.output_shapes[0] = given ? unknown_dimensions(known_length[0]) : Shape::unknown_rank();
    for (size_t d = 0; size && d < given; ++d)
      if ((*size)[d] >= 0) i.output_shapes[0].set(static_cast<int>(d), (*size)[d]);
    return;
  }
  if ((size && static_cast<int>(size->size()) != in.rank()) || (begin && static_cast<int>(begin->size()) != in.rank()))
    invalid("begin and size must have one entry per dimension of the input, whose shape is ", in.to_string(),
            " [Op:Slice]");
  Shape out = Shape::of_rank(in.rank());
  for (int d = 0; d < in.rank(); ++d) {
    const auto at = static_cast<size_t>(d);
    int64_t n = size ? (*size)[at] : kUnknownDim;
    if (begin && in[d] >= 0) {
      if ((*begin)[at] < 0 || (*begin)[at] > in[d])
        invalid("Expected begin[", d, "] in [0, ", in[d], "], but got ", (*begin)[at], " [Op:Slice]");
      if (size && n == -1) n = in[d] - (*begin)[at];
      if (size && n > in[d] - (*begin)[at])
        invalid("Expected size[", d, "] in [0, ", in[d] - (*begin)[at], "], but got ", n, " [Op:Slice]");
    }
    if (size && n < 0 && (*size)[at] < -1)
      invalid("size[", d, "] must be -1 or more, not ", (*size)[at], " [Op:Slice]");
    out.set(d, n);
  }
  i.output_shapes[0] = out;
}

// Pads the gradient with zeros on both sides.
void slice_gradient(GradientCall& c) {
  const Tensor begin = ops::cast(c.inputs[1], DType::kInt32);
  const Tensor after = ops::sub(ops::sub(ops::shape(c.inputs[0]), begin), ops::shape(c.outputs[0]));
  c.input_gradients[0] = apply("Pad"_op, {c.output_gradients[0], ops::pack({begin, after}, 1)});
}

// The mask attributes of a strided slice.
SliceMasks masks_of(const Attrs& attrs) {
  static const AttrName kNames[] = {AttrName("begin_mask"), AttrName("end_mask"), AttrName("ellipsis_mask"),
                                    AttrName("new_axis_mask"), AttrName("shrink_axis_mask")};
  if (attrs.empty()) return {};
  return {attrs.get_or(kNames[0], int64_t{0}), attrs.get_or(kNames[1], int64_t{0}), attrs.get_or(kNames[2], int64_t{0}),
          attrs.get_or(kNames[3], int64_t{0}), attrs.get_or(kNames[4], int64_t{0})};
}

void strided_slice_shape(Inference& i) {
  const Shape& in = i.shape(0);
  const auto begin = infer::constant_ints(i, 1);
  const auto end = infer::constant_ints(i, 2);
  const auto strides = infer::constant_ints(i, 3);
  infer::check_rank(i, 1, 1);
  infer::check_rank(i, 2, 1);
  infer::check_rank(i, 3, 1);
  if (!in.has_rank() || !strides) return infer::unknown(i);
  const auto wrong = [&](size_t input) {
    const Shape& s = i.shape(input);
    return s.has_rank() && s[0] >= 0 && static_cast<size_t>(s[0]) != strides->size();
  };
  if (wrong(1) || wrong(2))
    invalid("begin, end and strides must have equally many entries [Op:StridedSlice]");
  i.output_shapes[0] = slice_spec(in, strides->size(), begin ? &*begin : nullptr, end ? &*end : nullptr,
                                  *strides, masks_of(i.attrs)).shape;
}

void strided_slice_gradient(GradientCall& c) {
  const Tensor shape = ops::shape(c.inputs[0], c.inputs[1].dtype());
  c.input_gradients[0] =
      apply("StridedSliceGrad"_op, {shape, c.inputs[1], c.inputs[2], c.inputs[3], c.output_gradients[0]}, c.attrs);
}

void strided_slice_grad_shape(Inference& i) { i.output_shapes[0] = infer::shape_from(i, 0); }

void strided_slice_grad_gradient(GradientCall& c) {
  c.input_gradients[4] =
      apply("StridedSlice"_op, {c.output_gradients[0], c.inputs[1], c.inputs[2], c.inputs[3]}, c.attrs);
}

void gather_shape(Inference& i) {
  const Shape& params = i.shape(0);
  const Shape& indices = i.shape(1);
  infer::check_rank(i, 2, 0);
  const auto axis_value = infer::constant_ints(i, 2);
  int64_t batch = i.attrs.get_or(kBatchDims, int64_t{0});
  if (params.has_rank() && indices.has_rank() &&
      (batch < -indices.rank() || batch > indices.rank() || batch > params.rank()))
    invalid("batch_dims is ", batch, ", the ranks of params and indices are ", params.rank(), " and ", indices.rank(),
            " [Op:GatherV2]");
  if (!params.has_rank() || !indices.has_rank() || !axis_value) {
    i.output_shapes[0] = params.has_rank() && params.rank() > 0 && indices.has_rank()
                             ? unknown_dimensions(params.rank() + indices.rank() - 1 -
                                                  (batch < 0 ? batch + indices.rank() : batch))
                             : Shape::unknown_rank();
    return;
  }
  if (params.rank() == 0) invalid("params must be at least 1 dimensional [Op:GatherV2]");
  const int axis = static_cast<int>(infer::normalize_axis((*axis_value)[0], params.rank(), i.row));
  if (batch < 0) batch += indices.rank();
  if (batch < 0 || batch > axis || batch > indices.rank())
    invalid("batch_dims is ", batch, ", it must be between 0 and axis (", axis,
            ") and the rank of indices (", indices.rank(), ") [Op:GatherV2]");
  Shape out;
  for (int d = 0; d < axis; ++d) out.append(params[d]);
  for (int d = static_cast<int>(batch); d < indices.rank(); ++d) out.append(indices[d]);
  for (int d = axis + 1; d < params.rank(); ++d) out.append(params[d]);
  i.output_shapes[0] = out;
}

void gather_gradient(GradientCall& c) {
  const Tensor axis = known_value(c.inputs[2]);
  if (axis && axis.elements() == 1 && infer::ints_of(axis)[0] == 0 && c.attrs.get_or(kBatchDims, int64_t{0}) == 0) {
    c.input_gradients[0] = ops::gathered_rows(c.output_gradients[0], c.inputs[1], ops::shape(c.inputs[0]));
    return;
  }
  c.input_gradients[0] =
      apply("GatherGrad"_op, {ops::shape(c.inputs[0]), c.inputs[1], c.inputs[2], c.output_gradients[0]},
            {{kBatchDims, c.attrs.get_or(kBatchDims, int64_t{0})}});
}

void gather_grad_gradient(GradientCall& c) {
  c.input_gradients[3] = apply("GatherV2"_op, {c.output_gradients[0], c.inputs[1], c.inputs[2]},
                               {{kBatchDims, c.attrs.get_or(kBatchDims, int64_t{0})}});
}

void tile_shape(Inference& i) {
  const Shape& in = i.shape(0);
  const auto multiples = infer::constant_ints(i, 1);
  infer::check_rank(i, 1, 1);
  if (!in.has_rank()) {
    const Shape by = infer::shape_from(i, 1);
    i.output_shapes[0] = by.has_rank() ? Shape::of_rank(by.rank()) : by;
    for (int d = 0; multiples && d < by.rank(); ++d)
      if (by[d] == 0) i.output_shapes[0].set(d, 0);
    return;
  }
  Shape out = Shape::of_rank(in.rank());
  if (multiples) {
    if (static_cast<int>(multiples->size()) != in.rank())
      invalid("Expected multiples argument to be a vector of length ", in.rank(), " but got length ",
              multiples->size(), " [Op:Tile]");
    for (int d = 0; d < in.rank(); ++d) {
      const int64_t m = (*multiples)[static_cast<size_t>(d)];
      if (m < 0) invalid("Expected multiples[", d, "] >= 0, but got ", m, " [Op:Tile]");
      out.set(d, m == 0 ? 0 : multiply_sizes(in[d], m));
    }
  }
  i.output_shapes[0] = out;
}

// Splitting each dimension into (multiple, size) separates the copies: the gradient is summed over the multiples.
void tile_gradient(GradientCall& c) {
  const Shape& in = c.inputs[0].shape();
  const Tensor shape = ops::shape(c.inputs[0]);
  const Tensor both[] = {ops::cast(c.inputs[1], DType::kInt32), shape};
  const Tensor split = ops::reshape(ops::pack(both, 1), ops::ints({-1}));
  Tensor every_other;
  if (in.has_rank()) {
    std::vector<int64_t> axes;
    for (int d = 0; d < in.rank(); ++d) axes.push_back(2 * d);
    every_other = ops::ints(axes);
  } else {
    const Tensor end = ops::mul(ops::rank(c.inputs[0]), ops::integer(2));
    every_other = apply("Range"_op, {ops::integer(0), end, ops::integer(2)});
  }
  c.input_gradients[0] =
      ops::reshape(ops::sum(ops::reshape(c.output_gradients[0], split), every_other), ops::shape(c.inputs[0]));
}

void pad_gradient(GradientCall& c) {
  const Tensor before =
      apply("StridedSlice"_op, {c.inputs[1], ops::ints({0, 0}), ops::ints({0, 1}), ops::ints({1, 1})},
            {{"begin_mask"_attr, int64_t{1}}, {"end_mask"_attr, int64_t{1}}, {"shrink_axis_mask"_attr, int64_t{2}}});
  const Tensor part = ops::slice(c.output_gradients[0], before, ops::shape(c.inputs[0], before.dtype()));
  c.input_gradients[0] = part;
  if (c.inputs.size() > 2) {
    // The sum of the whole gradient minus that of the unpadded part.
    const auto sum = [](const Tensor& t) {
      return ops::sum(ops::reshape(t, ops::ints({-1})), ops::ints({0}));
    };
    c.input_gradients[2] = ops::sub(sum(c.output_gradients[0]), sum(part));
  }
}

void split_shape(Inference& i) {
  const Shape& in = i.shape(1);
  infer::check_rank(i, 0, 0);
  const auto axis_value = infer::constant_ints(i, 0);
  const int64_t parts = static_cast<int64_t>(i.output_shapes.size());
  if (parts == 0) invalid("Number of ways to split must be > 0, but got 0 [Op:Split]");
  Shape out = in;
  if (in.has_rank() && axis_value) {
    const int axis = static_cast<int>(infer::normalize_axis((*axis_value)[0], in.rank(), i.row));
    if (in[axis] >= 0) {
      if (in[axis] % parts)
        invalid("Number of ways to split should evenly divide the split dimension, but got split_dim ", axis,
                " (size = ", in[axis], ") and num_split ", parts, " [Op:Split]");
      out.set(axis, in[axis] / parts);
    }
  } else if (in.has_rank()) {
    out = Shape::of_rank(in.rank());
  }
  for (Shape& s : i.output_shapes) s = out;
}

void split_v_shape(Inference& i) {
  const Shape& in = i.shape(0);
  const auto sizes = infer::constant_ints(i, 1);
  infer::check_rank(i, 2, 0);
  const auto axis_value = infer::constant_ints(i, 2);
  infer::check_rank(i, 1, 1);
  const int64_t entries = i.shape(1).has_rank() ? i.shape(1)[0] : kUnknownDim;
  if (entries >= 0 && entries != static_cast<int64_t>(i.output_shapes.size()))
    invalid("size_splits has ", entries, " entries, num_split is ", i.output_shapes.size(), " [Op:SplitV]");
  for (Shape& s : i.output_shapes) s = in.has_rank() ? Shape::of_rank(in.rank()) : in;
  if (!in.has_rank() || !axis_value) return;
  const int axis = static_cast<int>(infer::normalize_axis((*axis_value)[0], in.rank(), i.row));
  int64_t sum = 0;
  int open = -1;
  for (size_t k = 0; sizes && k < sizes->size(); ++k) {
    const int64_t n = (*sizes)[k];
    if (n == -1) {
      if (open >= 0) invalid("There can only be one -1 in the input. [Op:SplitV]");
      open = static_cast<int>(k);
    } else if (n < 0) {
      invalid("Split size at index ", k, " must be >= 0. Got: ", n, " [Op:SplitV]");
    } else {
      sum = add_sizes(sum, n);
    }
  }
  if (sizes && in[axis] >= 0 && (open >= 0 ? sum > in[axis] : sum != in[axis]))
    invalid("Determined shape must ", open >= 0 ? "not exceed" : "match",
            " the shape of the input along dimension ", axis, ": it is ", in[axis], ", the sizes sum up to ",
            sum, " [Op:SplitV]");
  for (size_t k = 0; k < i.output_shapes.size(); ++k) {
    Shape s = in;
    s.set(axis, !sizes ? kUnknownDim : (*sizes)[k] >= 0 ? (*sizes)[k] : in[axis] < 0 ? kUnknownDim : in[axis] - sum);
    i.output_shapes[k] = s;
  }
}

void split_v_gradient(GradientCall& c) {
  std::vector<Tensor> inputs = filled(c);
  inputs.push_back(c.inputs[2]);
  c.input_gradients[0] = footlight::apply("ConcatV2"_op.row(), inputs);
}

void split_gradient(GradientCall& c) {
  std::vector<Tensor> inputs = filled(c);
  inputs.push_back(c.inputs[0]);
  c.input_gradients[1] = footlight::apply("ConcatV2"_op.row(), inputs);
}

void where_shape(Inference& i) {
  if (i.shape(0).has_rank() && i.shape(0).rank() == 0)
    invalid("WhereOp : Unhandled input dimensions: 0, got a scalar [Op:Where]");
  i.output_shapes[0] = Shape{kUnknownDim, i.shape(0).has_rank() ? i.shape(0).rank() : kUnknownDim};
}

}  // namespace

void pad_shape(Inference& i) {
  const Shape& in = i.shape(0);
  const Shape& p = i.shape(1);
  const auto paddings = infer::constant_ints(i, 1);
  if (p.has_rank() && (p.rank() != 2 || (p[1] >= 0 && p[1] != 2) || (in.has_rank() && p[0] >= 0 && p[0] != in.rank())))
    invalid("paddings must have shape (", in.has_rank() ? std::to_string(in.rank()) : "rank",
            ", 2), its shape is ", p.to_string(), " [Op:", i.row.name, "]");
  if (!in.has_rank()) {
    i.output_shapes[0] = p.has_rank() && p[0] >= 0 ? unknown_dimensions(p[0]) : Shape::unknown_rank();
    return;
  }
  Shape out = Shape::of_rank(in.rank());
  if (paddings)
    for (int d = 0; d < in.rank(); ++d) {
      const int64_t before = (*paddings)[static_cast<size_t>(2 * d)];
      const int64_t after = (*paddings)[static_cast<size_t>(2 * d + 1)];
      if (before < 0 || after < 0)
        invalid("Paddings must be non-negative: ", before, " ", after, " [Op:", i.row.name, "]");
      out.set(d, add_sizes(add_sizes(before, after), in[d]));
    }
  i.output_shapes[0] = out;
}

FL_ROWS(slice) {
  constexpr RowsOf move_row{OpFamily::kMove};
  constexpr const char* kMasks =
      "T: any; Index: index = int32; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; "
      "new_axis_mask: int = 0; shrink_axis_mask: int = 0";
  return {
      move_row("ConcatV2", "values: N*T, axis: Tidx -> output: T", "N: int; T: any; Tidx: index = int32", concat_shape,
               concat_gradient, "tensors joined along a dimension", {.host_inputs = 1u << 31}),
      move_row("ConcatOffset", "concat_dim: int32, shape: N*shape_type -> offset: N*shape_type",
               "N: int; shape_type: int32 = int32", concat_offset_shape, nullptr,
               "the start of each tensor in the concatenation", {.host_inputs = ~0u, .zero_gradient = true}),
      move_row("Pack", "values: N*T -> output: T", "N: int; T: any; axis: int = 0", pack_shape, pack_gradient,
               "tensors of the same shape stacked along a new dimension"),
      move_row("Unpack", "value: T -> output: num*T", "num: int; T: any; axis: int = 0", unpack_shape, unpack_gradient,
               "the slices of a dimension, without it", {.alias = Alias::kShares}),
      move_row("Slice", "input: T, begin: Index, size: Index -> output: T", "T: any; Index: index = int32", slice_shape,
               slice_gradient, "a block of a tensor", {.host_inputs = 6}),
      move_row("StridedSlice", "input: T, begin/stack: Index, end/stack_1: Index, strides/stack_2: Index -> output: T",
               kMasks, strided_slice_shape, strided_slice_gradient, "x[begin:end:stride, ...] in all its forms",
               {.host_inputs = 14}),
      move_row("StridedSliceGrad", "shape: Index, begin: Index, end: Index, strides: Index, dy: T -> output: T", kMasks,
               strided_slice_grad_shape, strided_slice_grad_gradient, "zeros with dy at a strided slice",
               {.dispatch = 4, .host_inputs = 15}),
      move_row("GatherV2", "params: Tparams, indices: Tindices, axis: Taxis -> output: Tparams",
               "batch_dims: int = 0; Tparams: any; Tindices: index|int16; Taxis: index", gather_shape, gather_gradient,
               "slices of a dimension, chosen by indices", {.host_inputs = 4}),
      move_row("GatherGrad", "shape: int32, indices: Tindices, axis: Taxis, grad: T -> output: T",
               "batch_dims: int = 0; T: numbers; Tindices: index|int16; Taxis: index", strided_slice_grad_shape,
               gather_grad_gradient, "zeros with slices of grad added at indices", {.dispatch = 3, .host_inputs = 5}),
      move_row("Tile", "input: T, multiples: Tmultiples -> output: T", "T: any; Tmultiples: index = int32", tile_shape,
               tile_gradient, "copies side by side", {.host_inputs = 2}),
      move_row("Pad", "input: T, paddings: Tpaddings -> output: T", "T: any; Tpaddings: index = int32", pad_shape,
               pad_gradient, "zeros around a tensor", {.host_inputs = 2}),
      move_row("PadV2", "input: T, paddings: Tpaddings, constant_values: T -> output: T",
               "T: any; Tpaddings: index = int32", pad_shape, pad_gradient, "one value around a tensor",
               {.host_inputs = 6}),
      move_row("Split", "split_dim: int32, value: T -> output: num_split*T", "num_split: int; T: any", split_shape,
               split_gradient, "equal parts along a dimension",
               {.dispatch = 1, .host_inputs = 1, .alias = Alias::kShares, .alias_input = 1}),
      move_row("SplitV", "value: T, size_splits: Tlen, split_dim: int32 -> output: num_split*T",
               "num_split: int; T: any; Tlen: index = int64", split_v_shape, split_v_gradient,
               "parts of given sizes along a dimension", {.host_inputs = 6, .alias = Alias::kShares}),
      move_row("Where", "input: T -> index: int64", "T: plain = bool", where_shape, nullptr,
               "the indices of elements that are true or nonzero", {.zero_gradient = true}),
  };
}

}  // namespace footlight
