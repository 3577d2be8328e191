// The run and its processes: what was run, on what, how it ended, its threads, devices and console.
#pragma once

#include "engine/base/recording.h"
#include "engine/session/records/ids.h"

namespace footlight::session {

// Stored in the table `meta`, one row per member, and so is LevelRecord.
struct RunRecord {
  std::string script;  // absolute
  std::vector<std::string> arguments;
  std::string working_directory;
  std::string python;
  std::string engine;
  std::string machine;
  int64_t started_ns = 0;

  static void describe(auto& f) {
    using R = RunRecord;
    f.column("script", &R::script, "what was run, as an absolute path");
    f.column("working_directory", &R::working_directory, "where it was run");
    f.column("python", &R::python, "version and executable");
    f.column("engine", &R::engine, "\"footlight 0.1\"");
    f.column("machine", &R::machine, "CPU and instruction set, threads, GPU or why there is none");
    f.column("started_ns", &R::started_ns, "when", {.unit = "ns"});
    f.list("run_argument", &R::arguments, "Arguments of the script.");
  }
};

constexpr const char* kRecordingLevels[] = {"off", "structure", "ops"};
constexpr std::span<const char* const> enumerators(RecordingLevel) { return kRecordingLevels; }

struct LevelRecord {
  RecordingLevel level = RecordingLevel::kOff;

  static void describe(auto& f) {
    f.column("level", &LevelRecord::level, "what is recorded; the last one set");
  }
};

// The recorder's clock and the machine's steady one, read together: clocks of processes of one machine are compared by
// them, also when somebody sets the machine's time in between.
struct ClockReading {
  int64_t clock_ns = 0, steady_ns = 0, error_ns = 0;

  static void describe(auto& f) {
    using R = ClockReading;
    f.column("clock_ns", &R::clock_ns, "the clock of all times of the process", {.unit = "ns"});
    f.column("steady_ns", &R::steady_ns, "CLOCK_MONOTONIC at the same moment", {.unit = "ns"});
    f.column("error_ns", &R::error_ns, "how far the moments may be apart", {.unit = "ns"});
  }
};

// One process of the run: the script, a forked child, a rank.
struct ProcessRecord {
  ProcessId id;
  int rank = 0, world = 1;
  std::string host;
  int64_t pid = 0;
  int64_t clock_offset_ns = 0, clock_error_ns = 0;
  std::string engine, engine_version, adapter;
  std::vector<std::string> missing_hooks;
  std::string kind = {};
  int parent_pid = 0, local_rank = 0;
  int64_t clock_moved_ns = 0;
  std::string run = {}, machine = {};
  std::vector<ClockReading> clocks = {};
  std::string recording = {}, end = {};

  static constexpr const char* kFork = "fork";    // kinds: a copy of its parent
  static constexpr const char* kSpawn = "spawn";  // a Python that its parent started
  static constexpr const char* kRank = "rank";    // one of the processes of a distributed run

  bool is_child() const { return kind == kFork || kind == kSpawn; }

  static constexpr TableNote kTable{"process",
                                    "A process that wrote into the recording: the script, a child, a rank.", 3};
  static void describe(auto& f) {
    using R = ProcessRecord;
    f.id("id", &R::id, "in the highest 8 bits of every id that the process gave");
    f.column("rank", &R::rank, "its number among the processes of a distributed run");
    f.column("world", &R::world, "how many these are");
    f.column("host", &R::host, "name of the machine");
    f.column("pid", &R::pid, "as the system knows it");
    f.column("clock_offset_ns", &R::clock_offset_ns, "to be added to its times to get those of process 0",
             {.unit = "ns"});
    f.column("clock_error_ns", &R::clock_error_ns, "how wrong that may be", {.unit = "ns"});
    f.column("engine", &R::engine, "footlight, tensorflow, jax, torch");
    f.column("engine_version", &R::engine_version, "of the engine");
    f.column("adapter", &R::adapter, "what recorded it, when the engine does not record itself");
    f.list("process_missing_hook", &R::missing_hooks,
           "What the adapter did not find in this version of the engine, and so did not record.",
           {.since = 3, .column = "hook"});
    f.column("kind", &R::kind, "fork or spawn: a child of another one; rank: one of a distributed run; else the script",
             {.since = 3});
    f.column("parent_pid", &R::parent_pid, "of the recorded process that started it; 0: none", {.since = 3});
    f.column("local_rank", &R::local_rank, "its number among the ranks of its machine", {.since = 3});
    f.column("run", &R::run, "the same in all processes that one command started", {.since = 3});
    f.column("machine", &R::machine, "the same in all processes of a machine until it starts again", {.since = 3});
    f.column("clock_moved_ns", &R::clock_moved_ns, "what merging recordings has added to its times",
             {.unit = "ns", .since = 3});
    f.list("process_clock", &R::clocks, "The clocks of a process, read when its recording began and ended.",
           {.since = 3});
    f.column("recording", &R::recording, "file that its part of a merged recording came from", {.since = 3});
    f.column("end", &R::end, "how it ended, in a merged recording; empty: it was killed", {.since = 3});
  }
};

struct EndRecord {
  int64_t time_ns = 0;
  int exit_code = 0;
  int signal = 0;
  std::string reason;

  static constexpr TableNote kTable{"run_end", "How the run ended. No row: it was killed."};
  static void describe(auto& f) {
    using R = EndRecord;
    f.column("time_ns", &R::time_ns, "when", {.unit = "ns"});
    f.column("exit_code", &R::exit_code, "of the script");
    f.column("signal", &R::signal, "that ended it, else 0");
    f.column("reason", &R::reason, "finished, stopped by the user, killed: out of memory, ...");
  }
};

// How many of something were not recorded, and why: ("op events", "the thread's ring was full", 12000).
struct DroppedRecord {
  std::string what, why;
  uint64_t count = 0;

  static constexpr TableNote kTable{"dropped", "What was not recorded, and why."};
  static void describe(auto& f) {
    using R = DroppedRecord;
    f.column("what", &R::what, "op events, calls, records, ...");
    f.column("why", &R::why, "in words");
    f.column("count", &R::count, "how many");
  }
};

enum class ConsoleStream : uint8_t { kStdout, kStderr, kTfPrint, kNote };
constexpr const char* kConsoleStreams[] = {"stdout", "stderr", "tf.print", "note"};
constexpr std::span<const char* const> enumerators(ConsoleStream) { return kConsoleStreams; }

struct ConsoleRecord {
  int64_t time_ns = 0;
  ConsoleStream stream = ConsoleStream::kStdout;
  std::string text;
  ProcessId process = {};

  static constexpr TableNote kTable{"console", "What the run printed, and notes of Footlight's."};
  static void describe(auto& f) {
    using R = ConsoleRecord;
    f.column("time_ns", &R::time_ns, "when it was read", {.unit = "ns"});
    f.column("stream", &R::stream, "where it was printed");
    f.column("text", &R::text, "as it was read, in pieces");
    f.column("process", &R::process, "that printed", {.since = 3});
  }
};

// A thread, device or track to which numbers in events refer.
struct ThreadRecord {
  ThreadId number;
  uint32_t system_id = 0;
  std::string name;
  ProcessId process = {};

  static constexpr TableNote kTable{"thread", "A thread that ran ops or calls."};
  static void describe(auto& f) {
    using R = ThreadRecord;
    f.id("number", &R::number, "events name it so; in the order in which threads began");
    f.column("system_id", &R::system_id, "as the system knows it");
    f.column("name", &R::name, "as the system knows it");
    f.column("process", &R::process, "whose thread it is", {.since = 3});
  }
};

struct DeviceNameRecord {
  DeviceNumber number;
  std::string name, description;
  ProcessId process = {};

  static constexpr TableNote kTable{"device", "A device that ops ran on."};
  static void describe(auto& f) {
    using R = DeviceNameRecord;
    f.id("number", &R::number, "op events name it so; 0 is the CPU");
    f.column("name", &R::name, "/gpu:0");
    f.column("description", &R::description, "NVIDIA H200, 139 GB");
    f.column("process", &R::process, "which numbers it so", {.since = 3});
  }
};

// A row of the timeline for anything but ops and calls: spans and counters lie on tracks.
struct TrackRecord {
  TrackId id;
  ProcessId process;
  TrackId parent;
  std::string kind, name;
  ThreadId thread;
  DeviceNumber device;
  SourceRef source = {};

  static constexpr const char* kMemory = "memory";
  static constexpr const char* kStage = "stage";   // of a pipeline; its parent is the stage that takes its elements
  static constexpr const char* kQueue = "queue";   // number of elements that wait in the stage above it

  static constexpr TableNote kTable{"track", "A row of the timeline that spans or counters lie on.", 3};
  static void describe(auto& f) {
    using R = TrackRecord;
    f.id("id", &R::id, "spans and counters name it so");
    f.column("process", &R::process, "that it belongs to");
    f.column("parent", &R::parent, "track that it stands under");
    f.column("kind", &R::kind,
             "process, thread, device, stream, counter, memory (a counter of bytes), stage (of a pipeline), "
             "queue (a counter of elements)");
    f.column("name", &R::name, "what is shown");
    f.column("thread", &R::thread, "for a thread's track");
    f.column("device", &R::device, "for a device's track");
    f.column("source", &R::source, "code object and instruction of the code that it is about", {.since = 3});
  }
};

}  // namespace footlight::session
