// Spans and counters of a program: timed sections other than ops and calls, and numbers over time. Recorded from level
// structure on; without a recording, each costs one branch.
#pragma once

#include "engine/session/writer.h"

#include <string>
#include <string_view>

namespace footlight::record {

// Adds a span to the track of the calling thread. `args` is a JSON object, or empty.
void add_span(std::string_view name, std::string_view category, int64_t start_ns, int64_t end_ns,
              std::string args = {});

// Adds the mark of a call of the calling thread that raised the end of a dataset, and that began at `start_ns`.
void add_end_of_data(int64_t start_ns);

// Sets the value of `name` from now on.
void add_counter(std::string_view name, double value);

// A track of the timeline that belongs to no thread, in the recording that was running when it was created.
class OwnTrack {
 public:
  OwnTrack() = default;
  // Assigns the id. Without a recording, it adds nothing.
  explicit OwnTrack(session::TrackRecord);
  session::TrackId id() const { return id_; }
  // Fills in the track. Drops the span if that recording has ended.
  void add(session::SpanRecord) const;
  void add_value(double value, int64_t time_ns) const;  // for a counter

 private:
  session::Writer* writer() const;
  session::Writer* writer_ = nullptr;
  session::TrackId id_;
};

// Around a fork, so that the child does not inherit a lock that another thread holds.
void tracks_before_fork();
void tracks_after_fork();

// The track on which `writer`'s session counts the bytes that tensors hold on a device (0: the CPU).
session::TrackId memory_track(session::Writer& writer, session::DeviceNumber device);

}  // namespace footlight::record
