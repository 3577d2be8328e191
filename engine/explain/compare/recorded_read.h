// What the parts of a recorded side are read with: chunks within a window, and the stretches that an interval overlaps.
#pragma once

#include "engine/base/errors.h"
#include "engine/explain/compare/recorded.h"
#include "engine/session/run_times.h"

#include <algorithm>
#include <memory>

namespace footlight::explain {

inline bool is_sane(int64_t start, int64_t end) { return start > 0 && end >= start && end < session::kLatestTime; }

inline session::ThreadId known(session::ThreadId thread) { return thread.valid() ? thread : session::ThreadId(0); }

// Adds an interval to each stretch that it overlaps; those do not overlap each other.
template <class Stretches, class Add>
void each_overlapped(Stretches& all, session::ThreadId thread, int64_t start, int64_t end, Add&& add) {
  const auto of_thread = all.find(known(thread));
  if (of_thread == all.end()) return;
  auto& list = of_thread->second;
  for (auto at = std::ranges::upper_bound(list, start, {}, [](const auto& s) { return s.span.end; });
       at != list.end() && at->span.start < end; ++at)
    add(*at);
}

template <class Chunk, class Visit>
void each_chunk(const session::ChunkStore<Chunk>& store, int64_t from, int64_t to, const GoOn& go_on, Visit&& visit) {
  for (size_t c = 0; c < store.index().size(); ++c) {
    const session::ChunkInfo& info = store.index()[c];
    if (info.first_ns >= to || info.last_ns < from) continue;
    go_on();
    std::shared_ptr<const Chunk> chunk;
    try {
      chunk = store.chunk(c);
    } catch (const Error&) {
      continue;  // what could not be read is said of the whole session
    }
    visit(*chunk);
  }
}

template <class Chunk, class Visit>
void each_chunk(const session::ChunkStore<Chunk>& store, const GoOn& go_on, Visit&& visit) {
  each_chunk(store, INT64_MIN, INT64_MAX, go_on, visit);
}

}  // namespace footlight::explain
