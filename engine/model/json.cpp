// Parses JSON by descent.
#include "engine/model/json.h"

#include "engine/base/errors.h"
#include "engine/base/text.h"

#include <cctype>

namespace footlight::model {

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  Json whole() {
    Json value = read(0);
    skip();
    if (at_ != text_.size()) bad("something follows the value");
    return value;
  }

 private:
  [[noreturn]] void bad(const char* why) const {
    fail(ErrorKind::kValue, "the JSON is damaged at byte ", at_, ": ", why);
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Json read(int depth) {
    if (depth > 200) bad("values are nested too deeply");
    if (++count_ > size_t{1} << 22) bad("there are too many values");
    Json value;
    if (take('{')) {
      value.kind_ = Json::Kind::kObject;
      if (take('}')) return value;
      do {
        skip();
        std::string name = quoted();
        if (!take(':')) bad("a colon is missing");
        value.fields_[std::move(name)] = read(depth + 1);
      } while (take(','));
      if (!take('}')) bad("} is missing");
    } else if (take('[')) {
      value.kind_ = Json::Kind::kList;
      if (take(']')) return value;
      do value.items_.push_back(read(depth + 1));
      while (take(','));
      if (!take(']')) bad("] is missing");
    } else if (skip(), at_ < text_.size() && text_[at_] == '"') {
      value.kind_ = Json::Kind::kText;
      value.text_ = quoted();
    } else {
      value.kind_ = Json::Kind::kWord;
      while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                    text_[at_] == '-' || text_[at_] == '+' || text_[at_] == '.'))
        value.text_ += text_[at_++];
      if (value.text_.empty()) bad("a value is missing");
    }
    return value;
  }

  std::string quoted() {
    if (at_ >= text_.size() || text_[at_] != '"') bad("a text is missing");
    ++at_;
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
      char c = text_[at_++];
      if (c == '\\') {
        if (at_ >= text_.size()) break;
        c = text_[at_++];
        if (c == 'u') {
          add_code(out);
          continue;
        }
        c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == 'b' ? '\b' : c == 'f' ? '\f' : c;
      }
      out += c;
    }
    if (at_ >= text_.size()) bad("a string does not end");
    ++at_;
    return out;
  }

  void add_code(std::string& out) {
    uint32_t code = 0;
    for (int i = 0; i < 4; ++i) {
      if (at_ >= text_.size() || !std::isxdigit(static_cast<unsigned char>(text_[at_])))
        bad("\\u needs four digits");
      const char digit = text_[at_++];
      code = code * 16 + static_cast<uint32_t>(digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
    }
    if (code >= 0xd800 && code < 0xe000) {
      out += '?';  // half of a pair: names of layers have none
    } else if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 0x3f))};
    } else {
      out += {static_cast<char>(0xe0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3f)),
              static_cast<char>(0x80 | (code & 0x3f))};
    }
  }

  std::string_view text_;
  size_t at_ = 0, count_ = 0;
};

const Json& Json::operator[](std::string_view name) const {
  static const Json nothing;
  const auto at = fields_.find(name);
  return at == fields_.end() ? nothing : at->second;
}

std::string_view Json::number() const {
  const bool digits = text_.size() < 19 && text_.find_first_not_of("0123456789") == std::string::npos;
  return kind_ == Kind::kWord && digits ? std::string_view(text_) : std::string_view();
}

std::string Json::compact() const {
  switch (kind_) {
    case Kind::kNothing: return "";
    case Kind::kText: return text_.substr(0, 120);
    case Kind::kWord: return text_ == "null" ? "?" : text_;
    case Kind::kObject: return "{...}";
    case Kind::kList: break;
  }
  std::string text = "(";
  for (const Json& item : items_) {
    if (text.size() > 120) return text + ", ...)";
    text += (text.size() > 1 ? ", " : "") + item.compact();
  }
  return text + (items_.size() == 1 ? ",)" : ")");
}

Json parse_json(std::string_view text) { return JsonReader(text).whole(); }

}  // namespace footlight::model
