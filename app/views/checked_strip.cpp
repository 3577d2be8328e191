// A line through the results, crosses where there is a NaN, and the marked call.
#include "app/views/checked_strip.h"

#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/paint.h"

#include <QHelpEvent>

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {

constexpr double kLeft = 224, kRight = 24, kTop = 12, kBottom = 26;

}  // namespace

CheckedStrip::CheckedStrip(QWidget* parent) : QWidget(parent) {
  setMinimumHeight(92);
  setAccessibleName(QStringLiteral("Checked calls"));
}

void CheckedStrip::set(std::vector<session::CheckedCall> calls, uint64_t marked) {
  calls_ = std::move(calls);
  std::ranges::sort(calls_, {}, &session::CheckedCall::call);
  marked_ = marked;
  const auto bad = std::ranges::count_if(calls_, [](const session::CheckedCall& c) { return c.nan > 0; });
  setAccessibleDescription(
      calls_.empty() ? QString()
                     : QStringLiteral("Calls %1 to %2; %3 hold NaN")
                           .arg(calls_.front().call).arg(calls_.back().call).arg(bad));
  update();
}

double CheckedStrip::x_of(size_t index) const {
  const double room = width() - kLeft - kRight;
  return kLeft + (calls_.size() < 2 ? 0.5 : static_cast<double>(index) / static_cast<double>(calls_.size() - 1)) * room;
}

void CheckedStrip::paintEvent(QPaintEvent*) {
  if (calls_.empty()) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Theme& t = theme();
  rounded(painter, QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, t["panel"], t["hairline"]);
  text_in(painter, QRectF(14, 8, 130, 18), QStringLiteral("Result of each call"), t["text"],
          t.ui(-1, QFont::DemiBold));
  text_in(painter, QRectF(14, 26, 130, 18), QStringLiteral("where it is one number"), t["faint"], t.ui(-2));
  double low = INFINITY, high = -INFINITY;
  for (const session::CheckedCall& call : calls_) {
    if (!std::isfinite(call.result)) continue;
    low = std::min(low, call.result);
    high = std::max(high, call.result);
  }
  const double top = kTop, bottom = height() - kBottom;
  const auto y_of = [&](double v) {
    return high > low ? bottom - (v - low) / (high - low) * (bottom - top) : (top + bottom) / 2;
  };
  for (size_t i = 0; i < calls_.size(); ++i)
    if (calls_[i].call == marked_)
      rounded(painter, QRectF(x_of(i) - 9, 4, 18, height() - 8), 4, t["selection"]);
  painter.setPen(QPen(t["teal"], 1.5));
  for (size_t i = 1; i < calls_.size(); ++i)
    if (std::isfinite(calls_[i - 1].result) && std::isfinite(calls_[i].result))
      painter.drawLine(QPointF(x_of(i - 1), y_of(calls_[i - 1].result)), QPointF(x_of(i), y_of(calls_[i].result)));
  const bool few = calls_.size() <= 200;
  for (size_t i = 0; i < calls_.size(); ++i) {
    const session::CheckedCall& call = calls_[i];
    if (call.nan || call.infinity) {
      const QPointF at(x_of(i), (top + bottom) / 2);
      painter.setPen(QPen(call.nan ? t["red"] : t["amber"], 1.8));
      painter.drawLine(at + QPointF(-3.5, -3.5), at + QPointF(3.5, 3.5));
      painter.drawLine(at + QPointF(-3.5, 3.5), at + QPointF(3.5, -3.5));
    } else if (few && std::isfinite(call.result)) {
      painter.setPen(Qt::NoPen);
      painter.setBrush(t["teal"]);
      painter.drawEllipse(QPointF(x_of(i), y_of(call.result)), 2.4, 2.4);
    }
  }
  if (high >= low) {
    const QRectF before(kLeft - 92, 0, 80, 14);
    text_in(painter, before.translated(0, y_of(high) - 7), q(explain::number_text(high)), t["faint"], t.code(-2),
            Qt::AlignRight | Qt::AlignVCenter);
    if (high > low)
      text_in(painter, before.translated(0, y_of(low) - 7), q(explain::number_text(low)), t["faint"], t.code(-2),
              Qt::AlignRight | Qt::AlignVCenter);
  }
  const auto name = [&](size_t i) {
    text_in(painter, QRectF(x_of(i) - 45, height() - 20.0, 90, 16), QStringLiteral("call %1").arg(calls_[i].call),
            calls_[i].call == marked_ ? t["text"] : t["faint"], t.code(-2), Qt::AlignCenter);
  };
  name(0);
  if (calls_.size() > 1) name(calls_.size() - 1);
  for (size_t i = 1; i + 1 < calls_.size(); ++i)
    if (calls_[i].call == marked_ && x_of(i) - x_of(0) > 90 && x_of(calls_.size() - 1) - x_of(i) > 90) name(i);
}

bool CheckedStrip::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || calls_.empty()) return QWidget::event(event);
  auto* const help = static_cast<QHelpEvent*>(event);
  size_t nearest = 0;
  for (size_t i = 1; i < calls_.size(); ++i)
    if (std::abs(x_of(i) - help->pos().x()) < std::abs(x_of(nearest) - help->pos().x())) nearest = i;
  const session::CheckedCall& call = calls_[nearest];
  QString text = QStringLiteral("Call %1: ").arg(call.call);
  if (call.nan) text += QStringLiteral("%1 NaN ").arg(call.nan);
  if (call.infinity) text += QStringLiteral("%1 Inf ").arg(call.infinity);
  if (!call.nan && !call.infinity) text += QStringLiteral("finite");
  if (std::isfinite(call.result)) text += QStringLiteral("; result %1").arg(q(explain::number_text(call.result)));
  show_tip(help->globalPos(), text, this);
  return true;
}

}  // namespace footlight::app
