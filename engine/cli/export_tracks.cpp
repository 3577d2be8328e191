// Gives every track of an exported timeline its name, number and place among the others.
#include "engine/cli/export_tracks.h"

#include "engine/base/text.h"

#include <algorithm>

namespace footlight::cli {

using namespace session;

bool is_api(const DeviceRecord& d) { return d.kind == "runtime" || d.kind == "driver"; }

uint32_t recorder_of(const DeviceRecord& d) {
  if (d.op_event) return process_of(SpanId(d.op_event));  // of 64 bits, as this one
  return d.call.valid() ? process_of(d.call) : process_of(d.graph);
}

Tracks::Process& Tracks::process(uint32_t number) {
  const auto [at, added] = processes_.try_emplace(number);
  if (!added) return at->second;
  // Sessions of old versions have no record of their process.
  const ProcessRecord* record = reader_.process(ProcessId(number));
  std::string name = reader_.contents().run.script;
  if (record && (record->rank || record->world > 1)) name += str(", rank ", record->rank, " on ", record->host);
  else if (number) name += str(", process ", number);
  at->second.track = &add(number, TimelineTrack::Kind::kProcess, record ? record->pid : 0, std::move(name));
  return at->second;
}

const TimelineTrack& Tracks::add(uint32_t number, TimelineTrack::Kind kind, int64_t id, std::string name) {
  auto made = std::make_unique<TimelineTrack>();
  made->kind = kind;
  made->name = std::move(name);
  if (kind == TimelineTrack::Kind::kProcess) {
    made->pid = pids_.take(id);
  } else {
    Process& owner = process(number);
    made->parent = owner.track->number;
    made->pid = owner.track->pid;
    made->tid = owner.tids.take(id);
  }
  made->number = static_cast<uint32_t>(tracks_.size()) + 1;
  tracks_.push_back(std::move(made));
  sink_.track(*tracks_.back());
  return *tracks_.back();
}

Tracks::Tracks(const Reader& reader, const Names& names, TimelineSink& sink)
    : reader_(reader), names_(names), sink_(sink) {
  const Contents& all = reader_.contents();
  for (const ProcessRecord& p : all.processes) {
    Process& made = process(p.id.value);
    made.clock_offset_ns = p.clock_offset_ns;
    least_offset_ns_ = std::min(least_offset_ns_, p.clock_offset_ns);
  }
  for (const ThreadRecord& t : all.threads) {
    Process& owner = process(process_of(t.number));
    if (!owner.first_thread.valid()) owner.first_thread = t.number;
    const std::string name = names_.thread(t.number);
    lanes_[of(t.number)].push_back(
        {&add(process_of(t.number), TimelineTrack::Kind::kThread, t.system_id, name), {}});
  }
  if (processes_.empty()) process(0);
}

std::string Tracks::name_of(const TrackOf& track) const {
  switch (track.kind) {
    case TrackOf::Kind::kThread: {
      const std::string name = names_.thread(ThreadId(track.number));
      return name.empty() ? "thread" : name;
    }
    case TrackOf::Kind::kTrack: {
      const TrackRecord* record = reader_.track(TrackId(track.number));
      if (record && !record->name.empty()) return record->name;
      return str(record && !record->kind.empty() ? record->kind : "track", ' ', track.number);
    }
    case TrackOf::Kind::kStream: return str("GPU ", track.number, " stream ", track.stream);
    case TrackOf::Kind::kSynchronization: return str("GPU ", track.number, " synchronization");
    case TrackOf::Kind::kApi: return str("CUDA API, thread ", track.number);
    case TrackOf::Kind::kOverhead: return "CUPTI overhead";
  }
  return {};
}

// What names no thread lies on the first.
TrackOf Tracks::of(ThreadId thread) const {
  if (!thread.valid()) thread = processes_.begin()->second.first_thread;
  return {TrackOf::Kind::kThread, process_of(thread), thread.value};
}

// A span that a thread recorded lies on the thread, around its calls and ops.
TrackOf Tracks::of(TrackId id) const {
  const TrackRecord* record = reader_.track(id);
  if (record && record->kind == "thread" && record->thread.valid()) return of(record->thread);
  return {TrackOf::Kind::kTrack, process_of(id), id.value};
}

TrackOf Tracks::of(const DeviceRecord& d) const {
  const uint32_t process = recorder_of(d);
  if (is_api(d)) return {TrackOf::Kind::kApi, process, d.thread};
  if (d.kind == "overhead") return {TrackOf::Kind::kOverhead, process};
  if (d.kind == "sync") return {TrackOf::Kind::kSynchronization, process, d.device};
  return {TrackOf::Kind::kStream, process, d.device, d.stream};
}

const TimelineTrack* Tracks::lane_for(const TrackOf& track, int64_t start_ns, int64_t end_ns) {
  std::vector<Lane>& lanes = lanes_[track];
  for (size_t lane = 0; lane < kMaxLanes; ++lane) {
    if (lane == lanes.size()) {
      const bool thread = track.kind == TrackOf::Kind::kThread && lane == 0;
      const auto kind = thread ? TimelineTrack::Kind::kThread : TimelineTrack::Kind::kOther;
      lanes.push_back({&add(track.process, kind, 0, name_of(track)), {}});
    }
    std::vector<int64_t>& open = lanes[lane].open;
    while (!open.empty() && open.back() <= start_ns) open.pop_back();
    if (!open.empty() && open.back() < end_ns) continue;
    open.push_back(end_ns);
    return lanes[lane].track;
  }
  return nullptr;
}

const TimelineTrack& Tracks::counter(TrackId id) {
  const TimelineTrack*& track = counters_[id];
  const uint32_t process = process_of(id);
  if (!track)
    track = &add(process, TimelineTrack::Kind::kCounter, 0, name_of({TrackOf::Kind::kTrack, process, id.value}));
  return *track;
}

ThreadId Tracks::first_thread(uint32_t process) const {
  const auto at = processes_.find(process);
  return at == processes_.end() ? ThreadId() : at->second.first_thread;
}

int64_t Tracks::clock_offset_ns(uint32_t process) const {
  const auto at = processes_.find(process);
  return at == processes_.end() ? 0 : at->second.clock_offset_ns;
}

}  // namespace footlight::cli
