// Rows that rearrange a tensor: reverse, roll, mirror padding, blocks and patches, reinterpreted
// bits.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"
#include "engine/ops/rows/padding.h"
#include "engine/tensor/size.h"

namespace footlight {

namespace {

void reverse_shape(Inference& i) {
  infer::same(i);
  infer::check_rank(i, 1, 1);
  const auto axes = infer::constant_ints(i, 1);
  const Shape& in = i.shape(0);
  if (!axes || !in.has_rank()) return;
  uint64_t seen = 0;
  for (size_t k = 0; k < axes->size(); ++k) {
    const int64_t a = (*axes)[k] < 0 ? (*axes)[k] + in.rank() : (*axes)[k];
    if (a < 0 || a >= in.rank())
      invalid("'axis'[", k, "] = ", (*axes)[k], " is out of valid range [0, ", in.rank() - 1,
              "] [Op:ReverseV2]");
    if (seen >> a & 1) invalid("axis ", a, " specified more than once [Op:ReverseV2]");
    seen |= uint64_t{1} << a;
  }
}

void reverse_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("ReverseV2"_op, {c.output_gradients[0], c.inputs[1]});
}

void reverse_sequence_shape(Inference& i) {
  infer::same(i);
  infer::check_rank(i, 1, 1);
  const Shape& in = i.shape(0);
  if (!in.has_rank()) return;
  const int64_t seq = i.attrs.get<int64_t>("seq_dim"_attr);
  const int64_t batch = i.attrs.get_or("batch_dim"_attr, int64_t{0});
  if (batch == seq) invalid("batch_dim == seq_dim: both are ", seq, " [Op:ReverseSequence]");
  for (const auto& [name, dim] : {std::pair("seq_dim", seq), std::pair("batch_dim", batch)})
    if (dim < 0 || dim >= in.rank())
      invalid(name, " must be in [0, ", in.rank(), "), got ", dim, " [Op:ReverseSequence]");
  const Shape& lengths = i.shape(1);
  const int64_t rows = in[static_cast<int>(batch)];
  if (lengths.has_rank() && lengths[0] >= 0 && rows >= 0 && lengths[0] != rows)
    invalid("Length of seq_lengths != input.dims(", batch, "): ", lengths[0], " and ", rows,
            " [Op:ReverseSequence]");
  if (lengths.has_rank() && rows < 0) i.output_shapes[0].set(static_cast<int>(batch), lengths[0]);
}

void reverse_sequence_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("ReverseSequence"_op, {c.output_gradients[0], c.inputs[1]}, c.attrs);
}

void roll_shape(Inference& i) {
  infer::same(i);
  const Shape &in = i.shape(0), &shift = i.shape(1), &axis = i.shape(2);
  if (in.has_rank() && in.rank() == 0) invalid("input must be 1-D or higher [Op:Roll]");
  for (const auto& [name, s] : {std::pair("shift", shift), std::pair("axis", axis)})
    if (s.has_rank() && s.rank() > 1)
      invalid(name, " must be a scalar or a 1-D vector. Found: ", s.brackets(), " [Op:Roll]");
  if (!compatible(shift, axis)) invalid("shift and axis must have the same size [Op:Roll]");
  const auto axes = infer::constant_ints(i, 2);
  if (!axes || !in.has_rank()) return;
  for (int64_t a : *axes)
    if (a < -in.rank() || a >= in.rank()) invalid("axis ", a, " is out of range [Op:Roll]");
}

void roll_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("Roll"_op, {c.output_gradients[0], ops::neg(c.inputs[1]), c.inputs[2]});
}

int64_t mirrored_edge(const Inference& i) {
  const std::string& mode = i.attrs.get<std::string>("mode"_attr);
  if (mode != "REFLECT" && mode != "SYMMETRIC")
    invalid("mode is REFLECT or SYMMETRIC, not '", mode, "' [Op:", i.row.name, "]");
  return mode == "REFLECT" ? 1 : 0;
}

void mirror_pad_shape(Inference& i) {
  const int64_t edge = mirrored_edge(i);
  pad_shape(i);
  const Shape& in = i.shape(0);
  const auto paddings = infer::constant_ints(i, 1);
  if (!paddings || !in.has_rank()) return;
  for (int d = 0; d < in.rank(); ++d)
    for (size_t side = 0; side < 2 && in[d] >= 0; ++side) {
      const int64_t amount = (*paddings)[static_cast<size_t>(2 * d) + side];
      if (amount > in[d] - edge)
        invalid("paddings must be no greater than the dimension size", edge ? " minus one" : "", ": ", amount,
                " for dimension ", d, " of size ", in[d], " [Op:MirrorPad]");
    }
}

void mirror_pad_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("MirrorPadGrad"_op, {c.output_gradients[0], c.inputs[1]}, c.attrs);
}

void mirror_pad_grad_shape(Inference& i) {
  const Shape& in = i.shape(0);
  infer::check_rank(i, 1, 2);
  const auto paddings = infer::constant_ints(i, 1);
  mirrored_edge(i);
  Shape out = in.has_rank() ? Shape::of_rank(in.rank()) : in;
  if (paddings && in.has_rank() && paddings->size() != static_cast<size_t>(2 * in.rank()))
    invalid("paddings must have shape (", in.rank(), ", 2), its shape is ", i.shape(1).to_string(), " [Op:", i.row.name,
            "]");
  for (int d = 0; paddings && d < out.rank(); ++d) {
    const int64_t before = (*paddings)[static_cast<size_t>(2 * d)];
    const int64_t after = (*paddings)[static_cast<size_t>(2 * d + 1)];
    if (before < 0 || after < 0 || (in[d] >= 0 && (before > in[d] || after > in[d] - before)))
      invalid("paddings ", before, " and ", after, " do not fit dimension ", d, " of shape ", in.to_string(), " [Op:",
              i.row.name, "]");
    if (in[d] >= 0) out.set(d, in[d] - before - after);
  }
  i.output_shapes[0] = out;
}

void mirror_pad_grad_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("MirrorPad"_op, {c.output_gradients[0], c.inputs[1]}, c.attrs);
}

// [batch] + spatial + rest: space to batch (grow) or back. `amounts` are paddings or crops.
void block_shape(Inference& i, bool to_batch) {
  const Shape &in = i.shape(0), &blocks = i.shape(1), &pads = i.shape(2);
  const char* op = i.row.name;
  const char* amounts_name = to_batch ? "paddings" : "crops";
  infer::check_rank(i, 1, 1);
  if (pads.has_rank() && (pads.rank() != 2 || (pads[1] >= 0 && pads[1] != 2)))
    invalid(amounts_name, " should have shape [", blocks.has_rank() ? blocks[0] : -1, ", 2] instead of ",
            pads.brackets(), " [Op:", op, "]");
  if (blocks.has_rank() && pads.has_rank() && blocks[0] >= 0 && pads[0] >= 0 && blocks[0] != pads[0])
    invalid(amounts_name, " should have shape [", blocks[0], ", 2] instead of ", pads.brackets(), " [Op:", op,
            "]");
  i.output_shapes[0] = in.has_rank() ? Shape::of_rank(in.rank()) : in;
  if (!in.has_rank() || !blocks.has_rank() || blocks[0] < 0) return;
  const auto m = static_cast<int>(blocks[0]);
  if (in.rank() < m + 1)
    invalid("input rank should be >= ", m + 1, " instead of ", in.rank(), " [Op:", op, "]");
  const auto sizes = infer::constant_ints(i, 1);
  const auto amounts = infer::constant_ints(i, 2);
  Shape out = i.output_shapes[0];
  for (int d = m + 1; d < in.rank(); ++d) out.set(d, in[d]);
  int64_t batch = in[0];
  for (int d = 0; sizes && d < m; ++d) {
    const int64_t block = (*sizes)[static_cast<size_t>(d)];
    if (block < 1) invalid("block_shape must be positive, it holds ", block, " [Op:", op, "]");
    if (to_batch) batch = multiply_sizes(batch, block);
    if (batch >= 0 && !to_batch) {
      if (batch % block)
        invalid("Input batch dimension (", in[0], ") is not divisible by product of block sizes [Op:", op,
                "]");
      batch /= block;
    }
  }
  out.set(0, sizes ? batch : kUnknownDim);
  for (int d = 0; d < m && amounts; ++d) {
    const int64_t before = (*amounts)[static_cast<size_t>(2 * d)];
    const int64_t after = (*amounts)[static_cast<size_t>(2 * d + 1)];
    if (before < 0 || after < 0)
      invalid(amounts_name, " must be non-negative: ", before, ", ", after, " [Op:", op, "]");
    if (!sizes || in[d + 1] < 0) continue;
    const int64_t block = (*sizes)[static_cast<size_t>(d)];
    const int64_t grown = to_batch ? add_sizes(add_sizes(before, after), in[d + 1]) : multiply_sizes(in[d + 1], block);
    const int64_t size = to_batch ? grown : before > grown ? -1 : grown - before - after;
    if (to_batch && size % block)
      invalid("padded_shape[", d, "]=", size, " is not divisible by block_shape[", d, "]=", block,
              " [Op:", op, "]");
    if (size < 0) invalid("cropped_shape[", d, "]=", size, " must be non-negative [Op:", op, "]");
    out.set(d + 1, to_batch ? size / block : size);
  }
  i.output_shapes[0] = out;
}

void space_to_batch_shape(Inference& i) { block_shape(i, true); }
void batch_to_space_shape(Inference& i) { block_shape(i, false); }

void space_to_batch_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("BatchToSpaceND"_op, {c.output_gradients[0], c.inputs[1], c.inputs[2]});
}
void batch_to_space_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("SpaceToBatchND"_op, {c.output_gradients[0], c.inputs[1], c.inputs[2]});
}

// The output size and leading padding of a window along one dimension.
int64_t patches_along(int64_t size, int64_t window, int64_t stride, bool same) {
  if (same) return steps_over(size, stride);
  return size < window ? (size - window + stride) / stride : (size - window) / stride + 1;
}

void volume_patches_shape(Inference& i) {
  const auto& sizes = i.attrs.get<std::vector<int64_t>>("ksizes"_attr);
  const auto& strides = i.attrs.get<std::vector<int64_t>>("strides"_attr);
  const std::string& padding = i.attrs.get<std::string>("padding"_attr);
  infer::check_rank(i, 0, 5);
  if (sizes.size() != 5 || strides.size() != 5)
    invalid("ksizes and strides must have 5 entries, they have ", sizes.size(), " and ", strides.size(),
            " [Op:ExtractVolumePatches]");
  if (padding != "SAME" && padding != "VALID")
    invalid("padding is SAME or VALID, not '", padding, "' [Op:ExtractVolumePatches]");
  for (size_t d = 0; d < 5; ++d)
    if (sizes[d] < 1 || strides[d] < 1)
      fail(ErrorKind::kOutOfRange, "ksizes and strides must be positive [Op:ExtractVolumePatches]");
  if (sizes[0] != 1 || sizes[4] != 1 || strides[0] != 1 || strides[4] != 1)
    fail(ErrorKind::kUnimplemented, "Only support ksizes and strides across space [Op:ExtractVolumePatches]");
  const Shape& in = i.shape(0);
  Shape out = Shape::of_rank(5);
  if (in.has_rank()) {
    out.set(0, in[0]);
    for (int d = 1; d < 4; ++d) {
      const auto k = static_cast<size_t>(d);
      if (in[d] < 0) continue;
      const int64_t n = patches_along(in[d], sizes[k], strides[k], padding == "SAME");
      if (n < 0)
        invalid("the window of ", sizes[k], " is larger than dimension ", d, " of size ", in[d],
                " [Op:ExtractVolumePatches]");
      out.set(d, n);
    }
    out.set(4, in[4]);
    for (size_t k = 1; k < 4; ++k) out.set(4, multiply_sizes(out[4], sizes[k]));
  }
  i.output_shapes[0] = out;
}

// Patches of position numbers tell which element each value came from: the gradient is summed by position.
void volume_patches_gradient(GradientCall& c) {
  const Tensor& g = c.output_gradients[0];
  const Tensor shape = ops::shape(c.inputs[0]);
  const Tensor space = ops::slice(shape, ops::ints({1}), ops::ints({3}));
  const Tensor count = apply("Prod"_op, {space, ops::ints({0})});
  const Tensor numbers = ops::range(ops::integer(1), ops::add(count, ops::integer(1)));
  const Tensor grid[] = {ops::ints({1}), space, ops::ints({1})};
  const Tensor places = apply("ExtractVolumePatches"_op, {ops::reshape(numbers, ops::concat(grid, 0))}, c.attrs);
  const Tensor ids = ops::sub(ops::reshape(places, ops::ints({-1})), ops::integer(1));  // -1: padding
  const Tensor batch = ops::slice(shape, ops::ints({0}), ops::ints({1}));
  const Tensor depth = ops::slice(shape, ops::ints({4}), ops::ints({1}));
  const Tensor flat[] = {batch, ops::reshape(ops::size(ids), ops::ints({1})), depth};
  const Tensor rows = ops::transpose(ops::reshape(g, ops::concat(flat, 0)), ops::ints({1, 0, 2}));
  const Tensor summed = apply("UnsortedSegmentSum"_op, {rows, ids, count});
  c.input_gradients[0] = ops::reshape(ops::transpose(summed, ops::ints({1, 0, 2})), shape);
}

void bitcast_shape(Inference& i) {
  const auto from = static_cast<int64_t>(size_of(i.dtype(0)));
  const auto to = static_cast<int64_t>(size_of(i.attrs.get<DType>("type"_attr)));
  Shape out = i.shape(0);
  if (out.has_rank() && from > to) {
    out.append(from / to);
  } else if (out.has_rank() && from < to) {
    const int64_t last = out.rank() ? out[out.rank() - 1] : 0;
    if (out.rank() == 0 || (last >= 0 && last != to / from))
      invalid("Cannot bitcast from ", name_of(i.dtype(0)), " to ", name_of(i.attrs.get<DType>("type"_attr)),
              ": shape ", out.brackets(), " has no last dimension of ", to / from, " [Op:Bitcast]");
    out = Shape(out.dims().first(static_cast<size_t>(out.rank() - 1)));
  }
  i.output_shapes[0] = out;
}

void ensure_shape(Inference& i) {
  const Shape& wanted = i.attrs.get<Shape>("shape"_attr);
  if (!compatible(i.shape(0), wanted))
    invalid("Shape of tensor ", i.shape(0).brackets(), " is not compatible with expected shape ",
            wanted.brackets(), " [Op:EnsureShape]");
  i.output_shapes[0] = merge(i.shape(0), wanted);
}

void default_shape(Inference& i) {
  const Shape& wanted = i.attrs.get<Shape>("shape"_attr);
  if (!compatible(i.shape(0), wanted))
    invalid("the default has the shape ", i.shape(0).brackets(), ", which is not compatible with ",
            wanted.brackets(), " [Op:PlaceholderWithDefault]");
  i.output_shapes[0] = wanted;
}

void pass_gradient(GradientCall& c) { c.input_gradients[0] = c.output_gradients[0]; }

void identity_n_shape(Inference& i) {
  for (size_t k = 0; k < i.output_shapes.size(); ++k) i.output_shapes[k] = i.shape(k);
}
void identity_n_gradient(GradientCall& c) {
  for (size_t k = 0; k < c.outputs.size(); ++k) c.input_gradients[k] = c.output_gradients[k];
}

void shape_n_shape(Inference& i) {
  for (size_t k = 0; k < i.output_shapes.size(); ++k)
    i.output_shapes[k] = Shape{i.shape(k).has_rank() ? i.shape(k).rank() : kUnknownDim};
}

void broadcast_args_shape(Inference& i) {
  infer::check_rank(i, 0, 1);
  infer::check_rank(i, 1, 1);
  const Shape &x = i.shape(0), &y = i.shape(1);
  const bool known = x.has_rank() && y.has_rank() && x[0] >= 0 && y[0] >= 0;
  i.output_shapes[0] = Shape{known ? std::max(x[0], y[0]) : kUnknownDim};
}

void parallel_concat_shape(Inference& i) {
  const Shape& out = i.attrs.get<Shape>("shape"_attr);
  if (!out.has_rank() || out.rank() == 0)
    invalid("shape must have at least one dimension [Op:ParallelConcat]");
  if (!out.fully_known()) invalid("Shape ", out.brackets(), " is not fully defined [Op:ParallelConcat]");
  for (const Tensor& t : i.inputs)
    if (t.shape().has_rank() && (t.shape().rank() == 0 || (t.shape()[0] >= 0 && t.shape()[0] != 1)))
      invalid("Size of first dimension must be 1, the shape is ", t.shape().to_string(),
              " [Op:ParallelConcat]");
  Shape one{1};
  for (int64_t d : out.dims().subspan(1)) one.append(d);
  for (const Tensor& t : i.inputs)
    if (!compatible(t.shape(), one))
      invalid("All values must have the same shape: ", t.shape().to_string(), " is not ", one.to_string(),
              " [Op:ParallelConcat]");
  if (out[0] != static_cast<int64_t>(i.inputs.size()))
    invalid("The shape ", out.to_string(), " is not that of ", i.inputs.size(), " values [Op:ParallelConcat]");
  i.output_shapes[0] = out;
}

}  // namespace

FL_ROWS(array) {
  constexpr RowsOf move_row{OpFamily::kMove};
  const RowDef::Properties nothing{.zero_gradient = true};
  return {
      move_row("ReverseV2", "tensor: T, axis: Tidx -> output: T", "T: any; Tidx: index = int32", reverse_shape,
               reverse_gradient, "dimensions the other way round", {.host_inputs = 2}),
      move_row("ReverseSequence", "input: T, seq_lengths: Tlen -> output: T",
               "seq_dim: int; batch_dim: int = 0; T: any; Tlen: index = int64", reverse_sequence_shape,
               reverse_sequence_gradient, "the first so many of each row the other way round"),
      move_row("Roll", "input: T, shift: Tshift, axis: Taxis -> output: T", "T: any; Tshift: index; Taxis: index",
               roll_shape, roll_gradient, "elements shifted around the end of dimensions", {.host_inputs = 6}),
      move_row("MirrorPad", "input: T, paddings: Tpaddings -> output: T",
               "T: any; Tpaddings: index = int32; mode: string", mirror_pad_shape, mirror_pad_gradient,
               "a tensor mirrored at its edges", {.host_inputs = 2}),
      move_row("MirrorPadGrad", "input: T, paddings: Tpaddings -> output: T",
               "T: any; Tpaddings: index = int32; mode: string", mirror_pad_grad_shape, mirror_pad_grad_gradient,
               "the gradient of mirror padding: mirrored elements summed into their sources", {.host_inputs = 2}),
      move_row("SpaceToBatchND", "input: T, block_shape: Tblock_shape, paddings: Tpaddings -> output: T",
               "T: any; Tblock_shape: index = int32; Tpaddings: index = int32", space_to_batch_shape,
               space_to_batch_gradient, "moves blocks of the spatial dimensions into the batch", {.host_inputs = 6}),
      move_row("BatchToSpaceND", "input: T, block_shape: Tblock_shape, crops: Tcrops -> output: T",
               "T: any; Tblock_shape: index = int32; Tcrops: index = int32", batch_to_space_shape,
               batch_to_space_gradient, "moves the batch back into blocks of the spatial dimensions",
               {.host_inputs = 6}),
      move_row("ExtractVolumePatches", "input: T -> patches: T",
               "ksizes: list(int); strides: list(int); T: real; padding: string", volume_patches_shape,
               volume_patches_gradient, "the blocks under a window that steps through space, as depth"),
      move_row("Bitcast", "input: T -> output: type", "T: plain; type: plain", bitcast_shape, nullptr,
               "the same bits as another dtype"),
      move_row("EnsureShape", "input: T -> output: T", "shape: shape; T: any", ensure_shape, pass_gradient,
               "the same value; an error when its shape is another"),
      move_row("PlaceholderWithDefault", "input: dtype -> output: dtype", "dtype: any; shape: shape", default_shape,
               pass_gradient, "the same value, unless another is fed", {.alias = Alias::kShares}),
      move_row("IdentityN", "input: T[] -> output: T[]", "T: list(type)", identity_n_shape, identity_n_gradient,
               "the same values", {.alias = Alias::kShares}),
      move_row("ShapeN", "input: N*T -> output: N*out_type", "N: int; T: any; out_type: index = int32", shape_n_shape,
               nullptr, "the shapes of several tensors", nothing),
      move_row("BroadcastArgs", "s0: T, s1: T -> r0: T", "T: index = int32", broadcast_args_shape, nullptr,
               "the shape that two shapes broadcast to", {.host_inputs = 3, .zero_gradient = true}),
      move_row("ParallelConcat", "values: N*T -> output: T", "N: int; T: any; shape: shape", parallel_concat_shape,
               nullptr, "tensors of one row each, as the rows of one"),
  };
}

}  // namespace footlight
