// Sums the spans that fill a trace.
#include "app/models/phases.h"

#include "engine/query/trace_spans.h"

#include <algorithm>

namespace footlight::app {

QString phase_word(const std::string& name) {
  if (name == "autograph") return QStringLiteral("AutoGraph");
  if (name == "concrete") return QStringLiteral("concrete function");
  if (name == "python") return QStringLiteral("Python");
  if (name == "record") return QStringLiteral("recorder");
  return QString::fromStdString(name);
}

QString unexplained_word() { return QStringLiteral("unexplained"); }

std::vector<PhaseTime> own_times(const std::vector<const session::TraceRecord*>& traces) {
  std::vector<PhaseTime> sums;
  int64_t all = 0, known = 0;
  const auto add = [&](const QString& word, int64_t ns) {
    auto at = std::find_if(sums.begin(), sums.end(), [&](const PhaseTime& p) { return p.word == word; });
    if (at == sums.end()) at = sums.insert(sums.end(), {word, 0});
    at->ns += ns;
    known += ns;
  };
  for (const session::TraceRecord* trace : traces) {
    std::vector<QString> above;  // a span's parent is the last one that is less deep
    for (const query::TraceSpan& span : query::spans_of({trace}, nullptr)) {
      if (span.part == query::TracePart::kTrace) all += span.end - span.start;
      if (span.part != query::TracePart::kPhase || span.phase >= trace->phases.size()) continue;
      const QString word = phase_word(trace->phases[span.phase].name);
      above.resize(span.depth);
      above.back() = word;
      add(word, span.end - span.start);
      if (span.depth > 1) add(above[span.depth - 2u], span.start - span.end);
    }
  }
  if (all > known) add(unexplained_word(), all - known);
  return sums;
}

}  // namespace footlight::app
