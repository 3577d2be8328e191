// Writes the figures and what they changed by.
#include "app/views/run_table.h"

#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/theme.h"

namespace footlight::app {
namespace {

QString last_line(const QString& printed) {
  return printed.trimmed().section(QLatin1Char('\n'), -1).left(40);
}

QString change_text(int64_t by_ns) {
  if (by_ns == 0) return QStringLiteral("same");
  return QString::fromUtf8(by_ns < 0 ? "−" : "+") + duration_text(std::abs(by_ns));
}

// Why the second run says nothing about the finding; empty if it does.
QString why_unknown(const QString& function, const RunPair& pair) {
  if (pair.after.failed && !pair.before.failed) return QStringLiteral("The run failed");
  if (!pair.after.calls && pair.before.calls) return function + QStringLiteral(" was not called");
  return {};
}

int sign(int64_t was, int64_t is) { return is < was ? 1 : is > was ? -1 : 0; }

}  // namespace

RunTable::RunTable(QWidget* parent) : QFrame(parent) {
  setProperty("role", "card");
  grid_ = new QGridLayout(this);
  grid_->setContentsMargins(16, 12, 16, 12);
  grid_->setHorizontalSpacing(24);
  grid_->setVerticalSpacing(9);
  grid_->setColumnStretch(4, 1);
}

void RunTable::clear() {
  while (QLayoutItem* item = grid_->takeAt(0)) {
    if (item->widget()) item->widget()->deleteLater();
    delete item;
  }
  rows_.clear();
}

void RunTable::set_text(const QString& text) {
  clear();
  setAccessibleName(text);
  auto* label = plain_label(text, "dim");
  label->setWordWrap(true);
  grid_->addWidget(label, 0, 0, 1, 5);
}

void RunTable::add(const QStringList& cells, int better) {
  const int row = static_cast<int>(rows_.size());
  rows_.push_back(cells);
  for (int c = 0; c < cells.size(); ++c) {
    auto* label = new ElidedLabel(cells[c]);
    if (row == 0) label->setProperty("role", "faint");
    if (c > 0) label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    if (c > 0) label->setFont(theme().code());
    if (c == 3 && better != 0)
      label->setStyleSheet(QStringLiteral("color: ") + theme()[better > 0 ? "green" : "red"].name());
    grid_->addWidget(label, row, c, c > 0 ? Qt::AlignRight : Qt::AlignLeft);
  }
}

void RunTable::set_runs(const QString& function, const RunPair& pair) {
  if (!pair.error.isEmpty()) return set_text(QStringLiteral("The two runs cannot be compared: ") + pair.error);
  clear();
  const RunFigures &was = pair.before, &is = pair.after;
  const QString unknown = why_unknown(function, pair);
  const auto judged = [&](int better) { return unknown.isEmpty() ? better : 0; };
  add({{}, was.clock, is.clock, {}}, 0);
  if (was.ended != is.ended || !unknown.isEmpty()) add({QStringLiteral("Ended"), was.ended, is.ended, unknown}, -1);
  const auto traces = [](size_t n) { return static_cast<int64_t>(n); };
  const int64_t more = traces(is.traces) - traces(was.traces);
  add({QStringLiteral("Traces of ") + function, count_text(was.traces), count_text(is.traces),
       more == 0  ? QStringLiteral("same")
       : more < 0 ? QString::fromUtf8("−") + count_text(static_cast<uint64_t>(-more))
                  : QStringLiteral("+") + count_text(static_cast<uint64_t>(more))},
      judged(sign(traces(was.traces), traces(is.traces))));
  add({QStringLiteral("Tracing it"), duration_text(was.trace_ns), duration_text(is.trace_ns),
       change_text(is.trace_ns - was.trace_ns)},
      judged(sign(was.trace_ns, is.trace_ns)));
  add({QStringLiteral("First event to last"), duration_text(was.times.events_ns), duration_text(is.times.events_ns),
       change_text(is.times.events_ns - was.times.events_ns)},
      judged(sign(was.times.events_ns, is.times.events_ns)));
  add({QStringLiteral("Run, imports included"), duration_text(was.times.run_ns), duration_text(is.times.run_ns),
       change_text(is.times.run_ns - was.times.run_ns)},
      0);
  const bool same = was.printed == is.printed;
  add({QStringLiteral("Last line printed"), last_line(was.printed), last_line(is.printed),
       same ? QStringLiteral("Same output") : QStringLiteral("Other output")},
      judged(same ? 1 : -1));
  if (!unknown.isEmpty()) {
    add({QStringLiteral("This finding"), was.found ? QStringLiteral("Yes") : QStringLiteral("No"),
         QStringLiteral("Not known"), unknown},
        0);
    return say_rows();
  }
  add({QStringLiteral("This finding"), was.found ? QStringLiteral("Yes") : QStringLiteral("No"),
       is.found ? QStringLiteral("Yes") : QStringLiteral("No"),
       was.found && !is.found ? QStringLiteral("Gone") : is.found ? QStringLiteral("Still there") : QString()},
      was.found && !is.found ? 1 : is.found ? -1 : 0);
  if (was.cost_ns)
    add({QStringLiteral("What it costs"), duration_text(was.cost_ns), duration_text(is.cost_ns),
         change_text(is.cost_ns - was.cost_ns)},
        sign(was.cost_ns, is.cost_ns));
  say_rows();
}

void RunTable::say_rows() {
  QStringList said;
  for (const QStringList& row : rows_) said << row.join(QLatin1Char(' ')).trimmed();
  setAccessibleName(said.join(QStringLiteral("; ")));
}

}  // namespace footlight::app
