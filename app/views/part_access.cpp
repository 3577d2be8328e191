// A part's interface asks that of its canvas, which may be gone.
#include "app/views/part_access.h"

#include <QPointer>
#include <QWidget>
#include <QWindow>

namespace footlight::app {
namespace {

class Part : public QAccessibleInterface, public QAccessibleActionInterface {
 public:
  Part(QWidget* canvas, int number) : canvas_(canvas), number_(number) {}

  bool isValid() const override {
    const PartAccess* access = of();
    return access && access->has(number_);
  }
  QObject* object() const override { return nullptr; }
  QWindow* window() const override { return canvas_ ? canvas_->window()->windowHandle() : nullptr; }
  QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(canvas_); }
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QAccessible::Role role() const override { return QAccessible::ListItem; }
  void setText(QAccessible::Text, const QString&) override {}
  QString text(QAccessible::Text which) const override {
    if (!isValid()) return {};
    if (which == QAccessible::Name) return of()->part_name(number_);
    return which == QAccessible::Description ? of()->part_description(number_) : QString();
  }
  QRect rect() const override {
    if (!isValid()) return {};
    const QRect here = of()->part_rect(number_).toAlignedRect();
    return here.isEmpty() ? QRect() : QRect(canvas_->mapToGlobal(here.topLeft()), here.size());
  }
  QAccessible::State state() const override {
    QAccessible::State state;
    state.focusable = state.selectable = true;
    state.invalid = !isValid();
    if (state.invalid) return state;
    state.selected = of()->selected(number_);
    state.focused = state.selected && canvas_->hasFocus();
    state.offscreen = of()->part_rect(number_).isEmpty();
    of()->add_state(number_, state);
    return state;
  }
  void* interface_cast(QAccessible::InterfaceType type) override {
    return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
  }
  QStringList actionNames() const override { return isValid() ? of()->actions() : QStringList(); }
  void doAction(const QString& action) override {
    if (isValid()) of()->act(number_, action);
  }
  QStringList keyBindingsForAction(const QString&) const override { return {}; }

 private:
  PartAccess* of() const {
    return canvas_ ? dynamic_cast<PartAccess*>(QAccessible::queryAccessibleInterface(canvas_)) : nullptr;
  }
  QPointer<QWidget> canvas_;
  int number_;
};

}  // namespace

PartAccess::~PartAccess() {
  for (const auto& [part, id] : made_) QAccessible::deleteAccessibleInterface(id);
}

QStringList PartAccess::actions() const { return {QAccessibleActionInterface::pressAction()}; }

int PartAccess::childCount() const { return count() + QAccessibleWidget::childCount(); }

QAccessibleInterface* PartAccess::child(int index) const {
  if (index < 0) return nullptr;
  const int parts = count();
  return index < parts ? of(part(index)) : QAccessibleWidget::child(index - parts);
}

int PartAccess::indexOfChild(const QAccessibleInterface* child) const {
  const int parts = count();
  for (const auto& [number, id] : made_) {
    if (QAccessible::accessibleInterface(id) != child) continue;
    for (int i = 0; i < parts; ++i)
      if (part(i) == number) return i;
    return -1;
  }
  const int inner = QAccessibleWidget::indexOfChild(child);
  return inner < 0 ? -1 : inner + parts;
}

int PartAccess::part_at(QPointF point) const {
  for (int i = 0; i < count(); ++i)
    if (part_rect(part(i)).contains(point)) return part(i);
  return -1;
}

QAccessibleInterface* PartAccess::childAt(int x, int y) const {
  const int there = part_at(widget()->mapFromGlobal(QPoint(x, y)));
  return there >= 0 ? of(there) : QAccessibleWidget::childAt(x, y);
}

QAccessibleInterface* PartAccess::focusChild() const {
  const int here = widget()->hasFocus() ? current() : -1;
  return has(here) ? of(here) : QAccessibleWidget::focusChild();
}

QAccessibleInterface* PartAccess::of(int part) const {
  const auto [known, added] = made_.try_emplace(part, 0);
  if (added) known->second = QAccessible::registerAccessibleInterface(new Part(widget(), part));
  return QAccessible::accessibleInterface(known->second);
}

void tell_current_part(QWidget* canvas) {
  if (!QAccessible::isActive()) return;
  auto* access = dynamic_cast<PartAccess*>(QAccessible::queryAccessibleInterface(canvas));
  if (!access || !access->has(access->current())) return;
  QAccessibleEvent event(access->of(access->current()), QAccessible::Focus);
  QAccessible::updateAccessibility(&event);
}

}  // namespace footlight::app
