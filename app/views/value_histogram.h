// How often a tensor's elements have which value, with counts on a logarithmic scale and bars for NaN and infinity.
#pragma once

#include "engine/session/records.h"

#include <QWidget>

namespace footlight::app {

class ValueHistogram : public QWidget {
 public:
  explicit ValueHistogram(QWidget* parent = nullptr);
  void set(const session::TensorValue* value);   // must live as long as it is shown

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const session::TensorValue* value_ = nullptr;
};

}  // namespace footlight::app
