// Finds what a trace read at a place before it stored a symbolic tensor there: the graph keeps what was read, and does
// not store anything when it runs.
#pragma once

#include "engine/python/function/observed/watched_body.h"

#include <span>
#include <utility>
#include <vector>

namespace footlight::python {

// What is captured: an eager tensor by its id, a variable by its resource; {}: neither.
std::pair<const void*, uint64_t> identity_of(PyObject* value);

struct FrozenState {
  const WatchedEntry* read = nullptr;    // null: the trace read nothing that was there before
  int stored_line = 0;                   // the line that stores what the next call should read
  std::vector<const WatchedEntry*> reads;
};
// `stored`: an access after which a symbolic tensor is there.
FrozenState frozen_state(const WatchedEntry& stored, std::span<const WatchedEntry> entries);

}  // namespace footlight::python
