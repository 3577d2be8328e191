// The text and the bytes of a message. The text is protobuf's own, but for floating-point
// numbers, which read as in Python: "1.0", "1e-05".
#include "engine/formats/graph_def.h"

#include "engine/base/text.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace footlight::formats {
namespace {

using google::protobuf::TextFormat;

// The fewest digits that read back as `value`, laid out as Python's repr() does.
template <class T>
std::string shortest(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char text[64];
  char* end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  const std::string scientific(text, static_cast<size_t>(end - text));
  const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
  if (exponent < -4 || exponent >= 16) return scientific;
  end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed).ptr;
  std::string fixed(text, static_cast<size_t>(end - text));
  if (fixed.find('.') == std::string::npos) fixed += ".0";
  return fixed;
}

class NumbersAsInPython : public TextFormat::FastFieldValuePrinter {
 public:
  void PrintFloat(float value, TextFormat::BaseTextGenerator* out) const override {
    out->PrintString(shortest(value));
  }
  void PrintDouble(double value, TextFormat::BaseTextGenerator* out) const override {
    out->PrintString(shortest(value));
  }
};

}  // namespace

std::string text_of(const google::protobuf::Message& message) {
  TextFormat::Printer printer;
  printer.SetHideUnknownFields(true);
  printer.SetDefaultFieldValuePrinter(new NumbersAsInPython);  // owned by the printer
  std::string out;
  printer.PrintToString(message, &out);
  return out;
}

std::string bytes_of(const google::protobuf::Message& message) {
  if (message.ByteSizeLong() > INT32_MAX)
    fail(ErrorKind::kInvalidArgument, "the message is too large: protobuf takes up to 2 GiB");
  std::string out;
  {
    google::protobuf::io::StringOutputStream stream(&out);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return out;
}

}  // namespace footlight::formats
