// How long a device computed for ops: a launch returns before its kernels have run, and may load a library first.
#pragma once

#include "engine/query/cancel.h"
#include "engine/session/reader.h"

#include <vector>

namespace footlight::query {

// An op event that ran on a device.
struct DeviceOp {
  uint64_t id = 0;
  int64_t start_ns = 0, took_ns = 0;  // begin and duration of the launch
  size_t row = 0;                     // its row in a table
  int64_t kernel_ns = 0;              // time of all its kernels; 0: none was recorded
};

// Fills in kernel_ns, and sorts the ops by id.
void add_kernel_times(const session::Reader& reader, std::vector<DeviceOp>& ops, const Cancel& cancel);

}  // namespace footlight::query
