// Public functions of strings.
#include "engine/ops/composite/define.h"
#include "engine/ops/composite/scalar.h"

namespace footlight::composite {

namespace {

Arg join(const std::vector<Tensor>& inputs, const std::string& separator, std::string_view name) {
  static const Op op{"StringJoin"};
  static const AttrName kSeparator{"separator"};
  return {apply(op.row(), inputs, {{kSeparator, separator}}, name)};
}

Arg length(const Tensor& input, const std::string& unit, std::string_view name) {
  static const Op op{"StringLength"};
  static const AttrName kUnit{"unit"};
  return {apply(op, {input}, {{kUnit, unit}}, name)};
}

Arg as_string(const Tensor& input, int64_t precision, bool scientific, bool shortest, int64_t width,
              const std::string& fill, std::string_view name) {
  static const Op op{"AsString"};
  static const AttrName kPrecision{"precision"};
  static const AttrName kScientific{"scientific"};
  static const AttrName kShortest{"shortest"};
  static const AttrName kWidth{"width"};
  static const AttrName kFill{"fill"};
  return {apply(op, {input},
                {{kPrecision, precision}, {kScientific, scientific}, {kShortest, shortest},
                 {kWidth, width}, {kFill, fill}},
                name)};
}

Arg format(const std::string& pattern, const std::vector<Tensor>& inputs, const std::string& placeholder,
           int64_t summarize, std::string_view name) {
  static const Op op{"StringFormat"};
  static const AttrName kTemplate{"template"};
  static const AttrName kPlaceholder{"placeholder"};
  static const AttrName kSummarize{"summarize"};
  size_t places = 0;
  for (size_t at = 0; !placeholder.empty() && (at = pattern.find(placeholder, at)) != std::string::npos;
       at += placeholder.size())
    ++places;
  if (places != inputs.size())
    fail(ErrorKind::kValue, "the template has ", places, " placeholders '", placeholder, "' for ",
         inputs.size(), " inputs");
  return {apply(op.row(), inputs,
                {{kTemplate, pattern}, {kPlaceholder, placeholder}, {kSummarize, summarize}}, name)};
}

template <Literal op_name>
Arg change_case(const Tensor& input, const std::string& encoding, std::string_view name) {
  static const Op op{op_name.text};
  static const AttrName kEncoding{"encoding"};
  return {apply(op, {input}, {{kEncoding, encoding}}, name)};
}

Arg substr(const Tensor& input, const Tensor& pos, const Tensor& len, const std::string& unit, std::string_view name) {
  static const Op op{"Substr"};
  static const AttrName kUnit{"unit"};
  return {apply(op, {input, pos, len}, {{kUnit, unit}}, name)};
}

// Python strings become attributes of the op, tensors become inputs.
Arg regex_replace(const Tensor& input, const Arg& pattern_given, const Arg& rewrite_given, bool replace_global,
                  std::string_view name) {
  static const Op by_attrs{"StaticRegexReplace"};
  static const Op by_inputs{"RegexReplace"};
  static const AttrName kPattern{"pattern"}, kRewrite{"rewrite"}, kGlobal{"replace_global"};
  const auto* pattern = std::get_if<std::string>(&pattern_given.value);
  const auto* rewrite = std::get_if<std::string>(&rewrite_given.value);
  if (pattern && rewrite)
    return {apply(by_attrs, {input}, {{kPattern, *pattern}, {kRewrite, *rewrite}, {kGlobal, replace_global}},
                  name)};
  const Tensor pattern_value = value_tensor(pattern_given, "pattern of tf.strings.regex_replace", DType::kString);
  const Tensor rewrite_value = value_tensor(rewrite_given, "rewrite of tf.strings.regex_replace", DType::kString);
  return {apply(by_inputs, {input, pattern_value, rewrite_value}, {{kGlobal, replace_global}}, name)};
}

Arg regex_full_match(const Tensor& input, const Arg& pattern_given, std::string_view name) {
  static const Op by_attrs{"StaticRegexFullMatch"};
  static const Op by_inputs{"RegexFullMatch"};
  static const AttrName kPattern{"pattern"};
  constexpr const char* kWhat = "pattern of tf.strings.regex_full_match";
  if (const auto* pattern = std::get_if<std::string>(&pattern_given.value))
    return {apply(by_attrs, {input}, {{kPattern, *pattern}}, name)};
  return {apply(by_inputs, {input, value_tensor(pattern_given, kWhat, DType::kString)}, {}, name)};
}

Arg to_number(const Tensor& input, DType out_type, std::string_view name) {
  static const Op op{"StringToNumber"};
  static const AttrName kOutType{"out_type"};
  return {apply(op, {input}, {{kOutType, out_type}}, name)};
}

const AttrName kBuckets{"num_buckets"};

template <Literal op_name>
Arg to_hash_bucket(const Tensor& input, int64_t num_buckets, std::string_view name) {
  static const Op op{op_name.text};
  return {apply(op, {input}, {{kBuckets, num_buckets}}, name)};
}

Arg to_hash_bucket_strong(const Tensor& input, int64_t num_buckets, const Ints& key, std::string_view name) {
  static const Op op{"StringToHashBucketStrong"};
  static const AttrName kKey{"key"};
  return {apply(op, {input}, {{kBuckets, num_buckets}, {kKey, key}}, name)};
}

// Without an axis it joins all elements, the last dimension varying fastest.
Arg reduce_join(const Tensor& x, const Tensor& axis, bool keepdims, const std::string& separator,
                std::string_view name) {
  static const Op op{"ReduceJoin"};
  static const Op range{"Range"};
  static const AttrName kKeep{"keep_dims"}, kSeparator{"separator"};
  const Scope scope(name_or(name, "ReduceJoin"));
  Tensor axes;
  if (axis) {
    axes = axis;
  } else if (x.shape().has_rank()) {
    std::vector<int64_t> all;
    for (int d = x.shape().rank() - 1; d >= 0; --d) all.push_back(d);
    axes = ops::ints(all);
  } else {
    axes = apply(range, {ops::sub(ops::rank(x), ops::integer(1)), ops::integer(-1), ops::integer(-1)});
  }
  return {apply(op, {x, axes}, {{kKeep, keepdims}, {kSeparator, separator}})};
}

}  // namespace

FL_PUBLIC(string) {
  constexpr const char* kCase = "input: tensor fits string, encoding: str = '', name: str? = None";
  return {
      {"strings.lower", kCase, bind<change_case<"StringLower">>, "small letters for capitals"},
      {"strings.upper", kCase, bind<change_case<"StringUpper">>, "capitals for small letters"},
      {"strings.strip", "input: tensor fits string, name: str? = None", one_op<"StringStrip">,
       "strings without blanks at their ends"},
      {"strings.substr",
       "input: tensor fits string, pos: tensor, len: tensor like pos, unit: str = 'BYTE', name: str? = None",
       bind<substr>,
       "parts of strings"},
      {"strings.regex_replace",
       "input: tensor fits string, pattern: any, rewrite: any, replace_global: bool = True, name: str? = None",
       bind<regex_replace>,
       "strings with the matches of a pattern replaced"},
      {"strings.regex_full_match", "input: tensor fits string, pattern: any, name: str? = None", bind<regex_full_match>,
       "whether a pattern matches the whole string"},
      {"strings.to_number", "input: tensor fits string, out_type: dtype = float32, name: str? = None", bind<to_number>,
       "the numbers that strings say"},
      {"strings.to_hash_bucket", "input: tensor fits string, num_buckets: int, name: str? = None",
       bind<to_hash_bucket<"StringToHashBucket">>, "the hash bucket of each string"},
      {"strings.to_hash_bucket_fast", "input: tensor fits string, num_buckets: int, name: str? = None",
       bind<to_hash_bucket<"StringToHashBucketFast">>,
       "the hash bucket of each string, by a fast hash"},
      {"strings.to_hash_bucket_strong", "input: tensor fits string, num_buckets: int, key: ints, name: str? = None",
       bind<to_hash_bucket_strong>,
       "the hash bucket of each string, by a keyed hash"},
      {"strings.reduce_join",
       "inputs: tensor fits string, axis: tensor? of int32 = None, keepdims: bool = False, separator: str = '', "
       "name: str? = None",
       bind<reduce_join>, "strings joined along dimensions"},
      {"strings.join", "inputs: tensors of string, separator: str = '', name: str? = None", bind<join>,
       "strings joined, element by element"},
      {"strings.length", "input: tensor fits string, unit: str = 'BYTE', name: str? = None", bind<length>,
       "how long each string is"},
      {"strings.as_string as_string",
       "input: tensor, precision: int = -1, scientific: bool = False, shortest: bool = False, width: int = "
       "-1, fill: str = '', "
       "name: str? = None",
       bind<as_string>, "each element in words"},
      {"strings.format",
       "template: str, inputs: tensors of any, placeholder: str = '{}', summarize: int = 3, name: str? = None",
       bind<format>, "the template with its placeholders replaced by tensors"},
  };
}

}  // namespace footlight::composite
