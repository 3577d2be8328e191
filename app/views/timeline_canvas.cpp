// Time to pixels and back, the keys and the mouse of the timeline, the overview strip.
#include "app/views/timeline_canvas.h"

#include "app/models/text.h"
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
constexpr double kLabels = 132, kAxis = 26, kPad = 8;
}

TimelineCanvas::TimelineCanvas(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(260, 80);
  setAccessibleName(QStringLiteral("Timeline"));
}

void TimelineCanvas::set_data(const TimelineData* data, const Document* document, bool another) {
  const bool whole = !data_ || another || (from_ <= data_->first && to_ >= data_->last);
  data_ = data;
  document_ = document;
  hovered_ = {};
  if (another) mark_from_ = mark_to_ = 0;
  selected_ = find_selected();
  setMinimumHeight(content_height());
  if (whole) fit();
  update();
}

double TimelineCanvas::lane_height(const Track& track) const { return track.kind == Track::Kind::kApi ? 18 : 22; }

double TimelineCanvas::track_height(const Track& track) const {
  return std::max(44.0, static_cast<double>(track.lanes.size()) * (lane_height(track) + 3) + 2 * kPad);
}

double TimelineCanvas::track_top(size_t track) const {
  double y = kAxis;
  for (size_t i = 0; i < track; ++i) y += track_height(data_->tracks[i]);
  return y;
}

int TimelineCanvas::content_height() const {
  return data_ ? static_cast<int>(track_top(data_->tracks.size())) + 4 : 80;
}

double TimelineCanvas::x_of(int64_t time) const {
  return kLabels + static_cast<double>(time - from_) /
                       static_cast<double>(std::max<int64_t>(1, to_ - from_)) * (width() - kLabels);
}

int64_t TimelineCanvas::time_of(double x) const {
  return from_ + static_cast<int64_t>((x - kLabels) / std::max(1.0, width() - kLabels) *
                                      static_cast<double>(to_ - from_));
}

void TimelineCanvas::set_range(int64_t from, int64_t to) {
  if (!data_) return;
  const int64_t whole = std::max<int64_t>(1, data_->last - data_->first);
  int64_t span = std::clamp<int64_t>(to - from, 200, whole + whole / 10);
  const int64_t slack = span / 20;
  from = std::clamp(from, data_->first - slack, std::max(data_->first - slack, data_->last + slack - span));
  if (from == from_ && from + span == to_) return;
  from_ = from;
  to_ = from + span;
  update();
  Q_EMIT range_changed();
}

void TimelineCanvas::fit() {
  if (!data_) return;
  const int64_t slack = std::max<int64_t>(1, (data_->last - data_->first) / 100);
  set_range(data_->first - slack, data_->last + slack);
}

void TimelineCanvas::zoom(double factor, double x) {
  const int64_t at = time_of(std::max(x, kLabels));
  const double span = static_cast<double>(to_ - from_) / factor;
  const double share = static_cast<double>(at - from_) / static_cast<double>(std::max<int64_t>(1, to_ - from_));
  const int64_t from = at - static_cast<int64_t>(span * share);
  set_range(from, from + static_cast<int64_t>(span));
}

void TimelineCanvas::pan(double share) {
  const int64_t by = static_cast<int64_t>(static_cast<double>(to_ - from_) * share);
  set_range(from_ + by, to_ + by);
}

void TimelineCanvas::mark_range(int64_t from, int64_t to) {
  if (to < from) std::swap(from, to);
  mark_from_ = from;
  mark_to_ = to;
  update();
  Q_EMIT marked_changed();
}

TimelineCanvas::Hit TimelineCanvas::hit_at(QPointF point) const {
  Hit hit;
  if (!data_ || point.x() < kLabels) return hit;
  double y = kAxis;
  for (size_t i = 0; i < data_->tracks.size(); ++i) {
    const Track& track = data_->tracks[i];
    const double height = track_height(track);
    if (point.y() >= y && point.y() < y + height) {
      const double lane = (point.y() - y - kPad) / (lane_height(track) + 3);
      if (lane < 0 || lane >= static_cast<double>(track.lanes.size())) return hit;
      hit.track = static_cast<int>(i);
      hit.lane = static_cast<int>(lane);
      const int64_t slack =
          static_cast<int64_t>(3 * static_cast<double>(to_ - from_) / std::max(1.0, width() - kLabels));
      hit.index = track.lanes[static_cast<size_t>(hit.lane)].at(time_of(point.x()), slack);
      return hit;
    }
    y += height;
  }
  return hit;
}

QRectF TimelineCanvas::rect_of(const Hit& hit) const {
  const Track& track = data_->tracks[static_cast<size_t>(hit.track)];
  const Span& s = track.lanes[static_cast<size_t>(hit.lane)].spans()[static_cast<size_t>(hit.index)];
  const double left = x_of(s.start), right = std::max(left + 1.5, x_of(s.end));
  return {left, track_top(static_cast<size_t>(hit.track)) + kPad + hit.lane * (lane_height(track) + 3),
          right - left, lane_height(track)};
}

Selection TimelineCanvas::selection_of(const Hit& hit) const {
  const Track& track = data_->tracks[static_cast<size_t>(hit.track)];
  const Span& s = track.lanes[static_cast<size_t>(hit.lane)].spans()[static_cast<size_t>(hit.index)];
  switch (track.kind) {
    case Track::Kind::kCalls:
      if (s.ref >= document_->calls.size()) return {};
      if (s.flags & kSpanPhase) return Selection::of_trace(*document_, document_->calls[s.ref].trace);
      return Selection::of_call(*document_, document_->calls[s.ref].id);
    case Track::Kind::kOps: return Selection::of_event(*document_, track.thread, s.ref);
    case Track::Kind::kDevice:
    case Track::Kind::kApi: return Selection::of_device(s.ref);
  }
  return {};
}

// The bar that is the selection, so that stepping and framing know where to begin.
TimelineCanvas::Hit TimelineCanvas::find_selected() const {
  if (!data_ || !document_) return {};
  const auto search = [&](Track::Kind kind, auto&& wanted) {
    Hit hit;
    for (size_t t = 0; t < data_->tracks.size(); ++t) {
      const Track& track = data_->tracks[t];
      if (track.kind != kind && !(kind == Track::Kind::kDevice && track.kind == Track::Kind::kApi)) continue;
      for (size_t l = 0; l < track.lanes.size(); ++l) {
        const auto& spans = track.lanes[l].spans();
        for (size_t i = 0; i < spans.size(); ++i) {
          if (!wanted(track, spans[i])) continue;
          hit.track = static_cast<int>(t), hit.lane = static_cast<int>(l), hit.index = static_cast<ptrdiff_t>(i);
          return hit;
        }
      }
    }
    return hit;
  };
  switch (selection_.kind) {
    case Selection::Kind::kEvent:
      return search(Track::Kind::kOps, [&](const Track& track, const Span& s) {
        return track.thread == selection_.thread && s.ref == selection_.index;
      });
    case Selection::Kind::kDevice:
      return search(Track::Kind::kDevice, [&](const Track&, const Span& s) { return s.ref == selection_.index; });
    case Selection::Kind::kCall:
      return search(Track::Kind::kCalls, [&](const Track&, const Span& s) {
        return !(s.flags & kSpanPhase) && s.ref < document_->calls.size() &&
               document_->calls[s.ref].id == selection_.call;
      });
    case Selection::Kind::kTrace:
      return search(Track::Kind::kCalls, [&](const Track&, const Span& s) {
        return (s.flags & kSpanTrace) && s.ref < document_->calls.size() &&
               document_->calls[s.ref].trace == selection_.trace;
      });
    case Selection::Kind::kNode:
    case Selection::Kind::kLine:
    case Selection::Kind::kGenerated:
      return search(Track::Kind::kOps, [&](const Track& track, const Span& s) {
        const OpSpan* e = document_->event(track.thread, s.ref);
        return e && event_belongs(*document_, selection_, *e);
      });
    default: return {};
  }
}

void TimelineCanvas::set_selection(const Selection& selection) {
  selection_ = selection;
  selected_ = find_selected();
  if (selected_.valid()) setAccessibleDescription(describe(selected_));
  update();
}

void TimelineCanvas::frame_selection() {
  if (has_marked_range() && !selected_.valid()) {
    const int64_t slack = (mark_to_ - mark_from_) / 10;
    set_range(mark_from_ - slack, mark_to_ + slack);
  } else if (selected_.valid()) {
    const Span& s = data_->tracks[static_cast<size_t>(selected_.track)]
                        .lanes[static_cast<size_t>(selected_.lane)]
                        .spans()[static_cast<size_t>(selected_.index)];
    const int64_t length = std::max<int64_t>(s.end - s.start, 200);
    set_range(s.start - 2 * length, s.end + 2 * length);
  } else {
    fit();
  }
}

void TimelineCanvas::choose(const Hit& hit) {
  if (!hit.valid()) return;
  selected_ = hit;
  const Selection s = selection_of(hit);
  Q_EMIT chosen(s);
  selected_ = hit;
  setAccessibleDescription(describe(hit));
  // Into view when it is not.
  const Span& span = data_->tracks[static_cast<size_t>(hit.track)]
                         .lanes[static_cast<size_t>(hit.lane)]
                         .spans()[static_cast<size_t>(hit.index)];
  if (span.end < from_ || span.start > to_) {
    const int64_t half = (to_ - from_) / 2;
    set_range(span.start - half, span.start + half);
  }
  update();
}

void TimelineCanvas::step(int by) {
  if (!data_) return;
  Hit hit = selected_;
  if (!hit.valid()) {
    for (size_t t = 0; t < data_->tracks.size() && !hit.valid(); ++t) {
      const Track& track = data_->tracks[t];
      if (track.lanes.empty() || track.lanes[0].size() == 0) continue;
      const size_t at = std::min(track.lanes[0].lower(from_), track.lanes[0].size() - 1);
      hit.track = static_cast<int>(t), hit.lane = 0, hit.index = static_cast<ptrdiff_t>(at);
    }
    choose(hit);
    return;
  }
  const Lane& lane = data_->tracks[static_cast<size_t>(hit.track)].lanes[static_cast<size_t>(hit.lane)];
  hit.index = std::clamp<ptrdiff_t>(hit.index + by, 0, static_cast<ptrdiff_t>(lane.size()) - 1);
  choose(hit);
}

QString TimelineCanvas::bar_text(const Track& track, const Span& s) const {
  switch (track.kind) {
    case Track::Kind::kCalls: {
      if (s.flags & kSpanPhase) {
        static const char* const phases[] = {"AutoGraph", "Python", "optimize", "compile"};
        return QString::fromLatin1(phases[(s.flags >> 8) & 3]);
      }
      if (s.ref >= document_->calls.size()) return {};
      const session::CallRecord& call = document_->calls[s.ref];
      const session::TraceRecord* t = document_->trace(call.trace);
      const session::FunctionRecord* f = document_->function(call.function);
      QString text = t ? QStringLiteral("#%1").arg(t->number) : QString();
      if (s.flags & kSpanTrace) text += QStringLiteral(" trace");
      if (f && document_->functions.size() > 1) text = q(f->name) + QLatin1Char(' ') + text;
      return text;
    }
    case Track::Kind::kOps: {
      const OpSpan* e = document_->event(track.thread, s.ref);
      return e ? q(document_->op(e->op).name) : QString();
    }
    default: return s.ref < document_->device.size() ? q(document_->device[s.ref].name) : QString();
  }
}

QString TimelineCanvas::describe(const Hit& hit) const {
  const Track& track = data_->tracks[static_cast<size_t>(hit.track)];
  const Span& s = track.lanes[static_cast<size_t>(hit.lane)].spans()[static_cast<size_t>(hit.index)];
  QString ran_on;
  if (const OpSpan* e = track.kind == Track::Kind::kOps ? document_->event(track.thread, s.ref) : nullptr) {
    if (const session::SignatureRecord* on = document_->signature(e->signature)) {
      const QString dot = QString::fromUtf8(" · ");
      ran_on = QLatin1Char('\n') + q(on->inputs) + QString::fromUtf8(" → ") + q(on->outputs) + QLatin1Char('\n') +
               bytes_text(on->input_bytes) + QStringLiteral(" in") + dot + bytes_text(on->output_bytes) +
               QStringLiteral(" out");
      if (on->flops)
        ran_on += dot + flops_text(on->flops) + QStringLiteral(" FLOPs") + dot + rate_text(on->flops, s.end - s.start) +
                  QStringLiteral(" GFLOP/s");
    }
  }
  return bar_text(track, s) + QStringLiteral("  ") + duration_text(s.end - s.start) + ran_on +
         QStringLiteral("\nat ") + duration_text(s.start - data_->first) + QString::fromUtf8(" · ") +
         track.title + QLatin1Char(' ') + track.subtitle;
}

bool TimelineCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const Hit hit = hit_at(help->pos());
    if (hit.valid()) QToolTip::showText(help->globalPos(), describe(hit), this);
    else QToolTip::hideText();
    return true;
  }
  return QWidget::event(event);
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  press_ = event->position();
  press_from_ = from_;
  press_to_ = to_;
  pressed_ = true;
  dragging_ = false;
  // A drag marks a range; with the middle button, Ctrl or on the axis it moves the view.
  marking_ = event->button() == Qt::LeftButton && !(event->modifiers() & Qt::ControlModifier) &&
             event->position().y() > kAxis;
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent* event) {
  if (pressed_ && event->buttons()) {
    if (!dragging_ && std::abs(event->position().x() - press_.x()) > 4) dragging_ = true;
    if (!dragging_) return;
    if (marking_) {
      mark_range(time_of(std::max(kLabels, press_.x())),
                 time_of(std::clamp(event->position().x(), kLabels, static_cast<double>(width()))));
    } else {
      const double share = (press_.x() - event->position().x()) / std::max(1.0, width() - kLabels);
      const int64_t by = static_cast<int64_t>(share * static_cast<double>(press_to_ - press_from_));
      set_range(press_from_ + by, press_to_ + by);
    }
    return;
  }
  const Hit hit = hit_at(event->position());
  if (hit.track != hovered_.track || hit.lane != hovered_.lane || hit.index != hovered_.index) {
    hovered_ = hit;
    setCursor(hit.valid() ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
  }
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent* event) {
  pressed_ = false;
  if (dragging_ || event->button() != Qt::LeftButton) return;
  const Hit hit = hit_at(event->position());
  if (hit.valid()) {
    choose(hit);
  } else if (has_marked_range()) {
    mark_range(0, 0);
  }
}

void TimelineCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (hit_at(event->position()).valid()) frame_selection();
}

void TimelineCanvas::wheelEvent(QWheelEvent* event) {
  if (event->modifiers() & Qt::ControlModifier || event->angleDelta().x() == 0) {
    if (event->modifiers() & Qt::ShiftModifier) pan(-event->angleDelta().y() / 1200.0);
    else zoom(std::pow(1.0018, event->angleDelta().y()), event->position().x());
  } else {
    pan(-event->angleDelta().x() / 1200.0);
  }
  event->accept();
}

void TimelineCanvas::leaveEvent(QEvent*) {
  hovered_ = {};
  update();
}

void TimelineCanvas::resizeEvent(QResizeEvent*) { Q_EMIT range_changed(); }

void TimelineCanvas::keyPressEvent(QKeyEvent* event) {
  const double centre = kLabels + (width() - kLabels) / 2;
  if (event->modifiers() & (Qt::AltModifier | Qt::ControlModifier)) {
    QWidget::keyPressEvent(event);
    return;
  }
  switch (event->key()) {
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoom(1.4, centre); break;
    case Qt::Key_S:
    case Qt::Key_Minus: zoom(1 / 1.4, centre); break;
    case Qt::Key_A:
    case Qt::Key_Left: pan(-0.15); break;
    case Qt::Key_D:
    case Qt::Key_Right: pan(0.15); break;
    case Qt::Key_F: frame_selection(); break;
    case Qt::Key_0:
    case Qt::Key_Home: fit(); break;
    case Qt::Key_Period: step(1); break;
    case Qt::Key_Comma: step(-1); break;
    case Qt::Key_Escape: mark_range(0, 0); break;
    case Qt::Key_Down:
    case Qt::Key_Up: {
      // To the neighbouring lane, the bar under the selected one.
      if (!data_ || data_->tracks.empty()) break;
      if (!selected_.valid()) {
        step(0);
        break;
      }
      Hit hit = selected_;
      const int64_t time = data_->tracks[static_cast<size_t>(hit.track)]
                               .lanes[static_cast<size_t>(hit.lane)]
                               .spans()[static_cast<size_t>(hit.index)]
                               .start;
      do {
        hit.lane += event->key() == Qt::Key_Down ? 1 : -1;
        if (hit.lane < 0 || hit.lane >= static_cast<int>(data_->tracks[static_cast<size_t>(hit.track)].lanes.size())) {
          hit.track += event->key() == Qt::Key_Down ? 1 : -1;
          if (hit.track < 0 || hit.track >= static_cast<int>(data_->tracks.size())) return;
          hit.lane = event->key() == Qt::Key_Down
                         ? 0
                         : static_cast<int>(data_->tracks[static_cast<size_t>(hit.track)].lanes.size()) - 1;
        }
      } while (data_->tracks[static_cast<size_t>(hit.track)].lanes[static_cast<size_t>(hit.lane)].size() == 0);
      const Lane& lane = data_->tracks[static_cast<size_t>(hit.track)].lanes[static_cast<size_t>(hit.lane)];
      hit.index = static_cast<ptrdiff_t>(std::min(lane.lower(time), lane.size() - 1));
      choose(hit);
      break;
    }
    default: QWidget::keyPressEvent(event);
  }
}

OverviewStrip::OverviewStrip(TimelineCanvas* canvas, QWidget* parent) : QWidget(parent), canvas_(canvas) {
  setFixedHeight(46);
  setAccessibleName(QStringLiteral("Overview of the run"));
  setCursor(Qt::PointingHandCursor);
  connect(canvas, &TimelineCanvas::range_changed, this, qOverload<>(&QWidget::update));
}

void OverviewStrip::set_data(const TimelineData* data) {
  data_ = data;
  measure();
}

void OverviewStrip::measure() {
  columns_ = data_ ? overview(*data_, std::max(20, (width() - 12) / 5)) : std::vector<OverviewColumn>{};
  update();
}

void OverviewStrip::resizeEvent(QResizeEvent*) { measure(); }

void OverviewStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& t = theme();
  rounded(painter, rect(), 7, t["panel"], t["hairline"]);
  if (!data_ || columns_.empty()) return;
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
  const double whole = static_cast<double>(std::max<int64_t>(1, data_->last - data_->first));
  const double left =
      6 + (width() - 12) * std::clamp(static_cast<double>(canvas_->from() - data_->first) / whole, 0.0, 1.0);
  const double right =
      6 + (width() - 12) * std::clamp(static_cast<double>(canvas_->to() - data_->first) / whole, 0.0, 1.0);
  rounded(painter, QRectF(left, 2, std::max(4.0, right - left), height() - 4), 4,
          with_alpha(t["amber"], 0.14), with_alpha(t["amber"], 0.6));
}

void OverviewStrip::go(double x) {
  if (!data_) return;
  const double share = std::clamp((x - 6) / std::max(1.0, width() - 12.0), 0.0, 1.0);
  const int64_t at = data_->first + static_cast<int64_t>(share * static_cast<double>(data_->last - data_->first));
  const int64_t half = (canvas_->to() - canvas_->from()) / 2;
  canvas_->set_range(at - half, at + half);
}

void OverviewStrip::mousePressEvent(QMouseEvent* event) { go(event->position().x()); }
void OverviewStrip::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) go(event->position().x());
}

}  // namespace footlight::app
