// The tracks of an exported timeline: what lies on which, their names and numbers, and lanes for slices that overlap.
#pragma once

#include "engine/cli/export_timeline.h"

#include <compare>
#include <map>
#include <memory>
#include <set>

namespace footlight::cli {

// What a track of the export stands for; slices that overlap on it get lanes.
struct TrackOf {
  enum class Kind : uint8_t { kThread, kTrack, kStream, kSynchronization, kApi, kOverhead };
  Kind kind = Kind::kThread;
  uint32_t process = 0, number = 0, stream = 0;
  friend auto operator<=>(const TrackOf&, const TrackOf&) = default;
};

// Gives out a wanted number, or the next free one where that is taken or no number for a process or a thread.
class Numbers {
 public:
  int32_t take(int64_t wanted) {
    if (wanted > 0 && wanted < kFirstFree && taken_.insert(static_cast<int32_t>(wanted)).second)
      return static_cast<int32_t>(wanted);
    return next_++;
  }

 private:
  static constexpr int32_t kFirstFree = 1 << 22;  // no system numbers that high
  std::set<int32_t> taken_;
  int32_t next_ = kFirstFree;
};

// Whether it is a call that asks for work, not the work.
bool is_api(const session::DeviceRecord& d);
// The process that recorded it.
uint32_t recorder_of(const session::DeviceRecord& d);

class Tracks {
 public:
  // Tells the sink of all processes and threads, and later of tracks as they are asked for.
  Tracks(const session::Reader& reader, const Names& names, TimelineSink& sink);

  TrackOf of(session::ThreadId thread) const;
  TrackOf of(session::TrackId track) const;
  TrackOf of(const session::DeviceRecord& d) const;
  // The first lane in which the slice lies beside or inside the others; null: none of so many. In the order of start.
  const TimelineTrack* lane_for(const TrackOf& track, int64_t start_ns, int64_t end_ns);
  const TimelineTrack& counter(session::TrackId track);
  const TimelineTrack& first_process() const { return *processes_.begin()->second.track; }

  session::ThreadId first_thread(uint32_t process) const;
  int64_t clock_offset_ns(uint32_t process) const;  // to be added to its times
  int64_t least_clock_offset_ns() const { return least_offset_ns_; }

 private:
  struct Process {
    const TimelineTrack* track = nullptr;
    Numbers tids;
    int64_t clock_offset_ns = 0;
    session::ThreadId first_thread;
  };
  struct Lane {
    const TimelineTrack* track = nullptr;
    std::vector<int64_t> open;  // ends of slices in one another
  };
  static constexpr size_t kMaxLanes = 64;

  Process& process(uint32_t number);
  // `id`: of the process or thread, as the system knows it; 0: none.
  const TimelineTrack& add(uint32_t process, TimelineTrack::Kind kind, int64_t id, std::string name);
  std::string name_of(const TrackOf& track) const;

  const session::Reader& reader_;
  const Names& names_;
  TimelineSink& sink_;
  std::map<uint32_t, Process> processes_;
  Numbers pids_;
  std::vector<std::unique_ptr<TimelineTrack>> tracks_;
  std::map<TrackOf, std::vector<Lane>> lanes_;
  std::map<session::TrackId, const TimelineTrack*> counters_;
  int64_t least_offset_ns_ = 0;
};

}  // namespace footlight::cli
