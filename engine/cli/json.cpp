// Strings of a session may contain any bytes; the output is always valid JSON.
#include "engine/cli/json.h"

#include <cstdio>

namespace footlight::cli {
namespace {

// Length of the valid UTF-8 sequence at the front; 0: none.
size_t sequence(std::string_view s) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char first = byte(0);
  const size_t length = first < 0x80                    ? 1
                        : first >= 0xC2 && first < 0xE0 ? 2
                        : (first & 0xF0) == 0xE0        ? 3
                        : first >= 0xF0 && first < 0xF5 ? 4
                                                        : 0;
  if (length == 0 || length > s.size()) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  if (first == 0xE0 && byte(1) < 0xA0) return 0;   // overlong
  if (first == 0xED && byte(1) >= 0xA0) return 0;  // surrogate
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) >= 0x90) return 0;
  return length;
}

std::string join(const std::vector<std::string>& parts, const char* between) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += between;
    out += part;
  }
  return out;
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const size_t length = sequence(text);
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
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length ? length : 1);
  }
  return out + '"';
}

JsonObject& JsonObject::raw(const char* key, const std::string& json) {
  members_.push_back(json_text(key) + ": " + json);
  return *this;
}
std::string JsonObject::lines() const { return "{\n  " + join(members_, ",\n  ") + "\n}"; }
std::string JsonObject::inline_() const { return "{" + join(members_, ", ") + "}"; }
std::string json_list(const std::vector<std::string>& elements) { return "[" + join(elements, ", ") + "]"; }

}  // namespace footlight::cli
