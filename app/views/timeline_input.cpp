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
    if (text.isEmpty()) text = describe_gap(help->pos());
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
  edge_ = event->button() == Qt::LeftButton ? edge_at(press_) : 0;
  const auto label = press_.x() < kLabels ? track_at(press_) : std::nullopt;
  moved_track_ = label ? std::optional(picture_.tracks[*label].key) : std::nullopt;
  // A drag marks a range; with the middle button, Ctrl or on the axis it moves the view.
  marking_ = event->button() == Qt::LeftButton && !(event->modifiers() & Qt::ControlModifier) &&
             event->position().y() > kAxis + scroll_;
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent* event) {
  if (pressed_ && event->buttons()) {
    const QPointF by = event->position() - press_;
    if (!dragging_ && (std::abs(by.x()) > 4 || (moved_track_ && std::abs(by.y()) > 4))) dragging_ = true;
    if (!dragging_) return;
    if (moved_track_) {
      const auto over = track_at({0, event->position().y()});
      for (size_t i = 0; over && i < picture_.tracks.size(); ++i) {
        if (picture_.tracks[i].key != *moved_track_) continue;
        if (i != *over) move_track(i, *over > i ? 1 : -1);
        break;
      }
      setCursor(Qt::ClosedHandCursor);
    } else if (edge_) {
      const int64_t at = time_of(std::clamp(event->position().x(), kLabels, static_cast<double>(width())));
      const int64_t other = edge_ < 0 ? mark_to_ : mark_from_;
      if (at != other) edge_ = at < other ? -1 : 1;
      mark_range(other, at);
    } else if (marking_) {
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
    update();
  }
  const auto label = event->position().x() < kLabels ? track_at(event->position()) : std::nullopt;
  const bool on_label = label.has_value();
  const bool on_mark = label && fold_mark(*label).contains(event->position());
  setCursor(hit.valid() || hit.narrow || on_mark ? Qt::PointingHandCursor
            : edge_at(event->position()) != 0 ? Qt::SizeHorCursor
            : on_label                        ? Qt::OpenHandCursor
                                              : Qt::ArrowCursor);
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent* event) {
  pressed_ = false;
  moved_track_.reset();
  if (dragging_ || event->button() != Qt::LeftButton) return;
  if (press_.x() < kLabels && press_.y() < kAxis + scroll_ && order_.hidden()) return show_hidden_tracks();
  if (const auto track = press_.x() < kLabels ? track_at(press_) : std::nullopt;
      track && fold_mark(*track).contains(press_))
    return fold_track(*track);
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

int TimelineCanvas::edge_at(QPointF point) const {
  constexpr double kReach = 4;
  if (!has_marked_range() || point.x() < kLabels) return 0;
  if (std::abs(point.x() - x_of(mark_from_)) <= kReach) return -1;
  return std::abs(point.x() - x_of(mark_to_)) <= kReach ? 1 : 0;
}

QString TimelineCanvas::marked_text() const {
  if (!has_marked_range()) return {};
  return duration_text(mark_to_ - mark_from_) + QStringLiteral(", from ") + duration_text(mark_from_ - range_.first) +
         QStringLiteral(" to ") + duration_text(mark_to_ - range_.first);
}

// Keys zoom at the selected bar, else at the pointer.
std::optional<double> TimelineCanvas::zoom_anchor() const {
  if (selected_ && selected_->bar.end >= from_ && selected_->bar.start <= to_) {
    const int64_t start = std::max(selected_->bar.start, from_), end = std::min(selected_->bar.end, to_);
    return x_of(start + (end - start) / 2);
  }
  const QPoint pointer = mapFromGlobal(QCursor::pos());
  if (underMouse() && pointer.x() >= kLabels && pointer.x() <= width()) return pointer.x();
  return {};
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
  add("Zoom to it\tF", any, [this] { frame_selection(); });
  add("Select its time\tM", any, [this] { mark_selected(); });
  add("Highlight all of this op", is_op,
      [this, what = any ? selected_->bar.what : 0] { highlight(query::GroupBy::kOp, {what}); });
  add("Show in the graph", any, [this] { Q_EMIT wants_view(QStringLiteral("graph")); });
  add("Show the source", any, [this] { Q_EMIT wants_view(QStringLiteral("source")); });
  menu->addSeparator();
  const bool by_mouse = event->reason() == QContextMenuEvent::Mouse;
  const auto track = by_mouse ? track_at(event->pos()) : current_track();
  const bool is_pinned = track && order_.is_pinned(picture_.tracks[*track].key);
  // The tracks may be others by the time that an action is chosen.
  const auto with_track = [this, key = track ? picture_.tracks[*track].key : query::TrackKey{}](auto act) {
    return [this, key, act] {
      for (size_t i = 0; i < picture_.tracks.size(); ++i)
        if (picture_.tracks[i].key == key) return act(i);
    };
  };
  add(is_pinned ? "Unpin this track\tP" : "Pin this track to the top\tP", track.has_value(),
      with_track([this](size_t i) { pin_track(i); }));
  add("Move this track up\tShift+Up", track && *track > 0, with_track([this](size_t i) { move_track(i, -1); }));
  add("Move this track down\tShift+Down", track && *track + 1 < picture_.tracks.size(),
      with_track([this](size_t i) { move_track(i, 1); }));
  const bool is_folded = track && order_.is_folded(picture_.tracks[*track].key);
  add(is_folded ? "Unfold this track\tC" : "Fold this track\tC", track && is_foldable(*track),
      with_track([this](size_t i) { fold_track(i); }));
  add("Hide this track\tH", track && picture_.tracks.size() > 1, with_track([this](size_t i) { hide_track(i); }));
  add("Show the hidden tracks\tShift+H", order_.hidden() > 0, [this] { show_hidden_tracks(); });
  add("Reset tracks (order, pins, folds, hidden)", order_.is_changed(), [this] { reset_tracks(); });
  menu->addSeparator();
  add("Bookmark here\tB", true, [this] { bookmark(); });
  add("Copy its text", any,
      [text = any ? describe(*selected_) : QString()] { QGuiApplication::clipboard()->setText(text); });
  add("Show everything\tHome", true, [this] { fit(); });
  menu->popup(event->globalPos());
}

void TimelineCanvas::keyPressEvent(QKeyEvent* event) {
  if (event->modifiers() & (Qt::AltModifier | Qt::ControlModifier)) {
    QWidget::keyPressEvent(event);
    return;
  }
  const bool shift = event->modifiers() & Qt::ShiftModifier;
  if (const auto range = axis().after(*event, zoom_anchor())) return set_range(*range);
  const auto track = current_track();
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
    case Qt::Key_P:
      if (track) pin_track(*track);
      break;
    case Qt::Key_C:
      if (track) fold_track(*track);
      break;
    case Qt::Key_H:
      if (shift) show_hidden_tracks();
      else if (track) hide_track(*track);
      break;
    case Qt::Key_Down:
    case Qt::Key_Up: {
      const int by = event->key() == Qt::Key_Down ? 1 : -1;
      if (!shift) to_row(by);
      else if (track) move_track(*track, by);
      break;
    }
    default: QWidget::keyPressEvent(event);
  }
}

}  // namespace footlight::app
