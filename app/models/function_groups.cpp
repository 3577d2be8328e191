// Looks at the line of a definition. A library's function has none of its own: its line is the person's call.
#include "app/models/function_groups.h"

#include "app/models/text.h"

#include "engine/base/error_words.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace footlight::app {
namespace {

constexpr qsizetype kMaxTitle = 60;

std::string_view last_part(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == name.npos ? name : name.substr(dot + 1);
}

// "Dataset_map_scale" names what a dataset runs: "scale".
std::string_view written_name(std::string_view name) {
  name = last_part(name);
  if (!name.starts_with("Dataset_")) return name;
  for (const std::string_view what : {"flat_map_", "map_", "filter_", "interleave_", "reduce_", "scan_", "take_while_",
                                      "group_by_window_", "from_generator_", "batch_", "bucket_by_sequence_length_"})
    if (name.substr(8).starts_with(what)) return name.substr(8 + what.size());
  return name.substr(8);
}

bool is_lambda(std::string_view name) { return name == "<lambda>" || name == "lambda"; }

// From "lambda" to the bracket or comma that ends it. Empty where the line has several, or it goes on below.
QString lambda_text(const QString& line) {
  const qsizetype at = line.indexOf(QStringLiteral("lambda"));
  if (at < 0 || line.indexOf(QStringLiteral("lambda"), at + 1) >= 0) return {};
  int depth = 0;
  bool in_body = false;
  QChar quote;
  for (qsizetype i = at; i < line.size(); ++i) {
    const QChar c = line[i];
    if (!quote.isNull()) {
      if (c == quote && line[i - 1] != QLatin1Char('\\')) quote = QChar();
      continue;
    }
    if (c == QLatin1Char('"') || c == QLatin1Char('\'')) quote = c;
    if (QStringLiteral("([{").contains(c)) ++depth;
    const bool closes = QStringLiteral(")]}").contains(c);
    if (c == QLatin1Char(':') && depth == 0) in_body = true;
    if (depth == 0 && (closes || c == QLatin1Char('#') || (in_body && c == QLatin1Char(','))))
      return line.mid(at, i - at).trimmed();
    if (closes) --depth;
  }
  return depth == 0 && in_body ? line.mid(at).trimmed() : QString();
}

}  // namespace

QString function_title(const Document& document, const session::FunctionRecord& f) {
  if (!is_lambda(written_name(f.name))) return q(f.name);
  const Place place{f.file, f.line};
  const QString text = lambda_text(document.line_text(place));
  if (!text.isEmpty()) return text.size() > kMaxTitle ? text.left(kMaxTitle - 2) + QString::fromUtf8(" …") : text;
  const QString where = document.place_text(place);
  return where.isEmpty() ? q(f.name) : QStringLiteral("lambda at ") + where;
}

bool is_of_library(const Document& document, const session::FunctionRecord& f) {
  const session::FileRecord* file = document.file(f.file);
  if (!file) return false;
  if (!is_users_file(file->path)) return true;
  if (f.line < 1 || f.name == "train_function" || f.name == "test_function" || f.name == "predict_function")
    return false;
  const QString line = document.line_text({f.file, f.line});
  const std::string_view name = written_name(f.name);
  if (line.isEmpty()) return false;
  if (is_lambda(name)) return !line.contains(QStringLiteral("lambda"));
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
