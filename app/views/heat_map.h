// A slice of a tensor as a picture: a cell for each element, the cursor on one of them, NaN and infinity in red.
#pragma once

#include "app/models/values.h"

#include <QImage>
#include <QWidget>

namespace footlight::app {

class HeatMap : public QWidget {
  Q_OBJECT

 public:
  explicit HeatMap(QWidget* parent = nullptr);
  // `value` must live as long as it is shown; null: nothing is.
  void set(const session::TensorValue* value, const QString& name);
  void set_slice(const ValueSlice& slice);
  const ValueSlice& slice() const { return slice_; }
  int64_t cursor() const { return cursor_; }      // the element's number
  void set_cursor(int64_t element);               // shows the slice that holds it
  QString cursor_text() const;                    // "[3, 41, 17]  -Inf"
  // "Rows: dimension 2, columns: dimension 3"
  QString axes_text() const;
  QSize sizeHint() const override { return {240, 180}; }

 Q_SIGNALS:
  void moved();                                   // the cursor, and perhaps the slice

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  QRectF picture() const;
  int64_t element_at(QPointF point) const;        // -1: none
  void draw();
  void say();

  const session::TensorValue* value_ = nullptr;
  QString name_;
  ValueSlice slice_;
  int64_t cursor_ = 0;
  QImage image_;
  QString theme_;
};

}  // namespace footlight::app
