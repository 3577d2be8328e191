// Looks at the line of a definition. A library's function has none of its own: its line is the person's call.
#include "app/models/function_groups.h"

#include "app/models/text.h"

#include "engine/base/error_words.h"
#include "engine/explain/engines.h"
#include "engine/query/names.h"
#include "engine/session/nothing_ran.h"

#include <map>
#include <tuple>

namespace footlight::app {
QString function_title(const Document& document, const session::FunctionRecord& f) {
  const SourcePlace place{f.file, f.line};
  const std::string line = document.line_text(place).toStdString();
  const QString title = q(query::function_title(f, line, document.place_text(place).toStdString()));
  return explain::is_resume(f) ? QStringLiteral("%1, resumed %2").arg(title, q(f.options)) : title;
}

bool is_of_library(const Document& document, const session::FunctionRecord& f) {
  const session::FileRecord* file = document.file(f.file);
  // All functions of a program's text are its own.
  if (!file || session::nothing_ran(document.run.engine)) return false;
  if (!is_users_file(file->path)) return true;
  if (f.line < 1 || f.name == "train_function" || f.name == "test_function" || f.name == "predict_function")
    return false;
  const QString line = document.line_text({f.file, f.line});
  const std::string_view name = query::written_name(f.name);
  if (line.isEmpty()) return false;
  if (query::is_lambda(name)) return !line.contains(QStringLiteral("lambda"));
  // Defined here, or made here of something that has no line, such as a partial.
  const bool is_here = line.contains(QStringLiteral("def ")) || line.contains(QStringLiteral("class ")) ||
                       line.contains(QStringLiteral("function(")) || line.contains(q(name)) ||
                       line.trimmed().startsWith(QLatin1Char('@'));
  return !is_here;
}

std::vector<FunctionGroup> function_groups(const Document& document) {
  std::vector<FunctionGroup> groups;
  std::map<std::tuple<std::string, uint32_t, int, std::string>, size_t> known;
  for (const session::FunctionRecord& f : document.functions) {
    const bool has_place = f.file.valid() && f.line > 0;
    const auto next = groups.size();
    // A function and what resumes it have one name and line.
    const std::string resumed = explain::is_resume(f) ? "resumed " + f.options : std::string();
    const auto at = has_place ? known.try_emplace({f.name, f.file.value, f.line, resumed}, next).first->second : next;
    if (at == next) groups.push_back({{}, function_title(document, f), is_of_library(document, f)});
    groups[at].ids.push_back(f.id);
  }
  return groups;
}

}  // namespace footlight::app
