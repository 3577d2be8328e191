// Decodes the chunks that may hold a match, and only those.
#include "engine/query/matches.h"

#include "engine/base/errors.h"
#include "engine/query/nesting.h"

#include <algorithm>
#include <numeric>

namespace footlight::query {
namespace {

class Finder {
 public:
  Finder(const Store& store, const Wanted& wanted)
      : store_(store), wanted_(wanted), grouping_(store.reader(), wanted.by) {}

  std::vector<uint32_t> chunks() const {
    if (wanted_.keys.empty()) return store_.chunks_of(wanted_.filter);
    if (wanted_.by == GroupBy::kOp) return store_.chunks_of_ops(wanted_.keys);
    std::vector<uint32_t> all(store_.op_chunks());
    std::iota(all.begin(), all.end(), 0u);
    return all;
  }
  bool matches(const session::OpColumns& e, uint64_t first_row, size_t i) {
    if (wanted_.keys.empty()) return wanted_.filter.holds(store_.op_row(e, first_row, i));
    return std::binary_search(wanted_.keys.begin(), wanted_.keys.end(), grouping_.key(e, i));
  }
  // Null if it cannot be read.
  std::shared_ptr<const session::OpColumns> chunk(uint32_t number) const {
    try {
      return store_.op_chunk_readable(number) ? store_.op_store().chunk(number) : nullptr;
    } catch (const Error&) {
      return nullptr;
    }
  }

 private:
  const Store& store_;
  const Wanted& wanted_;
  Grouping grouping_;
};

// Visits the device events that are wanted and no repetitions of a comparison: visit(record, row), by chunk.
template <class Visit>
void each_work(const Store& store, const Wanted& wanted, int64_t from, int64_t to, const Cancel& cancel,
               Visit&& visit) {
  const session::Reader& reader = store.reader();
  const RepeatedTimes repeated(reader);
  const auto& index = reader.device_events().index();
  DeviceName name;
  for (size_t c = 0; c < index.size(); ++c) {
    if (index[c].first_ns >= to || index[c].last_ns < from) continue;
    cancel.check();
    try {
      const auto chunk = reader.device_events().chunk(c);
      for (size_t i = 0; i < chunk->size(); ++i) {
        const session::DeviceRecord& d = (*chunk)[i];
        if (d.start_ns >= to || std::max(d.start_ns + 1, d.end_ns) <= from) continue;
        name.kind = d.kind, name.name = d.name;
        if (std::binary_search(wanted.work.begin(), wanted.work.end(), name) && !repeated.has(d))
          visit(d, index[c].first_row + i);
      }
    } catch (const Error&) {
      // unreadable rows are reported for the whole recording
    }
  }
}

}  // namespace

Matches matches(const Store& store, const Wanted& wanted, int64_t from, int64_t to, int columns,
                const Cancel& cancel) {
  Matches found;
  found.from = from;
  found.to = std::max(to, from + 1);
  const auto count = static_cast<size_t>(std::max(1, columns));
  const double per = static_cast<double>(found.to - from) / static_cast<double>(count);
  const auto column = [&](int64_t time) {
    const double at = static_cast<double>(time - from) / per;
    return static_cast<size_t>(std::clamp(at, 0.0, static_cast<double>(count - 1)));
  };
  if (wanted.empty()) return found;
  const auto light = [&](const TrackKey& track, int64_t start, int64_t end, uint64_t row) {
    ++found.count;
    std::vector<bool>& lit = found.columns[track];
    if (lit.empty()) lit.resize(count);
    const size_t last = column(end);
    for (size_t c = column(start); c <= last; ++c) lit[c] = true;
    if (static_cast<double>(end - start) >= per) found.wide.push_back(row);
  };
  if (!wanted.work.empty()) {
    each_work(store, wanted, from, found.to, cancel, [&](const session::DeviceRecord& d, uint64_t row) {
      light(Store::track_of(d), d.start_ns, std::max(d.start_ns, d.end_ns), row);
    });
    std::sort(found.wide.begin(), found.wide.end());
    return found;
  }
  Finder finder(store, wanted);
  for (const uint32_t number : finder.chunks()) {
    const session::ChunkInfo& info = store.op_store().index()[number];
    if (info.first_ns >= found.to || info.last_ns < from) continue;
    cancel.check();
    const auto e = finder.chunk(number);
    if (!e) continue;
    for (size_t i = 0; i < e->size(); ++i) {
      const int64_t start = e->start_ns[i], end = end_of(*e, i);
      if (start >= found.to || end < from || !finder.matches(*e, info.first_row, i)) continue;
      const TrackKind kind = e->node[i].valid() ? TrackKind::kTracedOps : TrackKind::kEagerOps;
      light({kind, e->thread[i].value, 0}, start, end, info.first_row + i);
    }
  }
  std::sort(found.wide.begin(), found.wide.end());
  return found;
}

std::optional<uint64_t> next_match(const Store& store, const Wanted& wanted, int64_t time, uint64_t row, int by,
                                   int64_t from, int64_t to, const Cancel& cancel) {
  if (wanted.empty() || by == 0) return {};
  std::optional<std::pair<int64_t, uint64_t>> best;
  const std::pair here(time, row);
  if (!wanted.work.empty()) {
    each_work(store, wanted, from, to, cancel, [&](const session::DeviceRecord& d, uint64_t number) {
      const std::pair at(d.start_ns, number);
      if (by > 0 ? at <= here : at >= here) return;
      if (!best || (by > 0 ? at < *best : at > *best)) best = at;
    });
    return best ? std::optional(best->second) : std::nullopt;
  }
  Finder finder(store, wanted);
  std::vector<uint32_t> order = finder.chunks();
  if (by < 0) std::reverse(order.begin(), order.end());
  const auto& index = store.op_store().index();
  // How near the chunks from here on can come: the search ends when none can beat the best.
  std::vector<int64_t> reach(order.size() + 1, by > 0 ? INT64_MAX : INT64_MIN);
  for (size_t i = order.size(); i-- > 0;) {
    const session::ChunkInfo& info = index[order[i]];
    reach[i] = by > 0 ? std::min(reach[i + 1], info.first_ns) : std::max(reach[i + 1], info.last_ns);
  }
  for (size_t n = 0; n < order.size(); ++n) {
    if (best && (by > 0 ? reach[n] > best->first : reach[n] < best->first)) break;
    const session::ChunkInfo& info = index[order[n]];
    if (info.first_ns >= to || info.last_ns < from) continue;
    if (by > 0 ? info.last_ns < time : info.first_ns > time) continue;
    cancel.check();
    const auto e = finder.chunk(order[n]);
    if (!e) continue;
    for (size_t i = 0; i < e->size(); ++i) {
      const std::pair at(e->start_ns[i], info.first_row + i);
      if (at.first >= to || end_of(*e, i) < from || (by > 0 ? at <= here : at >= here)) continue;
      if (best && (by > 0 ? at >= *best : at <= *best)) continue;
      if (finder.matches(*e, info.first_row, i)) best = at;
    }
  }
  if (!best) return {};
  return best->second;
}

}  // namespace footlight::query
