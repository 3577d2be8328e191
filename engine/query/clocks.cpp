// Bounds the difference of two clocks by what must have happened before what.
#include "engine/query/clocks.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

namespace footlight::query {
namespace {

using session::ClockReading;
using session::ProcessRecord;

bool share_a_machine(const ProcessRecord& a, const ProcessRecord& b) {
  return !a.machine.empty() && a.machine == b.machine && !a.clocks.empty() && !b.clocks.empty();
}

// How far a clock is ahead of the steady clock of its machine.
int64_t ahead(const ClockReading& reading) { return reading.clock_ns - reading.steady_ns; }

// How far a clock has gone astray between the two readings of its process: somebody set it, or it was corrected.
int64_t drift(const ProcessRecord& process) {
  return std::abs(ahead(process.clocks.back()) - ahead(process.clocks.front()));
}

ClockPlace by_steady_clock(const ProcessRecord& reference, const ProcessRecord& process) {
  ClockPlace place;
  place.by = ClockPlace::By::kSteadyClock;
  place.move_ns = ahead(reference.clocks.front()) - ahead(process.clocks.front());
  place.error_ns = reference.clocks.front().error_ns + process.clocks.front().error_ns +
                   std::max(drift(reference), drift(process));
  return place;
}

// What a process found out of rank 0's clock while it ran; rank 0 needs none. What was merged before was moved by it.
std::optional<ClockPlace> to_rank_0(const ProcessRecord& process) {
  const bool is_asked = process.clock_error_ns > 0 && process.recording.empty();
  const bool is_rank_0 = process.kind == ProcessRecord::kRank && process.rank == 0 && process.recording.empty();
  if (!is_asked && !is_rank_0) return {};
  ClockPlace place;
  place.by = ClockPlace::By::kHandshake;
  if (is_asked) place.move_ns = process.clock_offset_ns, place.error_ns = process.clock_error_ns;
  return place;
}

using Key = std::tuple<std::string, std::string, uint64_t>;
using Places = std::map<Key, Arrival>;

Places arrivals_of(const ClockSource& source) {
  Places places;
  for (const Collective& one : source.collectives)
    if (one.waits && one.arrivals.size() == 1)
      places.try_emplace({one.name, one.group, one.number}, one.arrivals.front());
  return places;
}

// What is known of the move that puts a machine's clock onto the reference's.
struct Bounds {
  int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> ends;  // differences of ends: a collective ends at nearly the same time everywhere

  void take(const Arrival& reference, const Arrival& other) {
    least = std::max(least, reference.start_ns - other.end_ns);
    most = std::min(most, reference.end_ns - other.start_ns);
    ends.push_back(reference.end_ns - other.end_ns);
  }

  ClockPlace place() {
    ClockPlace made;
    made.by = ClockPlace::By::kCollectives;
    made.matched = ends.size();
    std::ranges::sort(ends);
    const int64_t median = ends[ends.size() / 2];
    if (least <= most) {
      made.move_ns = std::clamp(median, least, most);
      made.error_ns = std::max(made.move_ns - least, most - made.move_ns);
      // Where ranks arrive far apart the bounds are wide, and the ends agree better than that.
      const int64_t spread = ends[ends.size() * 9 / 10] - ends[ends.size() / 10];
      if (ends.size() >= 10) made.error_ns = std::min(made.error_ns, std::max<int64_t>(spread, 1'000));
    } else {  // the bounds contradict each other: one clock ran faster than the other
      made.move_ns = median;
      made.error_ns = std::max(least - most, ends.back() - ends.front());
    }
    return made;
  }
};

}  // namespace

std::vector<ClockPlace> place_clocks(const std::vector<ClockSource>& sources) {
  std::vector<ClockPlace> places(sources.size());
  if (sources.empty()) return places;
  const ClockSource& first = sources.front();
  std::vector<size_t> with_reference{0};
  for (size_t i = 1; i < sources.size(); ++i) {
    if (!share_a_machine(first.process, sources[i].process)) continue;
    places[i] = by_steady_clock(first.process, sources[i].process);
    with_reference.push_back(i);
  }
  // Every other machine is placed once, by all collectives that its processes share with any of the reference's.
  std::vector<bool> placed(sources.size(), false);
  for (const size_t i : with_reference) placed[i] = true;
  std::vector<Places> references;
  for (const size_t i : with_reference) references.push_back(arrivals_of(sources[i]));
  for (size_t i = 0; i < sources.size(); ++i) {
    if (placed[i]) continue;
    Bounds bounds;
    std::vector<std::pair<size_t, ClockPlace>> together;
    for (size_t k = i; k < sources.size(); ++k) {
      if (placed[k] || (k != i && !share_a_machine(sources[i].process, sources[k].process))) continue;
      const ClockPlace beside = k == i ? ClockPlace() : by_steady_clock(sources[i].process, sources[k].process);
      together.emplace_back(k, beside);
      for (auto& [key, arrival] : arrivals_of(sources[k])) {
        Arrival moved = arrival;
        moved.start_ns += beside.move_ns;
        moved.end_ns += beside.move_ns;
        for (size_t r = 0; r < references.size(); ++r) {
          const auto at = references[r].find(key);
          if (at == references[r].end()) continue;
          Arrival reference = at->second;
          reference.start_ns += places[with_reference[r]].move_ns;
          reference.end_ns += places[with_reference[r]].move_ns;
          bounds.take(reference, moved);
        }
      }
    }
    // By a process of each of both machines that know rank 0's clock.
    std::optional<ClockPlace> asked;
    for (const auto& [k, beside] : together) {
      const std::optional<ClockPlace> own = to_rank_0(sources[k].process);
      if (!own) continue;
      for (const size_t r : with_reference) {
        const std::optional<ClockPlace> theirs = to_rank_0(sources[r].process);
        if (!theirs) continue;
        ClockPlace found = *own;
        found.move_ns += places[r].move_ns - theirs->move_ns - beside.move_ns;
        found.error_ns += places[r].error_ns + theirs->error_ns + beside.error_ns;
        if (!asked || found.error_ns < asked->error_ns) asked = found;
      }
    }
    ClockPlace machine;
    machine.by = ClockPlace::By::kSystemTime;
    machine.error_ns = -1;
    if (!bounds.ends.empty()) machine = bounds.place();
    if (asked && (machine.error_ns < 0 || asked->error_ns < machine.error_ns)) machine = *asked;
    for (const auto& [k, beside] : together) {
      places[k] = machine;
      places[k].move_ns += beside.move_ns;
      if (places[k].error_ns >= 0) places[k].error_ns += beside.error_ns;
      placed[k] = true;
    }
  }
  return places;
}

}  // namespace footlight::query
