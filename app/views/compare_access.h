// A canvas whose painted parts are children for assistive technology: each has a name, a place and can be pressed.
#pragma once

#include <QWidget>

namespace footlight::app {

class PaintedParts : public QWidget {
  Q_OBJECT

 public:
  explicit PaintedParts(QWidget* parent = nullptr);

  virtual int parts() const = 0;
  virtual QString part_name(int part) const = 0;
  virtual QString part_description(int part) const = 0;
  virtual QRectF part_rect(int part) const = 0;   // in the widget's coordinates; empty: not in view
  virtual int current_part() const = 0;           // -1: none
  virtual void press_part(int part) = 0;

 protected:
  void tell_current();                            // it has changed
};

}  // namespace footlight::app
