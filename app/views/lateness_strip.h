// How late each rank was at each collective: a row for each rank, a column for each collective, or for several where
// there are more than columns. A column is chosen by the mouse or the keyboard.
#pragma once

#include "app/models/ranks.h"

#include <QWidget>

namespace footlight::app {

class LatenessStrip : public QWidget {
  Q_OBJECT

 public:
  explicit LatenessStrip(QWidget* parent = nullptr);
  void set_data(RanksPtr data);
  void choose(std::optional<size_t> collective);
  void show_range(int64_t from, int64_t to);      // that other widgets show; a frame is drawn around it
  // Collectives of a column, [first, last).
  std::pair<size_t, size_t> collectives_at(double x) const;
  QString tip_at(QPointF point) const;
  QSize sizeHint() const override;

 Q_SIGNALS:
  void collective_chosen(qulonglong number);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  size_t columns() const;
  double column_width() const;
  double row_height() const;
  QRectF field() const;
  void measure();
  size_t worst_of(std::pair<size_t, size_t> collectives) const;

  RanksPtr data_;
  std::vector<std::vector<int64_t>> late_ns_;  // by column and row: the most after the median
  std::optional<size_t> chosen_;
  int64_t from_ = 0, to_ = 0;
};

}  // namespace footlight::app
