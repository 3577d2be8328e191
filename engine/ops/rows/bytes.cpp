// Rows that read and write files as bytes, and that turn bytes into tensors and back.
#include "engine/ops/define.h"

namespace footlight {

namespace {

void scalars(Inference& i) {
  for (size_t k = 0; k < i.inputs.size(); ++k) infer::check_rank(i, k, 0);
  for (Shape& shape : i.output_shapes) shape = Shape();
}

void raw_shape(Inference& i) {
  const Shape& in = i.shape(0);
  if (!in.has_rank()) return infer::unknown(i);
  Shape out = in;
  out.append(kUnknownDim);
  i.output_shapes[0] = out;
}

void csv_shape(Inference& i) {
  if (i.attrs.get_or("field_delim"_attr, std::string(",")).size() != 1)
    invalid("field_delim should be only 1 char [Op:DecodeCSV]");
  const auto columns = i.attrs.get_or("select_cols"_attr, std::vector<int64_t>());
  if (!columns.empty() && columns.size() + 1 != i.inputs.size())
    invalid("select_cols should match output size [Op:DecodeCSV]");
  for (size_t k = 0; k < columns.size(); ++k) {
    if (columns[k] < 0) invalid("select_cols should be non-negative indices [Op:DecodeCSV]");
    if (k > 0 && columns[k] <= columns[k - 1])
      invalid("select_cols should be strictly increasing indices [Op:DecodeCSV]");
  }
  for (size_t k = 1; k < i.inputs.size(); ++k) {
    const Shape& one = i.shape(k);
    if (one.has_rank() && (one.rank() > 1 || (one.rank() == 1 && one[0] > 1)))
      invalid("There should only be 1 default per field but field ", k - 1, " has ", one.rank() ? one[0] : 1,
              " [Op:DecodeCSV]");
  }
  for (Shape& shape : i.output_shapes) shape = i.shape(0);
}

void compression_shape(Inference& i) {
  const std::string type = i.attrs.get_or("compression_type"_attr, std::string());
  if (!type.empty() && type != "ZLIB" && type != "GZIP")
    invalid("Only ZLIB, GZIP or NONE are supported compressions [Op:DecodeCompressed]");
  infer::same(i);
}

void parsed_shape(Inference& i) {
  infer::check_rank(i, 0, 0);
  i.output_shapes[0] = Shape::unknown_rank();
}

void wav_shape(Inference& i) {
  infer::check_rank(i, 0, 0);
  const int64_t channels = i.attrs.get_or("desired_channels"_attr, int64_t{-1}),
                samples = i.attrs.get_or("desired_samples"_attr, int64_t{-1});
  i.output_shapes[0] = Shape{samples >= 0 ? samples : kUnknownDim, channels > 0 ? channels : kUnknownDim};
  i.output_shapes[1] = Shape();
}

}  // namespace

FL_ROWS(bytes) {
  constexpr RowsOf io_row{OpFamily::kIo};
  const RowDef::Properties plain{.zero_gradient = true, .host_only = true};
  const RowDef::Properties from_file{
      .effect = Effect::kOther, .host_inputs = ~0u, .zero_gradient = true, .host_only = true};
  const RowDef::Properties by_output{.dispatch = -1, .host_inputs = ~0u, .zero_gradient = true, .host_only = true};
  constexpr const char* kRaw =
      "out_type: float16|float32|float64|integers|complex|bool|bfloat16; little_endian: bool = true";
  return {
      io_row("ReadFile", "filename: string -> contents: string", "", scalars, nullptr, "the contents of a file", plain),
      io_row("WriteFile", "filename: string, contents: string ->", "", scalars, nullptr, "writes a file", from_file),
      io_row("DecodeRaw", "bytes: string -> output: out_type", kRaw, raw_shape, nullptr, "bytes as numbers", by_output),
      io_row("DecodePaddedRaw", "input_bytes: string, fixed_length: int32 -> output: out_type", kRaw, raw_shape,
             nullptr, "bytes as numbers, cut or filled up to one length", by_output),
      io_row("DecodeCSV", "records: string, record_defaults: OUT_TYPE[] -> output: OUT_TYPE[]",
             "OUT_TYPE: list(type); field_delim: string = \",\"; use_quote_delim: bool = true; na_value: string = "
             "\"\"; select_cols: list(int) = []",
             csv_shape, nullptr, "the columns of lines of CSV", plain),
      io_row("DecodeBase64", "input: string -> output: string", "", infer::same, nullptr, "bytes of web-safe base64",
             plain),
      io_row("EncodeBase64", "input: string -> output: string", "pad: bool = false", infer::same, nullptr,
             "bytes as web-safe base64", plain),
      io_row("DecodeCompressed", "bytes: string -> output: string", "compression_type: string = \"\"",
             compression_shape, nullptr, "compressed bytes as they were", plain),
      io_row("SerializeTensor", "tensor: T -> serialized: string", "T: any", infer::scalar, nullptr,
             "a tensor as a TensorProto", {.host_inputs = ~0u, .zero_gradient = true, .host_only = true}),
      io_row("ParseTensor", "serialized: string -> output: out_type", "out_type: type", parsed_shape, nullptr,
             "the tensor of a TensorProto", by_output),
      io_row("DecodeWav", "contents: string -> audio: float32, sample_rate: int32",
             "desired_channels: int = -1; desired_samples: int = -1", wav_shape, nullptr, "the sound of a WAV file",
             plain),
  };
}

}  // namespace footlight
