// Children are made when asked for, and stay while the canvas lives: their number is that of the bar in view.
#include "app/views/timeline_accessible.h"

namespace footlight::app {

bool AccessibleBar::isValid() const { return number_ < canvas_->bars_in_view().size(); }

QAccessibleInterface* AccessibleBar::parent() const { return QAccessible::queryAccessibleInterface(canvas_); }

QString AccessibleBar::text(QAccessible::Text kind) const {
  const std::vector<query::Placed>& bars = canvas_->bars_in_view();
  if (number_ >= bars.size()) return {};
  const QString words = canvas_->describe(bars[number_]);
  if (kind == QAccessible::Name) return words.section(QLatin1Char('\n'), 0, 0);
  return kind == QAccessible::Description ? words.section(QLatin1Char('\n'), 1) : QString();
}

QRect AccessibleBar::rect() const {
  const std::vector<query::Placed>& bars = canvas_->bars_in_view();
  const auto rect = number_ < bars.size() ? canvas_->rect_of(bars[number_]) : std::nullopt;
  return rect ? QRect(canvas_->mapToGlobal(rect->topLeft().toPoint()), rect->size().toSize()) : QRect();
}

QAccessible::State AccessibleBar::state() const {
  QAccessible::State state;
  state.selectable = true;
  state.invalid = !isValid();
  const auto& selected = canvas_->selected();
  if (isValid() && selected) {
    const query::Placed& bar = canvas_->bars_in_view()[number_];
    state.selected = bar.track == selected->track && bar.lane == selected->lane && bar.bar.row == selected->bar.row;
  }
  return state;
}

AccessibleTimeline::AccessibleTimeline(TimelineCanvas* canvas) : QAccessibleWidget(canvas, QAccessible::List) {}

AccessibleTimeline::~AccessibleTimeline() {
  for (const QAccessible::Id id : children_) QAccessible::deleteAccessibleInterface(id);
}

int AccessibleTimeline::childCount() const { return static_cast<int>(canvas()->bars_in_view().size()); }

QAccessibleInterface* AccessibleTimeline::child(int index) const {
  if (index < 0 || index >= childCount()) return nullptr;
  while (children_.size() <= static_cast<size_t>(index))
    children_.push_back(QAccessible::registerAccessibleInterface(new AccessibleBar(canvas(), children_.size())));
  return QAccessible::accessibleInterface(children_[static_cast<size_t>(index)]);
}

int AccessibleTimeline::indexOfChild(const QAccessibleInterface* child) const {
  for (size_t i = 0; i < children_.size(); ++i) {
    if (QAccessible::accessibleInterface(children_[i]) == child) return static_cast<int>(i);
  }
  return -1;
}

QAccessibleInterface* AccessibleTimeline::childAt(int x, int y) const {
  for (int i = 0; i < childCount(); ++i) {
    QAccessibleInterface* bar = child(i);
    if (bar->rect().contains(x, y)) return bar;
  }
  return nullptr;
}

QAccessibleInterface* AccessibleTimeline::focusChild() const {
  for (int i = 0; canvas()->hasFocus() && i < childCount(); ++i) {
    if (child(i)->state().selected) return child(i);
  }
  return nullptr;
}

void install_accessible_timeline() {
  static const bool once = [] {
    QAccessible::installFactory([](const QString&, QObject* object) -> QAccessibleInterface* {
      auto* canvas = qobject_cast<TimelineCanvas*>(object);
      return canvas ? new AccessibleTimeline(canvas) : nullptr;
    });
    return true;
  }();
  (void)once;
}

}  // namespace footlight::app
