// Public functions of strings.
#include "engine/ops/composite/define.h"
#include "engine/ops/composite/scalar.h"

namespace footlight::composite {

namespace {

Arg join(Args args, std::string_view name) {
  static const Op op{"StringJoin"};
  static const AttrName kSeparator{"separator"};
  const std::vector<Tensor> inputs = tensors(args[0]);
  return {apply(op.row(), inputs, {{kSeparator, text(args[1])}}, name)};
}

Arg length(Args args, std::string_view name) {
  static const Op op{"StringLength"};
  static const AttrName kUnit{"unit"};
  return {apply(op, {tensor(args[0])}, {{kUnit, text(args[1])}}, name)};
}

Arg as_string(Args args, std::string_view name) {
  static const Op op{"AsString"};
  static const AttrName kPrecision{"precision"};
  static const AttrName kScientific{"scientific"};
  static const AttrName kShortest{"shortest"};
  static const AttrName kWidth{"width"};
  static const AttrName kFill{"fill"};
  return {apply(op, {tensor(args[0])},
                {{kPrecision, integer(args[1])}, {kScientific, flag(args[2])}, {kShortest, flag(args[3])},
                 {kWidth, integer(args[4])}, {kFill, text(args[5])}},
                name)};
}

Arg format(Args args, std::string_view name) {
  static const Op op{"StringFormat"};
  static const AttrName kTemplate{"template"};
  static const AttrName kPlaceholder{"placeholder"};
  static const AttrName kSummarize{"summarize"};
  const std::string& pattern = text(args[0]);
  const auto inputs = tensors(args[1]);
  const std::string& placeholder = text(args[2]);
  size_t places = 0;
  for (size_t at = 0; !placeholder.empty() && (at = pattern.find(placeholder, at)) != std::string::npos;
       at += placeholder.size())
    ++places;
  if (places != inputs.size())
    fail(ErrorKind::kValue, "the template has ", places, " placeholders '", placeholder, "' for ",
         inputs.size(), " inputs");
  return {apply(op.row(), inputs,
                {{kTemplate, pattern}, {kPlaceholder, placeholder}, {kSummarize, integer(args[3])}}, name)};
}

template <Literal op_name>
Arg change_case(Args args, std::string_view name) {
  static const Op op{op_name.text};
  static const AttrName kEncoding{"encoding"};
  return {apply(op, {tensor(args[0])}, {{kEncoding, text(args[1])}}, name)};
}

Arg substr(Args args, std::string_view name) {
  static const Op op{"Substr"};
  static const AttrName kUnit{"unit"};
  return {apply(op, {tensor(args[0]), tensor(args[1]), tensor(args[2])}, {{kUnit, text(args[3])}}, name)};
}

// Python strings become attributes of the op, tensors inputs.
Arg regex_replace(Args args, std::string_view name) {
  static const Op by_attrs{"StaticRegexReplace"};
  static const Op by_inputs{"RegexReplace"};
  static const AttrName kPattern{"pattern"}, kRewrite{"rewrite"}, kGlobal{"replace_global"};
  const auto* pattern = std::get_if<std::string>(&args[1].value);
  const auto* rewrite = std::get_if<std::string>(&args[2].value);
  if (pattern && rewrite)
    return {apply(by_attrs, {tensor(args[0])}, {{kPattern, *pattern}, {kRewrite, *rewrite}, {kGlobal, flag(args[3])}},
                  name)};
  const Tensor pattern_value = value_tensor(args[1], "pattern of tf.strings.regex_replace", DType::kString);
  const Tensor rewrite_value = value_tensor(args[2], "rewrite of tf.strings.regex_replace", DType::kString);
  return {apply(by_inputs, {tensor(args[0]), pattern_value, rewrite_value}, {{kGlobal, flag(args[3])}}, name)};
}

Arg regex_full_match(Args args, std::string_view name) {
  static const Op by_attrs{"StaticRegexFullMatch"};
  static const Op by_inputs{"RegexFullMatch"};
  static const AttrName kPattern{"pattern"};
  constexpr const char* kWhat = "pattern of tf.strings.regex_full_match";
  if (const auto* pattern = std::get_if<std::string>(&args[1].value))
    return {apply(by_attrs, {tensor(args[0])}, {{kPattern, *pattern}}, name)};
  return {apply(by_inputs, {tensor(args[0]), value_tensor(args[1], kWhat, DType::kString)}, {}, name)};
}

Arg to_number(Args args, std::string_view name) {
  static const Op op{"StringToNumber"};
  static const AttrName kOutType{"out_type"};
  return {apply(op, {tensor(args[0])}, {{kOutType, dtype(args[1])}}, name)};
}

template <Literal op_name>
Arg to_hash_bucket(Args args, std::string_view name) {
  static const Op op{op_name.text};
  static const AttrName kBuckets{"num_buckets"}, kKey{"key"};
  Attrs attrs{{kBuckets, integer(args[1])}};
  if (args.size() > 2) attrs.set(kKey, integers(args[2]));
  return {apply(op, {tensor(args[0])}, attrs, name)};
}

// Without dimensions: all, the last one changing fastest.
Arg reduce_join(Args args, std::string_view name) {
  static const Op op{"ReduceJoin"};
  static const Op range{"Range"};
  static const AttrName kKeep{"keep_dims"}, kSeparator{"separator"};
  const Tensor& x = tensor(args[0]);
  const Scope scope(name_or(name, "ReduceJoin"));
  Tensor axes;
  if (!args[1].none()) {
    axes = tensor(args[1]);
  } else if (x.shape().has_rank()) {
    std::vector<int64_t> all;
    for (int d = x.shape().rank() - 1; d >= 0; --d) all.push_back(d);
    axes = ops::ints(all);
  } else {
    axes = apply(range, {ops::sub(ops::rank(x), ops::integer(1)), ops::integer(-1), ops::integer(-1)});
  }
  return {apply(op, {x, axes}, {{kKeep, flag(args[2])}, {kSeparator, text(args[3])}})};
}

}  // namespace

FL_PUBLIC(string) {
  constexpr const char* kCase = "input: tensor fits string, encoding: str = '', name: str? = None";
  return {
      {"strings.lower", kCase, change_case<"StringLower">, "small letters for capitals"},
      {"strings.upper", kCase, change_case<"StringUpper">, "capitals for small letters"},
      {"strings.strip", "input: tensor fits string, name: str? = None", one_op<"StringStrip">,
       "strings without blanks at their ends"},
      {"strings.substr",
       "input: tensor fits string, pos: tensor, len: tensor like pos, unit: str = 'BYTE', name: str? = None", substr,
       "parts of strings"},
      {"strings.regex_replace",
       "input: tensor fits string, pattern: any, rewrite: any, replace_global: bool = True, name: str? = None",
       regex_replace,
       "strings with what a pattern matches replaced"},
      {"strings.regex_full_match", "input: tensor fits string, pattern: any, name: str? = None", regex_full_match,
       "whether a pattern matches the whole string"},
      {"strings.to_number", "input: tensor fits string, out_type: dtype = float32, name: str? = None", to_number,
       "the numbers that strings say"},
      {"strings.to_hash_bucket", "input: tensor fits string, num_buckets: int, name: str? = None",
       to_hash_bucket<"StringToHashBucket">, "into which of so many buckets each string falls"},
      {"strings.to_hash_bucket_fast", "input: tensor fits string, num_buckets: int, name: str? = None",
       to_hash_bucket<"StringToHashBucketFast">, "into which of so many buckets each string falls, by a fast hash"},
      {"strings.to_hash_bucket_strong", "input: tensor fits string, num_buckets: int, key: ints, name: str? = None",
       to_hash_bucket<"StringToHashBucketStrong">,
       "into which of so many buckets each string falls, by a hash with a key"},
      {"strings.reduce_join",
       "inputs: tensor fits string, axis: tensor? of int32 = None, keepdims: bool = False, separator: str = '', "
       "name: str? = None",
       reduce_join, "strings along dimensions put together"},
      {"strings.join", "inputs: tensors of string, separator: str = '', name: str? = None", join,
       "strings put together, element by element"},
      {"strings.length", "input: tensor fits string, unit: str = 'BYTE', name: str? = None", length,
       "how long each string is"},
      {"strings.as_string as_string",
       "input: tensor, precision: int = -1, scientific: bool = False, shortest: bool = False, width: int = "
       "-1, fill: str = '', "
       "name: str? = None",
       as_string, "each element in words"},
      {"strings.format",
       "template: str, inputs: tensors of any, placeholder: str = '{}', summarize: int = 3, name: str? = None",
       format, "the template with its placeholders replaced by tensors"},
  };
}

}  // namespace footlight::composite
