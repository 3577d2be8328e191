// Overlaps the waits of who takes elements with the work of the stages below.
#include "engine/explain/pipelines.h"

#include "engine/session/readable_chunks.h"


#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace footlight::explain {
namespace {

using session::SpanRecord;
using session::TrackRecord;

struct Interval { int64_t start = 0, end = 0; };

struct Iteration {
  PipelineSums sums;
  std::vector<Interval> waits;
  std::vector<session::TrackId> tracks;  // of sums.stages

  int64_t waiting(int64_t start, int64_t end) const {
    auto at = std::ranges::partition_point(waits, [&](const Interval& w) { return w.end <= start; });
    int64_t ns = 0;
    for (; at != waits.end() && at->start < end; ++at) ns += std::min(at->end, end) - std::max(at->start, start);
    return ns;
  }
};

// The number behind a name in a span's arguments.
uint64_t number_in(const SpanRecord& span, std::string_view name) {
  const size_t at = span.args.find(name);
  uint64_t number = 0;
  if (at == std::string::npos) return 0;
  for (size_t i = at + name.size(); i < span.args.size() && span.args[i] >= '0' && span.args[i] <= '9'; ++i)
    number = number * 10 + static_cast<uint64_t>(span.args[i] - '0');
  return number;
}
uint64_t elements_of(const SpanRecord& span) { return number_in(span, "\"elements\": "); }

}  // namespace

TakenInput taken_input(const session::Reader& reader, const SpanRecord& span) {
  const TrackRecord* track = reader.track(span.track);
  if (!track || track->kind != TrackRecord::kStage || track->parent.valid() || span.end_ns < span.start_ns) return {};
  const auto length = static_cast<uint64_t>(span.end_ns - span.start_ns);
  return {track->thread, static_cast<int64_t>(std::min(number_in(span, "\"busy_ns\": "), length))};
}

std::vector<PipelineSums> pipeline_sums(const session::Reader& reader, const std::function<void()>& go_on) {
  std::map<session::TrackId, Iteration> roots;
  std::unordered_map<session::TrackId, std::pair<session::TrackId, size_t>> place;  // a stage's root and number
  const auto& tracks = reader.contents().tracks;
  for (const TrackRecord& track : tracks)
    if (track.kind == TrackRecord::kStage && !track.parent.valid()) {
      Iteration& made = roots[track.id];
      made.sums.source = track.source;
      made.sums.thread = track.thread;
    }
  if (roots.empty()) return {};
  std::set<session::TrackId> has_input;
  // Consumers are recorded before the stages below them, and the input of a stage before the datasets that it makes.
  for (const TrackRecord& track : tracks) {
    if (track.kind != TrackRecord::kStage || !track.parent.valid()) continue;
    const auto above = place.find(track.parent);
    const session::TrackId root = above == place.end() ? track.parent : above->second.first;
    const auto at = roots.find(root);
    if (at == roots.end()) continue;
    place.try_emplace(track.id, root, at->second.sums.stages.size());
    std::vector<PipelineStage>& stages = at->second.sums.stages;
    PipelineStage stage{track.name, track.source, 0};
    if (above != place.end()) {
      const size_t consumer = above->second.second;
      const bool is_made = !has_input.insert(track.parent).second;
      const bool interleaves = is_made && stages[consumer].name == "interleave";
      stage.interleaved_by = interleaves ? consumer : stages[consumer].interleaved_by;
    }
    stages.push_back(std::move(stage));
    at->second.tracks.push_back(track.id);
  }
  each_record(reader.spans(), go_on, [&](const SpanRecord& span) {
    const auto at = roots.find(span.track);
    if (at == roots.end()) return;
    PipelineSums& sums = at->second.sums;
    const uint64_t elements = elements_of(span);
    if (!sums.steps && !sums.last_ns) sums.first_ns = span.start_ns;
    sums.steps += elements;
    if (elements) sums.last_ns = std::max(sums.last_ns, span.end_ns);
    if (span.category != "wait" || !elements) return;
    sums.waits += elements;
    sums.wait_ns += span.end_ns - span.start_ns;
    at->second.waits.push_back({span.start_ns, span.end_ns});
  });
  for (auto& [id, iteration] : roots)
    std::ranges::sort(iteration.waits, {}, [](const Interval& w) { return std::pair(w.end, w.start); });
  each_record(reader.spans(), go_on, [&](const SpanRecord& span) {
    const auto at = place.find(span.track);
    if (at == place.end()) return;
    Iteration& iteration = roots[at->second.first];
    if (span.category != "work") return;
    // Short pieces of work are joined to one span: only a part of it is work.
    const auto busy = static_cast<int64_t>(number_in(span, "\"busy_ns\": "));
    const int64_t waiting = iteration.waiting(span.start_ns, span.end_ns);
    const bool is_joined = span.args.find("\"busy_ns\": ") != std::string::npos;
    iteration.sums.stages[at->second.second].work_ns += is_joined ? std::min(waiting, busy) : waiting;
  });
  each_record(reader.calls(), go_on, [&](const session::CallRecord& call) {
    if (call.parent.valid()) return;
    for (auto& [id, iteration] : roots) {
      PipelineSums& sums = iteration.sums;
      sums.calls += call.thread == sums.thread && call.start_ns >= sums.first_ns && call.start_ns <= sums.last_ns;
    }
  });
  std::vector<PipelineSums> all;
  for (auto& [id, iteration] : roots) {
    PipelineSums& sums = iteration.sums;
    sums.ahead = !sums.stages.empty() && sums.stages[0].name == "prefetch";
    if (sums.steps) all.push_back(std::move(sums));
  }
  return all;
}

}  // namespace footlight::explain
