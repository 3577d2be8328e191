// Rows that choose among boxes.
#include "engine/ops/define.h"
#include "engine/ops/infer.h"

#include <algorithm>

namespace footlight {
namespace {

Shape ranked(Inference& i, size_t input, int rank) {
  infer::check_rank(i, input, rank);
  return i.shape(input).has_rank() ? i.shape(input) : Shape::of_rank(rank);
}

void check_boxes(Inference& i) {
  const Shape boxes = ranked(i, 0, 2), scores = ranked(i, 1, 1);
  if (boxes[1] >= 0 && boxes[1] != 4)
    invalid("boxes must have 4 columns, its shape is ", boxes.brackets(), " [Op:", i.row.name, "]");
  if (boxes[0] >= 0 && scores[0] >= 0 && boxes[0] != scores[0])
    invalid("scores has incompatible shape: ", scores[0], " for ", boxes[0], " boxes [Op:", i.row.name, "]");
  for (size_t k = 2; k < i.inputs.size(); ++k) infer::check_rank(i, k, 0);
}

// The length of the outputs that are padded to the number of boxes wanted.
int64_t padded_length(Inference& i) {
  if (!i.attrs.get_or("pad_to_max_output_size"_attr, false)) return kUnknownDim;
  const auto most = infer::constant_ints(i, 2);
  if (!most) return kUnknownDim;
  if ((*most)[0] < 0) invalid("max_output_size must be non-negative, got ", (*most)[0], " [Op:", i.row.name, "]");
  return (*most)[0];
}

void chosen_shape(Inference& i) {
  check_boxes(i);
  const int64_t length = padded_length(i);
  i.output_shapes[0] = Shape{length};
  if (i.output_shapes.size() == 2) i.output_shapes[1] = Shape{};
  if (i.output_shapes.size() == 3) {
    i.output_shapes[1] = Shape{length};
    i.output_shapes[2] = Shape{};
  }
}

void overlapping_shape(Inference& i) {
  const Shape overlaps = ranked(i, 0, 2), scores = ranked(i, 1, 1);
  if (overlaps[0] >= 0 && overlaps[1] >= 0 && overlaps[0] != overlaps[1])
    invalid("overlaps must be square, its shape is ", overlaps.brackets(), " [Op:", i.row.name, "]");
  if (overlaps[0] >= 0 && scores[0] >= 0 && overlaps[0] != scores[0])
    invalid("scores has incompatible shape: ", scores[0], " for ", overlaps[0], " boxes [Op:", i.row.name, "]");
  for (size_t k = 2; k < 5; ++k) infer::check_rank(i, k, 0);
  i.output_shapes[0] = Shape{kUnknownDim};
}

void combined_shape(Inference& i) {
  const Shape boxes = ranked(i, 0, 4), scores = ranked(i, 1, 3);
  for (size_t k = 2; k < 6; ++k) infer::check_rank(i, k, 0);
  if (boxes[3] >= 0 && boxes[3] != 4)
    invalid("boxes must have 4 columns, its shape is ", boxes.brackets(), " [Op:", i.row.name, "]");
  if (boxes[2] >= 0 && boxes[2] != 1 && scores[2] >= 0 && boxes[2] != scores[2])
    invalid("third dimension of boxes must be either 1 or equal to the third dimension of scores, it is ", boxes[2],
            " [Op:", i.row.name, "]");
  const int64_t batch = boxes[0] >= 0 ? boxes[0] : scores[0];
  int64_t length = kUnknownDim;
  const auto total = infer::constant_ints(i, 3), per_class = infer::constant_ints(i, 2);
  if (total && (*total)[0] <= 0) invalid("max_total_size must be > 0, got ", (*total)[0], " [Op:", i.row.name, "]");
  if (per_class && (*per_class)[0] <= 0)
    invalid("max_size_per_class must be positive, got ", (*per_class)[0], " [Op:", i.row.name, "]");
  if (!i.attrs.get_or("pad_per_class"_attr, false)) {
    if (total) length = (*total)[0];
  } else if (total && per_class && scores[2] >= 0) {
    length = std::min<int64_t>((*total)[0], (*per_class)[0] * scores[2]);
  }
  i.output_shapes[0] = Shape{batch, length, 4};
  i.output_shapes[1] = i.output_shapes[2] = Shape{batch, length};
  i.output_shapes[3] = Shape{batch};
}

}  // namespace

FL_ROWS(boxes) {
  constexpr const char* kTypes = "T: float16|float32 = float32; T_threshold: float16|float32 = float32";
  constexpr const char* kPaddedTypes =
      "T: float16|float32 = float32; T_threshold: float16|float32 = float32; pad_to_max_output_size: bool = false";
  const RowDef::Properties host{.host_inputs = 4};
  return {
      {"NonMaxSuppressionV3",
       "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, score_threshold: T_threshold -> "
       "selected_indices: int32",
       kTypes, chosen_shape, nullptr, OpFamily::kReduction, "the boxes with the best scores that overlap little", host},
      {"NonMaxSuppressionV4",
       "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, score_threshold: T_threshold -> "
       "selected_indices: int32, valid_outputs: int32",
       kPaddedTypes, chosen_shape, nullptr, OpFamily::kReduction,
       "the boxes with the best scores that overlap little, and how many they are", host},
      {"NonMaxSuppressionV5",
       "boxes: T, scores: T, max_output_size: int32, iou_threshold: T, score_threshold: T, soft_nms_sigma: T -> "
       "selected_indices: int32, selected_scores: T, valid_outputs: int32",
       "T: float16|float32 = float32; pad_to_max_output_size: bool = false", chosen_shape, nullptr,
       OpFamily::kReduction, "the boxes with the best scores, which decrease with each overlap", host},
      {"NonMaxSuppressionWithOverlaps",
       "overlaps: float32, scores: float32, max_output_size: int32, overlap_threshold: float32, score_threshold: "
       "float32 -> selected_indices: int32",
       "", overlapping_shape, nullptr, OpFamily::kReduction, "the best scores of those that overlap little", host},
      {"CombinedNonMaxSuppression",
       "boxes: float32, scores: float32, max_output_size_per_class: int32, max_total_size: int32, iou_threshold: "
       "float32, score_threshold: float32 -> nmsed_boxes: float32, nmsed_scores: float32, nmsed_classes: float32, "
       "valid_detections: int32",
       "pad_per_class: bool = false; clip_boxes: bool = true", combined_shape, nullptr, OpFamily::kReduction,
       "for each image of a batch the boxes of all classes with the best scores", {.host_inputs = 12}},
  };
}

}  // namespace footlight
