// Escapes markup, and turns words that would be live even so into code.
#include "engine/base/markdown_text.h"

#include "engine/base/terminal_text.h"

#include <algorithm>

namespace footlight {
namespace {

size_t longest_backquotes(std::string_view text) {
  size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

// Readers of Markdown make links, mentions, references and formulas out of such words even where they are escaped, but
// not where they are code.
bool is_live(std::string_view word) {
  return word.find_first_of("@$#") != word.npos || word.find("://") != word.npos || word.find("www.") != word.npos;
}

// Removes line ends and control characters.
std::string line_of(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return printable(line);
}

}  // namespace

std::string markdown_code(std::string_view text, bool in_cell) {
  const std::string shown = line_of(text);
  if (shown.empty()) return "";
  std::string out;
  for (const char c : shown) {
    if (c == '|' && in_cell) out += '\\';
    out += c;
  }
  const std::string fence(longest_backquotes(shown) + 1, '`');
  const std::string space = shown.front() == '`' || shown.back() == '`' ? " " : "";
  return fence + space + out + space + fence;
}

std::string markdown_words(std::string_view given, bool in_cell) {
  const std::string line = line_of(given);
  std::string_view text = line;
  std::string out;
  for (bool first = true; !text.empty() || first; first = false) {
    const size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    if (is_live(word)) {
      out += markdown_code(word, in_cell);
    } else {
      // These characters begin a list, a heading or a rule at the start of a line.
      const size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
      for (size_t i = 0; i < word.size(); ++i) {
        const bool begins = first && !in_cell &&
                            ((i == 0 && std::string_view("-+=").find(word[i]) != std::string_view::npos) ||
                             (i > 0 && i == digits && (word[i] == '.' || word[i] == ')')));
        if (begins || std::string_view("\\`*_<>[]|~&!").find(word[i]) != std::string_view::npos) out += '\\';
        out += word[i];
      }
    }
    if (end == text.npos) break;
    out += ' ';
    text.remove_prefix(end + 1);
  }
  return out;
}

std::string markdown_block(std::string_view language, std::string_view lines) {
  const std::string fence(std::max<size_t>(3, longest_backquotes(lines) + 1), '`');
  std::string block = fence + std::string(language) + '\n';
  for (size_t at = 0; at < lines.size();) {  // tabs are kept, which a patch needs
    const size_t end = std::min(lines.find('\t', at), lines.size());
    block += printable_lines(lines.substr(at, end - at));
    if (end < lines.size()) block += '\t';
    at = end + 1;
  }
  return block + fence + '\n';
}

}  // namespace footlight
