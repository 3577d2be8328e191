// libFuzzer's entry point for Python sources: their tokens follow each other, and their outlines nest.
#include "engine/source/line.h"
#include "engine/source/outline.h"

#include <algorithm>
#include <cstdlib>

using namespace footlight::source;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Lexer lexer(text);
  size_t end = 0;
  while (lexer.next()) {
    if (lexer.token.begin < end || lexer.token.end <= lexer.token.begin || lexer.token.end > size) std::abort();
    end = lexer.token.end;
  }
  const Outline outline = outline_of(text);
  for (const Function& f : outline.functions)
    if (f.line > f.last_line || outline.innermost(f.line) != &f) std::abort();
  for (const Loop& loop : outline.loops)
    if (loop.first_line > loop.line || loop.line > loop.last_line) std::abort();
  StatementLines statements;
  for (size_t at = 0; at < size;) {
    const size_t next = std::min(text.find('\n', at), size - 1) + 1;
    const std::string_view line = text.substr(at, next - at);
    statements.feed(line);
    names_in(line), lambda_text(line), defined_function(line), keyword_of(line), iterating_call(line);
    arguments_from(line, line.size() / 2);
    at = next;
  }
  return 0;
}
