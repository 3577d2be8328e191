// The waterfall of a comparison, painted: bars, whiskers, connecting lines. Arrows walk, Enter opens the small parts.
#pragma once

#include "app/models/compare_waterfall.h"
#include "app/views/compare_access.h"

#include <memory>

namespace footlight::app {

class WaterfallCanvas : public PaintedParts {
  Q_OBJECT

 public:
  explicit WaterfallCanvas(QWidget* parent = nullptr);

  void set_comparison(std::shared_ptr<const explain::Comparison> comparison);
  void set_opened(bool opened);
  const Waterfall& waterfall() const { return waterfall_; }
  void set_current(int bar);                  // shows it without telling
  // The bar that the selected row belongs to.
  void set_marked(int bar);
  QRectF bar_rect(int bar) const;
  QSize sizeHint() const override { return {600, 184}; }

  int parts() const override { return static_cast<int>(waterfall_.bars.size()); }
  QString part_name(int part) const override;
  QString part_description(int part) const override;
  QRectF part_rect(int part) const override { return column_rect(part); }
  int current_part() const override { return current_; }
  void press_part(int part) override;

 Q_SIGNALS:
  void chosen(int bar);                       // -1: none

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QRectF column_rect(int bar) const;          // the bar with its labels
  double y_of(double ns) const;
  int bar_at(QPointF point) const;
  void choose(int bar);
  void draw_bar(QPainter& painter, int bar) const;
  QColor fill_of(const WaterfallBar& bar) const;

  std::shared_ptr<const explain::Comparison> comparison_;
  Waterfall waterfall_;
  int current_ = -1, hovered_ = -1, marked_ = -1;
};

}  // namespace footlight::app
