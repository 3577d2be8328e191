// Writes a session while the program runs. Every add_* may be called from any thread, costs a move into a queue, and
// never throws or waits for the disk; a thread of its own appends to the file every 50 ms.
//
// While running the file is a log (log.h); finish() turns it into one SQLite file. A run that was killed
// leaves the log: the reader opens both.
#pragma once

#include "engine/session/tables.h"

#include <memory>
#include <string>
#include <string_view>

namespace footlight::session {

struct WriterOptions {
  int flush_ms = 50;
  int64_t size_cap = int64_t{4} << 30;     // bytes; events, then everything but the end are dropped and counted
  int64_t queue_cap = int64_t{64} << 20;   // bytes of events waiting for a slow disk; records may be four times that
  // For attach(): the process whose ids and console this writer continues, if another writer began it: the supervisor
  // and the script count as one. None: a new process.
  ProcessId process = {};
  // For programs that may close or replace any descriptor: the flush thread keeps the file's out of reach.
  bool own_descriptors = false;
};

class Writer {
 public:
  // Creates a file and replaces the one at `path`. Throws Error (kIo) if it cannot be written.
  static std::unique_ptr<Writer> create(const std::string& path, const RunRecord& run, RecordingLevel level,
                                        const WriterOptions& options = {});
  // A writer of another process, for a session that was created and not finished: each appends whole records.
  static std::unique_ptr<Writer> attach(const std::string& path, const WriterOptions& options = {});
  // Writes what is queued and closes, without ending the session.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  const std::string& path() const;
  ProcessId process() const;               // its id in the session

  // The file at that path, whose text (`text`, else what is on disk) is recorded at the first request.
  FileId file(const std::string& path, std::string_view text = {});

  // Any record with a table, any event of a kind that is kept as records. A record with a known id replaces the earlier
  // one. Calls through the rings (record_call) are cheaper.
  template <class R>
  void add(R record) {
    if constexpr (is_event<R>) add_event(std::move(record));
    else add_record(std::move(record));
  }
  // Many events of one kind.
  template <class Chunk>
  void add_rows(Chunk rows) {
    add_chunk(&rows);
  }
  void add_dropped(const std::string& what, const std::string& why, uint64_t count);
  void set_level(RecordingLevel level);    // written down only; profile::set_level switches
  void set_run(RunRecord run);             // replaces the record given to create()

  // Called by the flush thread before each flush: the recorder empties its rings here; true: it has more, so the next
  // flush follows at once. May be null.
  using Pump = bool (*)(Writer& writer, void* context);
  void set_pump(Pump pump, void* context);
  void wake();                             // flush now, without waiting; cheap, from any thread
  void flush();                            // returns when everything added before is in the file

  // Ends the run: writes the last records, then one file without side files. If the disk is too full for that, the log
  // stays (it can be opened as well) and `words` says so. The writer takes no more records.
  struct Finished { bool one_file = true; std::string words; };
  Finished finish(EndRecord end);
  // Same, leaving the session open for other writers: the flush thread ends, queued records are written.
  void close();
  // Same, but the session still counts as being written while this object lives: to fork between two writers (without
  // own_descriptors).
  void rest();
  // Called in a forked child: abandons the file without writing to it. All add_* become no-ops.
  void abandon() noexcept;

 private:
  Writer();
  static std::unique_ptr<Writer> start(class LogFile log, const std::string& path, const WriterOptions& options);
  template <class Chunks>
  struct PointerToAny;
  template <class... Chunk>
  struct PointerToAny<std::tuple<Chunk...>> { using type = std::variant<Chunk*...>; };
  void add_record(AnyRecord record);
  void add_event(AnyEvent event);
  void add_chunk(PointerToAny<EventChunks>::type rows);  // may take them
  struct State;
  std::unique_ptr<State> state_;
};

// The session being written by this process, or null. Checked after recording_structure().
Writer* active_writer() noexcept;
void set_active_writer(Writer* writer) noexcept;

// Numbers that are unique in this process, recording or not. The writer puts the number of the process above them.
FunctionId new_function_id() noexcept;
TraceId new_trace_id() noexcept;
GraphId new_graph_id() noexcept;
KeyId new_key_id() noexcept;

// Converts the log of a run without writers to one SQLite file at `to` (which may be the same path).
// Throws Error.
void finish_log(const std::string& from, const std::string& to);
void finish_log(class Descriptor file, const std::string& from, const std::string& to);  // `from` for messages

}  // namespace footlight::session
