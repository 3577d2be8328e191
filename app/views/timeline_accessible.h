// The timeline for screen readers: a table of tracks whose children are the bars in view, each with what its tip says.
#pragma once

#include "app/views/timeline_canvas.h"

#include <QAccessibleWidget>

namespace footlight::app {

// One bar in view.
class AccessibleBar : public QAccessibleInterface {
 public:
  AccessibleBar(TimelineCanvas* canvas, size_t number) : canvas_(canvas), number_(number) {}
  bool isValid() const override;
  QObject* object() const override { return nullptr; }
  QAccessibleInterface* parent() const override;
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QString text(QAccessible::Text kind) const override;
  void setText(QAccessible::Text, const QString&) override {}
  QRect rect() const override;
  QAccessible::Role role() const override { return QAccessible::ListItem; }
  QAccessible::State state() const override;
  size_t number() const { return number_; }

 private:
  TimelineCanvas* canvas_;
  size_t number_;
};

class AccessibleTimeline : public QAccessibleWidget {
 public:
  explicit AccessibleTimeline(TimelineCanvas* canvas);
  ~AccessibleTimeline() override;
  int childCount() const override;
  QAccessibleInterface* child(int index) const override;
  int indexOfChild(const QAccessibleInterface* child) const override;
  QAccessibleInterface* childAt(int x, int y) const override;
  QAccessibleInterface* focusChild() const override;

 private:
  TimelineCanvas* canvas() const { return static_cast<TimelineCanvas*>(widget()); }
  mutable std::vector<QAccessible::Id> children_;  // by number
};

// Makes both for canvases from now on.
void install_accessible_timeline();

}  // namespace footlight::app
