// Gives threads and counters their tracks in the session that is being written, and hands spans to its writer.
#include "engine/record/spans.h"

#include "engine/base/activity.h"
#include "engine/base/clock.h"
#include "engine/base/end_of_sequence.h"

#include <atomic>
#include <map>
#include <mutex>

namespace footlight::record {
namespace {

// A writer lives until the process ends (recorder.cpp), so that its address says which session a track belongs to.
struct Track {
  const session::Writer* writer = nullptr;
  session::TrackId id;
};

session::TrackId new_track() {
  static std::atomic<uint32_t> next{0};
  return session::TrackId(next.fetch_add(1, std::memory_order_relaxed));
}

session::TrackId track_of_this_thread(session::Writer& writer) {
  static constinit thread_local Track track;  // caches the last track of this thread
  if (track.writer != &writer) {
    track = {&writer, new_track()};
    const ThreadRings& rings = thread_rings();  // these have the thread's number
    session::TrackRecord record;
    record.id = track.id;
    record.process = writer.process();
    record.kind = "thread";
    record.name = rings.name();
    record.thread = session::ThreadId(rings.number());
    writer.add(std::move(record));
  }
  return track.id;
}

// Never destroyed: threads and exit handlers may still use it.
std::mutex& tracks_mutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

session::TrackId track_of_counter(session::Writer& writer, std::string_view name, const char* kind = "counter",
                                  session::DeviceNumber device = {}) {
  static auto* const tracks = new std::map<std::pair<std::string_view, std::string>, Track>;
  std::lock_guard lock(tracks_mutex());
  const auto at = tracks->try_emplace({kind, std::string(name)}).first;
  if (at->second.writer != &writer) {
    at->second = {&writer, new_track()};
    session::TrackRecord record;
    record.id = at->second.id;
    record.process = writer.process();
    record.kind = kind;
    record.device = device;
    record.name = name;
    writer.add(std::move(record));
  }
  return at->second.id;
}

// Repetitions for a comparison are not part of the program.
session::Writer* writer() {
  const bool recorded = recording_structure() && !repeating_call.load(std::memory_order_relaxed);
  return recorded ? session::active_writer() : nullptr;
}

}  // namespace

void tracks_before_fork() { tracks_mutex().lock(); }
void tracks_after_fork() { tracks_mutex().unlock(); }

void add_span(std::string_view name, std::string_view category, int64_t start_ns, int64_t end_ns, std::string args) {
  session::Writer* const to = writer();
  if (!to) return;
  session::SpanRecord span;
  span.track = track_of_this_thread(*to);
  span.start_ns = start_ns;
  span.end_ns = end_ns;
  span.name = name;
  span.category = category;
  span.args = std::move(args);
  to->add(std::move(span));
}

void add_end_of_data(int64_t start_ns) { add_span(kEndOfData, kEndOfData, start_ns, start_ns); }

void add_counter(std::string_view name, double value) {
  session::Writer* const to = writer();
  if (!to) return;
  session::CounterRecord counter;
  counter.track = track_of_counter(*to, name);
  counter.time_ns = now_ns();
  counter.value = value;
  to->add(counter);
}

OwnTrack::OwnTrack(session::TrackRecord record) : writer_(footlight::record::writer()) {
  if (!writer_) return;
  id_ = record.id = new_track();
  record.process = writer_->process();
  writer_->add(std::move(record));
}

session::Writer* OwnTrack::writer() const { return footlight::record::writer() == writer_ ? writer_ : nullptr; }

void OwnTrack::add(session::SpanRecord span) const {
  session::Writer* const to = writer();
  if (!to) return;
  span.track = id_;
  to->add(std::move(span));
}

void OwnTrack::add_value(double value, int64_t time_ns) const {
  if (session::Writer* const to = writer()) to->add(session::CounterRecord{id_, time_ns, value});
}

session::TrackId memory_track(session::Writer& writer, session::DeviceNumber device) {
  const std::string name = device.value ? "Memory, GPU " + std::to_string(device.value - 1) : "Memory";
  return track_of_counter(writer, name, session::TrackRecord::kMemory, device);
}

}  // namespace footlight::record
