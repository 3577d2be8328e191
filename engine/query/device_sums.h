// Sums device work by kernel, and calls of the devices' interface by function: count, time, bytes. Repetitions of a
// comparison are not part of the program and are left out.
#pragma once

#include "engine/query/cancel.h"
#include "engine/query/sums.h"
#include "engine/session/reader.h"

#include <string>
#include <utility>
#include <vector>

namespace footlight::query {

// The key of a row.
struct DeviceName {
  std::string kind, name;      // "kernel", "sgemm_32x32_nn"; "memcpy", "HtoD"; "runtime", "cudaLaunchKernel"
  friend auto operator<=>(const DeviceName&, const DeviceName&) = default;
};

struct DeviceSum : DeviceName {
  uint64_t count = 0;
  int64_t total_ns = 0;        // within the range
  int64_t whole_ns = 0;        // with what an edge of the range cuts off
  int64_t least_ns = 0, most_ns = 0;
  uint64_t bytes = 0;          // bytes that were moved; not recorded for kernels
  bool on_device = false;      // work of the device itself; else a call of its interface, on the host
  LogHistogram durations;
  double bytes_per_second() const;  // 0: not known
};

// When calls were repeated for a comparison, with recorded device work.
class RepeatedTimes {
 public:
  explicit RepeatedTimes(const session::Reader& reader);
  bool has(const session::DeviceRecord& event) const;

 private:
  std::vector<std::pair<int64_t, int64_t>> times_;  // by start, without overlaps
};

// Sums what overlaps [from, to). The longest comes first, work on devices before calls of the API.
std::vector<DeviceSum> device_sums(const session::Reader& reader, const Cancel& cancel, int64_t from = INT64_MIN,
                                   int64_t to = INT64_MAX);

}  // namespace footlight::query
