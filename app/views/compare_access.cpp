// Interfaces to painted parts; those of children are made when they are asked for.
#include "app/views/compare_access.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QPointer>

#include <map>

namespace footlight::app {
namespace {

class PartAccess : public QAccessibleInterface, public QAccessibleActionInterface {
 public:
  PartAccess(PaintedParts* canvas, int part) : canvas_(canvas), part_(part) {}

  bool isValid() const override { return canvas_ && part_ < canvas_->parts(); }
  QObject* object() const override { return nullptr; }
  QWindow* window() const override { return isValid() ? canvas_->window()->windowHandle() : nullptr; }
  QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(canvas_); }
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QAccessible::Role role() const override { return QAccessible::ListItem; }
  void setText(QAccessible::Text, const QString&) override {}
  QString text(QAccessible::Text which) const override {
    if (!isValid()) return {};
    if (which == QAccessible::Name) return canvas_->part_name(part_);
    return which == QAccessible::Description ? canvas_->part_description(part_) : QString();
  }
  QRect rect() const override {
    if (!isValid()) return {};
    const QRect here = canvas_->part_rect(part_).toAlignedRect();
    return here.isEmpty() ? QRect() : QRect(canvas_->mapToGlobal(here.topLeft()), here.size());
  }
  QAccessible::State state() const override {
    QAccessible::State state;
    state.focusable = state.selectable = true;
    if (!isValid()) return state;
    state.selected = canvas_->current_part() == part_;
    state.focused = state.selected && canvas_->hasFocus();
    state.offscreen = canvas_->part_rect(part_).isEmpty();
    return state;
  }
  void* interface_cast(QAccessible::InterfaceType type) override {
    return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
  }
  QStringList actionNames() const override { return {pressAction()}; }
  void doAction(const QString& action) override {
    if (isValid() && action == pressAction()) canvas_->press_part(part_);
  }
  QStringList keyBindingsForAction(const QString&) const override { return {}; }

 private:
  QPointer<PaintedParts> canvas_;
  int part_;
};

class CanvasAccess : public QAccessibleWidget {
 public:
  explicit CanvasAccess(PaintedParts* canvas) : QAccessibleWidget(canvas, QAccessible::List), canvas_(canvas) {}
  ~CanvasAccess() override {
    for (const auto& [part, id] : made_) QAccessible::deleteAccessibleInterface(id);
  }

  int childCount() const override { return canvas_->parts(); }
  QAccessibleInterface* child(int index) const override {
    return index >= 0 && index < canvas_->parts() ? of(index) : nullptr;
  }
  int indexOfChild(const QAccessibleInterface* child) const override {
    for (const auto& [part, id] : made_)
      if (QAccessible::accessibleInterface(id) == child) return part;
    return -1;
  }
  QAccessibleInterface* childAt(int x, int y) const override {
    const QPointF here = canvas_->mapFromGlobal(QPoint(x, y));
    for (int i = 0; i < canvas_->parts(); ++i)
      if (canvas_->part_rect(i).contains(here)) return of(i);
    return nullptr;
  }
  QAccessibleInterface* focusChild() const override {
    return canvas_->hasFocus() ? child(canvas_->current_part()) : nullptr;
  }
  QAccessibleInterface* of(int part) const {
    const auto [known, added] = made_.try_emplace(part, 0);
    if (added) known->second = QAccessible::registerAccessibleInterface(new PartAccess(canvas_, part));
    return QAccessible::accessibleInterface(known->second);
  }

 private:
  PaintedParts* canvas_;
  mutable std::map<int, QAccessible::Id> made_;
};

QAccessibleInterface* make_parts_access(const QString&, QObject* object) {
  auto* canvas = qobject_cast<PaintedParts*>(object);
  return canvas ? new CanvasAccess(canvas) : nullptr;
}

}  // namespace

PaintedParts::PaintedParts(QWidget* parent) : QWidget(parent) {
  static const bool installed = (QAccessible::installFactory(make_parts_access), true);
  (void)installed;
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
}

void PaintedParts::tell_current() const {
  if (!QAccessible::isActive() || current_part() < 0) return;
  auto* access = dynamic_cast<CanvasAccess*>(
      QAccessible::queryAccessibleInterface(const_cast<PaintedParts*>(this)));
  if (!access) return;
  QAccessibleEvent event(access->of(current_part()), QAccessible::Focus);
  QAccessible::updateAccessibility(&event);
}

}  // namespace footlight::app
