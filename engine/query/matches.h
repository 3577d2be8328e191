// Finds op events of a node, line, op, shape or function, or work of devices, in a stretch of time: all of them, by
// columns of pixels, or the next one from a point.
#pragma once

#include "engine/query/device_sums.h"
#include "engine/query/grouping.h"
#include "engine/query/store.h"

#include <map>
#include <optional>
#include <vector>

namespace footlight::query {

// Rows of a table, or else what `filter` lets through.
struct Wanted {
  GroupBy by = GroupBy::kOp;
  std::vector<uint64_t> keys;  // sorted
  OpFilter filter;
  std::vector<DeviceName> work;  // sorted; with it, device events are meant and no ops
  bool empty() const { return keys.empty() && filter.empty() && work.empty(); }
};

struct Matches {
  int64_t from = 0, to = 1;
  std::map<TrackKey, std::vector<bool>> columns;  // whether any ran there
  std::vector<uint64_t> wide;                     // rows of those drawn as bars, sorted; of ops or of device events
  uint64_t count = 0;
};

Matches matches(const Store& store, const Wanted& wanted, int64_t from, int64_t to, int columns, const Cancel& cancel);

// The first one that starts after (time, row), or (`by` < 0) the last one before; within [from, to).
std::optional<uint64_t> next_match(const Store& store, const Wanted& wanted, int64_t time, uint64_t row, int by,
                                   int64_t from, int64_t to, const Cancel& cancel);

}  // namespace footlight::query
