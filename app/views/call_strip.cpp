// Chooses how wide calls are drawn, folds hits when there are many, and scrolls.
#include "app/views/call_strip.h"

#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/paint.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {
constexpr double kSide = 14, kGap = 5;
constexpr double kHitLeast = 8, kTraceWidth = 32;
}  // namespace

CallStrip::CallStrip(QWidget* parent) : QWidget(parent) {
  setFixedHeight(62);
  setMinimumWidth(120);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(QStringLiteral("Calls over time"));
}

void CallStrip::set_calls(const Document* document, FunctionId function, std::vector<query::CallRun> runs,
                          std::vector<query::CallRun> every) {
  if (function != function_ || document != document_) scroll_ = 0;
  document_ = document;
  function_ = function;
  runs_ = std::move(runs);
  every_ = std::move(every);
  measure();
}

void CallStrip::set_current(TraceId trace) {
  if (trace == current_) return;
  current_ = trace;
  for (size_t i = 0; i < cells_.size(); ++i) {
    if (cells_[i].trace != trace || cells_[i].kind != StripCell::Kind::kTrace) continue;
    const double room = width() - 2 * kSide;
    if (left_[i] < scroll_ || left_[i + 1] > scroll_ + room) {
      scroll_ = std::clamp(left_[i] - room / 3, 0.0, std::max(0.0, left_.back() - room));
      Q_EMIT scrolled();
    }
    break;
  }
  update();
}

double CallStrip::width_of(const StripCell& cell) const {
  if (cell.kind == StripCell::Kind::kTrace || cell.kind == StripCell::Kind::kFailed) return trace_;
  if (!folded_) return hit_;
  return 22 + 10 * std::log2(static_cast<double>(cell.count) + 1);
}

void CallStrip::measure() {
  cells_.clear();
  left_.assign(1, 0);
  calls_ = chosen_ = 0;
  if (document_) {
    calls_ = runs_.empty() ? 0 : runs_.back().first + runs_.back().count;
    for (const query::CallRun& run : runs_) chosen_ += run.chosen ? run.count : 0;
    const auto traces = static_cast<size_t>(std::count_if(runs_.begin(), runs_.end(), [](const query::CallRun& run) {
      return run.outcome == CallOutcome::kTrace || run.outcome == CallOutcome::kFailed;
    }));
    const double room = width() - 2 * kSide;
    int number = 0;
    for (const query::CallRun& run : runs_)
      if (const session::TraceRecord* t = document_->trace(run.trace)) number = std::max(number, t->number);
    const QFontMetrics metrics(theme().ui(-1, QFont::Bold));
    trace_ = std::max<double>(kTraceWidth, metrics.horizontalAdvance(QStringLiteral("#%1").arg(number)) + 8);
    const double others = static_cast<double>(calls_ - traces);
    const double each =
        others > 0 ? (room - static_cast<double>(traces) * (trace_ + kGap)) / others - kGap : kTraceWidth;
    folded_ = each < kHitLeast || every_.size() != calls_;
    hit_ = std::clamp(each, kHitLeast, kTraceWidth + 4);
    cells_ = call_strip(*document_, folded_ ? runs_ : every_);
    for (const StripCell& c : cells_) left_.push_back(left_.back() + width_of(c) + kGap);
    scroll_ = std::clamp(scroll_, 0.0, std::max(0.0, left_.back() - kGap - room));
  }
  QString said = document_ ? calls_summary(*document_, function_) : QString();
  if (chosen_ < calls_) said += QString::fromUtf8(" · ") + range_text();
  setAccessibleDescription(said);
  update();
  Q_EMIT scrolled();
}

QRectF CallStrip::cell_rect(size_t i) const {
  const StripCell& c = cells_[i];
  const double x = kSide + left_[i] - scroll_;
  const bool tall = c.kind == StripCell::Kind::kTrace || c.kind == StripCell::Kind::kFailed;
  return {x, tall ? 12.0 : 31.0, width_of(c), tall ? 33.0 : 14.0};
}

QString CallStrip::range_text() const {
  if (cells_.empty()) return {};
  if (chosen_ < calls_)
    return QStringLiteral("%1 of %2 marked").arg(count_text(chosen_), counted(calls_, "call", "calls"));
  const double room = width() - 2 * kSide;
  if (left_.back() - kGap <= room) return folded_ ? QStringLiteral("Hits between two traces are one bar") : QString();
  size_t first = cells_.size(), last = 0;
  for (size_t i = 0; i < cells_.size(); ++i) {
    if (left_[i + 1] - kGap <= scroll_ || left_[i] >= scroll_ + room) continue;
    first = std::min(first, cells_[i].first);
    last = cells_[i].first + cells_[i].count;
  }
  return QString::fromUtf8("Calls %1–%2 of %3 in view")
      .arg(count_text(first + 1), count_text(last), count_text(calls_ ? std::max(calls_, last) : last));
}

void CallStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& t = theme();
  rounded(painter, rect(), 7, t["panel"], t["hairline"]);
  if (cells_.empty()) {
    text_in(painter, QRectF(rect()).adjusted(14, 0, -14, 0), QStringLiteral("No calls were recorded"), t["faint"],
            t.ui());
    return;
  }
  painter.setClipRect(rect().adjusted(6, 1, -6, -1));
  for (size_t i = 0; i < cells_.size(); ++i) {
    const QRectF cell = cell_rect(i);
    if (cell.right() < 0) continue;
    if (cell.left() > width()) break;
    const StripCell& c = cells_[i];
    const bool mine = c.trace.valid() && c.trace == current_;
    painter.setOpacity(c.chosen ? 1 : 0.3);
    switch (c.kind) {
      case StripCell::Kind::kTrace:
      case StripCell::Kind::kFailed:
        rounded(painter, cell, 4, c.kind == StripCell::Kind::kTrace ? t["amberFill"] : t["redFill"]);
        text_in(painter, cell, c.number ? QStringLiteral("#%1").arg(c.number) : QStringLiteral("!"),
                t["onFill"], t.ui(-1, QFont::Bold), Qt::AlignCenter);
        painter.setOpacity(1);
        if (mine) rounded(painter, cell.adjusted(-3, -3, 3, 3), 6, {}, t["text"], 1.5);
        break;
      case StripCell::Kind::kHits:
      case StripCell::Kind::kEager:
        rounded(painter, cell, 3, c.kind == StripCell::Kind::kHits ? t["tealFill"] : t["blueFill"]);
        if (c.count > 1 && cell.width() > 26) {
          text_in(painter, cell, QString::fromUtf8("×%1").arg(c.count), t["onFill"],
                  t.ui(-3, QFont::DemiBold), Qt::AlignCenter);
        }
        break;
    }
  }
  painter.setOpacity(1);
  painter.setClipping(false);
  focus_ring(painter, this);
}

int CallStrip::cell_at(double x) const {
  for (size_t i = 0; i < cells_.size(); ++i) {
    const QRectF r = cell_rect(i);
    if (x >= r.left() - 2 && x <= r.right() + 2) return static_cast<int>(i);
  }
  return -1;
}

void CallStrip::contextMenuEvent(QContextMenuEvent* event) {
  const bool by_mouse = event->reason() == QContextMenuEvent::Mouse;
  const int cell = by_mouse ? cell_at(event->pos().x()) : -1;
  const TraceId trace = cell >= 0 ? cells_[static_cast<size_t>(cell)].trace : by_mouse ? TraceId() : current_;
  if (trace.valid()) Q_EMIT menu_asked(trace, by_mouse ? event->globalPos() : mapToGlobal(rect().center()));
}

void CallStrip::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const int cell = cell_at(event->position().x());
  if (cell < 0) return;
  const StripCell& c = cells_[static_cast<size_t>(cell)];
  if (c.kind == StripCell::Kind::kTrace && c.trace.valid()) {
    Q_EMIT trace_chosen(c.trace);
  } else {
    Q_EMIT call_chosen(c.first);
  }
}

void CallStrip::wheelEvent(QWheelEvent* event) {
  const double room = width() - 2 * kSide;
  const double most = std::max(0.0, left_.back() - kGap - room);
  const double delta = event->angleDelta().y() ? event->angleDelta().y() : event->angleDelta().x();
  scroll_ = std::clamp(scroll_ - delta, 0.0, most);
  update();
  Q_EMIT scrolled();
  event->setAccepted(most > 0);
}

void CallStrip::step(int by) {
  // Arrow keys go from trace to trace.
  int at = -1;
  std::vector<size_t> traces;
  for (size_t i = 0; i < cells_.size(); ++i) {
    if (cells_[i].kind != StripCell::Kind::kTrace) continue;
    if (cells_[i].trace == current_) at = static_cast<int>(traces.size());
    traces.push_back(i);
  }
  if (traces.empty()) return;
  at = std::clamp(at + by, 0, static_cast<int>(traces.size()) - 1);
  Q_EMIT trace_chosen(cells_[traces[static_cast<size_t>(at)]].trace);
}

void CallStrip::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Right:
    case Qt::Key_Period: step(1); break;
    case Qt::Key_Left:
    case Qt::Key_Comma:
      if (event->modifiers() & Qt::AltModifier) QWidget::keyPressEvent(event);
      else step(-1);
      break;
    case Qt::Key_Home: step(-1000000); break;
    case Qt::Key_End: step(1000000); break;
    default: QWidget::keyPressEvent(event);
  }
}

void CallStrip::resizeEvent(QResizeEvent*) { measure(); }

bool CallStrip::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int cell = cell_at(help->pos().x());
    if (cell < 0) {
      QToolTip::hideText();
    } else {
      const StripCell& c = cells_[static_cast<size_t>(cell)];
      const session::TraceRecord* trace = document_ ? document_->trace(c.trace) : nullptr;
      QString text = c.kind == StripCell::Kind::kTrace
                         ? QStringLiteral("Call %1 made trace #%2").arg(c.first + 1).arg(c.number)
                     : c.kind == StripCell::Kind::kFailed ? QStringLiteral("Call %1 failed").arg(c.first + 1)
                     : c.kind == StripCell::Kind::kEager
                         ? QStringLiteral("Call %1 ran eagerly").arg(c.first + 1)
                     : c.count > 1 ? QStringLiteral("%1 hits from call %2 on").arg(c.count).arg(c.first + 1)
                                   : QStringLiteral("Call %1 hit trace #%2").arg(c.first + 1).arg(c.number);
      if (c.kind == StripCell::Kind::kTrace && trace && !trace->why.empty()) text += QLatin1Char('\n') + q(trace->why);
      show_tip(help->globalPos(), text, this);
    }
    return true;
  }
  return QWidget::event(event);
}

}  // namespace footlight::app
