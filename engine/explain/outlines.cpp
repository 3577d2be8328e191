// Makes an outline of a file when it is first asked for.
#include "engine/explain/outlines.h"

#include "engine/source/line.h"

#include <algorithm>

namespace footlight::explain {

const source::Outline& Outlines::of(session::FileId file) {
  const auto [at, added] = outlines_.try_emplace(file);
  if (!added) return at->second;
  const auto record = std::ranges::find(evidence_.records().files, file, &session::FileRecord::id);
  if (record != evidence_.records().files.end()) at->second = source::outline_of(record->text);
  return at->second;
}

void each_line_of(const Evidence& evidence, const FunctionRun& run,
                  const std::function<bool(const Line&, std::string_view)>& look) {
  const Line definition = evidence.definition(run);
  if (!definition) return;
  Outlines outlines(evidence);
  const source::Outline& outline = outlines.of(definition.file);
  const auto function = std::ranges::find(outline.functions, outline.function_from(definition.line),
                                          &source::Function::line);
  if (function == outline.functions.end()) return;
  for (Line line{definition.file, function->line + 1}; line.line <= function->last_line; ++line.line)
    if (look(line, source::without_comment(evidence.text(line)))) return;
}

bool imports(const Evidence& evidence, session::FileId file, std::string_view package, bool by_name) {
  for (Line line{file, 1}; line.line <= evidence.line_count(file); ++line.line) {
    const std::string_view text = source::trimmed(source::without_comment(evidence.text(line)));
    const std::string_view word = source::leading_word(text);
    if (word != "import" && (by_name || word != "from")) continue;
    std::string_view rest = text.substr(word.size());
    while (!rest.empty()) {
      const size_t comma = word == "import" ? std::min(rest.find(','), rest.size()) : rest.size();
      const std::string_view one = source::trimmed(rest.substr(0, comma));
      const bool is_it = one.starts_with(package) && (one.size() == package.size() || one[package.size()] == ' ' ||
                                                      one[package.size()] == '.');
      if (is_it && (!by_name || one.find(" as ") == one.npos)) return true;
      rest.remove_prefix(std::min(rest.size(), comma + 1));
    }
  }
  return false;
}

}  // namespace footlight::explain
