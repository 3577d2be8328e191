// Facts about a row of a comparison, and the texts around it.
#include "app/models/compare_facts.h"

#include "app/models/compare_units.h"
#include "app/models/text.h"

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {

QString percent(double share) { return QString::number(std::lround(share * 100)) + QStringLiteral(" %"); }

// The clock counts whole nanoseconds: a mean of less than one for each of `count` cannot be told.
bool is_below_clock(double ns, uint64_t count) { return count > 1 && ns < static_cast<double>(count); }

QString side_words(uint64_t count, const char* one, const char* many, const explain::Spread& time) {
  if (!count) return QStringLiteral("Nothing runs");
  if (is_below_clock(time.mean, count)) return counted(count, one, many) + QStringLiteral(", <1 ns each");
  return counted(count, one, many) + QStringLiteral(", ") + time_words(time.mean);
}

// "MatMul" of "MatMul", "AddV2, Relu" and "40 x Mul".
QString first_op(const std::string& ops) {
  QString first = q(ops).section(QStringLiteral(", "), 0, 0);
  if (const qsizetype times = first.indexOf(QStringLiteral(" x ")); times >= 0) first = first.mid(times + 3);
  return first;
}

void add_nodes(std::vector<CompareFact>& facts, const explain::Row& row) {
  if (!row.graph_nodes.empty() && !row.eager_ops.empty())
    facts.push_back({QStringLiteral("Nodes"), q(row.graph_nodes)});
}

void add_place(std::vector<CompareFact>& facts, const Document& document, const explain::Row& row) {
  if (!row.at) return;
  const SourcePlace place{row.at.file, row.at.line};
  facts.push_back({QStringLiteral("Source"), document.place_text(place), place});
}

}  // namespace

QString side_title(const explain::Comparison& c, const explain::Side& side) {
  return c.recorded ? q(side.name) : capitalized(q(side.name));
}

RowFacts facts_of_row(const Document& document, const explain::Comparison& c, const explain::Row& row) {
  RowFacts made;
  made.title = q(row.eager_ops.empty() ? row.graph_nodes : row.eager_ops);
  made.badge = QLatin1String(explain::name_of(row.group));
  made.why = row.why.empty() ? QLatin1String(explain::meaning_of(row.group)) : q(row.why);
  std::vector<CompareFact>& facts = made.facts;
  facts.push_back({side_title(c, c.eager), side_words(row.eager_count, "op", "ops", row.eager)});
  if (!row.has_difference()) {
    facts.push_back({side_title(c, c.traced), QStringLiteral("Not measured apart")});
    add_nodes(facts, row);
    add_place(facts, document, row);
    return made;
  }
  facts.push_back({side_title(c, c.traced), side_words(row.traced_count, c.recorded ? "op" : "kernel",
                                                          c.recorded ? "ops" : "kernels", row.traced)});
  const double saved = -row.difference.mean;
  QString by = time_words(std::abs(saved));
  facts.push_back({saved >= 0 ? QStringLiteral("Saved") : QStringLiteral("Slower by"), by});
  if (c.difference.mean < 0 && saved > 0)
    facts.push_back({QStringLiteral("Share"), QStringLiteral("%1 of %2").arg(percent(saved / -c.difference.mean),
                                                                           time_words(-c.difference.mean))});
  facts.push_back({QStringLiteral("Spread"),
                   QStringLiteral("%1 to %2").arg(time_words(row.difference.p5), time_words(row.difference.p95))});
  if (row.eager_bytes || row.traced_bytes)
    facts.push_back({QStringLiteral("Bytes"), bytes_text(row.eager_bytes) + QString::fromUtf8(" → ") +
                                                  bytes_text(row.traced_bytes)});
  if (row.flops) {
    const double ns = row.eager_count ? row.eager.mean : row.traced.mean;
    const bool has_rate = !is_below_clock(ns, row.eager_count ? row.eager_count : row.traced_count);
    facts.push_back({QStringLiteral("FLOPs"),
                     flops_text(row.flops) + (has_rate ? QStringLiteral(", %1 GFLOP/s")
                                                             .arg(rate_text(row.flops, std::llround(ns)))
                                                       : QString())});
  }
  if (!c.recorded) add_nodes(facts, row);
  add_place(facts, document, row);
  return made;
}

QString title_of(const explain::Comparison& c) {
  QString text =
      c.recorded ? q(c.title) : QStringLiteral("%1, arguments of call %2").arg(q(c.name), count_text(c.call));
  if (!c.device.empty()) text += QStringLiteral(", on ") + q(c.device);
  else if (c.simulated) text += QStringLiteral(", on a device");
  if (c.simulated) text += QStringLiteral(" (simulated)");
  return text;
}

QString short_title(const Document& document, const explain::Comparison& c) {
  if (c.recorded) return q(c.title);
  QString text = QStringLiteral("%1, call %2").arg(q(c.name), count_text(c.call));
  if (const session::TraceRecord* t = document.trace(c.trace)) text += QStringLiteral(", #%1").arg(t->number);
  return text;
}

QString how_made(const explain::Comparison& c) {
  if (c.recorded && c.pairs == 1) return QStringLiteral("As it was recorded");
  if (c.recorded)
    return QStringLiteral("%1 and %2 recorded calls; bars are means of the middle half, whiskers p5 to p95")
        .arg(count_text(c.eager.calls), count_text(c.traced.calls));
  QString text = QString::fromUtf8("%1 × %2 and %1 × %3, in turn; %4 of them were recorded; bars are means of the "
                                   "middle half, whiskers p5 to p95")
                     .arg(count_text(c.pairs), q(c.eager.name), q(c.traced.name), count_text(c.pairs_with_events));
  if (!c.stopped.empty()) text += QStringLiteral(". It stopped because ") + q(c.stopped);
  return text;
}

QString sentence_with_notes(const explain::Comparison& c) {
  QString text = q(explain::sentence_of(c));
  if (const std::string worth = explain::worth_of(c); !worth.empty()) text += QLatin1Char(' ') + q(worth);
  if (const std::string recording = explain::recording_of(c); !recording.empty())
    text += QLatin1Char(' ') + q(recording);
  if (c.pairs && !c.error.empty()) text += QStringLiteral(" A repetition failed: ") + q(c.error) + QLatin1Char('.');
  if (c.eager.lost + c.traced.lost > 0)
    text += QStringLiteral(" %1 lost, and their time is unexplained.")
                .arg(counted(c.eager.lost + c.traced.lost, "mark was", "marks were"));
  // Those of recordings are short: one behind the other.
  for (size_t i = 0; i < c.notes.size(); ++i)
    text += (i && c.recorded ? QStringLiteral("; ") : QStringLiteral("\n")) + q(c.notes[i]);
  return text;
}

std::string family_of(const Document& document, const explain::Comparison& c, const explain::Piece& piece) {
  using explain::Share;
  if (piece.share == Share::kDeviceCopy) return "move";
  if (piece.share != Share::kHostKernel && piece.share != Share::kDeviceKernel) return {};
  const bool known = piece.row >= 0 && static_cast<size_t>(piece.row) < c.rows.size();
  const explain::Row* row = known ? &c.rows[static_cast<size_t>(piece.row)] : nullptr;
  const auto family = [&](const QString& name) -> std::string {
    const std::string wanted = name.toStdString();
    const auto op = std::find_if(document.ops.begin(), document.ops.end(),
                                 [&](const OpInfo& o) { return o.name == wanted; });
    return op == document.ops.end() ? std::string() : op->family;
  };
  if (const std::string own = family(q(piece.label)); !own.empty()) return own;
  if (row && row->group == explain::Group::kFused) return "fused";
  const std::string of_row = row ? family(first_op(row->eager_ops)) : std::string();
  return of_row.empty() ? "elementwise" : of_row;
}

}  // namespace footlight::app
