// One recorded value in the inspector: figures, histogram, a slice as a heat map, and where NaN and infinity are.
#pragma once

#include "app/views/heat_map.h"
#include "app/views/labels.h"
#include "app/views/value_histogram.h"

#include <QSpinBox>

namespace footlight::app {

class ValueDetail : public QWidget {
  Q_OBJECT

 public:
  // `value` is one of `call`.
  ValueDetail(const Document& document, CallValuesPtr call, const session::TensorValue& value,
              QWidget* parent = nullptr);
  HeatMap* heat_map() { return map_; }
  const std::vector<QSpinBox*>& slice_boxes() const { return boxes_; }
  QString cursor_text() const { return cursor_->text(); }

 Q_SIGNALS:
  void wants_values();               // to see all of the call

 private:
  void follow_cursor();

  CallValuesPtr call_;               // keeps the value alive
  const session::TensorValue& value_;
  HeatMap* map_;
  std::vector<QSpinBox*> boxes_;
  QLabel* cursor_;
  bool following_ = false;
};

}  // namespace footlight::app
