// Work of devices in a range as a table: a row per kernel, copy, fill and call of the device's API.
#pragma once

#include "app/models/table_model.h"

#include "engine/query/device_sums.h"

namespace footlight::app {

class KernelsModel : public TableOf<query::DeviceSum> {
 public:
  explicit KernelsModel(QObject* parent = nullptr);

  void set(std::vector<query::DeviceSum> sums);
  std::span<const query::DeviceSum> rows() const override { return sums_; }
  int row_of(const query::DeviceName& name) const;  // -1: not shown
  std::vector<query::DeviceName> names_shown() const;
  // "3 kernels and copies ran 24 times for 1.20 ms; 5 kinds of API calls were made 80 times"
  QString sentence() const;

 private:
  std::vector<query::DeviceSum> sums_;
  int64_t device_ns_ = 0;         // time of all work of devices
};

}  // namespace footlight::app
