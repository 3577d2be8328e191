// Words for findings.
#include "app/models/findings.h"

#include "app/models/text.h"

#include <algorithm>
#include <set>

namespace footlight::app {
namespace {

QString values_text(const std::vector<std::string>& values, bool shapes) {
  QString text;
  for (size_t i = 0; i < values.size(); ++i) {
    // The first two and the last say how it goes.
    if (values.size() > 4 && i > 1 && i + 1 < values.size()) {
      if (i == 2) text += QString::fromUtf8(" → …");
      continue;
    }
    if (i) text += QString::fromUtf8(" → ");
    text += shapes ? QLatin1Char('[') + q(values[i]) + QLatin1Char(']') : short_number(q(values[i])).left(24);
  }
  return text;
}

FindingCard card_of(const Document& document, const explain::RetraceFinding& f) {
  FindingCard card;
  const session::FunctionRecord* function = document.function(f.function);
  card.function = function ? q(function->name) : QString();
  card.tone = QStringLiteral("amber");
  card.place = document.place(f.call);
  card.place_text = document.place_text(card.place);
  card.target = Selection::of_trace(document, f.example);
  const QString name = f.parameter.empty() ? q(f.path) : q(f.parameter);
  const QString many = QStringLiteral("%1: %2 values, ").arg(q(f.path)).arg(f.values.size());
  if (f.cause == "varying_shape") {
    card.title = name + QStringLiteral(" comes in many shapes");
    card.detail = QStringLiteral("%1: %2 shapes, %3")
                      .arg(q(f.path))
                      .arg(f.values.size())
                      .arg(values_text(f.values, true));
    QString dims;
    for (size_t d : f.dimensions) dims += (dims.isEmpty() ? QString() : QStringLiteral(", ")) + QString::number(d);
    card.detail += QStringLiteral("; dimension %1 varies").arg(dims);
    QString spec;
    const std::string first = f.values.empty() ? std::string() : f.values.front();
    size_t at = 0, index = 0;
    while (!first.empty()) {
      const size_t comma = first.find(',', at);
      const bool varies = std::find(f.dimensions.begin(), f.dimensions.end(), index) != f.dimensions.end();
      spec += (spec.isEmpty() ? QString() : QStringLiteral(", ")) +
              (varies ? QStringLiteral("None") : q(first.substr(at, comma == std::string::npos ? comma : comma - at)));
      if (comma == std::string::npos) break;
      at = comma + 1;
      ++index;
    }
    card.fix = QStringLiteral("tf.TensorSpec([%1], tf.%2)").arg(spec, q(f.type));
    if (function && function->decorator_line > 0) {
      card.place = {function->file, function->decorator_line};
      card.place_text = document.place_text(card.place);
    }
  } else {
    const bool text = f.type == "str" || f.type == "string";
    card.title = name + (text ? QStringLiteral(" is a Python string that changes")
                              : QStringLiteral(" is a Python number that changes"));
    card.detail = many + values_text(f.values, false);
    if (f.cause == "identical_graphs") {
      card.title = name + QStringLiteral(" changes, and the graph does not");
      card.detail += QStringLiteral("; the graphs are identical");
      card.fix = QStringLiteral("leave %1 out of the call").arg(name);
    } else {
      card.detail += QStringLiteral("; the graphs differ only in constants");
      card.fix = QStringLiteral("tf.constant(%1)").arg(name);
    }
    if (!f.also_paths.empty()) card.detail += QStringLiteral("; with it ") + joined(f.also_paths, ", ");
  }
  card.saving = QStringLiteral("replayed: saves %1 of %2 traces, %3")
                    .arg(f.traces_before - f.traces_after).arg(f.traces_before).arg(duration_text(f.saved_ns));
  return card;
}

}  // namespace

std::vector<FindingCard> finding_cards(const Document& document) {
  std::vector<FindingCard> cards;
  std::set<std::pair<FunctionId, std::string>> told;
  for (const session::TraceRecord& t : document.traces) {
    // A function that fails the same way each time is told of once.
    if (t.error.empty() || !told.emplace(t.function, t.error.substr(0, t.error.find('\n'))).second) continue;
    FindingCard card;
    const session::FunctionRecord* f = document.function(t.function);
    card.title = QStringLiteral("Tracing %1 failed").arg(f ? q(f->name) : QStringLiteral("a function"));
    card.function = f ? q(f->name) : QString();
    card.detail = q(t.error).section(QLatin1Char('\n'), 0, 0);
    card.place = document.place(t.source);
    card.place_text = document.place_text(card.place);
    card.tone = QStringLiteral("red");
    card.target = Selection::of_trace(document, t.id);
    cards.push_back(std::move(card));
    if (cards.size() >= 20) break;
  }
  explain::RetraceEvidence evidence{document.functions, document.traces, document.graphs, document.calls};
  for (const explain::RetraceFinding& f : explain::find_retraces(evidence)) cards.push_back(card_of(document, f));
  return cards;
}

}  // namespace footlight::app
