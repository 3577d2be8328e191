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

}  // namespace footlight::explain
