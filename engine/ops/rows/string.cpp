// Rows of strings and printing.
#include "engine/ops/define.h"

namespace footlight {

namespace {

void joined_shape(Inference& i) {
  Shape out;
  bool first = true;
  for (size_t k = 0; k < i.inputs.size(); ++k) {
    const Shape& shape = i.shape(k);
    if (shape.has_rank() && shape.rank() == 0) continue;  // scalars broadcast
    if (!first && !compatible(out, shape))
      invalid("strings to join have different shapes: ", out.to_string(), " and ", shape.to_string(),
              " [Op:StringJoin]");
    out = first ? shape : merge(out, shape);
    first = false;
  }
  i.output_shapes[0] = out;
}

void fill_is_short(Inference& i) {
  const auto fill = i.attrs.get_or("fill"_attr, std::string());
  if (fill.size() > 1 || (!fill.empty() && std::string_view(" 0+-#").find(fill) == std::string_view::npos))
    invalid("fill is one of ' ', '0', '+', '-' and '#', not '", fill, "' [Op:AsString]");
  if (i.attrs.get_or("scientific"_attr, false) && i.attrs.get_or("shortest"_attr, false))
    invalid("Cannot select both scientific and shortest notation [Op:AsString]");
  const DType type = i.dtype(0);
  // The C library takes minutes and gigabytes for billions of digits, and then fails.
  constexpr int64_t kMaxDigits = 1 << 24;
  for (const AttrName& digits : {"precision"_attr, "width"_attr})
    if (const int64_t many = i.attrs.get_or(digits, int64_t{-1}); many > kMaxDigits && type != DType::kString)
      invalid("numbers are written with at most ", kMaxDigits, " digits, not ", many, " [Op:AsString]");
  if (!is_floating(type) && !is_complex(type) && type != DType::kString) {
    if (i.attrs.get_or("scientific"_attr, false) || i.attrs.get_or("shortest"_attr, false))
      invalid("scientific and shortest format not supported for datatype ", name_of(type), " [Op:AsString]");
    if (i.attrs.get_or("precision"_attr, int64_t{-1}) >= 0)
      invalid("precision not supported for datatype ", name_of(type), " [Op:AsString]");
  }
  infer::same(i);
}

void unit_is_known(Inference& i) {
  const auto unit = i.attrs.get_or("unit"_attr, std::string("BYTE"));
  if (unit != "BYTE" && unit != "UTF8_CHAR")
    invalid("unit is BYTE or UTF8_CHAR, not '", unit, "' [Op:StringLength]");
  infer::same(i);
}

}  // namespace

FL_ROWS(string) {
  constexpr RowsOf io_row{OpFamily::kIo}, elementwise_row{OpFamily::kElementwise};
  const RowDef::Properties text{.zero_gradient = true};
  return {
      io_row("StringFormat", "inputs: T[] -> output: string",
             "T: list(type); template: string = \"%s\"; placeholder: string = \"%s\"; summarize: int = 3",
             infer::scalar, nullptr, "the template with its placeholders replaced by tensors, summarised",
             {.host_inputs = ~0u, .zero_gradient = true}),
      io_row("PrintV2", "input: string ->", "output_stream: string = \"stderr\"; end: string = \"\n\"", infer::none,
             nullptr, "writes a string to a stream", {.effect = Effect::kOther, .host_inputs = 1}),
      elementwise_row("StringJoin", "inputs: N*string -> output: string", "N: int; separator: string = \"\"",
                      joined_shape, nullptr, "strings joined, element by element", text),
      elementwise_row("StringLength", "input: string -> output: int32", "unit: string = \"BYTE\"", unit_is_known,
                      nullptr, "how many bytes or characters each string has", text),
      elementwise_row("AsString", "input: T -> output: string",
                      "T: any; precision: int = -1; scientific: bool = false; shortest: bool = false; width: int = -1; "
                      "fill: string = \"\"",
                      fill_is_short, nullptr, "each element in words", text),
  };
}

}  // namespace footlight
