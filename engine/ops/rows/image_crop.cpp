// Rows that take parts out of images: boxes, patches, projections.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"
#include "engine/tensor/size.h"

namespace footlight {
namespace {

Shape of_rank(Inference& i, size_t input, int rank) {
  infer::check_rank(i, input, rank);
  return i.shape(input).has_rank() ? i.shape(input) : Shape::of_rank(rank);
}

void check_method(Inference& i) {
  const std::string method = i.attrs.get_or("method"_attr, std::string("bilinear"));
  if (method != "bilinear" && method != "nearest")
    invalid("method must be 'bilinear' or 'nearest', not '", method, "' [Op:", i.row.name, "]");
}

// Checks boxes of shape [n, 4] and the image of each, [n]; returns n.
int64_t count_of_boxes(Inference& i, size_t boxes, size_t places) {
  const Shape of_boxes = of_rank(i, boxes, 2), of_places = of_rank(i, places, 1);
  if (of_boxes[1] >= 0 && of_boxes[1] != 4)
    invalid("boxes must have 4 columns, its shape is ", of_boxes.brackets(), " [Op:", i.row.name, "]");
  if (of_boxes[0] >= 0 && of_places[0] >= 0 && of_boxes[0] != of_places[0])
    invalid("box_ind has incompatible shape: ", of_places[0], " for ", of_boxes[0], " boxes [Op:", i.row.name, "]");
  return of_boxes[0] >= 0 ? of_boxes[0] : of_places[0];
}

// A pair of positive sizes, unknown where they are not known yet.
std::pair<int64_t, int64_t> two_sizes(Inference& i, size_t input, const char* what) {
  const Shape shape = of_rank(i, input, 1);
  if (shape[0] >= 0 && shape[0] != 2)
    invalid(what, " must have two elements, its shape is ", shape.brackets(), " [Op:", i.row.name, "]");
  const auto sizes = infer::constant_ints(i, input);
  if (!sizes) return {kUnknownDim, kUnknownDim};
  if ((*sizes)[0] <= 0 || (*sizes)[1] <= 0) invalid(what, " dimensions must be positive [Op:", i.row.name, "]");
  return {(*sizes)[0], (*sizes)[1]};
}

void crop_and_resize_shape(Inference& i) {
  check_method(i);
  const Shape image = of_rank(i, 0, 4);
  const int64_t count = count_of_boxes(i, 1, 2);
  const auto [height, width] = two_sizes(i, 3, "crop_size");
  if (image[1] == 0 || image[2] == 0) invalid("image dimensions must be positive [Op:", i.row.name, "]");
  i.output_shapes[0] = Shape{count, height, width, image[3]};
}

void crop_to_image_shape(Inference& i) {
  check_method(i);
  const Shape grads = of_rank(i, 0, 4);
  count_of_boxes(i, 1, 2);
  infer::check_rank(i, 3, 1);
  const Shape image = infer::shape_from(i, 3);
  if (image.has_rank() && image.rank() != 4)
    invalid("image_size must have four elements, it has ", image.rank(), " [Op:", i.row.name, "]");
  i.output_shapes[0] = image.has_rank() ? image : Shape{kUnknownDim, kUnknownDim, kUnknownDim, grads[3]};
}

void crop_to_boxes_shape(Inference& i) {
  check_method(i);
  infer::check_rank(i, 0, 4);
  infer::check_rank(i, 1, 4);
  i.output_shapes[0] = Shape{count_of_boxes(i, 2, 3), 4};
}

void crop_and_resize_gradient(GradientCall& c) {
  const Tensor &image = c.inputs[0], &g = c.output_gradients[0];
  if (in_set(image.dtype(), dtype_set(DType::kFloat16, DType::kFloat32, DType::kFloat64)))
    c.input_gradients[0] =
        apply("CropAndResizeGradImage"_op, {g, c.inputs[1], c.inputs[2], ops::shape(image)},
              {{"T"_attr, image.dtype()}, {"method"_attr, c.attrs.get_or("method"_attr, std::string("bilinear"))}});
  // TensorFlow has no gradient of the boxes for `nearest`, and uses that of `bilinear`.
  c.input_gradients[1] = apply("CropAndResizeGradBoxes"_op, {g, image, c.inputs[1], c.inputs[2]});
}

void projected_shape(Inference& i) {
  const Shape images = of_rank(i, 0, 4), transforms = of_rank(i, 1, 2);
  if (transforms[1] >= 0 && transforms[1] != 8)
    invalid("Input transform should be num_images x 8, its shape is ", transforms.brackets(), " [Op:", i.row.name, "]");
  if (transforms[0] >= 0 && transforms[0] != 1 && images[0] >= 0 && images[0] != transforms[0])
    invalid("Input transform should be num_images x 8, there are ", images[0], " images and ", transforms[0],
            " transforms [Op:", i.row.name, "]");
  const auto [height, width] = two_sizes(i, 2, "output shape");
  infer::check_rank(i, 3, 0);
  i.output_shapes[0] = Shape{images[0], height, width, images[3]};
}

// Projects the gradient with the inverse matrices.
void projected_gradient(GradientCall& c) {
  const Tensor &images = c.inputs[0], &transforms = c.inputs[1];
  if (!is_floating(images.dtype())) return;
  const Tensor count = ops::slice(ops::shape(transforms), ops::ints({0}), ops::ints({1}));
  const Tensor column[] = {count, ops::ints({1})}, matrices[] = {count, ops::ints({3, 3})},
               rows[] = {count, ops::ints({9})};
  const Tensor whole[] = {transforms, ops::fill(ops::concat(column, 0), ops::number(1, DType::kFloat32))};
  const Tensor inverted = ops::reshape(
      apply("MatrixInverse"_op, {ops::reshape(ops::concat(whole, 1), ops::concat(matrices, 0))}), ops::concat(rows, 0));
  const Tensor scaled = ops::div(ops::slice(inverted, ops::ints({0, 0}), ops::ints({-1, 8})),
                                 ops::slice(inverted, ops::ints({0, 8}), ops::ints({-1, 1})));
  const Tensor size = ops::slice(ops::shape(images), ops::ints({1}), ops::ints({2}));
  c.input_gradients[0] =
      apply("ImageProjectiveTransformV3"_op, {c.output_gradients[0], scaled, size, ops::number(0, DType::kFloat32)},
            {{"interpolation"_attr, c.attrs.get<std::string>("interpolation"_attr)},
             {"fill_mode"_attr, c.attrs.get_or("fill_mode"_attr, std::string("CONSTANT"))}});
}

void patches_shape(Inference& i) {
  const Shape in = of_rank(i, 0, 4);
  for (const AttrName name : {"ksizes"_attr, "strides"_attr, "rates"_attr}) {
    const auto& list = i.attrs.get<std::vector<int64_t>>(name);
    if (list.size() != 4) invalid(name.text(), " must have four elements [Op:", i.row.name, "]");
    if (list[0] != 1 || list[3] != 1)
      fail(ErrorKind::kUnimplemented, "Only support ksizes across space [Op:", i.row.name, "]");
    for (const int64_t one : list)
      if (one < 1) fail(ErrorKind::kOutOfRange, name.text(), " must be positive [Op:", i.row.name, "]");
  }
  const std::string& padding = i.attrs.get<std::string>("padding"_attr);
  if (padding != "SAME" && padding != "VALID")
    invalid("padding is SAME or VALID, not '", padding, "' [Op:", i.row.name, "]");
  Shape out = in;
  const auto& sizes = i.attrs.get<std::vector<int64_t>>("ksizes"_attr);
  for (int d = 1; d < 3; ++d) {
    if (in[d] < 0) continue;
    const auto k = static_cast<size_t>(d);
    const int64_t stride = i.attrs.get<std::vector<int64_t>>("strides"_attr)[k];
    const int64_t reach =
        add_sizes(multiply_sizes(sizes[k] - 1, i.attrs.get<std::vector<int64_t>>("rates"_attr)[k]), 1);
    const int64_t whole = in[d] < reach ? 0 : (in[d] - reach) / stride + 1;
    out.set(d, padding == "SAME" ? (in[d] + stride - 1) / stride : whole);
  }
  out.set(3, in[3] < 0 ? in[3] : multiply_sizes(in[3], multiply_sizes(sizes[1], sizes[2])));
  i.output_shapes[0] = out;
}

// Patches of position numbers tell which element each value came from: the gradient is summed by position.
void patches_gradient(GradientCall& c) {
  const Tensor shape = ops::shape(c.inputs[0]);
  const Tensor space = ops::slice(shape, ops::ints({1}), ops::ints({2}));
  const Tensor count = apply("Prod"_op, {space, ops::ints({0})});
  const Tensor grid[] = {ops::ints({1}), space, ops::ints({1})};
  const Tensor numbers = ops::range(ops::integer(1), ops::add(count, ops::integer(1)));
  const Tensor places = apply("ExtractImagePatches"_op, {ops::reshape(numbers, ops::concat(grid, 0))}, c.attrs);
  const Tensor ids = ops::sub(ops::reshape(places, ops::ints({-1})), ops::integer(1));  // -1: padding
  const Tensor flat[] = {ops::slice(shape, ops::ints({0}), ops::ints({1})),
                         ops::reshape(ops::size(ids), ops::ints({1})),
                         ops::slice(shape, ops::ints({3}), ops::ints({1}))};
  const Tensor rows =
      ops::transpose(ops::reshape(c.output_gradients[0], ops::concat(flat, 0)), ops::ints({1, 0, 2}));
  c.input_gradients[0] =
      ops::reshape(ops::transpose(apply("UnsortedSegmentSum"_op, {rows, ids, count}), ops::ints({1, 0, 2})), shape);
}

void drawn_shape(Inference& i) {
  const Shape images = of_rank(i, 0, 4), boxes = of_rank(i, 1, 3);
  if (i.inputs.size() > 2) infer::check_rank(i, 2, 2);
  if (images[3] >= 0 && images[3] != 1 && images[3] != 3 && images[3] != 4)
    invalid("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA), it is ", images[3], " [Op:", i.row.name,
            "]");
  if (boxes[2] >= 0 && boxes[2] != 4)
    invalid("boxes must have 4 columns, its shape is ", boxes.brackets(), " [Op:", i.row.name, "]");
  if (images[0] >= 0 && boxes[0] >= 0 && images[0] != boxes[0])
    invalid("The batch sizes should be the same, they are ", images[0], " and ", boxes[0], " [Op:", i.row.name, "]");
  i.output_shapes[0] = images;
}

}  // namespace

FL_ROWS(image_crop) {
  return {
      {"CropAndResize", "image: T, boxes: float32, box_ind: int32, crop_size: int32 -> crops: float32",
       "T: uint8|uint16|int8|int16|int32|int64|float16|float32|float64; method: string = \"bilinear\"; "
       "extrapolation_value: float = 0",
       crop_and_resize_shape, crop_and_resize_gradient, OpFamily::kReduction, "parts of images, each of one size",
       {.host_inputs = 8}},
      {"CropAndResizeGradImage", "grads: float32, boxes: float32, box_ind: int32, image_size: int32 -> output: T",
       "T: float16|float32|float64; method: string = \"bilinear\"", crop_to_image_shape, nullptr, OpFamily::kReduction,
       "the gradient of CropAndResize with respect to the images", {.dispatch = -1, .host_inputs = 8}},
      {"CropAndResizeGradBoxes", "grads: float32, image: T, boxes: float32, box_ind: int32 -> output: float32",
       "T: uint8|uint16|int8|int16|int32|int64|float16|float32|float64; method: string = \"bilinear\"",
       crop_to_boxes_shape, nullptr, OpFamily::kReduction, "the gradient of CropAndResize with respect to the boxes",
       {.dispatch = 1}},
      {"ImageProjectiveTransformV3",
       "images: dtype, transforms: float32, output_shape: int32, fill_value: float32 -> transformed_images: dtype",
       "dtype: uint8|int32|int64|float16|bfloat16|float32|float64; interpolation: string; fill_mode: string = "
       "\"CONSTANT\"",
       projected_shape, projected_gradient, OpFamily::kReduction, "images seen from elsewhere", {.host_inputs = 4}},
      {"ExtractImagePatches", "images: T -> patches: T",
       "ksizes: list(int); strides: list(int); rates: list(int); T: any; padding: string", patches_shape,
       patches_gradient, OpFamily::kMove, "the blocks under a window that steps through an image, as depth"},
      {"DrawBoundingBoxes", "images: T, boxes: float32 -> output: T", "T: float16|float32 = float32",
       drawn_shape, nullptr, OpFamily::kMove, "images with the outlines of boxes on them, in ten colours"},
      {"DrawBoundingBoxesV2", "images: T, boxes: float32, colors: float32 -> output: T", "T: float16|float32 = float32",
       drawn_shape, nullptr, OpFamily::kMove, "images with the outlines of boxes on them"},
  };
}

}  // namespace footlight
