// Keeps the counter's scale in step with the system clock: a line that meets the clock at the next calibration.
#include "engine/base/clock.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace footlight {

std::atomic<const ClockScale*> clock_scale{nullptr};

#if defined(__x86_64__)
namespace {

struct Sample { int64_t ticks, ns; };

int64_t ticks() { return static_cast<int64_t>(__builtin_ia32_rdtsc()); }

// Takes the pair of readings that are closest to each other, out of a few tries.
Sample sample() {
  Sample best{};
  int64_t least = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const int64_t before = ticks();
    const int64_t ns = system_now_ns();
    const int64_t after = ticks();
    if (after - before >= least) continue;
    least = after - before;
    best = {before + least / 2, ns};
  }
  return best;
}

// Whether the counter runs evenly on all cores: the operating system then uses it as its clock.
bool counter_is_a_clock() {
  unsigned a, b, c, d;
  if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & (1u << 8))) return false;
  char name[16] = {};
  if (FILE* f = std::fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re")) {
    if (!std::fgets(name, sizeof name, f)) name[0] = 0;
    std::fclose(f);
  }
  return std::strncmp(name, "tsc", 3) == 0;
}

// Differences up to so many ns are corrected smoothly; after larger ones somebody has set the clock.
constexpr int64_t kMaxSmoothCorrection = 1'000'000;
constexpr int kScales = 1024;         // at 20 a second, one is reused only when no reader can still hold it
ClockScale g_scales[kScales];
int g_next = 0;
Sample g_first;

int64_t rate(Sample from, Sample to) {
  return static_cast<int64_t>((__int128{to.ns - from.ns} << 32) / (to.ticks - from.ticks));
}

void publish(int64_t at_ticks, int64_t at_ns, int64_t ns_per_tick) {
  ClockScale& scale = g_scales[g_next++ % kScales];
  scale.ticks.store(at_ticks, std::memory_order_relaxed);
  scale.ns.store(at_ns, std::memory_order_relaxed);
  scale.ns_per_tick.store(ns_per_tick, std::memory_order_relaxed);
  clock_scale.store(&scale, std::memory_order_release);
}

void begin() {
  g_first = sample();
  while (system_now_ns() - g_first.ns < 1'000'000 && system_now_ns() >= g_first.ns) {
  }
  const Sample now = sample();
  if (now.ticks > g_first.ticks && now.ns > g_first.ns) publish(now.ticks, now.ns, rate(g_first, now));
}

}  // namespace

void calibrate_clock() {
  static const bool usable = counter_is_a_clock();
  if (!usable) return;
  const ClockScale* scale = clock_scale.load(std::memory_order_relaxed);
  if (!scale) return begin();
  const Sample now = sample();
  const int64_t passed = now.ticks - scale->ticks.load(std::memory_order_relaxed);
  const int64_t said =
      scale->ns.load(std::memory_order_relaxed) +
      static_cast<int64_t>((__int128{passed} * scale->ns_per_tick.load(std::memory_order_relaxed)) >> 32);
  const int64_t behind = now.ns - said;
  if (std::abs(behind) > kMaxSmoothCorrection || now.ns <= g_first.ns || now.ticks <= g_first.ticks || passed <= 0) {
    clock_scale.store(nullptr, std::memory_order_release);
    return begin();
  }
  // The difference is made up over the next 50 ms of ticks: no jumps, never backwards.
  const int64_t true_rate = rate(g_first, now);
  const int64_t soon = (int64_t{50'000'000} << 32) / true_rate;
  publish(now.ticks, said, true_rate + static_cast<int64_t>((__int128{behind} << 32) / soon));
}

void release_clock() { clock_scale.store(nullptr, std::memory_order_release); }

#else

void calibrate_clock() {}
void release_clock() {}

#endif

}  // namespace footlight
