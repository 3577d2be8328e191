// Bars of how often things took how long, over a logarithmic scale.
#pragma once

#include "app/models/histogram.h"

#include <QColor>
#include <QWidget>

namespace footlight::app {

class HistogramView : public QWidget {
 public:
  explicit HistogramView(QWidget* parent = nullptr);
  // `of`: what they are durations of, shown if not empty.
  void set(Histogram histogram, const QColor& color, const QString& of = {});
  const Histogram& shown() const { return histogram_; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Histogram histogram_;
  QColor color_;
  QString of_;
};

}  // namespace footlight::app
