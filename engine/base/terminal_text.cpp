// Replaces bytes that are not valid UTF-8, and characters that a terminal obeys.
#include "engine/base/terminal_text.h"

namespace footlight {
namespace {

std::string shown(std::string_view text, bool keeps_lines) {
  std::string out;
  while (!text.empty()) {
    const size_t length = utf8_sequence(text);
    const auto c = static_cast<unsigned char>(text[0]);
    if (length == 0 || is_deceptive(text)) out += kUnprintable;
    else if ((c >= 0x20 && c != 0x7f) || (keeps_lines && c == '\n')) out += text.substr(0, length);
    else if (keeps_lines && c == '\t') out += ' ';
    text.remove_prefix(length ? length : 1);
  }
  return out;
}

}  // namespace

bool is_deceptive(std::string_view s) {
  const auto third_in = [&](unsigned char from, unsigned char to) {
    const auto third = static_cast<unsigned char>(s.size() > 2 ? s[2] : 0);
    return third >= from && third <= to;
  };
  if (s.starts_with('\xC2')) return s.size() > 1 && static_cast<unsigned char>(s[1]) < 0xA0;  // C1: U+0080 to U+009F
  if (s.starts_with("\xE2\x80")) return third_in(0xA8, 0xAE);  // U+2028 to U+202E: line ends, embeddings, overrides
  return s.starts_with("\xE2\x81") && third_in(0xA6, 0xA9);    // U+2066 to U+2069: isolates
}

size_t utf8_sequence(std::string_view s) {
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

std::string printable(std::string_view text) { return shown(text, false); }
std::string printable_lines(std::string_view text) { return shown(text, true); }

}  // namespace footlight
