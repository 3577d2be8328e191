// Keyboard and mouse input of the timeline.
#include "app/models/text.h"
#include "app/views/labels.h"
#include "app/views/timeline_canvas.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QResizeEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {
constexpr double kLabels = 132, kAxis = 26;
}

bool TimelineCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const Hit hit = hit_at(help->pos());
    QString text = hit.valid() ? describe(placed_of(hit)) : describe_loss(help->pos());
    if (text.isEmpty()) text = area_tip(help->pos());
    if (!text.isEmpty()) show_tip(help->globalPos(), text, this);
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
      set_range(TimeAxis{press_from_, press_to_, kLabels, width() - kLabels}.dragged(event->position().x() -
                                                                                     press_.x()));
    }
    return;
  }
  const Hit hit = hit_at(event->position());
  if (hit != hovered_) {
    hovered_ = hit;
    setCursor(hit.valid() || hit.narrow ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
  }
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent* event) {
  pressed_ = false;
  if (dragging_ || event->button() != Qt::LeftButton) return;
  const Hit hit = hit_at(event->position());
  if (hit.valid()) {
    choose(placed_of(hit));
  } else if (hit.narrow && queries_) {
    queries_->ask(
        step_ticket_,
        [key = picture_.tracks[static_cast<size_t>(hit.track)].key, lane = hit.lane, time = time_of(press_.x()),
         slack = slack()](const query::Store& store, const query::Cancel& cancel) {
          return query::nearest(store, key, lane, time, slack, cancel);
        },
        [this](const std::optional<Placed>& found) {
          if (found) choose(*found);
        });
  } else if (has_marked_range()) {
    mark_range(0, 0);
  }
}

void TimelineCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  const Hit hit = hit_at(event->position());
  if (hit.valid() || hit.narrow) frame_selection();
}

void TimelineCanvas::wheelEvent(QWheelEvent* event) {
  set_range(axis().after(*event));
  event->accept();
}

void TimelineCanvas::leaveEvent(QEvent*) {
  hovered_ = {};
  update();
}

void TimelineCanvas::resizeEvent(QResizeEvent* event) {
  if (event->oldSize().width() == width()) return;
  ask_picture();
  Q_EMIT range_changed();
}

int64_t TimelineCanvas::here() const { return selected_ ? selected_->bar.start : from_ + (to_ - from_) / 2; }

void TimelineCanvas::bookmark() {
  if (!document_) return;
  bookmarks_.toggle(here() - range_.first, slack(), selected_ ? describe(*selected_) : QString());
  update();
}

void TimelineCanvas::go_to_bookmark(int by) {
  const auto found = bookmarks_.next(from_ + (to_ - from_) / 2 - range_.first, by);
  if (!found) return;
  const int64_t half = (to_ - from_) / 2;
  set_range(range_.first + found->time - half, range_.first + found->time + half);
}

void TimelineCanvas::mark_edge(bool start) {
  if (!document_) return;
  const int64_t at = start || !selected_ ? here() : selected_->bar.end;
  if (!has_marked_range()) mark_range(start ? at : from_, start ? to_ : at);
  else mark_range(start ? at : std::min(mark_from_, at), start ? std::max(mark_to_, at) : at);
}

void TimelineCanvas::mark_selected() {
  if (selected_) mark_range(selected_->bar.start, selected_->bar.end);
}

QString TimelineCanvas::describe_loss(QPointF point) const {
  for (size_t i = 0; i < picture_.tracks.size(); ++i) {
    const query::TrackKey& key = picture_.tracks[i].key;
    if (!query::is_ops(key.kind) || point.y() < track_top(i) || point.y() >= track_top(i) + track_height(i)) continue;
    uint64_t lost = 0;
    for (const query::Loss& loss : overlays_.losses) {
      if (loss.thread == key.number && x_of(loss.from) - 2 <= point.x() && point.x() <= x_of(loss.to) + 2)
        lost += loss.events;
    }
    if (lost) return counted(lost, "op event", "op events") + QStringLiteral(" of this thread were not recorded here");
  }
  return {};
}

void TimelineCanvas::contextMenuEvent(QContextMenuEvent* event) {
  if (!document_) return;
  if (event->reason() == QContextMenuEvent::Mouse) {
    const Hit hit = hit_at(event->pos());
    if (hit.valid()) choose(placed_of(hit));
  }
  auto* menu = new QMenu(this);  // the selection may go while it is open
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const auto add = [&](const char* text, bool enabled, auto&& act) {
    menu->addAction(QString::fromUtf8(text), this, act)->setEnabled(enabled);
  };
  const bool any = selected_.has_value();
  const bool is_op = any && query::is_ops(selected_->track.kind);
  add("Frame it\tF", any, [this] { frame_selection(); });
  add("Mark its time\tM", any, [this] { mark_selected(); });
  add("Highlight all of this op", is_op,
      [this, what = any ? selected_->bar.what : 0] { highlight(query::GroupBy::kOp, {what}); });
  add("Show in the graph", any, [this] { Q_EMIT wants_view(QStringLiteral("graph")); });
  add("Show the source", any, [this] { Q_EMIT wants_view(QStringLiteral("source")); });
  menu->addSeparator();
  add("Bookmark here\tB", true, [this] { bookmark(); });
  add("Copy what it says", any, 
      [text = any ? describe(*selected_) : QString()] { QGuiApplication::clipboard()->setText(text); });
  add("Show everything\tHome", true, [this] { fit(); });
  menu->popup(event->globalPos());
}

void TimelineCanvas::keyPressEvent(QKeyEvent* event) {
  if (event->modifiers() & (Qt::AltModifier | Qt::ControlModifier)) {
    QWidget::keyPressEvent(event);
    return;
  }
  if (const auto range = axis().after(*event)) return set_range(*range);
  switch (event->key()) {
    case Qt::Key_F: frame_selection(); break;
    case Qt::Key_0:
    case Qt::Key_Home: fit(); break;
    case Qt::Key_Period: step(1); break;
    case Qt::Key_Comma: step(-1); break;
    case Qt::Key_Escape: mark_range(0, 0); break;
    case Qt::Key_BracketLeft: mark_edge(true); break;
    case Qt::Key_BracketRight: mark_edge(false); break;
    case Qt::Key_M: mark_selected(); break;
    case Qt::Key_B: bookmark(); break;
    case Qt::Key_N: go_to_bookmark(event->modifiers() & Qt::ShiftModifier ? -1 : 1); break;
    case Qt::Key_Slash: Q_EMIT search_wanted(); break;
    case Qt::Key_Down: to_lane(1); break;
    case Qt::Key_Up: to_lane(-1); break;
    default: QWidget::keyPressEvent(event);
  }
}

}  // namespace footlight::app
