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

// A hand-over from another thread takes as long: a stage that did less during a wait did not cause it. Where all waits
// are short, a tenth of the average is the limit.
constexpr double kHandOver = 100'000, kSmallPart = 0.1;

// A wait, or several short ones.
struct Wait {
  int64_t start = 0, end = 0;
  uint64_t elements = 1;
};

struct Iteration {
  PipelineSums sums;
  std::vector<Wait> waits;
  std::vector<session::TrackId> tracks;       // of sums.stages
  std::vector<std::vector<double>> work_ns;  // of each stage that worked, during each wait

  // Adds work of a stage that took `busy_ns` of the time from `start` to `end`.
  void add_work(size_t stage, int64_t start, int64_t end, int64_t busy_ns) {
    const auto first = std::ranges::partition_point(waits, [&](const Wait& w) { return w.end <= start; });
    const auto overlap = [&](const Wait& w) { return std::min(w.end, end) - std::max(w.start, start); };
    int64_t waiting = 0;
    for (auto at = first; at != waits.end() && at->start < end; ++at) waiting += overlap(*at);
    if (waiting <= 0) return;
    const int64_t work = std::min(waiting, busy_ns);
    sums.stages[stage].work_ns += work;
    work_ns.resize(sums.stages.size());
    std::vector<double>& by_wait = work_ns[stage];
    by_wait.resize(waits.size());
    const double part = static_cast<double>(work) / static_cast<double>(waiting);
    for (auto at = first; at != waits.end() && at->start < end; ++at)
      by_wait[static_cast<size_t>(at - waits.begin())] += part * static_cast<double>(overlap(*at));
  }

  void count_waits_of_stages() {
    const double average = static_cast<double>(sums.wait_ns) / static_cast<double>(std::max<uint64_t>(1, sums.waits));
    const double least = std::min(kHandOver, kSmallPart * average);
    for (size_t stage = 0; stage < work_ns.size(); ++stage)
      for (size_t i = 0; i < work_ns[stage].size(); ++i) {
        if (work_ns[stage][i] <= least * static_cast<double>(waits[i].elements)) continue;
        sums.stages[stage].waits += waits[i].elements;
        sums.stages[stage].wait_ns += waits[i].end - waits[i].start;
      }
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
    std::vector<PipelineStage>& stages = at->second.sums.stages;
    const size_t number = stages.size();
    place.try_emplace(track.id, root, number);
    PipelineStage stage{track.name, track.source};
    stage.up = number + 1;  // of the program
    if (above != place.end()) {
      const size_t consumer = above->second.second;
      const bool is_made = !has_input.insert(track.parent).second;
      const bool interleaves = is_made && stages[consumer].name == "interleave";
      stage.interleaved_by = interleaves ? consumer : stages[consumer].interleaved_by;
      stage.up = number - consumer;
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
    at->second.waits.push_back({span.start_ns, span.end_ns, elements});
  });
  for (auto& [id, iteration] : roots)
    std::ranges::sort(iteration.waits, {}, [](const Wait& w) { return std::pair(w.end, w.start); });
  each_record(reader.spans(), go_on, [&](const SpanRecord& span) {
    const auto at = place.find(span.track);
    if (at == place.end()) return;
    Iteration& iteration = roots[at->second.first];
    if (span.category != "work") return;
    // Short pieces of work are joined to one span: only a part of it is work.
    const bool is_joined = span.args.find("\"busy_ns\": ") != std::string::npos;
    const int64_t busy_ns = is_joined ? static_cast<int64_t>(number_in(span, "\"busy_ns\": "))
                                      : span.end_ns - span.start_ns;
    iteration.add_work(at->second.second, span.start_ns, span.end_ns, busy_ns);
  });
  for (auto& [id, iteration] : roots) iteration.count_waits_of_stages();
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
