// One clock for host and device events: CLOCK_REALTIME in ns, which CUPTI uses on Linux.
#pragma once

#include <ctime>

#include <cstdint>

namespace footlight {

inline int64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

}  // namespace footlight
