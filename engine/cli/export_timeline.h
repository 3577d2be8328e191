// A session as a timeline of processes, tracks and slices, for formats of trace viewers. Slices come in the order of
// their start, an outer one before those inside it; the slices of a track nest, which viewers rely on: one that would
// overlap another without lying in it goes to a second track of that name.
#pragma once

#include "engine/cli/export.h"

#include <span>
#include <string_view>

namespace footlight::cli {

struct TimelineTrack {
  enum class Kind : uint8_t { kProcess, kThread, kOther, kCounter };
  uint32_t number = 0;   // from 1, unique
  uint32_t parent = 0;   // the process's track; of a process: 0
  Kind kind = Kind::kOther;
  int32_t pid = 0;
  int32_t tid = 0;       // unique in its process; of threads, the system's where possible
  std::string name = {};
};

// More about a slice: a text, a number, or a JSON object.
struct Argument {
  const char* name;
  std::string_view text = {};
  bool json = false, is_number = false;
  int64_t number = 0;
};

// An arrow from slice to slice, in the order of time.
struct Flow {
  enum class Role : uint8_t { kBegin, kStep, kEnd };
  uint64_t id = 0;
  Role role = Role::kBegin;
};

struct Slice {
  const TimelineTrack* track = nullptr;
  int64_t start_ns = 0, end_ns = 0;
  std::string_view name, category;
  std::span<const Argument> arguments;
  std::span<const Flow> flows;
};

class TimelineSink {
 public:
  virtual ~TimelineSink() = default;
  virtual void track(const TimelineTrack& track) = 0;  // before anything on it
  virtual void slice(const Slice& slice) = 0;
  virtual void counter(const TimelineTrack& track, int64_t time_ns, double value) = 0;
  virtual void instant(const TimelineTrack& track, int64_t time_ns, std::string_view name,
                       std::span<const Argument> arguments) = 0;
};

// How many of something are not in the export, or not in the session, and why.
using Missing = session::DroppedRecord;

// Writes the whole session, except what it returns as missing; that is also an instant event each.
std::vector<Missing> write_timeline(const Export& what, TimelineSink& sink);

}  // namespace footlight::cli
