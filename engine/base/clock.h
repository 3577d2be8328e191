// One clock for host and device events: CLOCK_REALTIME in ns, which CUPTI uses on Linux. While a recording keeps it
// calibrated it is read from the processor's counter, which takes half the time and is monotonic.
#pragma once

#include <atomic>
#include <ctime>

#include <cstdint>

namespace footlight {

inline int64_t system_now_ns() {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

// A line through (ticks, ns). Members are atomic because a scale is reused after a minute (clock.cpp).
struct ClockScale {
  std::atomic<int64_t> ticks{0}, ns{0}, ns_per_tick{0};  // ns_per_tick is in units of 2^-32
};
extern std::atomic<const ClockScale*> clock_scale;  // null: ask the system

inline int64_t now_ns() {
#if defined(__x86_64__)
  if (const ClockScale* scale = clock_scale.load(std::memory_order_acquire)) {
    const int64_t passed =
        static_cast<int64_t>(__builtin_ia32_rdtsc()) - scale->ticks.load(std::memory_order_relaxed);
    return scale->ns.load(std::memory_order_relaxed) +
           static_cast<int64_t>((__int128{passed} * scale->ns_per_tick.load(std::memory_order_relaxed)) >> 32);
  }
#endif
  return system_now_ns();
}

// Called by the recorder from one thread at a time: first (takes 1 ms), then every 50 ms or so. Has no effect where the
// processor's counter cannot serve as a clock.
void calibrate_clock();
void release_clock();  // back to the system clock

}  // namespace footlight
