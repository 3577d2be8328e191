// Fills the index of calls and answers queries from it, decoding only chunks that contain part of the result.
#include "engine/query/calls.h"

#include "engine/base/errors.h"

#include <algorithm>
#include <tuple>

namespace footlight::query {

struct CallIndex::Brief {
  int64_t start = 0;
  uint64_t row = 0;
  CallId id;
  TraceId trace;
  CallOutcome outcome = CallOutcome::kHit;
  SourceRef source = {};
  friend bool operator<(const Brief& a, const Brief& b) { return std::tie(a.start, a.row) < std::tie(b.start, b.row); }
};

void CallSums::add(const session::CallRecord& call) {
  const int64_t took = std::max<int64_t>(0, call.end_ns - call.start_ns);
  ++calls;
  total_ns += took;
  switch (call.outcome) {
    case CallOutcome::kHit: ++hits; break;
    case CallOutcome::kTrace: ++traced; break;
    case CallOutcome::kEager: ++eager; break;
    case CallOutcome::kFailed: ++failed; break;
    default: break;
  }
}

std::shared_ptr<const std::vector<session::CallRecord>> CallIndex::take_next() {
  const auto number = static_cast<uint32_t>(chunks_.size());
  const session::ChunkInfo& info = store_.index()[number];
  ChunkEntry entry;
  entry.first_ns = info.first_ns;
  entry.last_ns = info.last_ns;
  rows_ += info.count;
  std::shared_ptr<const std::vector<session::CallRecord>> chunk;
  try {
    chunk = store_.chunk(number);
  } catch (const Error&) {
    unreadable_ += info.count;
    chunks_.push_back(entry);
    return nullptr;
  }
  for (size_t i = 0; i < chunk->size(); ++i) {
    const session::CallRecord& call = (*chunk)[i];
    entry.first_id = std::min(entry.first_id, call.id.value);
    entry.last_id = std::max(entry.last_id, call.id.value);
    FunctionEntry& function = functions_[call.function];
    const bool hit = call.outcome == CallOutcome::kHit;
    const int64_t took = std::max<int64_t>(0, call.end_ns - call.start_ns);
    function.sums.add(call);
    if (hit) function.hits.add(took);
    function.chunks.add(number);
    if (!function.changed) changed_functions_.push_back(call.function);
    function.changed = true;
    if (call.trace.valid()) {
      TraceEntry& trace = traces_[call.trace];
      trace.sums.add(call);
      if (hit) trace.hits.add(took);
      if (!trace.changed) changed_traces_.push_back(call.trace);
      trace.changed = true;
      const uint64_t key = uint64_t{call.key.value} << 32 | call.trace.value;
      const uint32_t kind = kinds_.add(key_of(call.source) * 0x9E3779B97F4A7C15ull ^ key);
      if (kept_.size() <= kind) kept_.resize(kind + 1);
      if (kept_[kind] < kKeptOfEach) ++kept_[kind], distinct_.push_back(call);
    }
    if (call.source.code.valid()) {
      const uint32_t at = sources_.add(key_of(call.source));
      if (source_counts_.size() <= at) source_counts_.resize(at + 1);
      ++source_counts_[at];
    }
    if (call.outcome == CallOutcome::kTrace) traced_.emplace_back(info.first_row + i, call);
  }
  chunks_.push_back(entry);
  return chunk;
}

std::optional<session::CallRecord> CallIndex::find(CallId id) const {
  if (!id.valid()) return {};
  for (uint32_t c = static_cast<uint32_t>(chunks_.size()); c-- > 0;) {
    if (id.value < chunks_[c].first_id || id.value > chunks_[c].last_id) continue;
    const auto calls = store_.chunk(c);
    for (const session::CallRecord& call : *calls) {
      if (call.id == id) return call;
    }
  }
  return {};
}

std::optional<uint64_t> CallIndex::row(CallId id) const {
  if (!id.valid()) return {};
  for (uint32_t c = static_cast<uint32_t>(chunks_.size()); c-- > 0;) {
    if (id.value < chunks_[c].first_id || id.value > chunks_[c].last_id) continue;
    const auto calls = store_.chunk(c);
    for (size_t i = 0; i < calls->size(); ++i) {
      if ((*calls)[i].id == id) return store_.index()[c].first_row + i;
    }
  }
  return {};
}

std::vector<CallIndex::Brief> CallIndex::gather(FunctionId function, uint32_t chunk) const {
  std::vector<Brief> found;
  const uint64_t first = store_.index()[chunk].first_row;
  const auto calls = store_.chunk(chunk);
  for (size_t i = 0; i < calls->size(); ++i) {
    const session::CallRecord& c = (*calls)[i];
    if (c.function == function) found.push_back({c.start_ns, first + i, c.id, c.trace, c.outcome, c.source});
  }
  std::sort(found.begin(), found.end());
  return found;
}

uint64_t CallIndex::position(const session::CallRecord& call, const Cancel& cancel) const {
  const auto entry = functions_.find(call.function);
  if (entry == functions_.end()) return 0;
  uint64_t before = 0, among_equals = 0;
  bool seen = false;
  entry->second.chunks.visit([&](uint32_t chunk, uint32_t times) {
    const ChunkEntry& c = chunks_[chunk];
    if (c.last_ns < call.start_ns) {
      before += times;
    } else if (c.first_ns <= call.start_ns) {
      cancel.check();
      for (const Brief& b : gather(call.function, chunk)) {
        before += b.start < call.start_ns;
        seen |= b.id == call.id;
        among_equals += b.start == call.start_ns && !seen;
      }
    }
  });
  return before + among_equals;
}

std::optional<session::CallRecord> CallIndex::nth(FunctionId function, uint64_t position,
                                                  const Cancel& cancel) const {
  const auto entry = functions_.find(function);
  if (entry == functions_.end() || position >= entry->second.sums.calls) return {};
  // The chunks in order of time; the position lies in a run of chunks that overlap in time.
  std::vector<std::pair<uint32_t, uint32_t>> chunks;
  entry->second.chunks.visit([&](uint32_t chunk, uint32_t times) { chunks.emplace_back(chunk, times); });
  std::sort(chunks.begin(), chunks.end(), [&](const auto& a, const auto& b) {
    return chunks_[a.first].first_ns < chunks_[b.first].first_ns;
  });
  uint64_t before = 0;
  for (size_t i = 0; i < chunks.size();) {
    // A run of overlapping chunks, none of which overlaps a later one.
    size_t last = i;
    uint64_t inside = 0;
    int64_t reach = INT64_MIN;
    for (; last < chunks.size() && (last == i || chunks_[chunks[last].first].first_ns <= reach); ++last) {
      inside += chunks[last].second;
      reach = std::max(reach, chunks_[chunks[last].first].last_ns);
    }
    if (position < before + inside) {
      std::vector<Brief> all;
      for (size_t k = i; k < last; ++k) {
        cancel.check();
        const auto more = gather(function, chunks[k].first);
        all.insert(all.end(), more.begin(), more.end());
      }
      const auto at = all.begin() + static_cast<ptrdiff_t>(position - before);
      std::nth_element(all.begin(), at, all.end());
      return find(at->id);
    }
    before += inside;
    i = last;
  }
  return {};
}

bool CallChoice::has(SourceRef source, TraceId trace) const {
  if (sources.empty() && traces.empty()) return true;
  return std::binary_search(sources.begin(), sources.end(), key_of(source)) ||
         std::binary_search(traces.begin(), traces.end(), trace);
}

std::vector<CallRun> CallIndex::runs(FunctionId function, bool every, const Cancel& cancel,
                                     const CallChoice& choice) const {
  std::vector<CallRun> runs;
  const auto entry = functions_.find(function);
  if (entry == functions_.end()) return runs;
  const std::vector<uint32_t> chunks = entry->second.chunks.chunks();
  // The earliest start of any later chunk: everything gathered before it is in order.
  std::vector<int64_t> later(chunks.size() + 1, INT64_MAX);
  for (size_t i = chunks.size(); i-- > 0;) later[i] = std::min(later[i + 1], chunks_[chunks[i]].first_ns);
  std::vector<Brief> waiting;
  uint64_t number = 0;
  for (size_t i = 0; i < chunks.size(); ++i) {
    cancel.check();
    const auto more = gather(function, chunks[i]);
    const auto middle = static_cast<ptrdiff_t>(waiting.size());
    waiting.insert(waiting.end(), more.begin(), more.end());
    std::inplace_merge(waiting.begin(), waiting.begin() + middle, waiting.end());
    size_t taken = 0;
    for (; taken < waiting.size() && waiting[taken].start < later[i + 1]; ++taken, ++number) {
      const Brief& b = waiting[taken];
      const bool folds = b.outcome == CallOutcome::kHit || b.outcome == CallOutcome::kEager;
      const bool chosen = choice.has(b.source, b.trace);
      if (!every && folds && !runs.empty() && runs.back().outcome == b.outcome && runs.back().chosen == chosen) {
        ++runs.back().count;
      } else {
        runs.push_back({b.outcome, b.trace, number, 1, chosen});
      }
    }
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<ptrdiff_t>(taken));
  }
  return runs;
}

std::vector<std::pair<SourceRef, CallSums>> CallIndex::sites(FunctionId function, const Cancel& cancel) const {
  std::vector<std::pair<SourceRef, CallSums>> sites;
  const auto entry = functions_.find(function);
  if (entry == functions_.end()) return sites;
  KeyTable places;
  entry->second.chunks.visit([&](uint32_t chunk, uint32_t) {
    cancel.check();
    const auto calls = store_.chunk(chunk);
    for (const session::CallRecord& call : *calls) {
      if (call.function != function) continue;
      const uint32_t at = places.add(key_of(call.source));
      if (at == sites.size()) sites.emplace_back(call.source, CallSums{});
      sites[at].second.add(call);
    }
  });
  return sites;
}

uint64_t CallIndex::count_between(int64_t from, int64_t to, const Cancel& cancel) const {
  uint64_t count = 0;
  for (uint32_t c = 0; c < chunks_.size(); ++c) {
    const ChunkEntry& entry = chunks_[c];
    if (entry.first_id > entry.last_id || entry.first_ns >= to || entry.last_ns <= from) continue;
    if (entry.first_ns > from && entry.last_ns < to) {
      count += store_.index()[c].count;
      continue;
    }
    cancel.check();
    const auto calls = store_.chunk(c);
    for (const session::CallRecord& call : *calls) count += call.start_ns < to && call.end_ns > from;
  }
  return count;
}

CallSums CallIndex::of_function(FunctionId id) const {
  const auto it = functions_.find(id);
  return it == functions_.end() ? CallSums{} : it->second.sums;
}

CallSums CallIndex::of_trace(TraceId id) const {
  const auto it = traces_.find(id);
  return it == traces_.end() ? CallSums{} : it->second.sums;
}

namespace {
HitTimes times_of(Durations& hits) {
  if (!hits.count()) return {};
  return {hits.count(), hits.median(), hits.quantile(0.05), hits.quantile(0.95)};
}
}  // namespace

HitTimes CallIndex::hits_of_function(FunctionId id) const {
  const auto it = functions_.find(id);
  return it == functions_.end() ? HitTimes{} : times_of(it->second.hits);
}

HitTimes CallIndex::hits_of_trace(TraceId id) const {
  const auto it = traces_.find(id);
  return it == traces_.end() ? HitTimes{} : times_of(it->second.hits);
}

uint64_t CallIndex::of_source(SourceRef source) const {
  const uint32_t at = sources_.find(key_of(source));
  return at == KeyTable::kNone ? 0 : source_counts_[at];
}

std::vector<std::pair<FunctionId, CallSums>> CallIndex::changed_functions() {
  std::vector<std::pair<FunctionId, CallSums>> changed;
  for (FunctionId id : changed_functions_) {
    FunctionEntry& entry = functions_[id];
    entry.changed = false;
    changed.emplace_back(id, entry.sums);
  }
  changed_functions_.clear();
  return changed;
}

std::vector<std::pair<TraceId, CallSums>> CallIndex::changed_traces() {
  std::vector<std::pair<TraceId, CallSums>> changed;
  for (TraceId id : changed_traces_) {
    TraceEntry& entry = traces_[id];
    entry.changed = false;
    changed.emplace_back(id, entry.sums);
  }
  changed_traces_.clear();
  return changed;
}

size_t CallIndex::bytes() const {
  size_t sum = chunks_.capacity() * sizeof(ChunkEntry) + sources_.bytes() + source_counts_.capacity() * 8 +
               traced_.capacity() * sizeof(traced_[0]) + kinds_.bytes() + kept_.capacity() +
               distinct_.capacity() * sizeof(session::CallRecord) + traces_.size() * (sizeof(TraceEntry) + 32);
  for (const auto& [id, entry] : functions_) sum += sizeof entry + 32 + entry.chunks.bytes();
  return sum;
}

}  // namespace footlight::query
