// Public functions of strings.
#include "engine/ops/composite/define.h"

namespace footlight::composite {

namespace {

Arg join(Args args, std::string_view name) {
  static const Op op{"StringJoin"};
  static const AttrName kSeparator{"separator"};
  return {apply(op.row(), tensors(args[0]), {{kSeparator, text(args[1])}}, name)};
}

Arg length(Args args, std::string_view name) {
  static const Op op{"StringLength"};
  static const AttrName kUnit{"unit"};
  const std::string& unit = text(args[1]);
  if (unit != "BYTE" && unit != "UTF8_CHAR") fail(ErrorKind::kValue, "unit is BYTE or UTF8_CHAR, not '", unit, "'");
  return {apply(op, {tensor(args[0])}, {{kUnit, unit}}, name)};
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

}  // namespace

FL_PUBLIC(string) {
  return {
      {"strings.join", "inputs: tensors, separator: str = '', name: str? = None", join,
       "strings put together, element by element"},
      {"strings.length", "input: tensor, unit: str = 'BYTE', name: str? = None", length,
       "how long each string is"},
      {"strings.as_string as_string",
       "input: tensor, precision: int = -1, scientific: bool = False, shortest: bool = False, width: int = "
       "-1, fill: str = '', "
       "name: str? = None",
       as_string, "each element in words"},
      {"strings.format",
       "template: str, inputs: tensors, placeholder: str = '{}', summarize: int = 3, name: str? = None",
       format, "the template with its placeholders replaced by tensors"},
  };
}

}  // namespace footlight::composite
