// How far the clocks of several recordings are apart.
//
// Processes of one machine read its steady clock beside their own. Those of different machines have only what they did
// together: a collective ends on no rank before the last one has begun it, which bounds the difference from both sides.
// Where they share a folder they have asked rank 0 for its time as well. The way with the smaller error is taken.
#pragma once

#include "engine/query/collectives.h"

#include <string>
#include <vector>

namespace footlight::query {

// One recording to be placed on the clock of the first.
struct ClockSource {
  session::ProcessRecord process;
  std::vector<Collective> collectives;  // of this recording alone
};

struct ClockPlace {
  int64_t move_ns = 0;   // added to the recording's times, gives times of the first recording's clock
  int64_t error_ns = 0;  // how wrong that may be; -1: unknown
  enum class By : uint8_t { kReference, kSteadyClock, kHandshake, kCollectives, kSystemTime } by = By::kReference;
  uint64_t matched = 0;  // collectives that were used
};

// One place for each source; the first source is the reference.
std::vector<ClockPlace> place_clocks(const std::vector<ClockSource>& sources);

}  // namespace footlight::query
