// Opens a session: finished, still being written, or left by a killed run. Reads only that file (and SQLite's
// write-ahead log beside it), writes nothing and trusts nothing in it. Failures are Errors in words for the user: "not
// a session", "newer version 9, this Footlight reads up to 3", "broken: ...". Unknown parts from a newer Footlight are
// left out and reported.
#pragma once

#include "engine/session/contents.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace footlight::session {

// Chunks of one kind: the index is there at once, a chunk is decoded when asked for (the last few stay
// decoded). chunk() may be called from any thread, also while refresh() runs in another; it throws Error when
// the chunk is broken.
template <class Chunk>
class ChunkStore {
 public:
  virtual ~ChunkStore() = default;
  virtual const std::vector<ChunkInfo>& index() const = 0;  // only for the thread that calls refresh()
  virtual std::shared_ptr<const Chunk> chunk(size_t number) const = 0;
  uint64_t rows() const { return index().empty() ? 0 : index().back().first_row + index().back().count; }
};
using OpStore = ChunkStore<OpColumns>;
using CallStore = ChunkStore<std::vector<CallRecord>>;
using DeviceStore = ChunkStore<std::vector<DeviceRecord>>;
using SpanStore = ChunkStore<std::vector<SpanRecord>>;
using CounterStore = ChunkStore<std::vector<CounterRecord>>;

enum class State : uint8_t {
  kFinished,  // the run ended and recorded its end
  kLive,      // a process is writing it
  kKilled,    // no process is writing it, but its end is missing
};

struct Changes {
  bool records = false;  // contents() changed
  bool chunks = false;   // a chunk store grew
  bool state = false;    // state() changed: the run ended, or its writer died
  explicit operator bool() const { return records || chunks || state; }
};

struct ReadOptions {
  // Called now and then while a file is opened or refreshed, with the share that was read so far; false ends that with
  // an Error (kCancelled). In the thread that reads.
  std::function<bool(double)> go_on = {};
  std::chrono::milliseconds ask_every{20};  // the least time between two calls of go_on
};

class Reader {
 public:
  // Throws Error, also if reading costs more rows, bytes or time than an honest file of its size can (budget.h).
  static std::unique_ptr<Reader> open(const std::string& path, ReadOptions options = {});
  virtual ~Reader();

  const Contents& contents() const { return contents_; }
  // Moves out the console records read since the last call; contents() no longer has them.
  std::vector<ConsoleRecord> take_console() { return std::exchange(contents_.console, {}); }
  State state() const { return state_; }
  int version() const { return version_; }
  // Describes damage of a file that could be opened; empty if there is no damage.
  const std::string& damage() const { return damage_; }
  // "a newer Footlight wrote this; left out: table weather, column trace.colour"; empty: nothing was.
  const std::string& left_out() const { return left_out_; }

  // Any kind of EventChunks.
  template <class Chunk>
  const ChunkStore<Chunk>& events() const { return *std::get<ChunkStore<Chunk>*>(stores_); }
  const OpStore& op_events() const { return events<OpColumns>(); }
  const CallStore& calls() const { return events<std::vector<CallRecord>>(); }
  const DeviceStore& device_events() const { return events<std::vector<DeviceRecord>>(); }
  const SpanStore& spans() const { return events<std::vector<SpanRecord>>(); }
  const CounterStore& counters() const { return events<std::vector<CounterRecord>>(); }
  std::vector<CallRecord> all_calls() const;           // decodes every chunk; Error beyond 20 million
  std::vector<DeviceRecord> all_device_events() const;

  // Reads what was written since the last call; cheap if nothing was. One thread at a time, as all but chunk().
  virtual Changes refresh() = 0;

  // Look-ups by id; null if not found.
  const ProcessRecord* process(ProcessId) const;
  const FileRecord* file(FileId) const;
  const CodeRecord* code(CodeId) const;
  const FunctionRecord* function(FunctionId) const;
  const TraceRecord* trace(TraceId) const;
  const GraphRecord* graph(GraphId) const;
  const OpNameRecord* op_name(OpNumber) const;
  const KeyRecord* key(KeyId) const;
  const LocationRecord* location(LocationId) const;
  const TrackRecord* track(TrackId) const;
  const SignatureRecord* signature(SignatureId) const;
  // Resolves a source position; file none or line 0: unknown.
  struct SourcePlace { FileId file; int line = 0; };
  SourcePlace place(SourceRef) const;

  // The first event, from which times count: what was printed before it has a negative time. Without events, the first
  // thing that was printed; 0 when nothing was.
  int64_t first_time() const;
  // The last time of anything recorded.
  int64_t last_time() const;
  // The time from the first event to the last. A line of the console is not an event.
  int64_t events_ns() const;

 protected:
  Reader();
  template <class Chunks>
  struct StoresOf;
  template <class... Chunk>
  struct StoresOf<std::tuple<Chunk...>> { using type = std::tuple<ChunkStore<Chunk>*...>; };
  struct Index;
  std::unique_ptr<Index> index_;
  Contents contents_;
  StoresOf<EventChunks>::type stores_;  // owned by the derived class
  State state_ = State::kFinished;
  int version_ = 0;
  std::string damage_, left_out_;
};

}  // namespace footlight::session
