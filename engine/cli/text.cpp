// Walks over UTF-8 and replaces what is not valid.
#include "engine/cli/text.h"

#include <ctime>

namespace footlight::cli {

std::string valid_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = text[0] ? utf8_sequence(text) : 0;
    if (length) out += text.substr(0, length);
    else out += kUnprintable;
    text.remove_prefix(length ? length : 1);
  }
  return out;
}

std::string label_text(std::string_view text, size_t most) {
  std::string out;
  for (size_t characters = 0; !text.empty(); ++characters) {
    if (characters == most) return out + "\xE2\x80\xA6";  // an ellipsis
    const size_t length = utf8_sequence(text);
    const auto c = static_cast<unsigned char>(text[0]);
    const bool no_character = text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF");
    if (c == '\n' || c == '\t') out += ' ';
    else if (!length || c < 0x20 || c == 0x7f || no_character || is_deceptive(text)) out += kUnprintable;
    else out += text.substr(0, length);
    text.remove_prefix(length ? length : 1);
  }
  return out;
}

std::vector<std::string> text_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (;;) {
    const size_t end = text.find('\n');
    lines.push_back(printable(text.substr(0, end)));
    if (end == text.npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string local_time(int64_t ns) {
  const time_t seconds = ns / 1'000'000'000;
  tm parts;
  char text[32] = "";
  if (localtime_r(&seconds, &parts)) std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return text;
}

}  // namespace footlight::cli
