// Public functions that make files of images and of sound, and the ops that write summaries by their own names.
#include "engine/ops/composite/define.h"

namespace footlight::composite {

namespace {

Arg encode_png(const Tensor& image, int64_t compression, std::string_view name) {
  return {apply("EncodePng"_op, {image}, {{"compression"_attr, compression}}, name)};
}

Arg encode_wav(const Tensor& audio, const Tensor& rate, std::string_view name) {
  return {apply("EncodeWav"_op, {audio, rate}, {}, name)};
}

// A function that is an op without outputs.
template <Literal op_name>
Arg write_op(Args args, std::string_view name) {
  std::vector<Tensor> inputs;
  for (const Arg& arg : args) inputs.push_back(tensor_or_none(arg));
  apply_all(op_named<op_name>().row(), inputs, {}, name);
  return {};
}

}  // namespace

FL_PUBLIC(media) {
  constexpr const char* kPng = "image: tensor fits uint8, compression: int = -1, name: str? = None";
  return {
      {"io.encode_png", kPng, bind<encode_png>, "images as PNG files"},
      {"image.encode_png", kPng, bind<encode_png>, "images as PNG files"},
      {"audio.encode_wav", "audio: tensor fits float32, sample_rate: tensor fits int32, name: str? = None",
       bind<encode_wav>, "sound as a WAV file"},
      {"raw_ops.WriteSummary",
       "writer: tensor, step: tensor fits int64, tensor: tensor, tag: tensor fits string, "
       "summary_metadata: tensor fits string, name: str? = None",
       write_op<"WriteSummary">, "writes a tensor as a summary"},
      {"raw_ops.WriteRawProtoSummary",
       "writer: tensor, step: tensor fits int64, tensor: tensor fits string, name: str? = None",
       write_op<"WriteRawProtoSummary">, "writes a Summary message"},
      {"raw_ops.WriteGraphSummary",
       "writer: tensor, step: tensor fits int64, tensor: tensor fits string, name: str? = None",
       write_op<"WriteGraphSummary">, "writes a GraphDef message"},
      {"raw_ops.FlushSummaryWriter", "writer: tensor, name: str? = None", write_op<"FlushSummaryWriter">,
       "writes what a summary writer still holds"},
      {"raw_ops.CloseSummaryWriter", "writer: tensor, name: str? = None", write_op<"CloseSummaryWriter">,
       "ends a summary writer"},
  };
}

}  // namespace footlight::composite
