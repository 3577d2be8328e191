// Rows that write summaries, and those that encode images and sound for them.
#include "engine/ops/define.h"

namespace footlight {

namespace {

// The step must be a scalar.
void write_shape(Inference& i) {
  for (size_t k = 1; k < i.inputs.size(); ++k)
    if (!(i.row.name == std::string_view("WriteSummary") && k == 2)) infer::check_rank(i, k, 0);
}

void png_shape(Inference& i) {
  const int64_t compression = i.attrs.get_or("compression"_attr, int64_t{-1});
  if (compression < -1 || compression > 9)
    invalid("compression is -1 or 0 to 9, not ", compression, " [Op:EncodePng]");
  const Shape& in = i.shape(0);
  if (!in.has_rank()) return infer::unknown(i);
  if (in.rank() < 3)
    invalid("image must have at least rank 3 [height, width, channels], got ", in.brackets(), " [Op:EncodePng]");
  const int64_t channels = in[in.rank() - 1];
  if (channels != kUnknownDim && (channels < 1 || channels > 4))
    invalid("image must have 1, 2, 3, or 4 channels, got ", channels, " [Op:EncodePng]");
  i.output_shapes[0] = Shape(in.dims().first(static_cast<size_t>(in.rank() - 3)));
}

void wav_shape(Inference& i) {
  infer::check_rank(i, 0, 2);
  infer::check_rank(i, 1, 0);
  i.output_shapes[0] = Shape();
}

RowDef writing(const char* name, const char* signature, const char* doc, const char* attrs = "") {
  return {name, signature, attrs, write_shape, nullptr, OpFamily::kIo, doc,
          {.effect = Effect::kWrites, .host_inputs = ~0u, .zero_gradient = true, .host_only = true}};
}

}  // namespace

FL_ROWS(summary) {
  return {
      writing("WriteSummary", "writer: resource, step: int64, tensor: T, tag: string, summary_metadata: string ->",
              "writes a tensor as a summary", "T: any"),
      writing("WriteRawProtoSummary", "writer: resource, step: int64, tensor: string ->", "writes a Summary message"),
      writing("WriteGraphSummary", "writer: resource, step: int64, tensor: string ->", "writes a GraphDef message"),
      writing("FlushSummaryWriter", "writer: resource ->", "writes what a summary writer still holds"),
      writing("CloseSummaryWriter", "writer: resource ->", "ends a summary writer"),
      {"EncodePng", "image: T -> contents: string", "T: uint8|uint16 = uint8; compression: int = -1", png_shape,
       nullptr, OpFamily::kIo, "images as PNG files", {.host_inputs = ~0u, .zero_gradient = true, .host_only = true}},
      {"EncodeWav", "audio: float32, sample_rate: int32 -> contents: string", "", wav_shape, nullptr,
       OpFamily::kIo, "sound as a WAV file", {.host_inputs = ~0u, .zero_gradient = true, .host_only = true}},
  };
}

}  // namespace footlight
