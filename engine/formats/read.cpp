// The parts of a message are counted first: a file of two bytes per part would otherwise take a hundred times its size.
#include "engine/formats/read.h"

#include "engine/base/text.h"
#include "engine/wire/varint.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/wire_format_lite.h>

#include <vector>

namespace footlight::formats {
namespace {

namespace pb = google::protobuf;

[[noreturn]] void too_much(const char* what, size_t most) {
  fail(ErrorKind::kValue, "the message has too many ", what, ": at most ", most, " are read");
}

void check_size(const pb::Message& message, size_t size, const Limits& limits) {
  if (size > limits.bytes)
    fail(ErrorKind::kValue, "this ", message.GetDescriptor()->name(), " has ", size, " bytes: at most ", limits.bytes,
         " are read");
}

// Walks over the wire format as protobuf will. It stops at what is not valid, which protobuf reports.
class Counter {
 public:
  explicit Counter(const Limits& limits) : limits_(limits) {}

  bool count(const pb::Descriptor* type, std::string_view bytes, int depth) {
    if (++messages_ > limits_.messages) too_much("parts", limits_.messages);
    if (depth > limits_.depth) fail(ErrorKind::kValue, "the message is nested deeper than ", limits_.depth, " levels");
    while (!bytes.empty()) {
      uint64_t tag;
      if (!wire::take_varint(bytes, tag)) return false;
      const pb::FieldDescriptor* field = type->FindFieldByNumber(static_cast<int>(tag >> 3 & 0x1fffffff));
      uint64_t size = 0;
      switch (tag & 7) {
        case 0:
          if (!wire::take_varint(bytes, size)) return false;
          continue;
        case 1: size = 8; break;
        case 5: size = 4; break;
        case 2:
          if (!wire::take_varint(bytes, size)) return false;
          break;
        default: return false;  // groups, which no message here has
      }
      if (size > bytes.size()) return false;
      const bool inner = (tag & 7) == 2 && field && field->type() == pb::FieldDescriptor::TYPE_MESSAGE;
      if (inner && !count(field->message_type(), bytes.substr(0, size), depth + 1)) return false;
      // A text or a number in a row of its own takes memory too.
      if (!inner && field && field->is_repeated() && ++messages_ > limits_.messages * 4)
        too_much("values", limits_.messages * 4);
      bytes.remove_prefix(size);
    }
    return true;
  }

 private:
  const Limits& limits_;
  size_t messages_ = 0;
};

// In a text every part has a bracket, and every value of a row takes two characters.
void count_text(std::string_view text, const Limits& limits) {
  size_t parts = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote) {
      if (c == '\\') ++i;
      else if (c == quote || c == '\n') quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if ((c == '{' || c == '<' || c == ',') && ++parts > limits.messages) {
      too_much("parts", limits.messages);
    }
  }
}

// Throws for a text that is not UTF-8, which could not be written again: escapes may say any bytes.
void check_texts(const pb::Message& message) {
  const pb::Reflection* r = message.GetReflection();
  std::vector<const pb::FieldDescriptor*> fields;
  r->ListFields(message, &fields);
  for (const pb::FieldDescriptor* field : fields) {
    const bool text = field->type() == pb::FieldDescriptor::TYPE_STRING;
    if (!text && field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const int count = field->is_repeated() ? r->FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (!text) {
        check_texts(field->is_repeated() ? r->GetRepeatedMessage(message, field, i) : r->GetMessage(message, field));
        continue;
      }
      using pb::internal::WireFormatLite;
      const std::string value =
          field->is_repeated() ? r->GetRepeatedString(message, field, i) : r->GetString(message, field);
      const auto size = static_cast<int>(value.size());
      if (!WireFormatLite::VerifyUtf8String(value.data(), size, WireFormatLite::PARSE, field->name().c_str()))
        fail(ErrorKind::kValue, "the field '", field->name(), "' of ", message.GetDescriptor()->name(),
             " is not UTF-8");
    }
  }
}

class FirstError final : public pb::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text.empty()) text = str("line ", line + 1, ", column ", column + 1, ": ", message);
  }
  std::string text;
};

}  // namespace

void read_bytes(pb::Message& message, std::string_view bytes, const Limits& limits) {
  message.Clear();
  check_size(message, bytes.size(), limits);
  const pb::LogSilencer quiet;  // it prints what it does not like; the error says it
  bool good = Counter(limits).count(message.GetDescriptor(), bytes, 0);
  if (good) {
    pb::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
    stream.SetRecursionLimit(limits.depth + 1);
    good = message.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
  }
  if (good) return;
  message.Clear();
  fail(ErrorKind::kValue, "these bytes are not a valid ", message.GetDescriptor()->name());
}

void read_text(pb::Message& message, std::string_view text, const Limits& limits) {
  message.Clear();
  check_size(message, text.size(), limits);
  count_text(text, limits);
  FirstError error;
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(limits.depth);
  pb::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  const pb::LogSilencer quiet;
  if (parser.Parse(&stream, &message)) return check_texts(message);
  message.Clear();
  fail(ErrorKind::kValue, "this text is not a valid ", message.GetDescriptor()->name(), ": ", error.text);
}

}  // namespace footlight::formats
