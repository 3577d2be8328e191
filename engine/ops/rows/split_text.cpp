// Rows that split and join strings: words, n-grams, characters, segments.
#include "engine/ops/define.h"

namespace footlight {

namespace {

void split_shape(Inference& i) {
  infer::check_rank(i, 0, 1);
  infer::check_rank(i, 1, 0);
  i.output_shapes[0] = Shape{kUnknownDim, 2};
  i.output_shapes[1] = Shape{kUnknownDim};
  i.output_shapes[2] = Shape{2};
}

void ngrams_shape(Inference& i) {
  infer::check_rank(i, 0, 1);
  infer::check_rank(i, 1, 1);
  i.output_shapes[0] = Shape{kUnknownDim};
  i.output_shapes[1] = i.shape(1);
}

void check_errors(Inference& i) {
  const std::string errors = i.attrs.get_or("errors"_attr, std::string("replace"));
  if (errors != "replace" && errors != "strict" && errors != "ignore")
    invalid("Value for attr 'errors' of \"", errors,
            "\" is not in the list of allowed values: \"strict\", \"replace\", \"ignore\" [Op:", i.row.name, "]");
  const int64_t code = i.attrs.get_or("replacement_char"_attr, int64_t{65533});
  if (code < 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    invalid("replacement_char out of unicode codepoint range [Op:", i.row.name, "]");
}

void decode_shape(Inference& i) {
  check_errors(i);
  int64_t rows = kUnknownDim;
  if (i.shape(0).has_rank()) {
    rows = 1;
    for (const int64_t d : i.shape(0).dims()) rows = d == kUnknownDim || rows == kUnknownDim ? kUnknownDim : rows * d;
  }
  i.output_shapes[0] = Shape{rows == kUnknownDim ? rows : rows + 1};
  for (size_t k = 1; k < i.output_shapes.size(); ++k) i.output_shapes[k] = Shape{kUnknownDim};
}

void encode_shape(Inference& i) {
  check_errors(i);
  infer::check_rank(i, 0, 1);
  infer::check_rank(i, 1, 1);
  const int64_t splits = i.shape(1).has_rank() ? i.shape(1)[0] : kUnknownDim;
  if (splits == 0) invalid("Invalid input_splits: it must have at least one element [Op:UnicodeEncode]");
  i.output_shapes[0] = Shape{splits == kUnknownDim ? splits : splits - 1};
}

void transcode_shape(Inference& i) {
  check_errors(i);
  infer::same(i);
}

void segment_join_shape(Inference& i) {
  infer::check_rank(i, 2, 0);
  const Shape &in = i.shape(0), &ids = i.shape(1);
  i.output_shapes[0] = Shape::unknown_rank();
  if (!in.has_rank() || !ids.has_rank()) return;
  if (ids.rank() == 0) invalid("Segment_id cannot have rank 0 [Op:UnsortedSegmentJoin]");
  if (ids.rank() > in.rank() || !compatible(ids, Shape(in.dims().first(static_cast<size_t>(ids.rank())))))
    invalid("data.shape = ", in.brackets(), " does not start with segment_ids.shape = ", ids.brackets(),
            " [Op:UnsortedSegmentJoin]");
  const auto count = infer::constant_ints(i, 2);
  if (count && (*count)[0] < 0)
    invalid("Number of segments must be non-negative but got ", (*count)[0], " [Op:UnsortedSegmentJoin]");
  Shape out{count ? (*count)[0] : kUnknownDim};
  for (int d = ids.rank(); d < in.rank(); ++d) out.append(in[d]);
  i.output_shapes[0] = out;
}

}  // namespace

FL_ROWS(split_text) {
  const RowDef::Properties plain{.host_inputs = ~0u, .zero_gradient = true, .host_only = true};
  constexpr OpFamily kIo = OpFamily::kIo;
  constexpr const char* kDecoding =
      "input_encoding: string; errors: string = \"replace\"; replacement_char: int = 65533; "
      "replace_control_characters: bool = "
      "false; Tsplits: index = int64";
  return {
      {"StringSplitV2", "input: string, sep: string -> indices: int64, values: string, shape: int64",
       "maxsplit: int = -1", split_shape, nullptr, kIo, "the words of strings", plain},
      {"StringSplit", "input: string, delimiter: string -> indices: int64, values: string, shape: int64",
       "skip_empty: bool = true", split_shape, nullptr, kIo, "the parts of strings between any of several bytes",
       plain},
      {"StringNGrams", "data: string, data_splits: Tsplits -> ngrams: string, ngrams_splits: Tsplits",
       "separator: string; ngram_widths: list(int) = []; left_pad: string; right_pad: string; pad_width: int; "
       "preserve_short_sequences: bool; Tsplits: index = int64",
       ngrams_shape, nullptr, kIo, "neighbouring strings, joined", plain},
      {"UnicodeDecode", "input: string -> row_splits: Tsplits, char_values: int32", kDecoding, decode_shape, nullptr,
       kIo, "the code points of strings", plain},
      {"UnicodeDecodeWithOffsets",
       "input: string -> row_splits: Tsplits, char_values: int32, char_to_byte_starts: int64", kDecoding,
       decode_shape, nullptr, kIo, "the code points of strings, and where each begins", plain},
      {"UnicodeEncode", "input_values: int32, input_splits: Tsplits -> output: string",
       "errors: string = \"replace\"; output_encoding: string; replacement_char: int = 65533; Tsplits: index = int64",
       encode_shape, nullptr, kIo, "code points as strings", plain},
      {"UnicodeTranscode", "input: string -> output: string",
       "input_encoding: string; output_encoding: string; errors: string = \"replace\"; replacement_char: int = "
       "65533; "
       "replace_control_characters: bool = false",
       transcode_shape, nullptr, kIo, "strings in another encoding", plain},
      {"UnsortedSegmentJoin", "inputs: string, segment_ids: Tindices, num_segments: Tnumsegments -> output: string",
       "separator: string = \"\"; Tindices: index; Tnumsegments: index = int32", segment_join_shape, nullptr, kIo,
       "strings of each segment, joined", plain},
  };
}

}  // namespace footlight
