// What spans say of a recorded side: when code of the machine was made, and when elements were taken from pipelines.
#include "engine/explain/compare/recorded_read.h"
#include "engine/explain/compare/recorded_side.h"
#include "engine/explain/pipelines.h"

namespace footlight::explain {
namespace {

// Gives the interval at most `ns` of the moments that `busy` leaves of it.
void add_left_over(std::vector<Interval>& to, const std::vector<Interval>& busy, Interval interval, int64_t ns) {
  int64_t at = interval.start;
  const auto give_up_to = [&](int64_t until) {
    const int64_t stop = std::min({until, interval.end, at + ns});
    if (stop <= at) return;
    to.push_back({at, stop, interval.share, interval.what});
    ns -= stop - at;
  };
  auto next = std::ranges::upper_bound(busy, at, {}, &Interval::end);
  for (; next != busy.end() && next->start < interval.end && ns > 0; ++next) {
    give_up_to(next->start);
    at = std::max(at, next->end);
  }
  give_up_to(interval.end);
}

}  // namespace

void RecordedRuns::add_machine_code(Stretches& stretches, int64_t from, int64_t to) {
  each_record(reader_.spans(), from, to, go_on_, [&](const session::SpanRecord& s) {
    if (s.category != session::SpanRecord::kMachineCode || !is_sane(s.start_ns, s.end_ns)) return;
    const session::TrackRecord* track = reader_.track(s.track);
    if (!track) return;
    each_overlapped(stretches, track->thread, s.start_ns, s.end_ns, [&](Stretch& stretch) {
      stretch.host.push_back({s.start_ns, s.end_ns, Share::kMachineCode, -1});
    });
  });
}

// Elements that Python took by itself, without an op. One span may stand for many of them, with what the thread did in
// between: so they have the moments that nothing else has.
void RecordedRuns::add_input(Stretches& all, int64_t from, int64_t to) {
  std::map<Stretch*, std::vector<std::pair<Interval, int64_t>>> taken;
  each_record(reader_.spans(), from, to, go_on_, [&](const session::SpanRecord& span) {
    const TakenInput input = taken_input(reader_, span);
    if (input.ns <= 0 || !is_sane(span.start_ns, span.end_ns)) return;
    each_overlapped(all, input.thread, span.start_ns, span.end_ns, [&](Stretch& s) {
      const int64_t start = std::max(span.start_ns, s.span.start), end = std::min(span.end_ns, s.span.end);
      taken[&s].push_back({{start, end, Share::kInput, -1}, input.ns});
    });
  });
  for (auto& [stretch, spans] : taken) {
    // The first is Python: what is left.
    const std::vector<Interval> busy =
        stretches(std::span(stretch->host).subspan(1), stretch->span.start, stretch->span.end);
    for (const auto& [interval, ns] : spans) add_left_over(stretch->host, busy, interval, ns);
  }
}

}  // namespace footlight::explain
