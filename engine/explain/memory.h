// The memory plan of a graph in words: where the values of a node lie, and how much memory the graph needs in all.
#pragma once

#include "engine/session/records.h"

#include <string>
#include <vector>

namespace footlight::explain {

// "slot 3, in place of mul, 4.0 KB, reused by add", one for each value of the node or of the one that it
// runs as, up to a hundred; none: it does not run, or no plan was recorded.
std::vector<std::string> memory_of(const session::GraphRecord& graph, uint32_t node);

struct MemoryTotal {
  size_t values = 0, slots = 0, in_place = 0, in_tiles = 0;
  int64_t kept = 0;      // bytes that stay in slots for the next run
  int64_t most = 0;      // bytes at once, with those
  bool unknown = false;  // some sizes are known only when it runs
};
MemoryTotal memory_total(const session::GraphRecord& graph);
// "7 values in 5 slots, 2 of them in place of others; 1 more inside fused loops; ..."; empty: no plan was recorded.
std::string words_of(const MemoryTotal& total);

}  // namespace footlight::explain
