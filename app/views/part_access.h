// The painted parts of a canvas as children for assistive technology, which otherwise sees one picture: each has a
// name, a place and can be pressed. A view says in a class of its own what its parts are.
#pragma once

#include <QAccessible>
#include <QAccessibleWidget>

#include <map>

namespace footlight::app {

class PartAccess : public QAccessibleWidget {
 public:
  explicit PartAccess(QWidget* canvas) : QAccessibleWidget(canvas, QAccessible::List) {}
  ~PartAccess() override;

  // A part has a number; those in view are the children, in this order, before the widgets on the canvas.
  virtual int count() const = 0;
  virtual int part(int index) const { return index; }
  virtual bool has(int part) const { return part >= 0 && part < count(); }
  virtual QString part_name(int part) const = 0;
  virtual QString part_description(int part) const = 0;
  virtual QRectF part_rect(int part) const = 0;        // in the widget's coordinates; empty: not in view
  virtual int current() const = 0;                     // -1: none
  virtual bool selected(int part) const { return part == current(); }
  virtual void add_state(int /*part*/, QAccessible::State&) const {}
  virtual QStringList actions() const;                 // of every part; by default it can be pressed
  virtual void act(int part, const QString& action) = 0;

  int childCount() const override;
  QAccessibleInterface* child(int index) const override;
  int indexOfChild(const QAccessibleInterface* child) const override;
  QAccessibleInterface* childAt(int x, int y) const override;
  QAccessibleInterface* focusChild() const override;

 protected:
  virtual int part_at(QPointF point) const;            // in the widget's coordinates; -1: no part

 private:
  friend void tell_current_part(QWidget* canvas);
  QAccessibleInterface* of(int part) const;
  mutable std::map<int, QAccessible::Id> made_;        // when they are asked for
};

// Another part of the canvas has the keyboard now.
void tell_current_part(QWidget* canvas);

// Canvases of a class get that kind of access, from now on.
template <class Canvas, class Access>
void install_part_access() {
  static const bool once = [] {
    QAccessible::installFactory([](const QString&, QObject* object) -> QAccessibleInterface* {
      auto* canvas = qobject_cast<Canvas*>(object);
      return canvas ? new Access(canvas) : nullptr;
    });
    return true;
  }();
  (void)once;
}

}  // namespace footlight::app
