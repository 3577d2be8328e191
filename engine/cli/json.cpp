// Strings of a session may contain any bytes; the output is always valid JSON.
#include "engine/cli/json.h"

#include "engine/cli/text.h"

#include <algorithm>
#include <cstdio>

namespace footlight::cli {
namespace {

// Follows JSON's grammar, without white space around the whole.
class JsonCheck {
 public:
  explicit JsonCheck(std::string_view text) : left_(text) {}
  bool at_end() const { return left_.empty(); }

  bool value(int depth) {
    if (depth > 64) return false;
    if (take('{')) return list('}', [&] { return string() && (space(), take(':')) && (space(), value(depth + 1)); });
    if (take('[')) return list(']', [&] { return value(depth + 1); });
    if (left_.starts_with('"')) return string();
    for (const std::string_view word : {"true", "false", "null"})
      if (left_.starts_with(word)) return left_.remove_prefix(word.size()), true;
    return number();
  }

 private:
  bool take(char c) {
    if (!left_.starts_with(c)) return false;
    left_.remove_prefix(1);
    return true;
  }
  void space() {
    left_.remove_prefix(std::min(left_.find_first_not_of(" \t\n\r"), left_.size()));
  }
  template <class Element>
  bool list(char end, Element&& element) {
    space();
    if (take(end)) return true;
    do {
      space();
      if (!element()) return false;
      space();
    } while (take(','));
    return take(end);
  }
  bool string() {
    if (!take('"')) return false;
    while (!left_.empty()) {
      if (take('"')) return true;
      if (take('\\')) {
        if (!escape()) return false;
        continue;
      }
      const size_t length = static_cast<unsigned char>(left_[0]) < 0x20 ? 0 : utf8_sequence(left_);
      if (!length) return false;
      left_.remove_prefix(length);
    }
    return false;
  }
  bool escape() {
    size_t length = 1;
    if (left_.starts_with('u')) {
      const std::string_view hex = left_.substr(1, 4);
      if (hex.size() < 4 || hex.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) return false;
      length = 5;
    } else if (left_.empty() || std::string_view("\"\\/bfnrt").find(left_[0]) == std::string_view::npos) {
      return false;
    }
    left_.remove_prefix(length);
    return true;
  }
  bool digits() {
    const size_t length = std::min(left_.find_first_not_of("0123456789"), left_.size());
    left_.remove_prefix(length);
    return length > 0;
  }
  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (!take('e') && !take('E')) return true;
    if (!take('+')) take('-');
    return digits();
  }

  std::string_view left_;
};

std::string join(const std::vector<std::string>& parts, const char* between) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += between;
    out += part;
  }
  return out;
}

}  // namespace

void append_json_text(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    // Most texts are plain as a whole.
    const auto plain = [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; };
    const auto end = static_cast<size_t>(std::find_if_not(text.begin(), text.end(), plain) - text.begin());
    out += text.substr(0, end);
    text.remove_prefix(end);
    if (text.empty()) break;
    const size_t length = utf8_sequence(text);
    const auto c = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      out += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += text[0];
    } else if (c == '\n') {
      out += "\\n";
    } else if (c < 0x20 || c == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      out += escape;
    } else if (is_deceptive(text)) {  // the same text for programs, and harmless in a terminal
      const auto byte = [&](size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i]) & 0x3f); };
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", length == 2 ? 0x80 | byte(1) : 0x2000 | byte(1) << 6 | byte(2));
      out += escape;
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length ? length : 1);
  }
  out += '"';
}

std::string json_text(std::string_view text) {
  std::string out;
  append_json_text(out, text);
  return out;
}

bool is_json_object(std::string_view text) {
  JsonCheck check(text);
  return !text.empty() && text.front() == '{' && check.value(0) && check.at_end();
}

JsonObject& JsonObject::raw(const char* key, const std::string& json) {
  members_.push_back(json_text(key) + ": " + json);
  return *this;
}
std::string JsonObject::lines() const { return "{\n  " + join(members_, ",\n  ") + "\n}"; }
std::string JsonObject::inline_() const { return "{" + join(members_, ", ") + "}"; }
std::string json_list(const std::vector<std::string>& elements) { return "[" + join(elements, ", ") + "]"; }

}  // namespace footlight::cli
