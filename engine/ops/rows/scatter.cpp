// Rows that read and write single slices of a tensor by index: gather_nd, scatter_nd and the
// tensor_scatter_nd family, and dynamic partition and stitch.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {

namespace {

Tensor gather_nd(const Tensor& params, const Tensor& indices, const Attrs& attrs = {}) {
  return apply("GatherNd"_op, {params, indices}, attrs);
}

// The policy for out-of-bounds indices, passed to the op that computes a gradient.
Attrs policy_of(const GradientCall& c) {
  const std::string policy = c.attrs.get_or("bad_indices_policy"_attr, std::string());
  return policy.empty() ? Attrs() : Attrs{{"bad_indices_policy"_attr, policy}};
}

Tensor scatter_nd(const Tensor& indices, const Tensor& updates, const Tensor& shape,
                  const Attrs& attrs = {}) {
  return apply("ScatterNd"_op, {indices, updates, shape}, attrs);
}

void gather_nd_shape(Inference& i) {
  const Shape& params = i.shape(0);
  const Shape& indices = i.shape(1);
  if (indices.has_rank() && indices.rank() == 0)
    invalid("indices must be at least a vector, got a scalar [Op:GatherNd]");
  if (params.has_rank() && params.rank() == 0)
    invalid("params must be at least a vector, got a scalar [Op:GatherNd]");
  i.output_shapes[0] = Shape::unknown_rank();
  if (!params.has_rank() || !indices.has_rank() || indices[indices.rank() - 1] < 0) return;
  const int64_t depth = indices[indices.rank() - 1];
  if (depth > params.rank())
    invalid("index innermost dimension length must be <= params rank; saw: ", depth, " vs. ", params.rank(),
            " [Op:GatherNd]");
  Shape out;
  for (int d = 0; d + 1 < indices.rank(); ++d) out.append(indices[d]);
  for (int d = static_cast<int>(depth); d < params.rank(); ++d) out.append(params[d]);
  i.output_shapes[0] = out;
}

void gather_nd_gradient(GradientCall& c) {
  c.input_gradients[0] = scatter_nd(c.inputs[1], c.output_gradients[0],
                                    ops::shape(c.inputs[0], c.inputs[1].dtype()), policy_of(c));
}

// Checks that updates have the shape [indices without the last dimension] + [shape after the indexed dimensions].
void check_updates(Inference& i, const Shape& indices, const Shape& updates, const Shape& shape) {
  if (indices.has_rank() && indices.rank() == 0)
    invalid("indices must have at least one dimension, got a scalar [Op:", i.row.name, "]");
  if (!indices.has_rank() || !shape.has_rank() || indices[indices.rank() - 1] < 0) return;
  const int64_t depth = indices[indices.rank() - 1];
  if (depth > shape.rank())
    invalid("the last dimension of indices must be at most the rank of the output: indices have shape ",
            indices.to_string(), ", the output ", shape.to_string(), " [Op:", i.row.name, "]");
  if (!updates.has_rank()) return;
  Shape wanted;
  for (int d = 0; d + 1 < indices.rank(); ++d) wanted.append(indices[d]);
  for (int d = static_cast<int>(depth); d < shape.rank(); ++d) wanted.append(shape[d]);
  if (!compatible(wanted, updates))
    invalid("updates must have shape ", wanted.to_string(), " for indices of shape ", indices.to_string(),
            " and an output of shape ", shape.to_string(), ", their shape is ", updates.to_string(),
            " [Op:", i.row.name, "]");
}

void scatter_nd_shape(Inference& i) {
  const Shape out = infer::shape_from(i, 2);
  infer::check_rank(i, 2, 1);
  i.output_shapes[0] = out;
  // If there is nothing to write, the other shapes do not matter.
  const bool nothing = i.shape(0).fully_known() && i.shape(1).fully_known() && i.shape(0).elements() == 0 &&
                       i.shape(1).elements() == 0;
  if (!nothing) check_updates(i, i.shape(0), i.shape(1), out);
}

void scatter_nd_gradient(GradientCall& c) {
  c.input_gradients[1] = gather_nd(c.output_gradients[0], c.inputs[0], policy_of(c));
}

void tensor_scatter_shape(Inference& i) {
  infer::same(i);
  if (i.shape(0).has_rank() && i.shape(0).rank() == 0)
    invalid("tensor must have at least one dimension, got a scalar [Op:", i.row.name, "]");
  check_updates(i, i.shape(1), i.shape(2), i.shape(0));
}

void update_gradient(GradientCall& c) {
  const Tensor& g = c.output_gradients[0];
  c.input_gradients[0] = apply("TensorScatterUpdate"_op, {g, c.inputs[1], ops::zeros_like(c.inputs[2])}, policy_of(c));
  c.input_gradients[2] = gather_nd(g, c.inputs[1], policy_of(c));
}

void add_gradient(GradientCall& c) {
  c.input_gradients[0] = c.output_gradients[0];
  c.input_gradients[2] = gather_nd(c.output_gradients[0], c.inputs[1], policy_of(c));
}

void sub_gradient(GradientCall& c) {
  c.input_gradients[0] = c.output_gradients[0];
  c.input_gradients[2] = ops::neg(gather_nd(c.output_gradients[0], c.inputs[1], policy_of(c)));
}

// The elements that hold the extreme value share the gradient evenly.
void extreme_gradient(GradientCall& c) {
  const Tensor &x = c.inputs[0], &indices = c.inputs[1], &y = c.inputs[2], &g = c.output_gradients[0];
  const Tensor of_x = ops::cast(ops::equal(x, c.outputs[0]), g.dtype());
  const Tensor of_y = ops::cast(ops::equal(y, gather_nd(c.outputs[0], indices)), g.dtype());
  const Tensor holders = ops::add(of_x, scatter_nd(indices, of_y, ops::shape(x, indices.dtype())));
  const Tensor share = ops::div(g, holders);
  c.input_gradients[0] = ops::mul(share, of_x);
  c.input_gradients[2] = ops::mul(gather_nd(share, indices), of_y);
}

void partition_shape(Inference& i) {
  const Shape& data = i.shape(0);
  const Shape& partitions = i.shape(1);
  const int64_t n = i.attrs.get<int64_t>("num_partitions"_attr);
  if (n < 1) invalid("num_partitions must be at least 1, not ", n, " [Op:DynamicPartition]");
  Shape out = Shape::unknown_rank();
  if (data.has_rank() && partitions.has_rank()) {
    if (partitions.rank() > data.rank() ||
        !compatible(partitions, Shape(data.dims().first(static_cast<size_t>(partitions.rank())))))
      invalid("data.shape must start with partitions.shape, got data.shape = ", data.brackets(),
              ", partitions.shape = ", partitions.brackets(), " [Op:DynamicPartition]");
    out = Shape{kUnknownDim};
    for (int d = partitions.rank(); d < data.rank(); ++d) out.append(data[d]);
  }
  for (Shape& s : i.output_shapes) s = out;
}

// Scatters the gradients back to where the partitions took their rows from.
void partition_gradient(GradientCall& c) {
  const Tensor& partitions = c.inputs[1];
  const Tensor count = ops::size(partitions);
  const Tensor line = ops::range(ops::integer(0), count);
  const Tensor places = ops::reshape(line, ops::shape(partitions));
  std::vector<Tensor> inputs = apply_all("DynamicPartition"_op, {places, partitions}, c.attrs);
  const auto n = static_cast<int64_t>(inputs.size());
  for (size_t k = 0; k < c.outputs.size(); ++k)
    inputs.push_back(c.output_gradients[k] ? c.output_gradients[k] : ops::zeros_like(c.outputs[k]));
  c.input_gradients[0] =
      ops::reshape(apply("DynamicStitch"_op.row(), inputs, {{"N"_attr, n}}), ops::shape(c.inputs[0]));
}

void stitch_shape(Inference& i) {
  const size_t n = i.inputs.size() / 2;
  if (n == 0) invalid("indices and data must hold at least one tensor each [Op:DynamicStitch]");
  Shape rest = Shape::unknown_rank();
  int64_t rows = 0;
  for (size_t k = 0; k < n; ++k) {
    const Shape& indices = i.shape(k);
    const Shape& data = i.shape(n + k);
    const auto values = infer::constant_ints(i, k);
    if (!values) rows = kUnknownDim;
    for (int64_t v : values.value_or(std::vector<int64_t>()))
      if (rows >= 0) rows = std::max(rows, v + 1);
    if (!indices.has_rank() || !data.has_rank()) continue;
    if (indices.rank() > data.rank() ||
        !compatible(indices, Shape(data.dims().first(static_cast<size_t>(indices.rank())))))
      invalid("data[", k, "].shape = ", data.brackets(), " does not start with indices[", k,
              "].shape = ", indices.brackets(), " [Op:DynamicStitch]");
    const Shape behind(data.dims().subspan(static_cast<size_t>(indices.rank())));
    if (!compatible(rest, behind))
      invalid("Need data[0].shape[", i.shape(0).has_rank() ? i.shape(0).rank() : 0, ":] = data[", k,
              "].shape[", indices.rank(), ":], got data[0].shape = ", i.shape(n).brackets(), ", data[", k,
              "].shape = ", data.brackets(), " [Op:DynamicStitch]");
    rest = merge(rest, behind);
  }
  if (!rest.has_rank()) return infer::unknown(i);
  Shape out{rows};
  for (int64_t d : rest.dims()) out.append(d);
  i.output_shapes[0] = out;
}

// If an index occurs twice, the last value wins. The others contributed nothing, but TensorFlow gathers a gradient for
// all of them.
void stitch_gradient(GradientCall& c) {
  const size_t n = c.inputs.size() / 2;
  for (size_t k = 0; k < n; ++k)
    c.input_gradients[n + k] = ops::gather(c.output_gradients[0], c.inputs[k]);
}

void unravel_shape(Inference& i) {
  const Shape& indices = i.shape(0);
  const Shape& dims = i.shape(1);
  infer::check_rank(i, 1, 1);
  const int64_t n = dims.has_rank() ? dims[0] : kUnknownDim;
  if (!indices.has_rank()) return infer::unknown(i);
  // The result is a vector for scalars, else a matrix with a column per index.
  Shape out{n};
  if (indices.rank() > 0) out.append(indices.fully_known() ? indices.elements() : kUnknownDim);
  i.output_shapes[0] = out;
}

}  // namespace

FL_ROWS(scatter) {
  constexpr RowsOf move_row{OpFamily::kMove};
  constexpr const char* kTensorScatter = "tensor: T, indices: Tindices, updates: T -> output: T";
  constexpr const char* kTensorScatterAttrs = "T: any; Tindices: index; bad_indices_policy: string = \"\"";
  return {
      move_row("GatherNd", "params: Tparams, indices: Tindices -> output: Tparams",
               "Tparams: any; Tindices: index|int16; bad_indices_policy: string = \"\"", gather_nd_shape,
               gather_nd_gradient, "slices of several dimensions, chosen by vectors of indices"),
      move_row("ScatterNd", "indices: Tindices, updates: T, shape: Tindices -> output: T",
               "T: any; Tindices: index|int16; bad_indices_policy: string = \"\"", scatter_nd_shape,
               scatter_nd_gradient, "zeros with updates added at indices", {.dispatch = 1, .host_inputs = 4}),
      move_row("TensorScatterUpdate", kTensorScatter,
               "T: any; Tindices: index|int16|uint16; bad_indices_policy: string = \"\"", tensor_scatter_shape,
               update_gradient, "a tensor with slices replaced"),
      move_row("TensorScatterAdd", kTensorScatter, kTensorScatterAttrs, tensor_scatter_shape, add_gradient,
               "a tensor with something added to slices"),
      move_row("TensorScatterSub", kTensorScatter, kTensorScatterAttrs, tensor_scatter_shape, sub_gradient,
               "a tensor with something subtracted from slices"),
      move_row("TensorScatterMax", kTensorScatter, kTensorScatterAttrs, tensor_scatter_shape, extreme_gradient,
               "a tensor with slices raised to at least the updates"),
      move_row("TensorScatterMin", kTensorScatter, kTensorScatterAttrs, tensor_scatter_shape, extreme_gradient,
               "a tensor with slices lowered to at most the updates"),
      move_row("DynamicPartition", "data: T, partitions: int32 -> outputs: num_partitions*T",
               "num_partitions: int; T: any", partition_shape, partition_gradient,
               "the rows of a tensor sorted into parts"),
      move_row("DynamicStitch", "indices: N*int32, data: N*T -> merged: T", "N: int; T: any", stitch_shape,
               stitch_gradient, "rows of several tensors placed at indices", {.dispatch = -1}),
      move_row("UnravelIndex", "indices: Tidx, dims: Tidx -> output: Tidx", "Tidx: index = int32", unravel_shape,
               nullptr, "flat indices as indices of every dimension", {.zero_gradient = true}),
  };
}

}  // namespace footlight
