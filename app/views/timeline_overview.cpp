// The strip above the tracks: how busy the run was, and which part of it is visible.
#include "app/views/paint.h"
#include "app/views/timeline_canvas.h"

#include <QMouseEvent>

#include <algorithm>
#include <cmath>

namespace footlight::app {

OverviewStrip::OverviewStrip(TimelineCanvas* canvas, QWidget* parent) : QWidget(parent), canvas_(canvas) {
  setFixedHeight(46);
  setAccessibleName(QStringLiteral("Overview of the run"));
  setCursor(Qt::PointingHandCursor);
  connect(canvas, &TimelineCanvas::range_changed, this, qOverload<>(&QWidget::update));
}

void OverviewStrip::set_queries(Queries* queries) {
  if (queries != queries_ || !queries) columns_.clear(), ticket_.withdraw();
  queries_ = queries;
  measure();
}

void OverviewStrip::measure() {
  update();
  if (!queries_) return;
  if (ticket_.waiting()) {
    again_ = true;
    return;
  }
  again_ = false;
  queries_->ask(
      ticket_,
      [range = canvas_->range(), columns = std::max(20, (width() - 12) / 5)](const query::Store& store,
                                                                             const query::Cancel& cancel) {
        return query::overview(store, range.first, range.last, columns, cancel);
      },
      [this](std::vector<query::OverviewColumn> columns) {
        columns_ = std::move(columns);
        update();
        if (again_) measure();
      });
}

void OverviewStrip::resizeEvent(QResizeEvent*) { measure(); }

void OverviewStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& t = theme();
  rounded(painter, rect(), 7, t["panel"], t["hairline"]);
  if (!queries_ || columns_.empty()) return;
  const double step = (width() - 12.0) / static_cast<double>(columns_.size());
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(Qt::NoPen);
  for (size_t i = 0; i < columns_.size(); ++i) {
    const double x = 6 + static_cast<double>(i) * step, room = height() - 14;
    const double busy = std::sqrt(columns_[i].busy) * room, tracing = columns_[i].tracing * room * 0.4;
    const bool mostly = columns_[i].tracing > 0.5f;
    const double tall = std::max(busy, tracing);
    if (tall < 0.5) continue;
    painter.setBrush(mostly ? t["amberFill"] : t["tealFill"]);
    painter.drawRect(QRectF(x, height() - 7 - tall, std::max(1.0, step - 1), tall));
  }
  const TimeRange& range = canvas_->range();
  const double whole = static_cast<double>(std::max<int64_t>(1, range.last - range.first));
  const double left =
      6 + (width() - 12) * std::clamp(static_cast<double>(canvas_->from() - range.first) / whole, 0.0, 1.0);
  const double right =
      6 + (width() - 12) * std::clamp(static_cast<double>(canvas_->to() - range.first) / whole, 0.0, 1.0);
  rounded(painter, QRectF(left, 2, std::max(4.0, right - left), height() - 4), 4,
          with_alpha(t["amber"], 0.14), with_alpha(t["amber"], 0.6));
}

void OverviewStrip::go(double x) {
  if (!queries_) return;
  const double share = std::clamp((x - 6) / std::max(1.0, width() - 12.0), 0.0, 1.0);
  const TimeRange& range = canvas_->range();
  const int64_t at = range.first + static_cast<int64_t>(share * static_cast<double>(range.last - range.first));
  const int64_t half = (canvas_->to() - canvas_->from()) / 2;
  canvas_->set_range(at - half, at + half);
}

void OverviewStrip::mousePressEvent(QMouseEvent* event) { go(event->position().x()); }
void OverviewStrip::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) go(event->position().x());
}

}  // namespace footlight::app
