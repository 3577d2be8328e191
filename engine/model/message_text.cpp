// Reads messages in protobuf's text form.
#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/model/message.h"

#include <charconv>
#include <cstdlib>

namespace footlight::model {
namespace {

constexpr size_t kMaxParts = size_t{1} << 24;
constexpr int kDeepest = 100;
// The names of DataType that text has in place of numbers.
constexpr const char* kTypes[] = {"INVALID",    "FLOAT",  "DOUBLE",    "INT32",   "UINT8",   "INT16",
                                  "INT8",       "STRING", "COMPLEX64", "INT64",   "BOOL",    "QINT8",
                                  "QUINT8",     "QINT32", "BFLOAT16",  "QINT16",  "QUINT16", "UINT16",
                                  "COMPLEX128", "HALF",   "RESOURCE",  "VARIANT", "UINT32",  "UINT64"};

class TextReader {
 public:
  TextReader(std::string_view text, std::vector<std::unique_ptr<std::string>>& strings)
      : text_(text), strings_(strings) {}

  Message whole(const Schema& schema) { return fields(&schema, '\0', 0); }

 private:
  [[noreturn]] void bad(std::string_view why) const {
    size_t line = 1;
    for (size_t i = 0; i < at_ && i < text_.size(); ++i) line += text_[i] == '\n';
    fail(ErrorKind::kValue, "line ", line, ": ", std::string(why));
  }
  void skip_space() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == ',' || c == ';') {
        ++at_;
      } else {
        return;
      }
    }
  }
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string_view word() {
    skip_space();
    const size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' ||
                                  text_[at_] == '.' || text_[at_] == '-' || text_[at_] == '+'))
      ++at_;
    if (at_ == begin) bad("a name or a value is missing");
    return text_.substr(begin, at_ - begin);
  }

  Message fields(const Schema* schema, char end, int depth) {
    if (depth > kDeepest) bad("messages are nested too deeply");
    Message message;
    for (;;) {
      skip_space();
      if (at_ >= text_.size()) {
        if (end) bad("it ends in the middle of a message");
        return message;
      }
      if (end && take(end)) return message;
      if (take('[')) {  // the name of an extension
        while (at_ < text_.size() && text_[at_] != ']') ++at_;
        if (!take(']')) bad("] is missing");
        value_of(message, nullptr, depth);
        continue;
      }
      const std::string_view name = word();
      const Field* field = nullptr;
      if (schema)
        for (const Field& f : schema->fields)
          if (name == f.name) field = &f;
      value_of(message, field, depth);
    }
  }

  void value_of(Message& message, const Field* field, int depth) {
    const bool colon = take(':');
    if (take('[')) {
      while (!take(']')) one_value(message, field, depth, true);
      return;
    }
    one_value(message, field, depth, colon);
  }

  void one_value(Message& message, const Field* field, int depth, bool colon) {
    if (++parts_ > kMaxParts) fail(ErrorKind::kValue, "the file has more than ", kMaxParts, " parts");
    skip_space();
    const bool brace = take('{');
    if (brace || take('<')) {
      const bool wanted = field && field->kind == Field::Kind::kMessage;
      Message inner = fields(wanted ? field->of : nullptr, brace ? '}' : '>', depth + 1);
      if (!wanted) return;
      message.values.emplace_back().field = field;
      message.values.back().message = std::make_unique<Message>(std::move(inner));
      return;
    }
    if (!colon) bad("a colon or a brace is missing");
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
      auto kept = std::make_unique<std::string>();
      while (skip_space(), at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) *kept += quoted();
      if (!field || field->kind != Field::Kind::kText) return;
      message.values.emplace_back().field = field;
      message.values.back().text = *kept;
      strings_.push_back(std::move(kept));
      return;
    }
    const std::string given(word());
    if (!field || field->kind == Field::Kind::kText || field->kind == Field::Kind::kMessage) return;
    Message::Value& value = message.values.emplace_back();
    value.field = field;
    value.real = std::strtod(given.c_str(), nullptr);
    if (given == "true")
      value.number = 1;
    else if (given.starts_with("DT_"))
      value.number = type_number(given.substr(3));
    else
      std::from_chars(given.data(), given.data() + given.size(), value.number);
  }

  static int64_t type_number(std::string_view name) {
    const int64_t reference = name.ends_with("_REF") ? 100 : 0;
    if (reference) name.remove_suffix(4);
    for (size_t i = 0; i < std::size(kTypes); ++i)
      if (name == kTypes[i]) return static_cast<int64_t>(i) + reference;
    return 0;
  }

  std::string quoted() {
    const char quote = text_[at_++];
    std::string out;
    while (at_ < text_.size() && text_[at_] != quote) {
      char c = text_[at_++];
      if (c != '\\') {
        out += c;
        continue;
      }
      if (at_ >= text_.size()) break;
      c = text_[at_++];
      if (c >= '0' && c <= '7') {
        int value = c - '0';
        for (int i = 0; i < 2 && at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '7'; ++i)
          value = value * 8 + (text_[at_++] - '0');
        out += static_cast<char>(value);
      } else if (c == 'x' || c == 'X') {
        int value = 0;
        for (int i = 0; i < 2 && at_ < text_.size() && std::isxdigit(static_cast<unsigned char>(text_[at_]));
             ++i) {
          const char digit = text_[at_++];
          value = value * 16 + (digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
        }
        out += static_cast<char>(value);
      } else {
        out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
      }
    }
    if (at_ >= text_.size()) bad("a string does not end");
    ++at_;
    return out;
  }

  std::string_view text_;
  size_t at_ = 0, parts_ = 0;
  std::vector<std::unique_ptr<std::string>>& strings_;
};

}  // namespace

Message read_text(const Schema& schema, std::string_view text,
                  std::vector<std::unique_ptr<std::string>>& strings) {
  return TextReader(text, strings).whole(schema);
}

}  // namespace footlight::model
