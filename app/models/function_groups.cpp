// Looks at the line of a definition. A library's function has none of its own: its line is the person's call.
#include "app/models/function_groups.h"

#include "app/models/text.h"

#include "engine/base/error_words.h"
#include "engine/query/names.h"

#include <map>
#include <tuple>

namespace footlight::app {
QString function_title(const Document& document, const session::FunctionRecord& f) {
  const SourcePlace place{f.file, f.line};
  const std::string line = document.line_text(place).toStdString();
  return q(query::function_title(f, line, document.place_text(place).toStdString()));
}

bool is_of_library(const Document& document, const session::FunctionRecord& f) {
  const session::FileRecord* file = document.file(f.file);
  if (!file) return false;
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
  std::map<std::tuple<std::string, uint32_t, int>, size_t> known;
  for (const session::FunctionRecord& f : document.functions) {
    const bool has_place = f.file.valid() && f.line > 0;
    const auto next = groups.size();
    const auto at = has_place ? known.try_emplace({f.name, f.file.value, f.line}, next).first->second : next;
    if (at == next) groups.push_back({{}, function_title(document, f), is_of_library(document, f)});
    groups[at].ids.push_back(f.id);
  }
  return groups;
}

}  // namespace footlight::app
