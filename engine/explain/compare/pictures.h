// The two timelines of a comparison: one repetition of each way, in lanes.
#pragma once

#include "engine/explain/compare/runs.h"

#include <functional>

namespace footlight::explain {

using RowOf = std::function<int32_t(size_t op)>;  // of the run's ops

// Work on a device, or a call that asked for it.
struct DrawnWork {
  Piece piece;
  uint32_t stream = 0, correlation = 0;
  bool call = false;
};

// Lanes of pieces whose times count from the start; those of the host are in order and do not overlap.
Picture lanes_of(int64_t total, std::vector<Piece> host, std::vector<DrawnWork> work);

Picture picture_of(const session::Reader& reader, const Run& run, const RowOf& row_of);

}  // namespace footlight::explain
