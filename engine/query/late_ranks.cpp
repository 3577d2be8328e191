// Divides the time before each collective into kinds of work, and compares the last rank's with that of the others.
#include "engine/query/late_ranks.h"

#include "engine/query/names.h"
#include "engine/session/readable_chunks.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace footlight::query {
namespace {

using session::ProcessId;
using session::ThreadId;

constexpr int64_t kMinNoise = 100'000;
constexpr size_t kMaxLastOps = 512;

struct Piece {
  int64_t start = 0, end = 0;
  TraceId trace;
  std::string where;
};

// What one process did on its threads, sorted by start, without overlaps within a kind.
struct Work {
  std::vector<Piece> traces, inputs, named;  // named: spans of the program's own
};

int64_t overlap(int64_t start, int64_t end, int64_t from, int64_t to) {
  return std::max<int64_t>(0, std::min(end, to) - std::max(start, from));
}

// Drops pieces inside another piece, and shortens those that overlap one.
void keep_outermost(std::vector<Piece>& pieces) {
  std::ranges::stable_sort(pieces, [](const Piece& a, const Piece& b) {
    return std::pair(a.start, -a.end) < std::pair(b.start, -b.end);
  });
  std::vector<Piece> kept;
  for (Piece& piece : pieces) {
    if (!kept.empty() && piece.end <= kept.back().end) continue;
    if (!kept.empty()) piece.start = std::max(piece.start, kept.back().end);
    kept.push_back(std::move(piece));
  }
  pieces = std::move(kept);
}

template <class Visit>
void pieces_in(const std::vector<Piece>& pieces, int64_t from, int64_t to, Visit&& visit) {
  auto at = std::ranges::partition_point(pieces, [&](const Piece& p) { return p.end <= from; });
  for (; at != pieces.end() && at->start < to; ++at) visit(*at, overlap(at->start, at->end, from, to));
}

int64_t sum_in(const std::vector<Piece>& pieces, int64_t from, int64_t to) {
  int64_t sum = 0;
  pieces_in(pieces, from, to, [&](const Piece&, int64_t ns) { sum += ns; });
  return sum;
}

// The time of one process from a collective to its arrival at the next.
struct Stretch {
  size_t collective = 0;
  ThreadId thread;
  int64_t from = 0, to = 0;
  int64_t ops = 0;
  uint64_t op_count = 0;
  std::vector<std::pair<int64_t, int64_t>> last_ops;  // starts and durations: an op that ends later may contain them
  std::array<int64_t, kRankWorks> sums{};
};

class Finder {
 public:
  Finder(const session::Reader& reader, const Cancel& cancel) : reader_(reader), cancel_(cancel) {}

  Ranks find() {
    ranks_.collectives = collectives(reader_, cancel_);
    ranks_.noise_ns = noise();
    for (const session::ProcessRecord& process : reader_.contents().processes)
      ranks_.comparable = ranks_.comparable && process.clock_error_ns >= 0;
    if (!ranks_.collectives.empty()) {
      find_stretches();
      read_traces();
      read_spans();
      read_ops();
      add_up();
      for (size_t i = 0; i < ranks_.collectives.size() && ranks_.comparable; ++i) look_at(i);
      put_groups_together();
      sum_ranks();
    }
    find_missing();
    return std::move(ranks_);
  }

 private:
  int64_t noise() const {
    int64_t most = kMinNoise;
    for (const session::ProcessRecord& process : reader_.contents().processes)
      most = std::max(most, 2 * process.clock_error_ns);
    return most;
  }

  void find_stretches() {
    std::map<ProcessId, int64_t> ended;
    for (size_t i = 0; i < ranks_.collectives.size(); ++i)
      for (const Arrival& arrival : ranks_.collectives[i].arrivals) {
        const auto [at, first] = ended.try_emplace(arrival.process, first_time(arrival.process));
        stretches_[arrival.process].push_back({i, arrival.thread, std::min(at->second, arrival.start_ns),
                                               arrival.start_ns, 0, 0, {}, {}});
        threads_.insert(arrival.thread);
        at->second = first ? arrival.end_ns : std::max(at->second, arrival.end_ns);
      }
  }

  // Before its first collective a process starts up, which is compared from its first call on.
  int64_t first_time(ProcessId process) {
    if (first_times_.empty()) {
      for (const session::TraceRecord& trace : reader_.contents().traces)
        note_first(process_of(trace.id), trace.start_ns);
      for (const session::ProcessRecord& one : reader_.contents().processes)
        if (!one.clocks.empty()) note_first(one.id.value, one.clocks.front().clock_ns + one.clock_moved_ns);
    }
    const auto at = first_times_.find(process.value);
    return at == first_times_.end() ? INT64_MAX : at->second;
  }
  void note_first(uint32_t process, int64_t ns) {
    const auto [at, added] = first_times_.try_emplace(process, ns);
    if (!added) at->second = std::min(at->second, ns);
  }

  void read_traces() {
    for (const session::TraceRecord& trace : reader_.contents().traces) {
      const session::FunctionRecord* const function = reader_.function(trace.function);
      work_[ProcessId(process_of(trace.id))].traces.push_back(
          {trace.start_ns, trace.end_ns, trace.id, function ? function->name : ""});
    }
    for (auto& [process, work] : work_) keep_outermost(work.traces);
  }

  void read_spans() {
    each_record(reader_.spans(), [&] { cancel_.check(); },
                [&](const session::SpanRecord& span) { read_span(span); });
    for (auto& [process, work] : work_) {
      keep_outermost(work.inputs);
      keep_outermost(work.named);
    }
  }

  void read_span(const session::SpanRecord& span) {
    const session::TrackRecord* const track = reader_.track(span.track);
    const RankSpan kind = rank_span(span, track);
    if (kind == RankSpan::kNone || !threads_.contains(track->thread)) return;
    Work& work = work_[ProcessId(process_of(span.track))];
    (kind == RankSpan::kInput ? work.inputs : work.named).push_back({span.start_ns, span.end_ns, {}, span.name});
  }

  void read_ops() {
    each_chunk(reader_.op_events(), [&] { cancel_.check(); }, [&](const session::OpColumns& ops) {
      for (size_t k = 0; k < ops.size(); ++k) add_op(ops.thread[k], ops.start_ns[k], ops.end_ns[k]);
    });
  }

  void add_op(ThreadId thread, int64_t start, int64_t end) {
    const ProcessId process(process_of(thread));
    const auto all = stretches_.find(process);
    if (all == stretches_.end()) return;
    const Work& work = work_[process];
    auto at = std::ranges::partition_point(all->second, [&](const Stretch& s) { return s.to <= start; });
    for (; at != all->second.end() && at->from < end; ++at) {
      if (at->thread != thread) continue;
      const int64_t from = std::max(start, at->from), to = std::min(end, at->to);
      if (to <= from) continue;
      ++at->op_count;
      // Ops are recorded as they end, so those that ran inside this one came just before it.
      for (; !at->last_ops.empty() && at->last_ops.back().first >= from; at->last_ops.pop_back())
        at->ops -= at->last_ops.back().second;
      const int64_t ns = to - from - sum_in(work.traces, from, to) - sum_in(work.inputs, from, to);
      at->ops += ns;
      at->last_ops.emplace_back(from, ns);
      if (at->last_ops.size() > kMaxLastOps)
        at->last_ops.erase(at->last_ops.begin(), at->last_ops.begin() + kMaxLastOps / 2);
    }
  }

  void add_up() {
    for (auto& [process, all] : stretches_) {
      const Work& work = work_[process];
      for (Stretch& s : all) {
        int64_t input = 0;
        pieces_in(work.inputs, s.from, s.to, [&](const Piece& p, int64_t ns) {
          input += ns - sum_in(work.traces, std::max(p.start, s.from), std::min(p.end, s.to));
        });
        const int64_t tracing = sum_in(work.traces, s.from, s.to);
        const int64_t ops = std::max<int64_t>(0, s.ops);
        s.sums = {tracing, input, ops, std::max<int64_t>(0, s.to - s.from - tracing - input - ops)};
        for (Arrival& arrival : ranks_.collectives[s.collective].arrivals)
          if (arrival.process == process) arrival.work = s.sums;
      }
    }
  }

  const Stretch* stretch(ProcessId process, size_t collective) const {
    const auto all = stretches_.find(process);
    if (all == stretches_.end()) return nullptr;
    const auto at = std::ranges::lower_bound(all->second, collective, {}, &Stretch::collective);
    return at != all->second.end() && at->collective == collective ? &*at : nullptr;
  }

  static int64_t median(std::vector<int64_t> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
  }

  static int64_t wait(const Arrival& arrival, const Arrival& last) {
    return std::max<int64_t>(0, std::min(arrival.end_ns, last.start_ns) - arrival.start_ns);
  }

  void look_at(size_t number) {
    const Collective& one = ranks_.collectives[number];
    if (one.arrivals.size() < 2) return;
    const auto last = std::ranges::max_element(one.arrivals, {}, &Arrival::start_ns);
    LateArrival late;
    late.collective = number;
    late.process = last->process;
    std::vector<int64_t> others;
    for (const Arrival& arrival : one.arrivals) {
      if (arrival.process == last->process) continue;
      others.push_back(arrival.start_ns);
      if (one.waits) late.waited_ns += wait(arrival, *last);
    }
    ranks_.waited_ns += late.waited_ns;
    late.late_ns = last->start_ns - median(others);
    if (late.late_ns <= ranks_.noise_ns) return;
    explain(late);
    ranks_.late.push_back(std::move(late));
  }

  void explain(LateArrival& late) {
    const Stretch* const own = stretch(late.process, late.collective);
    if (!own) return;
    late.own = own->sums;
    std::vector<const Stretch*> others;
    for (const Arrival& arrival : ranks_.collectives[late.collective].arrivals) {
      if (arrival.process == late.process) continue;
      const Stretch* const other = stretch(arrival.process, late.collective);
      if (other) others.push_back(other);
    }
    int64_t most = INT64_MIN;
    for (size_t kind = 0; kind < kRankWorks; ++kind) {
      std::vector<int64_t> times;
      for (const Stretch* other : others) times.push_back(other->sums[kind]);
      late.others[kind] = times.empty() ? 0 : median(times);
      const int64_t more = late.own[kind] - late.others[kind];
      if (more > most) most = more, late.why = static_cast<RankWork>(kind);
    }
    late.explained = most * 2 >= late.late_ns;
    late.own_ops = own->op_count;
    std::vector<int64_t> counts;
    for (const Stretch* other : others) counts.push_back(static_cast<int64_t>(other->op_count));
    late.others_ops = counts.empty() ? 0 : static_cast<uint64_t>(median(counts));
    name_work(late, *own);
    late.is_alone = std::ranges::none_of(others, [&](const Stretch* other) {
      const auto& named = work_[ProcessId(process_of(other->thread))].named;
      bool is_there = false;
      pieces_in(named, other->from, other->to, [&](const Piece& p, int64_t) { is_there |= p.where == late.where; });
      return is_there;
    });
  }

  // Names what took longest of the kind.
  void name_work(LateArrival& late, const Stretch& own) {
    const Work& work = work_[late.process];
    const std::vector<Piece>* const pieces = late.why == RankWork::kTracing ? &work.traces
                                             : late.why == RankWork::kInput ? &work.inputs
                                                                            : &work.named;
    std::map<std::string, int64_t> sums;
    int64_t longest = 0;
    pieces_in(*pieces, own.from, own.to, [&](const Piece& piece, int64_t ns) {
      sums[piece.where] += ns;
      if (ns > longest) longest = ns, late.trace = piece.trace;
    });
    const auto most = std::ranges::max_element(sums, {}, [](const auto& sum) { return sum.second; });
    // A span of the program names ops or Python only if most of the time lies in it.
    const bool is_named = late.why == RankWork::kTracing || late.why == RankWork::kInput;
    if (most != sums.end() && (is_named || most->second * 2 >= own.to - own.from)) late.where = most->first;
  }

  void put_groups_together() {
    std::map<std::tuple<ProcessId, RankWork, std::string>, LateGroup> groups;
    for (size_t i = 0; i < ranks_.late.size(); ++i) {
      const LateArrival& late = ranks_.late[i];
      LateGroup& group = groups[{late.process, late.why, late.where}];
      if (!group.count) group = {late.process, late.why, late.where, 0, 0, 0, i};
      ++group.count;
      group.waited_ns += late.waited_ns;
      if (late.late_ns > group.worst_ns) group.worst_ns = late.late_ns, group.worst = i;
    }
    for (auto& [key, group] : groups) ranks_.groups.push_back(std::move(group));
    std::ranges::stable_sort(ranks_.groups, std::greater(), &LateGroup::waited_ns);
  }

  void sum_ranks() {
    std::map<ProcessId, RankSums> sums;
    for (const Collective& one : ranks_.collectives) {
      const auto last = std::ranges::max_element(one.arrivals, {}, &Arrival::start_ns);
      for (const Arrival& arrival : one.arrivals) {
        RankSums& rank = sums[arrival.process];
        rank.process = arrival.process;
        ++rank.collectives;
        rank.last += one.arrivals.size() > 1 && arrival.process == last->process;
        if (one.waits) rank.waited_ns += wait(arrival, *last);
      }
    }
    for (const session::TraceRecord& trace : reader_.contents().traces) {
      const auto at = sums.find(ProcessId(process_of(trace.id)));
      if (at != sums.end()) ++at->second.traces;
    }
    for (auto& [process, all] : stretches_)
      if (!all.empty()) ranks_.took_ns += all.back().to - all.front().to;
    for (auto& [process, rank] : sums) ranks_.ranks.push_back(rank);
    std::ranges::stable_sort(ranks_.ranks, {}, [&](const RankSums& rank) {
      const session::ProcessRecord* const process = reader_.process(rank.process);
      return process ? process->rank : 0;
    });
  }

  void find_missing() {
    int world = 0;
    std::set<int> there;
    for (const session::ProcessRecord& process : reader_.contents().processes) {
      if (process.is_child() || process.world < 2) continue;
      world = std::max(world, process.world);
      there.insert(process.rank);
    }
    std::string absent;
    size_t count = 0;
    for (int rank = 0; rank < world && count < 9; ++rank) {
      if (there.contains(rank)) continue;
      ++count;
      absent += (absent.empty() ? "" : ", ") + (count == 9 ? "more" : std::to_string(rank));
    }
    if (count)
      ranks_.missing.push_back((count == 1 ? "Rank " : "Ranks ") + absent + " of " + std::to_string(world) +
                               (count == 1 ? " is" : " are") + " not in this recording");
    std::map<std::tuple<std::string, std::string>, std::map<ProcessId, uint64_t>> counts;
    for (const Collective& one : ranks_.collectives)
      for (const Arrival& arrival : one.arrivals) ++counts[{one.name, one.group}][arrival.process];
    for (const auto& [key, processes] : counts) {
      const auto least = std::ranges::min_element(processes, {}, [](const auto& p) { return p.second; });
      const auto most = std::ranges::max_element(processes, {}, [](const auto& p) { return p.second; });
      if (least->second == most->second) continue;
      ranks_.missing.push_back(process_name(reader_.contents(), least->first) + " came to " +
                               std::to_string(least->second) + " of " + std::to_string(most->second) + " times " +
                               std::get<0>(key));
    }
  }

  const session::Reader& reader_;
  const Cancel& cancel_;
  Ranks ranks_;
  std::map<ProcessId, std::vector<Stretch>> stretches_;
  std::map<ProcessId, Work> work_;
  std::set<ThreadId> threads_;
  std::unordered_map<uint32_t, int64_t> first_times_;
};

}  // namespace

Ranks find_late_ranks(const session::Reader& reader, const Cancel& cancel) { return Finder(reader, cancel).find(); }

}  // namespace footlight::query
