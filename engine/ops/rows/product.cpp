// Rows of matrix products.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"
#include "engine/ops/wanted.h"

namespace footlight {

namespace {

const AttrName kAdjX{"adj_x"};
const AttrName kAdjY{"adj_y"};

void matmul_shape(Inference& i) {
  infer::check_rank(i, 0, 2);
  infer::check_rank(i, 1, 2);
  const bool ta = i.attrs.get_or("transpose_a"_attr, false);
  const bool tb = i.attrs.get_or("transpose_b"_attr, false);
  const Shape& a = i.shape(0);
  const Shape& b = i.shape(1);
  const int64_t m = a.has_rank() ? a[ta] : kUnknownDim;
  const int64_t ka = a.has_rank() ? a[!ta] : kUnknownDim;
  const int64_t kb = b.has_rank() ? b[tb] : kUnknownDim;
  const int64_t n = b.has_rank() ? b[!tb] : kUnknownDim;
  if (ka >= 0 && kb >= 0 && ka != kb)
    invalid("Matrix size-incompatible: In[0]: ", a.brackets(), ", In[1]: ", b.brackets(), ": the inner dimensions ", ka,
            " and ", kb, " must be equal", ta || tb ? " after transposing" : "", " [Op:", i.row.name, "]");
  i.output_shapes[0] = Shape{m, n};
}

void matmul_gradient(GradientCall& c) {
  const bool ta = c.attrs.get_or("transpose_a"_attr, false);
  const bool tb = c.attrs.get_or("transpose_b"_attr, false);
  const Tensor& g = c.output_gradients[0];
  const Tensor a = ops::conj(c.inputs[0]);
  const Tensor b = ops::conj(c.inputs[1]);
  if (gradient_wanted(0)) c.input_gradients[0] = ta ? ops::matmul(b, g, tb, true) : ops::matmul(g, b, false, !tb);
  if (gradient_wanted(1)) c.input_gradients[1] = tb ? ops::matmul(g, a, true, ta) : ops::matmul(a, g, !ta, false);
}

void batch_matmul_shape(Inference& i) {
  const Shape& a = i.shape(0);
  const Shape& b = i.shape(1);
  if (!a.has_rank() || !b.has_rank()) return infer::unknown(i);
  if (a.rank() < 2 || b.rank() < 2)
    invalid("the matrices of ", i.row.name, " must have at least rank 2, their shapes are ", a.to_string(), " and ",
            b.to_string(), " [Op:", i.row.name, "]");
  const bool ta = i.attrs.get_or(kAdjX, false);
  const bool tb = i.attrs.get_or(kAdjY, false);
  const int64_t ka = a[a.rank() - (ta ? 2 : 1)];
  const int64_t kb = b[b.rank() - (tb ? 1 : 2)];
  if (ka >= 0 && kb >= 0 && ka != kb)
    invalid("Matrix size-incompatible: In[0]: ", a.brackets(), ", In[1]: ", b.brackets(), ": the inner dimensions ", ka,
            " and ", kb, " must be equal [Op:", i.row.name, "]");
  const Shape batch_a(a.dims().first(static_cast<size_t>(a.rank() - 2)));
  const Shape batch_b(b.dims().first(static_cast<size_t>(b.rank() - 2)));
  Shape out = footlight::broadcast(batch_a, batch_b);
  out.append(a[a.rank() - (ta ? 1 : 2)]);
  out.append(b[b.rank() - (tb ? 2 : 1)]);
  i.output_shapes[0] = out;
}

Tensor batch_matmul(const Tensor& a, const Tensor& b, bool adj_a, bool adj_b) {
  return apply("BatchMatMulV2"_op, {a, b}, {{kAdjX, adj_a}, {kAdjY, adj_b}});
}

void batch_matmul_gradient(GradientCall& c) {
  const bool ta = c.attrs.get_or(kAdjX, false);
  const bool tb = c.attrs.get_or(kAdjY, false);
  const Tensor& g = c.output_gradients[0];
  const Tensor& a = c.inputs[0];
  const Tensor& b = c.inputs[1];
  if (gradient_wanted(0))
    c.input_gradients[0] = ops::sum_to_shape_of(ta ? batch_matmul(b, g, tb, true) : batch_matmul(g, b, false, !tb), a);
  if (gradient_wanted(1))
    c.input_gradients[1] = ops::sum_to_shape_of(tb ? batch_matmul(g, a, true, ta) : batch_matmul(a, g, !ta, false), b);
}

// The gradient is computed in the dtype of the result.
void typed_matmul_gradient(GradientCall& c) {
  const DType type = c.outputs[0].dtype();
  const bool ta = c.attrs.get_or(kAdjX, false), tb = c.attrs.get_or(kAdjY, false);
  const Tensor a = ops::cast(c.inputs[0], type), b = ops::cast(c.inputs[1], type);
  const Tensor& g = c.output_gradients[0];
  const auto back = [&](const Tensor& gradient, const Tensor& like) {
    return ops::sum_to_shape_of(ops::cast(gradient, like.dtype()), like);
  };
  const auto differentiable = [](const Tensor& t) { return is_floating(t.dtype()) || is_complex(t.dtype()); };
  if (differentiable(c.inputs[0]))
    c.input_gradients[0] = back(ta ? batch_matmul(b, g, tb, true) : batch_matmul(g, b, false, !tb), c.inputs[0]);
  if (differentiable(c.inputs[1]))
    c.input_gradients[1] = back(tb ? batch_matmul(g, a, true, ta) : batch_matmul(a, g, !ta, false), c.inputs[1]);
}

}  // namespace

FL_ROWS(product) {
  return {
      {"MatMul", "a: T, b: T -> product: T",
       "transpose_a: bool = false; transpose_b: bool = false; grad_a: bool = false; grad_b: bool = false; "
       "T: floatcomplex|int32|int64", matmul_shape,
       matmul_gradient, OpFamily::kProduct, "the product of two matrices",
       {.fast = FastPath::kProduct}},
      {"BatchMatMulV2", "x: T, y: T -> output: T",
       "adj_x: bool = false; adj_y: bool = false; grad_x: bool = false; grad_y: bool = false; "
       "T: floatcomplex|int16|int32|int64", batch_matmul_shape,
       batch_matmul_gradient, OpFamily::kProduct,
       "products of the matrices in the last two dimensions, the others broadcast"},
      {"BatchMatMulV3", "x: Ta, y: Tb -> output: Tout",
       "adj_x: bool = false; adj_y: bool = false; grad_x: bool = false; grad_y: bool = false; "
       "Ta: floatcomplex|uint8|int8|int16|int32|int64; "
       "Tb: floatcomplex|uint8|int8|int16|int32|int64; Tout: floatcomplex|int16|int32|int64",
       batch_matmul_shape, typed_matmul_gradient, OpFamily::kProduct,
       "products of matrices in a dtype of their own"},
  };
}

}  // namespace footlight
