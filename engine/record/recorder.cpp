// The host recorder: one writer at a time, fed from the rings by the writer's own flush thread.
#include "engine/record/recorder.h"

#include "engine/base/clock.h"
#include "engine/base/device_hooks.h"
#include "engine/base/errors.h"
#include "engine/base/recording.h"
#include "engine/base/signatures.h"
#include "engine/record/cupti_session.h"
#include "engine/record/sources.h"
#include "engine/record/spans.h"
#include "engine/record/this_process.h"
#include "engine/session/amend_end.h"
#include "engine/session/chunk.h"
#include "engine/session/processes_beside.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdlib>

#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace footlight::record {
namespace {

// What has been reported for a thread so far.
struct Reported { uint64_t ops_dropped = 0, calls_dropped = 0, memory_dropped = 0; };

struct Host {
  std::mutex mutex;  // held by start and stop, not while recording
  std::unique_ptr<session::Writer> writer;
  bool attached = false;
  std::string ended_early;  // the recording that program_ended() completed, whose exit status is not known yet
  // Writers that are closed: another thread may still hold the pointer it got from active_writer().
  std::vector<std::unique_ptr<session::Writer>> closed;
  std::vector<void (*)(session::Writer&)> contributors, last_contributors;
  std::unordered_map<const ThreadRings*, Reported> reported;  // only used by the flush thread, like the next three
  uint32_t signatures = 0;       // number of signatures that the session has
  uint64_t signatures_refused = 0;
  std::unordered_map<uint64_t, session::LocationId> callers;  // the user's lines from which libraries ran eager ops
};

// Never destroyed: threads and exit handlers may still use it.
Host& host() {
  static Host* it = new Host;
  return *it;
}

struct Batch {
  session::OpColumns ops;
  std::vector<session::CallRecord> calls;
  std::vector<session::CounterRecord> memory;
  std::map<uint8_t, session::TrackId> memory_tracks;  // indexed by device
  session::Writer* writer = nullptr;
  bool more = false;  // whether some ring holds more than was taken

  session::TrackId memory_track(uint8_t device) {
    const auto [at, added] = memory_tracks.try_emplace(device);
    if (added) at->second = record::memory_track(*writer, session::DeviceNumber(device));
    return at->second;
  }
};

session::ThreadRecord thread_record(const ThreadRings& rings) {
  return {session::ThreadId(rings.number()), rings.system_id(), rings.name()};
}

// The most that one flush takes of a ring: two chunks, so that neither memory nor the time to the next drain grows with
// the backlog.
constexpr uint32_t kMaxAtOnce = 2 * session::kUsualChunkRows;
// The most that one flush takes in all: the writer takes a batch as a whole or not at all.
constexpr size_t kMaxOfBatch = 16 * session::kUsualChunkRows;

uint32_t room_in(size_t taken) {
  return static_cast<uint32_t>(std::min<size_t>(kMaxAtOnce, kMaxOfBatch - std::min(kMaxOfBatch, taken)));
}

// The location of the user's line from which a library ran an op; it is written at first use.
session::LocationId location_of(SourceRef caller, session::Writer& writer) {
  constexpr size_t kMaxCallers = 1'000'000;  // their ids stay below session::kMaxInProcess
  auto& callers = host().callers;
  if (!caller.code.valid()) return {};
  const uint64_t key = uint64_t{caller.code.value} << 32 | caller.offset;
  const auto known = callers.find(key);
  if (known != callers.end()) return known->second;
  if (callers.size() == kMaxCallers) return {};
  const session::LocationId id(session::kFirstCallerLocation + static_cast<uint32_t>(callers.size()));
  callers.emplace(key, id);
  session::LocationRecord record;
  record.id = id;
  record.source = caller;
  writer.add(std::move(record));
  return id;
}

// Drains the ring up to the limits; returns whether it is empty now.
bool drain(Batch& batch, ThreadRings& rings, bool last) {
  auto& reported = host().reported;
  const auto [it, added] = reported.try_emplace(&rings);
  if (added) batch.writer->add(thread_record(rings));
  const uint32_t most_ops = room_in(batch.ops.size()), most_calls = room_in(batch.calls.size());
  const uint32_t ops_taken = rings.ops().drain(
      [&](const OpEvent* events, uint32_t count) {
        for (uint32_t i = 0; i < count; ++i)
          batch.ops.append(rings.number(), ThreadRings::op_event_id(rings.number(), events[i].sequence), events[i],
                           location_of(events[i].caller, *batch.writer));
      },
      most_ops);
  const uint32_t calls_taken = rings.calls().drain(
      [&](const CallEvent* events, uint32_t count) {
        for (uint32_t i = 0; i < count; ++i) {
          const CallEvent& e = events[i];
          batch.calls.push_back({e.call, e.function, e.trace, e.outcome, session::ThreadId(rings.number()),
                                 e.start_ns, e.end_ns, e.source, e.parent, e.key});
        }
      },
      most_calls);
  const uint32_t most_memory = room_in(batch.memory.size());
  const uint32_t memory_taken = rings.memory().drain(
      [&](const MemoryEvent* events, uint32_t count) {
        for (uint32_t i = 0; i < count; ++i)
          batch.memory.push_back({batch.memory_track(events[i].device), events[i].time_ns,
                                  static_cast<double>(events[i].bytes)});
      },
      most_memory);
  const bool empty = ops_taken < most_ops && calls_taken < most_calls && memory_taken < most_memory;
  batch.more = batch.more || !empty;
  Reported& r = it->second;
  const uint64_t ops = rings.ops().dropped(), calls = rings.calls().dropped(), memory = rings.memory().dropped();
  batch.writer->add_dropped("op events", "they were recorded faster than they could be written", ops - r.ops_dropped);
  batch.writer->add_dropped("calls", "they were recorded faster than they could be written", calls - r.calls_dropped);
  batch.writer->add_dropped("counters", "they were recorded faster than they could be written",
                            memory - r.memory_dropped);
  r = {ops, calls, memory};
  if (last && empty) reported.erase(it);
  return empty;
}

// A signature is written before any event that refers to it.
void report_signatures(session::Writer& writer) {
  Host& h = host();
  visit_signatures(
      h.signatures,
      [](void* to, SignatureId id, const Signature& s) {
        static_cast<session::Writer*>(to)->add(
            session::SignatureRecord{id, s.op, s.inputs, s.outputs, s.input_bytes, s.output_bytes, s.flops});
        host().signatures = id.value + 1;
      },
      &writer);
  const uint64_t refused = signatures_refused();
  if (refused > h.signatures_refused)
    writer.add_dropped("shapes of ops", "there are too many different ones", refused - h.signatures_refused);
  h.signatures_refused = refused;
}

bool pump(session::Writer& writer, void*) {
  calibrate_clock();
  Batch batch;
  batch.writer = &writer;
  visit_rings(
      [](void* context, ThreadRings& rings, bool last) { return drain(*static_cast<Batch*>(context), rings, last); },
      &batch);
  report_signatures(writer);  // after the rings: by now every signature that their events name exists
  if (batch.ops.size()) writer.add_rows(std::move(batch.ops));
  if (!batch.calls.empty()) writer.add_rows(std::move(batch.calls));
  if (!batch.memory.empty()) writer.add_rows(std::move(batch.memory));
  return batch.more;
}

void wake_writer() {
  if (session::Writer* writer = session::active_writer()) writer->wake();
}

// Order of locks: the flush thread takes that of the rings before the others.
void before_fork() {
  rings_before_fork();
  tracks_before_fork();
  sources_before_fork();
}

void fork_in_parent() {
  sources_after_fork();
  tracks_after_fork();
  rings_after_fork(false);
}

// A forked child has no flush thread: it records nothing, but may start its own session.
void fork_in_child() {
  sources_after_fork();
  tracks_after_fork();
  rings_after_fork(true);
  process_forked();
  Host& h = host();
  new (&h.mutex) std::mutex;
  cupti::forget_session();
  if (!h.writer) return;
  recording_level.store(RecordingLevel::kOff, std::memory_order_relaxed);
  recorder_hooks.ring_filling.store(nullptr, std::memory_order_relaxed);
  release_clock();
  h.writer->abandon();
  h.closed.push_back(std::move(h.writer));  // not destroyed: threads that do not exist here may hold its locks
  h.reported.clear();
  h.attached = false;
}

std::string words_of(int status) {
  return status ? "exited with status " + std::to_string(status) : "finished";
}

void at_exit(int status, void*) {
  std::string ended_early;
  std::swap(ended_early, host().ended_early);
  if (status && !ended_early.empty()) session::amend_end(ended_early, status, words_of(status));
  if (!recording()) return;
  // A process that was started to be recorded is one that just ended; a program that records itself has called exit.
  const bool was_started = !this_process().kind.empty();
  stop_recording({now_ns(), status, 0, was_started ? words_of(status) : "the program called exit"});
}

// Exit handlers run in reverse order of registration. The one of begin() would run after CUPTI and the CUDA libraries,
// which were loaded later, are torn down; so another is registered here, for programs that call exit() with devices in
// use. (Python programs have ended the recording by then: end_devices.)
void record_devices(session::Writer& writer) {
  if (cupti::start_into(writer)) on_exit(at_exit, nullptr);
}

// Called on the program's thread that is asking for a device.
void devices_are_opening() {
  Host& h = host();
  std::lock_guard lock(h.mutex);
  if (h.writer && recording_ops()) record_devices(*h.writer);
}

// Called with host().mutex held. Level ops records devices too, once the program asks for them.
void switch_level(session::Writer& writer, RecordingLevel level) {
  if (level == RecordingLevel::kOps && !on_devices_announced(devices_are_opening)) record_devices(writer);
  recording_level.store(level, std::memory_order_release);
  if (level != RecordingLevel::kOff) record_codes(writer);
}

void begin(std::unique_ptr<session::Writer> writer, bool attached, RecordingLevel level) {
  static std::once_flag once;
  std::call_once(once, [] {
    pthread_atfork(before_fork, fork_in_parent, fork_in_child);
    on_exit(at_exit, nullptr);
  });
  Host& h = host();
  h.reported.clear();
  h.callers.clear();
  h.signatures = 0;
  h.signatures_refused = signatures_refused();
  h.attached = attached;
  h.writer = std::move(writer);
  // Discards what an earlier recording left in the rings.
  visit_rings(
      [](void*, ThreadRings& rings, bool last) {
        if (last) return true;  // its thread has ended: the rings are freed with what is in them
        rings.ops().drain([](const OpEvent*, uint32_t) {});
        rings.calls().drain([](const CallEvent*, uint32_t) {});
        rings.memory().drain([](const MemoryEvent*, uint32_t) {});
        host().reported[&rings] = {rings.ops().dropped(), rings.calls().dropped(), rings.memory().dropped()};
        host().writer->add(thread_record(rings));
        return true;
      },
      nullptr);
  calibrate_clock();  // before the flush thread does
  h.writer->set_pump(pump, nullptr);
  begin_codes();
  recording_number.fetch_add(1);
  session::set_active_writer(h.writer.get());
  process_begins();
  for (auto* contribute : h.contributors) contribute(*h.writer);
  recorder_hooks.ring_filling.store(wake_writer, std::memory_order_release);
  switch_level(*h.writer, level);
}

// Needs the lock and a writer. Without `end`, the program has ended, with a status that at_exit() knows. The session of
// a process that was started to be recorded is completed now all the same: libraries that the program loaded are taken
// down before at_exit() runs, and what some of them leave of the heap breaks whoever allocates then.
session::Writer::Finished stop(Host& h, const session::EndRecord* end) {
  recording_level.store(RecordingLevel::kOff, std::memory_order_release);
  recorder_hooks.ring_filling.store(nullptr, std::memory_order_release);
  cupti::stop_into_session();
  for (auto* contribute : h.last_contributors) contribute(*h.writer);
  process_ends();
  if (!h.attached && !end && this_process().kind.empty()) return {};
  session::Writer::Finished finished;
  if (h.attached) {
    h.writer->close();
  } else {
    finished = h.writer->finish(end ? *end : session::EndRecord{now_ns(), 0, 0, words_of(0)});
    if (!end && finished.one_file) h.ended_early = h.writer->path();
    if (this_process().is_child() && session::holds_nothing(h.writer->path())) unlink(h.writer->path().c_str());
  }
  release_clock();
  session::set_active_writer(nullptr);
  h.closed.push_back(std::move(h.writer));
  return finished;
}

session::WriterOptions beside_a_program(session::WriterOptions options) {
  options.own_descriptors = true;
  return options;
}

void refuse_second() {
  if (host().writer) throw Error(ErrorKind::kFailedPrecondition, "a recording is already running");
}

}  // namespace

void start_recording(const std::string& path, const session::RunRecord& run, RecordingLevel level,
                     const session::WriterOptions& options) {
  std::lock_guard lock(host().mutex);
  refuse_second();
  begin(session::Writer::create(path, run, level, beside_a_program(options)), false, level);
}

void attach_recording(const std::string& path, RecordingLevel level, const session::WriterOptions& options) {
  std::lock_guard lock(host().mutex);
  refuse_second();
  begin(session::Writer::attach(path, beside_a_program(options)), true, level);
  host().writer->set_level(level);
}

void set_level(RecordingLevel level) {
  std::lock_guard lock(host().mutex);
  if (!host().writer) return;
  switch_level(*host().writer, level);
  host().writer->set_level(level);
}

bool recording() {
  std::lock_guard lock(host().mutex);
  return host().writer != nullptr;
}

session::Writer::Finished stop_recording(const session::EndRecord& end) {
  Host& h = host();
  std::lock_guard lock(h.mutex);
  return h.writer ? stop(h, &end) : session::Writer::Finished{};
}

void program_ended() {
  Host& h = host();
  std::lock_guard lock(h.mutex);
  if (h.writer) stop(h, nullptr);
}

void on_recording_started(void (*contribute)(session::Writer& writer)) {
  Host& h = host();
  std::lock_guard lock(h.mutex);
  h.contributors.push_back(contribute);
  if (h.writer) contribute(*h.writer);
}

void on_recording_stopping(void (*contribute)(session::Writer& writer)) {
  Host& h = host();
  std::lock_guard lock(h.mutex);
  h.last_contributors.push_back(contribute);
}

}  // namespace footlight::record
