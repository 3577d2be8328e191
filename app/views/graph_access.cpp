// Only boxes in view are children: as many as a person can walk.
#include "app/views/graph_access.h"

#include "app/views/graph_canvas.h"

#include <QAccessible>
#include <QAccessibleWidget>

#include <map>
#include <utility>

namespace footlight::app {
namespace {

constexpr int kMostChildren = 500;

class BoxAccess : public QAccessibleInterface, public QAccessibleActionInterface {
 public:
  BoxAccess(GraphCanvas* canvas, int box) : canvas_(canvas), box_(box) {}

  bool isValid() const override {
    return canvas_ && static_cast<size_t>(box_) < canvas_->plan().boxes.size();
  }
  QObject* object() const override { return nullptr; }
  QWindow* window() const override { return isValid() ? canvas_->window()->windowHandle() : nullptr; }
  QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(canvas_); }
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QAccessible::Role role() const override { return QAccessible::ListItem; }
  QString text(QAccessible::Text which) const override {
    if (!isValid()) return {};
    if (which == QAccessible::Name) return canvas_->plan().boxes[static_cast<size_t>(box_)].title;
    return which == QAccessible::Description ? canvas_->spoken(box_) : QString();
  }
  void setText(QAccessible::Text, const QString&) override {}
  QRect rect() const override {
    if (!isValid()) return {};
    const QRectF world = canvas_->plan().boxes[static_cast<size_t>(box_)].rect;
    const QRectF here(canvas_->to_screen(world.topLeft()), canvas_->to_screen(world.bottomRight()));
    return QRect(canvas_->mapToGlobal(here.topLeft().toPoint()), here.size().toSize());
  }
  QAccessible::State state() const override {
    QAccessible::State state;
    state.focusable = state.selectable = true;
    if (!isValid()) return state;
    const PlanBox& box = canvas_->plan().boxes[static_cast<size_t>(box_)];
    state.selected = canvas_->selected().contains(box_);
    state.focused = state.selected && canvas_->hasFocus();
    state.expandable = box.expandable;
    state.expanded = !box.bodies.empty();
    state.collapsed = box.expandable && box.bodies.empty();
    return state;
  }
  void* interface_cast(QAccessible::InterfaceType type) override {
    return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
  }
  QStringList actionNames() const override { return {pressAction(), toggleAction()}; }
  void doAction(const QString& action) override {
    if (!isValid()) return;
    if (action == pressAction()) Q_EMIT canvas_->box_activated(box_);
    else if (action == toggleAction()) Q_EMIT canvas_->box_toggled(box_);
  }
  QStringList keyBindingsForAction(const QString&) const override { return {}; }

 private:
  QPointer<GraphCanvas> canvas_;
  int box_;
};

class CanvasAccess : public QAccessibleWidget {
 public:
  explicit CanvasAccess(GraphCanvas* canvas) : QAccessibleWidget(canvas, QAccessible::List), canvas_(canvas) {}
  ~CanvasAccess() override {
    for (const auto& [box, id] : made_) QAccessible::deleteAccessibleInterface(id);
  }

  // The boxes in view, then the widgets on the canvas.
  int childCount() const override { return static_cast<int>(seen().size()) + QAccessibleWidget::childCount(); }
  QAccessibleInterface* child(int index) const override {
    const std::vector<int> boxes = seen();
    if (index < 0) return nullptr;
    if (static_cast<size_t>(index) < boxes.size()) return of(boxes[static_cast<size_t>(index)]);
    return QAccessibleWidget::child(index - static_cast<int>(boxes.size()));
  }
  int indexOfChild(const QAccessibleInterface* child) const override {
    const std::vector<int> boxes = seen();
    for (size_t i = 0; i < boxes.size(); ++i)
      if (of(boxes[i]) == child) return static_cast<int>(i);
    const int inner = QAccessibleWidget::indexOfChild(child);
    return inner < 0 ? -1 : inner + static_cast<int>(boxes.size());
  }
  QAccessibleInterface* childAt(int x, int y) const override {
    const int box = canvas_->box_at(canvas_->mapFromGlobal(QPoint(x, y)));
    return box >= 0 ? of(box) : QAccessibleWidget::childAt(x, y);
  }
  QAccessibleInterface* focusChild() const override {
    if (!canvas_->hasFocus() || canvas_->selected().isEmpty()) return QAccessibleWidget::focusChild();
    return of(*std::ranges::min_element(canvas_->selected()));
  }
  QAccessibleInterface* of(int box) const {
    const auto [known, added] = made_.try_emplace(box, 0);
    if (added) known->second = QAccessible::registerAccessibleInterface(new BoxAccess(canvas_, box));
    return QAccessible::accessibleInterface(known->second);
  }

 private:
  std::vector<int> seen() const {
    std::vector<int> boxes;
    const QRectF world = canvas_->visible_world();
    const auto& all = std::as_const(*canvas_).plan().boxes;
    for (size_t i = 0; i < all.size() && boxes.size() < kMostChildren; ++i)
      if (all[i].rect.intersects(world)) boxes.push_back(static_cast<int>(i));
    return boxes;
  }

  GraphCanvas* canvas_;
  mutable std::map<int, QAccessible::Id> made_;
};

QAccessibleInterface* make_access(const QString&, QObject* object) {
  auto* canvas = qobject_cast<GraphCanvas*>(object);
  return canvas ? new CanvasAccess(canvas) : nullptr;
}

}  // namespace

void install_graph_access() {
  static const bool once = (QAccessible::installFactory(make_access), true);
  (void)once;
}

void tell_graph_access(GraphCanvas* canvas, int box) {
  if (!QAccessible::isActive()) return;
  auto* access = dynamic_cast<CanvasAccess*>(QAccessible::queryAccessibleInterface(canvas));
  if (!access) return;
  QAccessibleEvent event(access->of(box), QAccessible::Focus);
  QAccessible::updateAccessibility(&event);
}

}  // namespace footlight::app
