// Rows that transform, cut, match, hash and parse strings.
#include "engine/ops/define.h"

namespace footlight {

namespace {

void encoding_shape(Inference& i) {
  const std::string& encoding = i.attrs.get_or("encoding"_attr, std::string());
  if (!encoding.empty() && encoding != "utf-8")
    invalid("encoding is '' or 'utf-8', not '", encoding, "' [Op:", i.row.name, "]");
  infer::same(i);
}

void substr_shape(Inference& i) {
  const std::string unit = i.attrs.get_or("unit"_attr, std::string("BYTE"));
  if (unit != "BYTE" && unit != "UTF8_CHAR")
    invalid("unit is BYTE or UTF8_CHAR, not '", unit, "' [Op:Substr]");
  if (!compatible(i.shape(1), i.shape(2)))
    invalid("pos and len must have the same shape: ", i.shape(1).brackets(), " and ", i.shape(2).brackets(),
            " [Op:Substr]");
  i.output_shapes[0] = broadcast(i.shape(0), i.shape(1));
}

void scalar_second(Inference& i) {
  for (size_t k = 1; k < i.inputs.size(); ++k) infer::check_rank(i, k, 0);
  infer::same(i);
}

void buckets_shape(Inference& i) {
  const int64_t n = i.attrs.get<int64_t>("num_buckets"_attr);
  if (n < 1) invalid("num_buckets must be at least 1, not ", n, " [Op:", i.row.name, "]");
  infer::same(i);
}

void strong_buckets_shape(Inference& i) {
  const auto n = i.attrs.get<std::vector<int64_t>>("key"_attr).size();
  if (n != 2) invalid("Key must have 2 elements, got ", n, " [Op:StringToHashBucketStrong]");
  buckets_shape(i);
}

void reduce_join_shape(Inference& i) {
  const bool keep = i.attrs.get_or("keep_dims"_attr, false);
  const Shape& in = i.shape(0);
  const auto axes = infer::constant_ints(i, 1);
  if (!in.has_rank() || !axes) {
    i.output_shapes[0] = in.has_rank() && keep ? Shape::of_rank(in.rank()) : Shape::unknown_rank();
    return;
  }
  uint64_t joined = 0;
  for (int64_t axis : *axes) {
    if (axis < -in.rank() || axis >= in.rank())
      fail(ErrorKind::kOutOfRange, "Invalid reduction dimension ", axis, " for input with ", in.rank(),
           " dimension(s) [Op:ReduceJoin]");
    const int64_t a = axis < 0 ? axis + in.rank() : axis;
    if (joined >> a & 1) invalid("Duplicate reduction dimension ", axis, " [Op:ReduceJoin]");
    joined |= uint64_t{1} << a;
  }
  Shape out;
  for (int d = 0; d < in.rank(); ++d) {
    if (!(joined >> d & 1))
      out.append(in[d]);
    else if (keep)
      out.append(1);
  }
  i.output_shapes[0] = out;
}

}  // namespace

FL_ROWS(text) {
  constexpr RowsOf elementwise_row{OpFamily::kElementwise}, reduction_row{OpFamily::kReduction};
  const RowDef::Properties plain{.zero_gradient = true};
  return {
      elementwise_row("StringLower", "input: string -> output: string", "encoding: string = \"\"", encoding_shape,
                      nullptr, "small letters for capitals", plain),
      elementwise_row("StringUpper", "input: string -> output: string", "encoding: string = \"\"", encoding_shape,
                      nullptr, "capitals for small letters", plain),
      elementwise_row("StringStrip", "input: string -> output: string", "", infer::same, nullptr,
                      "strings without blanks at their ends", plain),
      elementwise_row("Substr", "input: string, pos: T, len: T -> output: string", "T: index; unit: string = \"BYTE\"",
                      substr_shape, nullptr, "parts of strings", plain),
      elementwise_row("RegexReplace", "input: string, pattern: string, rewrite: string -> output: string",
                      "replace_global: bool = true", scalar_second, nullptr,
                      "strings with the matches of a pattern replaced", {.host_inputs = 6, .zero_gradient = true}),
      elementwise_row("StaticRegexReplace", "input: string -> output: string",
                      "pattern: string; rewrite: string; replace_global: bool = true", infer::same, nullptr,
                      "strings with the matches of a pattern replaced", plain),
      elementwise_row("RegexFullMatch", "input: string, pattern: string -> output: bool", "", scalar_second, nullptr,
                      "whether a pattern matches the whole string", {.host_inputs = 2, .zero_gradient = true}),
      elementwise_row("StaticRegexFullMatch", "input: string -> output: bool", "pattern: string", infer::same, nullptr,
                      "whether a pattern matches the whole string", plain),
      elementwise_row("StringToNumber", "string_tensor: string -> output: out_type",
                      "out_type: float32|float64|index|uint32|uint64 = float32", infer::same, nullptr,
                      "the numbers that strings say", {.dispatch = -1, .zero_gradient = true}),
      elementwise_row("StringToHashBucket", "string_tensor: string -> output: int64", "num_buckets: int", buckets_shape,
                      nullptr, "the hash bucket of each string", plain),
      elementwise_row("StringToHashBucketFast", "input: string -> output: int64", "num_buckets: int", buckets_shape,
                      nullptr, "the hash bucket of each string, by a fast hash", plain),
      elementwise_row("StringToHashBucketStrong", "input: string -> output: int64", "num_buckets: int; key: list(int)",
                      strong_buckets_shape, nullptr, "the hash bucket of each string, by a keyed hash", plain),
      reduction_row("ReduceJoin", "inputs: string, reduction_indices: int32 -> output: string",
                    "keep_dims: bool = false; separator: string = \"\"", reduce_join_shape, nullptr,
                    "strings joined along dimensions", {.host_inputs = 2, .zero_gradient = true}),
  };
}

}  // namespace footlight
