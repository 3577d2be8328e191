// Goes up from a line to those that are indented less.
#include "engine/explain/enclosing.h"

namespace footlight::explain {
namespace {

size_t indent_of(std::string_view text) {
  const size_t at = text.find_first_not_of(" \t");
  return at == text.npos ? SIZE_MAX : at;
}

}  // namespace

std::string_view unindented(std::string_view text) {
  text.remove_prefix(std::min(text.size(), indent_of(text)));
  return text;
}

Line enclosing(const Evidence& evidence, Line line, const std::function<bool(std::string_view head)>& wanted) {
  size_t indent = indent_of(evidence.text(line));
  while (--line.line > 0 && indent > 0) {
    const std::string_view text = evidence.text(line);
    const size_t own = indent_of(text);
    if (own == SIZE_MAX || own >= indent || text[own] == '#' || text[own] == '@') continue;
    indent = own;
    if (wanted(unindented(text))) return line;
  }
  return {};
}

}  // namespace footlight::explain
