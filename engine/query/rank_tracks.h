// What the processes of a merged recording did in a stretch of time: pieces for a picture, joined where they are
// narrower than a pixel.
#pragma once

#include "engine/query/collectives.h"

#include <string>
#include <vector>

namespace footlight::query {

struct RankPiece {
  enum class Kind : uint8_t { kCall, kTrace, kPhase, kOps, kInput, kSpan } kind = Kind::kCall;
  int64_t start_ns = 0, end_ns = 0;
  std::string name;   // of the function, phase, stage or span; empty: of several
  TraceId trace;      // kCall: the one that served it; kTrace, kPhase: this one
  CallId call;        // kCall, unless it stands for several
  bool is_joined = false;  // it stands for several pieces, each narrower than a pixel or joined
  int64_t ns() const { return end_ns - start_ns; }
};

struct RankTrack {
  session::ProcessId process;
  std::vector<RankPiece> pieces;  // sorted by kind, then by start; only traces and phases lie in others of their kind
};

// One track for each of the processes. `pixel_ns`: shorter pieces beside each other are joined.
std::vector<RankTrack> rank_tracks(const session::Reader& reader, const std::vector<session::ProcessId>& processes,
                                   int64_t from_ns, int64_t to_ns, int64_t pixel_ns, const Cancel& cancel);

}  // namespace footlight::query
