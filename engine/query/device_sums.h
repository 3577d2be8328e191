// What devices did, by kernel, and what was asked of them, by call of their interface: how often, how long, how much.
#pragma once

#include "engine/query/cancel.h"
#include "engine/session/reader.h"

#include <string>
#include <vector>

namespace footlight::query {

struct DeviceSum {
  std::string kind, name;      // "kernel", "sgemm_32x32_nn"; "memcpy", "HtoD"; "runtime", "cudaLaunchKernel"
  uint64_t count = 0;
  int64_t total_ns = 0, least_ns = 0, most_ns = 0;
  uint64_t bytes = 0;          // that were moved; of kernels this is not recorded
  bool on_device = false;      // work of the device itself; else a call of its interface, on the host
};

// The longest first, the device's own before the calls.
std::vector<DeviceSum> device_sums(const session::Reader& reader, const Cancel& cancel);

}  // namespace footlight::query
