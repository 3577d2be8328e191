// Converts times of a trace's clocks to its own clock: the time since boot, unless a snapshot names another one.
#include "engine/foreign/perfetto_clocks.h"

#include "engine/wire/protobuf.h"

#include <vector>

namespace footlight::foreign {

using wire::ProtobufReader;

void PerfettoClocks::take_snapshot(uint64_t sequence, std::string_view message) {
  struct Reading { uint64_t clock = 0; int64_t time = 0, unit_ns = 1; bool is_incremental = false; };
  std::vector<Reading> readings;
  uint64_t primary = kBootTime;
  for (ProtobufReader field(message); field.next();) {
    if (field.field == 2 && field.type == wire::kVarint) primary = field.number;
    if (field.field != 1 || field.type != wire::kBytes || readings.size() > 1000) continue;
    Reading reading;
    for (ProtobufReader part(field.bytes); part.next();) {
      if (part.type != wire::kVarint) continue;
      if (part.field == 1) reading.clock = part.number;
      if (part.field == 2) reading.time = static_cast<int64_t>(part.number);
      if (part.field == 3) reading.is_incremental = part.number != 0;
      if (part.field == 4) reading.unit_ns = static_cast<int64_t>(part.number);
    }
    if (reading.unit_ns <= 0) reading.unit_ns = 1;
    readings.push_back(reading);
  }
  int64_t own = 0;
  for (const Reading& reading : readings)
    if (reading.clock == primary) own = reading.time;
  for (const Reading& reading : readings) {
    if (real_ == 0 && reading.clock == kRealTime && own > 0) {
      real_ = reading.time;
      boot_ = own;
    }
    Clock& clock = clocks_[{key(sequence, reading.clock), reading.clock}];
    int64_t reading_ns = 0;
    if (clocks_.size() > 100'000 || __builtin_mul_overflow(reading.time, reading.unit_ns, &reading_ns)) continue;
    clock.now = reading.time;
    clock.unit_ns = reading.unit_ns;
    clock.is_incremental = reading.is_incremental;
    // Times between snapshots keep the first offset, so that clocks that are set do not move what was recorded.
    if (clock.is_known && !clock.is_incremental) continue;
    clock.is_known = own > 0 && !__builtin_sub_overflow(reading_ns, own, &clock.ahead_ns);
  }
}

std::optional<int64_t> PerfettoClocks::time(uint64_t sequence, uint64_t clock, uint64_t reading) {
  int64_t ns = static_cast<int64_t>(reading);
  const auto known = clocks_.find({key(sequence, clock), clock});
  if (known == clocks_.end()) return ns < 0 ? std::nullopt : std::optional(ns);
  Clock& c = known->second;
  if (c.is_incremental) {
    if (__builtin_add_overflow(c.now, ns, &c.now)) return {};
    ns = c.now;
  }
  if (__builtin_mul_overflow(ns, c.unit_ns, &ns)) return {};
  if (c.is_known && __builtin_sub_overflow(ns, c.ahead_ns, &ns)) return {};
  return ns;
}

}  // namespace footlight::foreign
