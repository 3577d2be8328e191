// An index of calls: totals by function and by trace, the chunks with calls of each function, the calls that traced.
#pragma once

#include "engine/query/cancel.h"
#include "engine/query/postings.h"
#include "engine/query/sums.h"
#include "engine/session/reader.h"

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace footlight::query {

struct CallSums {
  uint64_t calls = 0, hits = 0, traced = 0, eager = 0, failed = 0;
  int64_t total_ns = 0;

  void add(const session::CallRecord& call);
  friend bool operator==(const CallSums&, const CallSums&) = default;
};

// How long hits took: the median, and the times than which 5 and 95 of 100 took no longer.
struct HitTimes {
  uint64_t count = 0;
  int64_t median = 0, p5 = 0, p95 = 0;
};

// A run of a function's calls with the same outcome; a call that traced or failed is a run of its own.
struct CallRun {
  CallOutcome outcome = CallOutcome::kHit;
  TraceId trace;       // trace of the first call
  uint64_t first = 0;  // its number among the function's calls, in the order of their start
  uint64_t count = 1;
  bool chosen = true;  // a CallChoice chose all calls of the run, or none
};

// Selects calls of a function: those made at one of the places (key_of), or served by one of the traces. Both are
// sorted; if both are empty, all calls.
struct CallChoice {
  std::vector<uint64_t> sources;
  std::vector<TraceId> traces;
  bool has(SourceRef source, TraceId trace) const;
};

class CallIndex {
 public:
  explicit CallIndex(const session::CallStore& store) : store_(store) {}

  // Adds the next chunk and returns its calls; null if it could not be read.
  std::shared_ptr<const std::vector<session::CallRecord>> take_next();
  bool complete() const { return chunks_.size() >= store_.index().size(); }
  size_t taken() const { return chunks_.size(); }
  uint64_t rows() const { return rows_; }
  uint64_t unreadable_rows() const { return unreadable_; }

  std::optional<session::CallRecord> find(CallId id) const;
  std::optional<uint64_t> row(CallId id) const;
  // The position of the call among those of its function, from 0, in order of start.
  uint64_t position(const session::CallRecord& call, const Cancel& cancel) const;
  // The call at that position; none if there are fewer.
  std::optional<session::CallRecord> nth(FunctionId function, uint64_t position, const Cancel& cancel) const;
  // `every`: one run per call.
  std::vector<CallRun> runs(FunctionId function, bool every, const Cancel& cancel,
                            const CallChoice& choice = {}) const;
  // Totals of the function's calls by the place of the call, in the order of their first.
  std::vector<std::pair<SourceRef, CallSums>> sites(FunctionId function, const Cancel& cancel) const;
  uint64_t count_between(int64_t from, int64_t to, const Cancel& cancel) const;  // overlapping [from, to)

  CallSums of_function(FunctionId id) const;
  CallSums of_trace(TraceId id) const;
  HitTimes hits_of_function(FunctionId id) const;
  HitTimes hits_of_trace(TraceId id) const;
  uint64_t of_source(SourceRef source) const;
  const KeyTable& sources() const { return sources_; }
  uint64_t of_source_at(size_t position) const { return source_counts_[position]; }
  // Totals that changed since the last call of this function.
  std::vector<std::pair<FunctionId, CallSums>> changed_functions();
  std::vector<std::pair<TraceId, CallSums>> changed_traces();
  // The first few calls of each trace and key from each line, in the order in which they ended. A replay needs no
  // others, because a call that was served once is served the same way again.
  const std::vector<session::CallRecord>& distinct() const { return distinct_; }
  static constexpr uint32_t kKeptOfEach = 8;
  // Calls that traced, with their rows, in the order in which they ended.
  const std::vector<std::pair<uint64_t, session::CallRecord>>& traced() const { return traced_; }
  size_t bytes() const;

 private:
  struct ChunkEntry {
    int64_t first_ns = 0, last_ns = 0;
    uint64_t first_id = UINT64_MAX, last_id = 0;
  };
  struct FunctionEntry {
    CallSums sums;
    mutable Durations hits;  // sorted when it is asked
    Postings chunks;
    bool changed = false;
  };
  struct TraceEntry {
    CallSums sums;
    mutable Durations hits;
    bool changed = false;
  };
  struct Brief;  // a call of one function, with only what its position depends on
  std::vector<Brief> gather(FunctionId function, uint32_t chunk) const;

  const session::CallStore& store_;
  std::vector<ChunkEntry> chunks_;
  std::unordered_map<FunctionId, FunctionEntry> functions_;
  std::unordered_map<TraceId, TraceEntry> traces_;
  std::vector<FunctionId> changed_functions_;
  std::vector<TraceId> changed_traces_;
  KeyTable sources_;
  std::vector<uint64_t> source_counts_;
  std::vector<std::pair<uint64_t, session::CallRecord>> traced_;
  KeyTable kinds_;  // keyed by trace, key and source
  std::vector<uint8_t> kept_;
  std::vector<session::CallRecord> distinct_;
  uint64_t rows_ = 0, unreadable_ = 0;
};

inline uint64_t key_of(SourceRef source) { return uint64_t{source.code.value} << 32 | source.offset; }
inline SourceRef source_of(uint64_t key) {
  return {CodeId(static_cast<uint32_t>(key >> 32)), static_cast<uint32_t>(key)};
}

}  // namespace footlight::query
