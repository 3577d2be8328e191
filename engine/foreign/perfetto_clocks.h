// Converts times of a Perfetto trace to one clock. Packets name the clocks of their times; snapshots relate clocks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace footlight::foreign {

class PerfettoClocks {
 public:
  static constexpr uint64_t kRealTime = 1, kBootTime = 6;
  // A ClockSnapshot of a sequence of packets.
  void take_snapshot(uint64_t sequence, std::string_view message);
  // The time in nanoseconds of the trace's own clock; empty: it would overflow. Clocks from 64 to 127 belong to a
  // sequence, and may count on from the time before.
  std::optional<int64_t> time(uint64_t sequence, uint64_t clock, uint64_t reading);
  // Add it to a time to count from 1970; 0: not known.
  int64_t since_1970() const { return real_ > 0 && boot_ > 0 ? real_ - boot_ : 0; }

 private:
  struct Clock {
    int64_t ahead_ns = 0;      // of the trace's own clock
    int64_t now = 0;           // of a clock that counts on, in its unit
    int64_t unit_ns = 1;
    bool is_incremental = false, is_known = false;
  };
  static uint64_t key(uint64_t sequence, uint64_t clock) { return clock >= 64 && clock < 128 ? sequence + 1 : 0; }
  std::map<std::pair<uint64_t, uint64_t>, Clock> clocks_;
  int64_t real_ = 0, boot_ = 0;
};

}  // namespace footlight::foreign
