// Public functions that read and write slices by index.
#include "engine/ops/composite/define.h"
#include "engine/ops/composite/scalar.h"
#include "engine/ops/indexed_slices.h"

namespace footlight::composite {

namespace {

Attrs policy(const Arg& a) { return text(a).empty() ? Attrs() : Attrs{{"bad_indices_policy"_attr, text(a)}}; }

// Prepends the batch position to the indices, so that a plain gather_nd serves.
Tensor with_batch_places(const Tensor& params, const Tensor& indices, int64_t batch) {
  const int rank = indices.shape().rank();
  const Tensor shape = ops::shape(indices, indices.dtype());
  const Tensor outer = ops::slice(shape, ops::ints({0}), ops::ints({rank - 1}));
  const Tensor both[] = {outer, ops::ints({1}, indices.dtype())};
  const Tensor one_each = ops::concat(both, 0);
  std::vector<Tensor> parts;
  for (int64_t d = 0; d < batch; ++d) {
    const int64_t known = indices.shape()[static_cast<int>(d)];
    const Tensor size = known >= 0 ? ops::integer(known, indices.dtype())
                                   : ops::gather(shape, ops::integer(d));
    std::vector<int64_t> line(static_cast<size_t>(rank), 1);
    line[static_cast<size_t>(d)] = -1;
    const Tensor count =
        ops::range(ops::number(0, indices.dtype()), size);
    parts.push_back(ops::broadcast_to(ops::reshape(count, ops::ints(line)), one_each));
  }
  parts.push_back(indices);
  for (int64_t d = 0; d < batch; ++d) {
    const int64_t a = params.shape().has_rank() ? params.shape()[static_cast<int>(d)] : kUnknownDim;
    const int64_t b = indices.shape()[static_cast<int>(d)];
    if (a >= 0 && b >= 0 && a != b)
      invalid("Batch dimensions of `params` and `indices` must match: dimension ", d, " is ", a, " and ", b);
  }
  return ops::concat(parts, rank - 1);
}

Arg gather_nd(const Tensor& params_given, const Tensor& indices_given, const Arg& batch_dims,
              const Arg& bad_indices_policy, std::string_view name) {
  Tensor indices = indices_given;
  const Attrs attrs = policy(bad_indices_policy);
  int64_t batch = 0;
  if (const auto* number = std::get_if<int64_t>(&batch_dims.value)) {
    batch = *number;
  } else if (const auto* given = std::get_if<Tensor>(&batch_dims.value)) {
    const Tensor value = known_value(*given);
    if (!value) fail(ErrorKind::kType, "tf.gather_nd: batch_dims must be known, got a symbolic tensor");
    batch = one_integer(value, "batch_dims");
  } else if (!batch_dims.none()) {
    fail(ErrorKind::kType, "tf.gather_nd: batch_dims must be an int or a scalar tensor of integers");
  }
  if (batch == 0) return {ops::gather_elements(params_given, indices, attrs, name)};
  const Tensor params = ops::value_of(params_given);
  const Shape &of_params = params.shape(), &of_indices = indices.shape();
  if (!of_params.has_rank() || !of_indices.has_rank())
    fail(ErrorKind::kValue, "tf.gather_nd with batch_dims requires tensors of known rank");
  if (batch < 0 || batch >= of_indices.rank())
    fail(ErrorKind::kValue, "batch_dims = ", batch,
         " must be at least 0 and less than rank(indices) = ", of_indices.rank());
  if (batch >= of_params.rank())
    fail(ErrorKind::kValue, "batch_dims = ", batch, " must be less than rank(params) = ", of_params.rank());
  const Scope scope(name_or(name, "BatchGatherND"));
  return {apply("GatherNd"_op, {params, with_batch_places(params, indices, batch)}, attrs)};
}

Arg scatter_nd(const Tensor& indices_given, const Tensor& updates, const Tensor& shape_given,
               const Arg& bad_indices_policy, std::string_view name) {
  Tensor indices = indices_given, shape = shape_given;
  one_index_type({&indices, &shape});
  return {apply("ScatterNd"_op, {indices, updates, shape}, policy(bad_indices_policy), name)};
}

template <Literal op_name>
Arg tensor_scatter(const Tensor& x, const Tensor& indices, const Tensor& updates, const Arg& bad_indices_policy,
                   std::string_view name) {
  return {apply(op_named<op_name>(), {x, indices, updates}, policy(bad_indices_policy), name)};
}
Arg tensor_scatter_update(const Tensor& x, const Tensor& indices, const Tensor& updates, std::string_view name) {
  return {apply("TensorScatterUpdate"_op, {x, indices, updates}, {}, name)};
}

Arg dynamic_partition(const Tensor& data, const Tensor& partitions, int64_t n, std::string_view name) {
  if (n < 1) invalid("num_partitions must be at least 1, not ", n, " [Op:DynamicPartition]");
  return {list_of(apply_all("DynamicPartition"_op, {data, partitions}, {{"num_partitions"_attr, n}}, name))};
}

Arg dynamic_stitch(const std::vector<Tensor>& indices, const std::vector<Tensor>& data, std::string_view name) {
  std::vector<Tensor> inputs = indices;
  if (data.empty())
    invalid("tf.dynamic_stitch requires at least one tensor of indices and one of data [Op:DynamicStitch]");
  if (inputs.size() != data.size())
    fail(ErrorKind::kValue, "tf.dynamic_stitch: List argument `data` has ", data.size(), " tensors and must match "
         "`indices`, which has ", inputs.size());
  const auto n = static_cast<int64_t>(data.size());
  inputs.insert(inputs.end(), data.begin(), data.end());
  return {apply("DynamicStitch"_op.row(), inputs, {{"N"_attr, n}}, name)};
}

}  // namespace

FL_PUBLIC(scatter) {
  constexpr const char* kScatter =
      "tensor: tensor, indices: tensor, updates: tensor like tensor, bad_indices_policy: str = '', "
      "name: str? = None";
  return {
      {"gather_nd",
       "params: tensor or variable, indices: tensor, batch_dims: any = 0, name: str? = None, "
       "bad_indices_policy: str = ''",
       bind<gather_nd>, "slices of several dimensions, chosen by vectors of indices"},
      {"scatter_nd",
       "indices: tensor, updates: tensor, shape: tensor after indices, bad_indices_policy: str = '', "
       "name: str? = None",
       bind<scatter_nd>, "zeros with updates added at indices"},
      {"tensor_scatter_nd_update",
       "tensor: tensor, indices: tensor, updates: tensor like tensor, name: str? = None",
       bind<tensor_scatter_update>, "a tensor with slices replaced"},
      {"tensor_scatter_nd_add", kScatter, bind<tensor_scatter<"TensorScatterAdd">>,
       "a tensor with something added to slices"},
      {"tensor_scatter_nd_sub", kScatter, bind<tensor_scatter<"TensorScatterSub">>,
       "a tensor with something subtracted from slices"},
      {"tensor_scatter_nd_max", kScatter, bind<tensor_scatter<"TensorScatterMax">>,
       "a tensor with slices raised to at least the updates"},
      {"tensor_scatter_nd_min", kScatter, bind<tensor_scatter<"TensorScatterMin">>,
       "a tensor with slices lowered to at most the updates"},
      {"dynamic_partition",
       "data: tensor, partitions: tensor of int32, num_partitions: int, name: str? = None", bind<dynamic_partition>,
       "the rows of a tensor sorted into parts"},
      {"dynamic_stitch", "indices: tensors of int32, data: tensors, name: str? = None", bind<dynamic_stitch>,
       "rows of several tensors placed at indices"},
      {"unravel_index", "indices: tensor of int32, dims: tensor like indices, name: str? = None",
       one_op<"UnravelIndex">, "flat indices as indices of every dimension"},
  };
}

}  // namespace footlight::composite
