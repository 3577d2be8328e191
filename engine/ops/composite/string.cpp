// Public functions of strings.
#include "engine/ops/composite/define.h"
#include "engine/ops/composite/scalar.h"

namespace footlight::composite {

namespace {

Arg join(const std::vector<Tensor>& inputs, const std::string& separator, std::string_view name) {
  return {apply("StringJoin"_op.row(), inputs, {{"separator"_attr, separator}}, name)};
}

Arg length(const Tensor& input, const std::string& unit, std::string_view name) {
  return {apply("StringLength"_op, {input}, {{"unit"_attr, unit}}, name)};
}

Arg as_string(const Tensor& input, int64_t precision, bool scientific, bool shortest, int64_t width,
              const std::string& fill, std::string_view name) {
  return {apply("AsString"_op, {input},
                {{"precision"_attr, precision}, {"scientific"_attr, scientific}, {"shortest"_attr, shortest},
                 {"width"_attr, width}, {"fill"_attr, fill}},
                name)};
}

Arg format(const std::string& pattern, const std::vector<Tensor>& inputs, const std::string& placeholder,
           int64_t summarize, std::string_view name) {
  size_t places = 0;
  for (size_t at = 0; !placeholder.empty() && (at = pattern.find(placeholder, at)) != std::string::npos;
       at += placeholder.size())
    ++places;
  if (places != inputs.size())
    fail(ErrorKind::kValue, "the template has ", places, " placeholders '", placeholder, "' for ",
         inputs.size(), " inputs");
  return {apply("StringFormat"_op.row(), inputs,
                {{"template"_attr, pattern}, {"placeholder"_attr, placeholder}, {"summarize"_attr, summarize}}, name)};
}

template <Literal op_name>
Arg change_case(const Tensor& input, const std::string& encoding, std::string_view name) {
  return {apply(op_named<op_name>(), {input}, {{"encoding"_attr, encoding}}, name)};
}

Arg substr(const Tensor& input, const Tensor& pos, const Tensor& len, const std::string& unit, std::string_view name) {
  return {apply("Substr"_op, {input, pos, len}, {{"unit"_attr, unit}}, name)};
}

// Python strings become attributes of the op, tensors become inputs.
Arg regex_replace(const Tensor& input, const Arg& pattern_given, const Arg& rewrite_given, bool replace_global,
                  std::string_view name) {
  const auto* pattern = std::get_if<std::string>(&pattern_given.value);
  const auto* rewrite = std::get_if<std::string>(&rewrite_given.value);
  if (pattern && rewrite)
    return {apply("StaticRegexReplace"_op, {input},
                  {{"pattern"_attr, *pattern}, {"rewrite"_attr, *rewrite}, {"replace_global"_attr, replace_global}},
                  name)};
  const Tensor pattern_value = value_tensor(pattern_given, "pattern of tf.strings.regex_replace", DType::kString);
  const Tensor rewrite_value = value_tensor(rewrite_given, "rewrite of tf.strings.regex_replace", DType::kString);
  return {
      apply("RegexReplace"_op, {input, pattern_value, rewrite_value}, {{"replace_global"_attr, replace_global}}, name)};
}

Arg regex_full_match(const Tensor& input, const Arg& pattern_given, std::string_view name) {
  constexpr const char* kWhat = "pattern of tf.strings.regex_full_match";
  if (const auto* pattern = std::get_if<std::string>(&pattern_given.value))
    return {apply("StaticRegexFullMatch"_op, {input}, {{"pattern"_attr, *pattern}}, name)};
  return {apply("RegexFullMatch"_op, {input, value_tensor(pattern_given, kWhat, DType::kString)}, {}, name)};
}

Arg to_number(const Tensor& input, DType out_type, std::string_view name) {
  return {apply("StringToNumber"_op, {input}, {{"out_type"_attr, out_type}}, name)};
}

template <Literal op_name>
Arg to_hash_bucket(const Tensor& input, int64_t num_buckets, std::string_view name) {
  return {apply(op_named<op_name>(), {input}, {{"num_buckets"_attr, num_buckets}}, name)};
}

Arg to_hash_bucket_strong(const Tensor& input, int64_t num_buckets, const Ints& key, std::string_view name) {
  return {apply("StringToHashBucketStrong"_op, {input}, {{"num_buckets"_attr, num_buckets}, {"key"_attr, key}}, name)};
}

// Without an axis it joins all elements, the last dimension varying fastest.
Arg reduce_join(const Tensor& x, const Tensor& axis, bool keepdims, const std::string& separator,
                std::string_view name) {
  const Scope scope(name_or(name, "ReduceJoin"));
  Tensor axes;
  if (axis) {
    axes = axis;
  } else if (x.shape().has_rank()) {
    std::vector<int64_t> all;
    for (int d = x.shape().rank() - 1; d >= 0; --d) all.push_back(d);
    axes = ops::ints(all);
  } else {
    axes = apply("Range"_op, {ops::sub(ops::rank(x), ops::integer(1)), ops::integer(-1), ops::integer(-1)});
  }
  return {apply("ReduceJoin"_op, {x, axes}, {{"keep_dims"_attr, keepdims}, {"separator"_attr, separator}})};
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
