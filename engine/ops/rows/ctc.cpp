// Rows of connectionist temporal classification: sequences of labels without their positions in time.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {
namespace {

// Checks inputs of shape [time, batch, classes] and the length of each sequence, [batch].
Shape sequences(Inference& i, size_t lengths) {
  infer::check_rank(i, 0, 3);
  infer::check_rank(i, lengths, 1);
  const Shape in = i.shape(0).has_rank() ? i.shape(0) : Shape::of_rank(3);
  const int64_t given = i.shape(lengths).has_rank() ? i.shape(lengths)[0] : kUnknownDim;
  if (given >= 0 && in[1] >= 0 && given != in[1])
    invalid("len(sequence_length) != batch_size. len(sequence_length): ", given, " batch_size: ", in[1], " [Op:",
            i.row.name, "]");
  return {in[0], in[1] >= 0 ? in[1] : given, in[2]};
}

void loss_shape(Inference& i) {
  const Shape in = sequences(i, 3);
  infer::check_rank(i, 1, 2);
  infer::check_rank(i, 2, 1);
  i.output_shapes[0] = Shape{in[1]};
  i.output_shapes[1] = in;
}

void loss_gradient(GradientCall& c) {
  if (!c.output_gradients[0]) return;
  const Tensor slope =
      apply("PreventGradient"_op, {c.outputs[1]}, {{"message"_attr, std::string("ctc_loss has no second derivative")}});
  const Tensor g = ops::expand_dims(ops::expand_dims(c.output_gradients[0], 0), -1);
  c.input_gradients[0] = ops::mul(g, slope);
}

void greedy_shape(Inference& i) {
  const Shape in = sequences(i, 1);
  i.output_shapes[0] = Shape{kUnknownDim, 2};
  i.output_shapes[1] = Shape{kUnknownDim};
  i.output_shapes[2] = Shape{2};
  i.output_shapes[3] = Shape{in[1], 1};
}

void beam_shape(Inference& i) {
  const Shape in = sequences(i, 1);
  const int64_t paths = i.attrs.get<int64_t>("top_paths"_attr), width = i.attrs.get<int64_t>("beam_width"_attr);
  if (paths < 1 || width < 1) invalid("beam_width and top_paths must be at least 1 [Op:", i.row.name, "]");
  const auto count = static_cast<size_t>(paths);
  for (size_t k = 0; k < count; ++k) {
    i.output_shapes[k] = Shape{kUnknownDim, 2};
    i.output_shapes[count + k] = Shape{kUnknownDim};
    i.output_shapes[2 * count + k] = Shape{2};
  }
  i.output_shapes[3 * count] = Shape{in[1], paths};
}

}  // namespace

FL_ROWS(ctc) {
  return {
      {"CTCLoss",
       "inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32 -> loss: T, gradient: T",
       "preprocess_collapse_repeated: bool = false; ctc_merge_repeated: bool = true; "
       "ignore_longer_outputs_than_inputs: bool = false; T: float32|float64 = float32",
       loss_shape, loss_gradient, OpFamily::kReduction, "how unlikely the labels are, by the scores of each moment"},
      {"CTCGreedyDecoder",
       "inputs: T, sequence_length: int32 -> decoded_indices: int64, decoded_values: int64, decoded_shape: int64, "
       "log_probability: T",
       "merge_repeated: bool = false; blank_index: int = -1; T: float32|float64 = float32", greedy_shape, nullptr,
       OpFamily::kReduction, "the labels with the best score of each moment"},
      {"CTCBeamSearchDecoder",
       "inputs: T, sequence_length: int32 -> decoded_indices: top_paths*int64, decoded_values: top_paths*int64, "
       "decoded_shape: top_paths*int64, log_probability: T",
       "beam_width: int; top_paths: int; merge_repeated: bool = true; T: float32|float64 = float32", beam_shape,
       nullptr, OpFamily::kReduction, "the sequences of labels that are most likely, among some that are followed"},
  };
}

}  // namespace footlight
