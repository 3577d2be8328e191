// Which rank came late to a collective, and what it did meanwhile that the others did not.
#pragma once

#include "engine/query/collectives.h"

#include <array>
#include <string>
#include <vector>

namespace footlight::query {

struct LateArrival {
  size_t collective = 0;       // position in Ranks::collectives
  session::ProcessId process;  // the last to come
  int64_t late_ns = 0;         // after the median of the others
  int64_t waited_ns = 0;       // by all others together
  RankWork why = RankWork::kOther;  // what it spent most on above the others
  bool explained = false;      // that is at least half of late_ns
  std::array<int64_t, kRankWorks> own{}, others{};  // since the collective before; the median of the others
  uint64_t own_ops = 0, others_ops = 0;  // how many ops ran meanwhile; the median of the others
  TraceId trace;               // the longest, of kTracing
  std::string where;           // the function, the stage of input, the span: what is known of it
  bool is_alone = false;       // none of the others was in a span of that name meanwhile
};

// Late arrivals of one process for one reason.
struct LateGroup {
  session::ProcessId process;
  RankWork why = RankWork::kOther;
  std::string where;
  uint64_t count = 0;
  int64_t worst_ns = 0, waited_ns = 0;
  size_t worst = 0;  // position in Ranks::late
};

struct RankSums {
  session::ProcessId process;
  uint64_t collectives = 0, last = 0;  // how often it was the last to come
  int64_t waited_ns = 0;               // for others
  uint64_t traces = 0;
};

struct Ranks {
  std::vector<Collective> collectives;
  std::vector<RankSums> ranks;     // processes that took part in one, by rank
  std::vector<LateArrival> late;   // in order of time; those below the noise are left out
  std::vector<LateGroup> groups;   // the one for which the others waited longest first
  bool comparable = true;          // false: how far the clocks are apart is unknown, so nobody is called late
  int64_t noise_ns = 0;            // arrivals closer than this are not told apart: the error of the clocks, or 100 us
  int64_t waited_ns = 0;           // by all ranks, in all collectives
  int64_t took_ns = 0;             // time of all ranks from their first collective to their last
  std::vector<std::string> missing;  // "Rank 3 of 4 is not in this recording", ranks that stopped early
};

Ranks find_late_ranks(const session::Reader& reader, const Cancel& cancel = {});

// One sentence: "Rank 5 is late at all_reduce #1204 by 38 ms: it traced train_step for 36.4 ms, which no other rank did
// then. The other 7 ranks waited 265 ms together."
std::string sentence(const Ranks& ranks, const session::Reader& reader, const LateArrival& late);
// The same of a group, with how often it happened.
std::string sentence(const Ranks& ranks, const session::Reader& reader, const LateGroup& group);
// Says the first group, if the others waited for it for at least a twentieth of all ranks' time; else why no rank is
// called late.
std::string verdict(const Ranks& ranks, const session::Reader& reader);

// "it traced train_step again (length of tokens) for 36.4 ms, the others for 0.00 ms"
std::string reason_of(const LateArrival& late, const session::Reader& reader);

// The line where the late rank had its function traced, else the one of the collective: "train.py:88"; "": unknown.
std::string line_of(const Ranks& ranks, const session::Reader& reader, const LateArrival& late);

// "all_reduce #1204", "all_reduce of group 0,1 #3"
std::string collective_name(const Collective& collective);

}  // namespace footlight::query
