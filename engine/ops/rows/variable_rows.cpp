// Rows that read or write parts of a variable.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"
#include "engine/ops/indexed_slices.h"
#include "engine/tensor/size.h"
#include "engine/tensor/slice_spec.h"
#include "engine/tensor/variable.h"

namespace footlight {

namespace {

Shape shape_of_variable(Inference& i) {
  const Variable* v = variable_of(i.inputs[0]);
  return v ? v->shape() : Shape::unknown_rank();
}

void append(Shape& to, const Shape& from, int first) { for (int d = first; d < from.rank(); ++d) to.append(from[d]); }

void gather_shape(Inference& i) {
  const Shape params = shape_of_variable(i);
  const Shape& indices = i.shape(1);
  if (params.has_rank() && params.rank() == 0) invalid("params must be at least 1 dimensional [Op:", i.row.name, "]");
  if (!params.has_rank() || !indices.has_rank()) return infer::unknown(i);
  const int64_t batch_dims = i.attrs.get_or("batch_dims"_attr, int64_t{0});
  const int batch = batch_dims < 0 || batch_dims > kMaxDimensions ? -1 : static_cast<int>(batch_dims);
  if (batch < 0 || batch > indices.rank() || batch >= params.rank())
    invalid("batch_dims is ", batch_dims, ", it must be between 0 and the ranks of indices (", indices.rank(),
            ") and of the variable (", params.rank(), ") [Op:", i.row.name, "]");
  Shape out;
  for (int d = 0; d <= batch; ++d)
    if (d < batch) out.append(params[d]);
  append(out, indices, batch);
  append(out, params, batch + 1);
  i.output_shapes[0] = out;
}

Tensor variable_shape(const Tensor& handle) {
  const Variable* v = variable_of(handle);
  return v && v->shape().fully_known() ? ops::ints(v->shape().dims()) : apply("VariableShape"_op, {handle});
}

void gather_gradient(GradientCall& c) {
  const int64_t batch = c.attrs.get_or("batch_dims"_attr, int64_t{0});
  const Tensor shape = variable_shape(c.inputs[0]);
  c.input_gradients[0] = batch == 0
                             ? ops::gathered_rows(c.output_gradients[0], c.inputs[1], shape)
                             : apply("GatherGrad"_op, {shape, c.inputs[1], ops::integer(batch), c.output_gradients[0]},
                                     {{"batch_dims"_attr, batch}});
}

// The last dimension of the indices, which is a number of dimensions of the variable; -1 when not known.
int index_depth(const Inference& i, const Shape& indices, const Shape& whole) {
  if (!indices.has_rank() || indices.rank() == 0 || !whole.has_rank()) return -1;
  const int64_t depth = indices[indices.rank() - 1];
  if (depth > whole.rank())
    invalid("index innermost dimension length must be <= params rank; saw: ", depth, " vs. ", whole.rank(), " [Op:",
            i.row.name, "]");
  return static_cast<int>(depth);
}

void gather_nd_shape(Inference& i) {
  const Shape whole = shape_of_variable(i);
  const Shape& indices = i.shape(1);
  if (indices.has_rank() && indices.rank() == 0) invalid("indices must be at least a vector [Op:", i.row.name, "]");
  const int depth = index_depth(i, indices, whole);
  if (depth < 0) return infer::unknown(i);
  Shape out;
  for (int d = 0; d + 1 < indices.rank(); ++d) out.append(indices[d]);
  append(out, whole, depth);
  i.output_shapes[0] = out;
}

void gather_nd_gradient(GradientCall& c) {
  const Tensor shape = variable_shape(c.inputs[0]);
  const Shape& indices = c.inputs[1].shape();
  if (indices.has_rank() && indices.rank() == 2 && indices[1] == 1) {
    const Tensor flat = ops::squeeze(c.inputs[1], {-1});
    c.input_gradients[0] = ops::indexed_slices(c.output_gradients[0], flat, shape);
    return;
  }
  c.input_gradients[0] =
      apply("ScatterNd"_op, {c.inputs[1], c.output_gradients[0], ops::cast(shape, c.inputs[1].dtype())});
}

void same_dtype(Inference& i, size_t input) {
  const Variable* v = variable_of(i.inputs[0]);
  if (v && v->dtype() != i.dtype(input))
    invalid("cannot compute ", i.row.name, ": the variable '", v->name(), "' has dtype ", name_of(v->dtype()),
            ", the updates have ", name_of(i.dtype(input)), " [Op:", i.row.name, "]");
}

void refuse_shapes(Inference& i, const Shape& want) {
  invalid("Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape ",
          i.shape(2).brackets(), ", expected ", want.brackets(), " [Op:", i.row.name, "]");
}

void scatter_shape(Inference& i) {
  same_dtype(i, 2);
  const Shape whole = shape_of_variable(i);
  const Shape &indices = i.shape(1), &updates = i.shape(2);
  if (whole.has_rank() && whole.rank() == 0) invalid("the variable must be at least a vector [Op:", i.row.name, "]");
  if (!whole.has_rank() || !indices.has_rank() || (updates.has_rank() && updates.rank() == 0)) return;
  Shape want(indices);
  append(want, whole, 1);
  if (!compatible(want, updates)) refuse_shapes(i, want);
}

void scatter_nd_shape(Inference& i) {
  same_dtype(i, 2);
  const Shape whole = shape_of_variable(i);
  const Shape& indices = i.shape(1);
  const int depth = index_depth(i, indices, whole);
  if (depth < 0) return;
  Shape want;
  for (int d = 0; d + 1 < indices.rank(); ++d) want.append(indices[d]);
  append(want, whole, depth);
  if (!compatible(want, i.shape(2)))
    invalid("updates must have the shape indices.shape[:-1] + variable.shape[", depth, ":] = ", want.brackets(),
            ", they have ", i.shape(2).brackets(), " [Op:", i.row.name, "]");
}

void slice_assign_shape(Inference& i) { if (variable_of(i.inputs[0])) same_dtype(i, 4); }

void count_shape(Inference& i) { i.output_shapes[0] = Shape(); }

RowDef scatter(const char* name, const char* doc, const char* attrs = "dtype: numbers; Tindices: index") {
  return {name,          "resource: resource, indices: Tindices, updates: dtype ->",
          attrs,         scatter_shape,
          nullptr,       OpFamily::kVariable,
          doc,           {.effect = Effect::kWrites, .dispatch = 2, .host_inputs = 7}};
}

RowDef scatter_nd(const char* name, const char* doc) {
  return {name,
          "ref: resource, indices: Tindices, updates: T ->",
          "use_locking: bool = true; T: any; Tindices: index|int16; bad_indices_policy: string = ''",
          scatter_nd_shape,
          nullptr,
          OpFamily::kVariable,
          doc,
          {.effect = Effect::kWrites, .dispatch = 2, .host_inputs = 7}};
}

}  // namespace

FL_ROWS(variable_rows) {
  return {
      {"ResourceGather", "resource: resource, indices: Tindices -> output: dtype",
       "batch_dims: int = 0; validate_indices: bool = true; dtype: any; Tindices: index", gather_shape, gather_gradient,
       OpFamily::kVariable, "rows of a variable", {.effect = Effect::kReads, .dispatch = -1, .host_inputs = 2}},
      {"ResourceGatherNd", "resource: resource, indices: Tindices -> output: dtype", "dtype: any; Tindices: index",
       gather_nd_shape, gather_nd_gradient, OpFamily::kVariable, "elements of a variable at index vectors",
       {.effect = Effect::kReads, .dispatch = -1, .host_inputs = 2}},
      scatter("ResourceScatterUpdate", "gives rows of a variable other values", "dtype: any; Tindices: index"),
      scatter("ResourceScatterAdd", "adds to rows of a variable"),
      scatter("ResourceScatterSub", "subtracts from rows of a variable"),
      scatter("ResourceScatterMul", "multiplies rows of a variable"),
      scatter("ResourceScatterDiv", "divides rows of a variable"),
      scatter("ResourceScatterMin", "the smaller one in rows of a variable"),
      scatter("ResourceScatterMax", "the larger one in rows of a variable"),
      scatter_nd("ResourceScatterNdUpdate", "gives elements of a variable other values"),
      scatter_nd("ResourceScatterNdAdd", "adds to elements of a variable"),
      scatter_nd("ResourceScatterNdSub", "subtracts from elements of a variable"),
      scatter_nd("ResourceScatterNdMin", "the smaller one in elements of a variable"),
      scatter_nd("ResourceScatterNdMax", "the larger one in elements of a variable"),
      {"ResourceStridedSliceAssign",
       "ref: resource, begin: Index, end: Index, strides: Index, value: T ->",
       "T: any; Index: index; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; "
       "new_axis_mask: int = 0; shrink_axis_mask: int = 0",
       slice_assign_shape, nullptr, OpFamily::kVariable, "gives a strided slice of a variable other values",
       {.effect = Effect::kWrites, .dispatch = 4, .host_inputs = 31}},
      {"ResourceCountUpTo", "resource: resource -> output: T", "limit: int; T: index", count_shape, nullptr,
       OpFamily::kVariable, "the value of a counter, which is then incremented up to a limit",
       {.effect = Effect::kWrites, .dispatch = -1, .zero_gradient = true}},
  };
}

}  // namespace footlight
