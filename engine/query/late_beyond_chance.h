// Late ranks that chance does not explain: with a reason of their own, or late too often, or too long, for noise.
//
// Ranks take turns in being late by some of their time: of pauses of the system, of ops that vary. So a rank is named
// only
//   * for work that is its own: a trace, a span or many ops that the others did not have, or
//   * if it is late at far more collectives than its share, or
//   * if it is late by many times what others ever were: several times, or waiting for its input, and no other rank is.
#pragma once

#include "engine/query/late_ranks.h"

namespace footlight::query {

struct LateRank {
  session::ProcessId process;
  std::string name;                // "Rank 5"
  RankWork why = RankWork::kOther;
  std::string where;               // as in LateArrival
  std::string reason;              // "it traced train_step again (length of tokens) for 36.4 ms, the others for 0 ms"
  std::string collective;          // "all_reduce #1204", where it was latest
  std::string file;                // of the program's line that asked for this collective; empty: unknown
  int line = 0;
  TraceId trace;                   // the one that made it late, of kTracing
  uint64_t count = 0;              // collectives at which it was late for this reason
  uint64_t collectives = 0;        // to which it came
  int64_t worst_ns = 0, late_ns = 0;  // at the worst one, at all of them
  int64_t waited_ns = 0;           // by the other ranks together
  size_t other_ranks = 0;          // that came to the worst one
  std::vector<std::string> also;   // ranks that were late for the same reason, and less
  int64_t all_late_ns = 0, all_waited_ns = 0;  // with these
};

// The one that cost most first. Empty for a recording of one process.
std::vector<LateRank> late_beyond_chance(const session::Reader& reader, const Ranks& ranks);

}  // namespace footlight::query
