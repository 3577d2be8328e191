// The checked calls of a function side by side: the result of each where it is one number, and which held NaN.
#pragma once

#include "app/models/values.h"

#include <QWidget>

namespace footlight::app {

class CheckedStrip : public QWidget {
  Q_OBJECT

 public:
  explicit CheckedStrip(QWidget* parent = nullptr);
  // `marked`: the call whose values are shown.
  void set(std::vector<session::CheckedCall> calls, uint64_t marked);
  bool is_empty() const { return calls_.empty(); }
  QSize sizeHint() const override { return {400, 96}; }

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  double x_of(size_t index) const;

  std::vector<session::CheckedCall> calls_;
  uint64_t marked_ = 0;
};

}  // namespace footlight::app
