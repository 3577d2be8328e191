// Looks among lines, functions and traces, and last among the nodes of the selected trace.
#include "app/models/selection_names.h"

#include "app/models/text.h"

#include <QStringList>

#include <algorithm>
#include <set>

namespace footlight::app {
namespace {

constexpr qsizetype kMaxWays = 6;

struct Place {
  session::FileId file;
  int line = 0;
};

// "train.py:12"; line 0: it is no such place.
Place place_named(const Document& document, const QString& text) {
  const qsizetype colon = text.lastIndexOf(QLatin1Char(':'));
  const int line = colon > 0 ? text.mid(colon + 1).toInt() : 0;
  if (line <= 0) return {};
  const session::FileId file = document.file_named(text.left(colon).toStdString());
  return file.valid() ? Place{file, line} : Place{};
}

// The function itself, or its trace with that number.
std::optional<Selection> of_function(const Document& document, const session::FunctionRecord& f, int number) {
  if (!number) return Selection::of_function(document, f.id);
  for (const session::TraceRecord* t : document.traces_of(f.id))
    if (t->number == number) return Selection::of_trace(document, t->id);
  return std::nullopt;
}

// A node of the graphs of the selected trace.
std::optional<Named> node_named(const Document& document, const Selection& current, const QString& text) {
  const session::TraceRecord* t = document.trace(current.trace);
  for (GraphId id : t ? document.graphs_of_trace(t->id) : std::vector<GraphId>{}) {
    const session::GraphRecord* g = document.graph(id);
    for (size_t i = 0; g && i < g->nodes.size(); ++i)
      if (q(g->nodes[i].name) == text) return Named{Selection::of_node(document, id, g->nodes[i].id), {}};
  }
  return std::nullopt;
}

}  // namespace

Named selection_named(const Document& document, const Selection& current, const QString& text) {
  if (const Place at = place_named(document, text); at.line)
    return {Selection::of_line(document, {at.file, at.line}), {}};
  const qsizetype hash = text.lastIndexOf(QLatin1Char('#'));
  const QString name = hash >= 0 ? text.left(hash) : text;
  const int number = hash >= 0 ? text.mid(hash + 1).toInt() : 0;
  const Named nothing{std::nullopt, QStringLiteral("nothing in this run has the name '%1'").arg(text)};
  if (hash >= 0 && number < 1) return node_named(document, current, text).value_or(nothing);
  const Place place = hash >= 0 ? place_named(document, name) : Place{};
  std::optional<Selection> first;
  QStringList ways;
  std::set<std::pair<uint32_t, int>> definitions;
  for (const session::FunctionRecord& f : document.functions) {
    if (place.line) {
      if (f.file != place.file || (f.line != place.line && f.decorator_line != place.line)) continue;
    } else if (name.isEmpty()) {
      if (current.function.valid() && f.id != current.function) continue;
    } else if (q(f.name) != name) {
      continue;
    }
    const std::optional<Selection> found = of_function(document, f, number);
    if (!found) continue;
    if (!first) first = found;
    if (definitions.emplace(f.file.value, f.line).second)
      ways << document.place_text({f.file, f.line}) + QStringLiteral("#%1").arg(std::max(1, number));
  }
  // Functions that one line makes again and again are one definition, of which the first is meant.
  if (ways.size() > 1 && !name.isEmpty() && !place.line) {
    const qsizetype all = ways.size();
    if (all > kMaxWays) ways = ways.mid(0, kMaxWays) << QString::fromUtf8("…");
    return {std::nullopt, QStringLiteral("there are %1 functions with the name '%2'; say which: %3")
                              .arg(all).arg(name, ways.join(QStringLiteral(", ")))};
  }
  if (first) return {first, {}};
  return node_named(document, current, text).value_or(nothing);
}

}  // namespace footlight::app
