// Goes up from a line to those that are indented less.
#include "engine/explain/enclosing.h"

#include "engine/source/line.h"

namespace footlight::explain {

Line enclosing(const Evidence& evidence, Line line, const std::function<bool(std::string_view head)>& wanted) {
  const std::string_view start = evidence.text(line);
  size_t indent = source::trimmed(start).empty() ? SIZE_MAX : source::indent_of(start).columns;
  while (--line.line > 0 && indent > 0) {
    const std::string_view text = evidence.text(line), head = source::unindented(text);
    const size_t own = source::indent_of(text).columns;
    if (source::is_blank_or_comment(text) || head[0] == '@' || own >= indent) continue;
    indent = own;
    if (wanted(head)) return line;
  }
  return {};
}

}  // namespace footlight::explain
