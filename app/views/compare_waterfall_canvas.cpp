// Places and paints the bars, and takes mouse and keys.
#include "app/views/compare_waterfall_canvas.h"

#include "app/views/labels.h"
#include "app/views/paint.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>

namespace footlight::app {
namespace {

constexpr double kSide = 16, kAbove = 30, kBelow = 34;
constexpr double kWidestBar = 84, kThinnest = 2;

}  // namespace

WaterfallCanvas::WaterfallCanvas(QWidget* parent) : PaintedParts(parent) {
  setMinimumSize(260, 64);
  setAccessibleName(QStringLiteral("Where the difference goes"));
  setAccessibleDescription(QStringLiteral("Bars from one total over its parts to the other"));
}

void WaterfallCanvas::set_comparison(std::shared_ptr<const explain::Comparison> comparison) {
  comparison_ = std::move(comparison);
  waterfall_ = comparison_ && comparison_->pairs ? waterfall_of(*comparison_, false) : Waterfall();
  current_ = hovered_ = marked_ = -1;
  update();
}

void WaterfallCanvas::set_opened(bool opened) {
  if (!comparison_ || waterfall_.opened == opened) return;
  waterfall_ = waterfall_of(*comparison_, opened);
  hovered_ = -1;
  current_ = std::min(current_, parts() - 1);
  update();
}

void WaterfallCanvas::set_current(int bar) {
  current_ = bar;
  update();
}

void WaterfallCanvas::set_marked(int bar) {
  marked_ = bar;
  update();
}

QString WaterfallCanvas::part_name(int part) const {
  const WaterfallBar& bar = waterfall_.bars[static_cast<size_t>(part)];
  const bool of_part = bar.kind == WaterfallBar::Kind::kPart;
  return bar.name + QStringLiteral(", ") + (of_part ? time_words(bar.change()) : bar.value);
}

QString WaterfallCanvas::part_description(int part) const {
  return waterfall_.bars[static_cast<size_t>(part)].meaning;
}

QRectF WaterfallCanvas::column_rect(int bar) const {
  const double wide = (width() - 2 * kSide) / std::max(1, parts());
  return {kSide + bar * wide, 4, wide, height() - 8.0};
}

double WaterfallCanvas::y_of(double ns) const {
  const double room = height() - kAbove - kBelow;
  return kAbove + room * (waterfall_.highest - ns) / (waterfall_.highest - waterfall_.lowest);
}

QRectF WaterfallCanvas::bar_rect(int index) const {
  const WaterfallBar& bar = waterfall_.bars[static_cast<size_t>(index)];
  const QRectF column = column_rect(index);
  const double wide = std::min(kWidestBar, column.width() * 0.72);
  const double top = y_of(std::max(bar.from, bar.to)), bottom = y_of(std::min(bar.from, bar.to));
  const double tall = std::max(kThinnest, bottom - top);
  return {column.center().x() - wide / 2, bottom - top < kThinnest ? (top + bottom - tall) / 2 : top, wide, tall};
}

int WaterfallCanvas::bar_at(QPointF point) const {
  for (int i = 0; i < parts(); ++i)
    if (column_rect(i).contains(point)) return i;
  return -1;
}

QColor WaterfallCanvas::fill_of(const WaterfallBar& bar) const {
  const Theme& t = theme();
  if (bar.kind == WaterfallBar::Kind::kEager) return t["blueFill"];
  if (bar.kind == WaterfallBar::Kind::kTraced) return t["tealFill"];
  const bool unknown = bar.part.kind == explain::Part::Kind::kShare && bar.part.share == explain::Share::kUnexplained;
  if (unknown || bar.change() == 0) return t["greyFill"];
  return bar.change() < 0 ? t["greenFill"] : t["redFill"];
}

void WaterfallCanvas::draw_bar(QPainter& painter, int index) const {
  const Theme& t = theme();
  const WaterfallBar& bar = waterfall_.bars[static_cast<size_t>(index)];
  const QRectF rect = bar_rect(index), column = column_rect(index);
  if (index == hovered_ || index == current_)
    rounded(painter, column.adjusted(2, 0, -2, 0), 6, t[index == current_ ? "selection" : "hover"]);
  rounded(painter, rect, std::min(4.0, rect.height() / 2), fill_of(bar));
  const double x = rect.center().x();
  painter.setRenderHint(QPainter::Antialiasing, true);
  // A whisker may reach beyond the picture; its label stays in it.
  const double top = std::max(22.0, y_of(bar.high)), bottom = y_of(bar.low);
  if (bottom - top > 1) {
    painter.setPen(QPen(t["text"], 1));
    painter.drawLine(QPointF(x, top), QPointF(x, bottom));
    for (const double y : {top, bottom}) painter.drawLine(QPointF(x - 3, y), QPointF(x + 3, y));
  }
  if (index + 1 < parts()) {
    QPen dotted(t["edge"], 1, Qt::CustomDashLine);
    dotted.setDashPattern({3, 3});
    painter.setPen(dotted);
    painter.drawLine(QPointF(rect.right(), y_of(bar.to)), QPointF(bar_rect(index + 1).left(), y_of(bar.to)));
  }
  const double above = std::max(2.0, std::min({rect.top(), top, y_of(bar.from)}) - 20);
  text_in(painter, QRectF(column.left(), above, column.width(), 18), bar.value, t["text"], t.code(0), Qt::AlignCenter);
  QString name = bar.name;
  if (bar.joins_small) name += QString::fromUtf8(" ▸");
  text_in(painter, QRectF(column.left() + 2, height() - kBelow + 8, column.width() - 4, 20), name,
          index == marked_ ? t["amber"] : t["dim"], t.ui(-1, index == marked_ ? QFont::DemiBold : QFont::Normal),
          Qt::AlignCenter);
  if (index == marked_) {
    const double half = std::min(24.0, column.width() / 3);
    rounded(painter, QRectF(x - half, height() - 7.0, 2 * half, 2), 1, t["amberFill"]);
  }
  if (index == current_ && hasFocus())
    rounded(painter, column.adjusted(2, 0, -2, 0), 6, {}, with_alpha(t["focus"], 0.8), 1);
}

void WaterfallCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& t = theme();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(t["hairline"]);
  if (parts()) painter.drawLine(QPointF(kSide, y_of(0)), QPointF(width() - kSide, y_of(0)));
  for (int i = 0; i < parts(); ++i) draw_bar(painter, i);
  if (!parts())
    text_in(painter, rect(), QStringLiteral("No pair of repetitions was completed."), t["faint"], t.ui(),
            Qt::AlignCenter);
  if (current_ < 0) focus_ring(painter, this);
}

void WaterfallCanvas::choose(int bar) {
  current_ = bar;
  update();
  tell_current();
  Q_EMIT chosen(bar);
}

void WaterfallCanvas::press_part(int part) {
  const WaterfallBar& bar = waterfall_.bars[static_cast<size_t>(part)];
  if (bar.joins_small || bar.was_small) set_opened(!waterfall_.opened);
  choose(std::min(part, parts() - 1));
}

void WaterfallCanvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const int bar = bar_at(event->position());
  if (bar >= 0 && waterfall_.bars[static_cast<size_t>(bar)].joins_small) press_part(bar);
  else choose(bar);
}

void WaterfallCanvas::mouseMoveEvent(QMouseEvent* event) {
  const int bar = bar_at(event->position());
  if (bar == hovered_) return;
  hovered_ = bar;
  setCursor(bar >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
  update();
}

void WaterfallCanvas::leaveEvent(QEvent*) {
  hovered_ = -1;
  update();
}

void WaterfallCanvas::focusInEvent(QFocusEvent* event) {
  PaintedParts::focusInEvent(event);
  if (current_ < 0 && parts() && event->reason() != Qt::MouseFocusReason) set_current(0);
}

void WaterfallCanvas::keyPressEvent(QKeyEvent* event) {
  const int last = parts() - 1;
  if (last < 0 || event->modifiers() & (Qt::AltModifier | Qt::ControlModifier)) {
    PaintedParts::keyPressEvent(event);
    return;
  }
  switch (event->key()) {
    case Qt::Key_Right:
    case Qt::Key_Period: choose(std::min(last, current_ + 1)); break;
    case Qt::Key_Left:
    case Qt::Key_Comma: choose(std::max(0, current_ - 1)); break;
    case Qt::Key_Home: choose(0); break;
    case Qt::Key_End: choose(last); break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      if (current_ >= 0) press_part(current_);
      break;
    default: PaintedParts::keyPressEvent(event);
  }
}

bool WaterfallCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int bar = bar_at(help->pos());
    if (bar >= 0) show_tip(help->globalPos(), part_name(bar) + QLatin1Char('\n') + part_description(bar), this);
    else QToolTip::hideText();
    return true;
  }
  return PaintedParts::event(event);
}

}  // namespace footlight::app
