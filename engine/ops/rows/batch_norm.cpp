// Rows of batch normalisations: FusedBatchNorm and its gradient, in the three versions that GraphDefs
// contain. Programs written for Footlight make them of small ops, which are fused anyway; these are for
// graphs of TensorFlow.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {
namespace {

const AttrName kFormat{"data_format"};

bool channels_first(const Attrs& attrs) { return attrs.get_or(kFormat, std::string("NHWC"))[1] == 'C'; }
bool training(const Attrs& attrs) { return attrs.get_or("is_training"_attr, true); }
float epsilon_of(const Attrs& attrs) { return attrs.get_or("epsilon"_attr, 0.0001f); }

// The rank that the data format implies: "NHWC" or "NDHWC".
int rank_of(const Attrs& attrs) { return static_cast<int>(attrs.get_or(kFormat, std::string("NHWC")).size()); }
void check_format(Inference& i) {
  const std::string format = i.attrs.get_or(kFormat, std::string("NHWC"));
  const bool plain = format == "NHWC" || format == "NCHW",
             of_volumes = format == "NDHWC" || format == "NCDHW";
  if (!plain && !(of_volumes && std::string_view(i.row.name).ends_with("V3")))
    invalid("Value for attr 'data_format' of \"", format,
            "\" is not in the list of allowed values [Op:", i.row.name, "]");
}

// The shape of input `x` with its channels, of which each vector has one number.
Shape with_channels(Inference& i, size_t x, std::initializer_list<size_t> vectors,
                    bool empty_allowed_last_two) {
  check_format(i);
  const int rank = rank_of(i.attrs);
  if (i.shape(x).has_rank() && i.shape(x).rank() != rank)
    invalid("input must be ", rank, "-dimensional", i.shape(x).brackets(), " [Op:", i.row.name, "]");
  Shape shape = i.shape(x).has_rank() ? i.shape(x) : Shape::of_rank(rank);
  const int axis = channels_first(i.attrs) ? 1 : rank - 1;
  for (const size_t k : vectors) {
    infer::check_rank(i, k, 1);
    const int64_t size = i.shape(k).has_rank() ? i.shape(k)[0] : kUnknownDim;
    if (size < 0 || (size == 0 && k >= 3 && empty_allowed_last_two)) continue;
    if (shape[axis] >= 0 && shape[axis] != size)
      invalid(i.row.inputs[k].name, " must have the same number of elements as the channels of x, got ", size,
              " and ", shape[axis], " [Op:", i.row.name, "]");
    shape.set(axis, size);
  }
  return shape;
}

void forward_shape(Inference& i) {
  const bool unused = training(i.attrs) && i.attrs.get_or("exponential_avg_factor"_attr, 1.f) == 1.f;
  const Shape shape = with_channels(i, 0, {1, 2, 3, 4}, unused);
  i.output_shapes[0] = shape;
  const Shape channels{shape[channels_first(i.attrs) ? 1 : shape.rank() - 1]};
  for (size_t k = 1; k < 5; ++k) i.output_shapes[k] = channels;
  if (i.output_shapes.size() == 6) i.output_shapes[5] = Shape{0};
}

void backward_shape(Inference& i) {
  if (!compatible(i.shape(0), i.shape(1)))
    invalid("y_backprop must have the shape of x, theirs are ", i.shape(0).to_string(), " and ",
            i.shape(1).to_string(), " [Op:", i.row.name, "]");
  const Shape shape = merge(with_channels(i, 1, {2, 3, 4}, false), with_channels(i, 0, {2, 3, 4}, false));
  i.output_shapes[0] = shape;
  i.output_shapes[1] = i.output_shapes[2] = Shape{shape[channels_first(i.attrs) ? 1 : shape.rank() - 1]};
  i.output_shapes[3] = i.output_shapes[4] = Shape{0};
}

// The attributes that the gradient op takes over from the op.
Attrs for_gradient(const Attrs& attrs) {
  return {{"epsilon"_attr, epsilon_of(attrs)},
          {kFormat, attrs.get_or(kFormat, std::string("NHWC"))},
          {"is_training"_attr, training(attrs)}};
}

// Only y has a gradient, as in TensorFlow.
template <int version>
void forward_gradient(GradientCall& c) {
  static const Op op{version == 1   ? "FusedBatchNormGrad"
                     : version == 2 ? "FusedBatchNormGradV2"
                                    : "FusedBatchNormGradV3"};
  if (!c.output_gradients[0]) return;
  const bool own = training(c.attrs);
  std::vector<Tensor> inputs{c.output_gradients[0], c.inputs[0], c.inputs[1],
                             own ? c.outputs[3] : c.inputs[3], own ? c.outputs[4] : c.inputs[4]};
  if (version == 3) inputs.push_back(c.outputs[5]);
  const std::vector<Tensor> made = apply_all(op.row(), inputs, for_gradient(c.attrs));
  for (size_t k = 0; k < 3; ++k) c.input_gradients[k] = made[k];
}

// Sums and means over all dimensions but the channels, which are last. The second derivative consists of them.
struct Sums {
  int rank;
  Tensor axes;
  Tensor mean(const Tensor& v) const {
    return apply("Mean"_op, {v, axes});
  }
  Tensor sum(const Tensor& v) const { return ops::sum(v, axes); }
};

Tensor moved(const Tensor& x, int rank, bool back) {
  std::vector<int64_t> perm{0};
  if (back) perm.push_back(rank - 1);
  for (int d = back ? 1 : 2; d < rank - (back ? 1 : 0); ++d) perm.push_back(d);
  if (!back) perm.push_back(1);
  return ops::transpose(x, ops::ints(perm));
}

// For training, with m, v the moments of x, r = (v + epsilon)^-1/2, n = (x - m) r and the projection
// P(a) = a - mean(a) - n mean(a n): dx = s r P(a), ds = sum(a n), do = sum(a) of an arriving a, and dn/dx = r
// P. Else m and v do not depend on x: dx = s r a, ds = sum(a n), do = sum(a).
void backward_gradient(GradientCall& c) {
  const bool first = channels_first(c.attrs);
  const int rank = rank_of(c.attrs);
  const DType given = c.inputs[1].dtype();
  const auto taken = [&](const Tensor& t) {
    const Tensor wide = ops::cast(t, DType::kFloat32);
    return first ? moved(wide, rank, false) : wide;
  };
  const auto returned = [&](const Tensor& t) { return ops::cast(first ? moved(t, rank, true) : t, given); };
  const Tensor a = taken(c.inputs[0]), x = taken(c.inputs[1]), s = c.inputs[2];
  std::vector<int64_t> others;
  for (int d = 0; d + 1 < rank; ++d) others.push_back(d);
  const Sums over{rank, ops::ints(others)};
  const Tensor h = c.output_gradients[0] ? taken(c.output_gradients[0]) : ops::zeros_like(x);
  const Tensor to_scale = c.output_gradients[1] ? c.output_gradients[1] : ops::zeros_like(s);
  const Tensor to_offset = c.output_gradients[2] ? c.output_gradients[2] : ops::zeros_like(s);
  const bool own = training(c.attrs);
  const Tensor mean = own ? over.mean(x) : c.inputs[3], centred = ops::sub(x, mean);
  const Tensor variance = own ? over.mean(ops::square(centred)) : c.inputs[4];
  const Tensor r = apply("Rsqrt"_op, {ops::add(variance, ops::number(epsilon_of(c.attrs), DType::kFloat32))});
  const Tensor n = ops::mul(centred, r), sr = ops::mul(s, r);
  const auto projected = [&](const Tensor& v) {
    if (!own) return v;
    return ops::sub(ops::sub(v, over.mean(v)), ops::mul(n, over.mean(ops::mul(v, n))));
  };
  const Tensor both = over.sum(ops::mul(h, projected(a)));
  c.input_gradients[0] =
      returned(ops::add(ops::add(ops::mul(sr, projected(h)), ops::mul(to_scale, n)), to_offset));
  c.input_gradients[2] = ops::mul(both, r);
  Tensor through_n = ops::mul(to_scale, a);
  if (own) {
    const Tensor turned =
        ops::add(ops::mul(h, over.mean(ops::mul(a, n))), ops::mul(a, over.mean(ops::mul(h, n))));
    through_n = ops::sub(through_n, ops::mul(sr, turned));
  }
  Tensor to_x = ops::mul(r, projected(through_n));
  if (own) {
    const Tensor count = ops::div(over.sum(ops::ones_like(x)), ops::ones_like(s));
    to_x = ops::sub(to_x, ops::mul(n, ops::div(ops::mul(ops::mul(ops::square(r), s), both), count)));
  }
  c.input_gradients[1] = returned(to_x);
}

}  // namespace

FL_ROWS(batch_norm) {
  constexpr RowsOf reduction_row{OpFamily::kReduction};
  constexpr const char* kForward1 =
      "T: float32; epsilon: float = 0.0001; exponential_avg_factor: float = 1.0; data_format: string = \"NHWC\"; "
      "is_training: bool = true";
  constexpr const char* kForward =
      "T: float16|bfloat16|float32; U: float32; epsilon: float = 0.0001; exponential_avg_factor: float = 1.0; "
      "data_format: string = \"NHWC\"; is_training: bool = true";
  constexpr const char* kBackward1 =
      "T: float32; epsilon: float = 0.0001; data_format: string = \"NHWC\"; is_training: bool = true";
  constexpr const char* kBackward =
      "T: float16|bfloat16|float32; U: float32; epsilon: float = 0.0001; data_format: string = \"NHWC\"; "
      "is_training: bool = true";
  constexpr const char* kDoc = "x normalised with its own or given moments, times scale plus offset, by channels";
  constexpr const char* kGradientDoc = "the gradient of FusedBatchNorm for x, scale and offset";
  return {
      reduction_row("FusedBatchNorm",
                    "x: T, scale: T, offset: T, mean: T, variance: T -> y: T, batch_mean: T, batch_variance: T, "
                    "reserve_space_1: T, reserve_space_2: T",
                    kForward1, forward_shape, forward_gradient<1>, kDoc, {.flops = flops::each_input<8>}),
      reduction_row("FusedBatchNormV2",
                    "x: T, scale: U, offset: U, mean: U, variance: U -> y: T, batch_mean: U, batch_variance: U, "
                    "reserve_space_1: U, reserve_space_2: U",
                    kForward, forward_shape, forward_gradient<2>, kDoc, {.flops = flops::each_input<8>}),
      reduction_row("FusedBatchNormV3",
                    "x: T, scale: U, offset: U, mean: U, variance: U -> y: T, batch_mean: U, batch_variance: U, "
                    "reserve_space_1: U, reserve_space_2: U, reserve_space_3: U",
                    kForward, forward_shape, forward_gradient<3>, kDoc, {.flops = flops::each_input<8>}),
      reduction_row("FusedBatchNormGrad",
                    "y_backprop: T, x: T, scale: T, reserve_space_1: T, reserve_space_2: T -> x_backprop: T, "
                    "scale_backprop: T, offset_backprop: T, reserve_space_3: T, reserve_space_4: T",
                    kBackward1, backward_shape, backward_gradient, kGradientDoc, {.flops = flops::each_input<8>}),
      reduction_row("FusedBatchNormGradV2",
                    "y_backprop: T, x: T, scale: float32, reserve_space_1: U, reserve_space_2: U -> x_backprop: T, "
                    "scale_backprop: U, offset_backprop: U, reserve_space_3: U, reserve_space_4: U",
                    kBackward, backward_shape, backward_gradient, kGradientDoc, {.flops = flops::each_input<8>}),
      reduction_row("FusedBatchNormGradV3",
                    "y_backprop: T, x: T, scale: float32, reserve_space_1: U, reserve_space_2: U, reserve_space_3: U "
                    "-> x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_4: U, reserve_space_5: U",
                    kBackward, backward_shape, backward_gradient, kGradientDoc, {.flops = flops::each_input<8>}),
  };
}

}  // namespace footlight
