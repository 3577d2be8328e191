// Walks over the chunks of a recording that can be read. What a damaged chunk held is missing from what a walk makes;
// how many rows could not be read is said of the whole recording.
#pragma once

#include "engine/base/errors.h"
#include "engine/session/reader.h"

#include <memory>
#include <vector>

namespace footlight::session {

// Calls `visit` with each chunk whose times `is_wanted(first_ns, last_ns)`. `go_on` is called before a chunk is read,
// and may throw to end the walk.
template <class Chunk, class IsWanted, class GoOn, class Visit>
void each_chunk_where(const ChunkStore<Chunk>& store, IsWanted&& is_wanted, GoOn&& go_on, Visit&& visit) {
  for (size_t i = 0; i < store.index().size(); ++i) {
    const ChunkInfo& info = store.index()[i];
    if (!is_wanted(info.first_ns, info.last_ns)) continue;
    go_on();
    std::shared_ptr<const Chunk> chunk;
    try {
      chunk = store.chunk(i);
    } catch (const Error&) {
      continue;
    }
    visit(*chunk);
  }
}
template <class Chunk, class GoOn, class Visit>
void each_chunk(const ChunkStore<Chunk>& store, GoOn&& go_on, Visit&& visit) {
  each_chunk_where(store, [](int64_t, int64_t) { return true; }, go_on, visit);
}
// Chunks with events of the time from `from` to before `to`; other events are among them.
template <class Chunk, class GoOn, class Visit>
void each_chunk(const ChunkStore<Chunk>& store, int64_t from, int64_t to, GoOn&& go_on, Visit&& visit) {
  each_chunk_where(
      store, [&](int64_t first_ns, int64_t last_ns) { return first_ns < to && last_ns >= from; }, go_on, visit);
}

template <class Record, class GoOn, class Visit>
void each_record(const ChunkStore<std::vector<Record>>& store, GoOn&& go_on, Visit&& visit) {
  each_chunk(store, go_on, [&](const std::vector<Record>& records) {
    for (const Record& record : records) visit(record);
  });
}
template <class Record, class GoOn, class Visit>
void each_record(const ChunkStore<std::vector<Record>>& store, int64_t from, int64_t to, GoOn&& go_on, Visit&& visit) {
  each_chunk(store, from, to, go_on, [&](const std::vector<Record>& records) {
    for (const Record& record : records) visit(record);
  });
}

}  // namespace footlight::session
