// One pass over columns.
#include "engine/explain/eager.h"

#include <algorithm>

namespace footlight::explain {
namespace {

// In one run of a function all of the time between two ops is its own. Between two runs its caller may do anything:
// what is longer than it takes Python to return and to call is the caller's.
constexpr int64_t kLongestGap = 20'000;
constexpr uint64_t kRarely = 20;

bool calls_python(const session::OpNameRecord& op) {
  return op.name == "PyFunc" || op.name == "PyFuncStateless" || op.name == "EagerPyFunc";
}

bool comes_once(const EagerPlace& place) { return place.visits == 1 && place.ops <= kRarely; }

}  // namespace

void EagerOps::add(const Pause& pause) {
  if (pause.ns <= longest_.front().ns) return;
  longest_.front() = pause;
  std::ranges::sort(longest_, {}, &Pause::ns);
}

void EagerOps::add(const session::OpColumns& events, const session::TracingSpans& tracing,
                   std::span<const session::OpNameRecord> ops) {
  std::vector<session::OpNumber> python;
  for (const session::OpNameRecord& op : ops)
    if (calls_python(op)) python.push_back(op.id);
  for (size_t i = 0; i < events.size(); ++i) {
    const int64_t start = events.start_ns[i], end = std::max(start, events.end_ns[i]);
    first_ns_ = std::min(first_ns_, start);
    last_ns_ = std::max(last_ns_, end);
    if (events.node[i].valid() && std::ranges::find(python, events.op[i]) != python.end()) {
      PythonNode& node = python_[{events.graph[i], events.node[i]}];
      node.graph = events.graph[i];
      node.node = events.node[i];
      ++node.runs;
      node.ns += end - start;
    }
    Last& last = threads_[events.thread[i]];
    if (last.place && start > last.end_ns) {
      const SourceRef from = last.place->source;
      const bool onward = from.code == events.code[i] && from.offset < events.offset[i];
      const int64_t gap = start - last.end_ns;
      if (onward || gap <= kLongestGap) {
        last.place->ns += gap;
        if (gap > kLongestGap) last.place->onward_ns += gap;
      } else {
        last.place->stall_ns += gap;
        add(Pause{gap, last.place});
      }
    }
    const bool in_trace = !events.call[i].valid() && tracing.contain(events.thread[i], start);
    const bool outside = !events.call[i].valid() && !events.node[i].valid() && events.code[i].valid();
    const bool eager = outside && !in_trace;
    while_tracing_ += in_trace;  // nodes too: a graph may be run for its shapes or constants
    EagerPlace* place = nullptr;
    if (eager) {
      place = &places_[uint64_t{events.code[i].value} << 32 | events.offset[i]];
      place->source = events.source(i);
      ++place->ops;
      const bool comes = place != last.place;
      place->visits += comes;
      // An op inside another one has been counted with it, or will be.
      place->ns += std::max<int64_t>(0, end - std::max(start, last.end_ns));
      auto& seen = place->signatures;
      if (comes && seen.size() < kMaxSignatures && std::ranges::find(seen, events.signature[i]) == seen.end())
        seen.push_back(events.signature[i]);
    }
    last.place = place;
    last.end_ns = std::max(last.end_ns, end);
  }
}

EagerSums EagerOps::sums() const {
  EagerSums sums{{}, while_tracing_, first_ns_, last_ns_};
  for (const auto& [place, node] : python_) sums.python.push_back(node);
  std::vector<EagerPlace>& all = sums.places;
  for (const auto& [key, place] : places_) {
    all.push_back(place);
    // What comes once in a run is an import, or the making of data.
    if (comes_once(place)) sums.pauses_ns += place.stall_ns + place.onward_ns;
  }
  // A program of some milliseconds waits longer for the processor than it runs. Waits for data come more often.
  for (const Pause& pause : longest_)
    if (pause.after && !comes_once(*pause.after)) sums.pauses_ns += pause.ns;
  std::ranges::sort(all, [](const EagerPlace& a, const EagerPlace& b) {
    return std::pair(a.source.code, a.source.offset) < std::pair(b.source.code, b.source.offset);
  });
  return sums;
}

}  // namespace footlight::explain
