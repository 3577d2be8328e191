// Two cache keys side by side as one tree in two columns; only groups that differ are open.
#pragma once

#include "app/models/keys.h"

#include <QAbstractScrollArea>

namespace footlight::app {

class KeyDiffView : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit KeyDiffView(QWidget* parent = nullptr);
  // Shows only one column if the left title is empty.
  void set_diff(KeyDiff diff, const QString& left_title, const QString& left_detail, const QString& right_title,
                const QString& right_detail);
  void set_details(const QString& left, const QString& right);
  const KeyDiff& diff() const { return diff_; }
  const std::vector<int>& shown() const { return shown_; }
  int content_height() const;

 Q_SIGNALS:
  void toggled();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void measure();
  bool has_children(int row) const;
  void toggle(int row);
  void draw_column(QPainter& painter, const QRectF& frame, bool left) const;

  KeyDiff diff_;
  std::vector<int> shown_;
  QString left_title_, left_detail_, right_title_, right_detail_;
  int current_ = -1;
};

}  // namespace footlight::app
