// Moves times by the descriptions of records, and writes a log that is then finished as any other.
#include "engine/session/merge.h"

#include "engine/base/errors.h"
#include "engine/session/chunk.h"
#include "engine/session/log.h"
#include "engine/session/output_place.h"
#include "engine/session/reader.h"
#include "engine/session/rows.h"
#include "engine/session/writer.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace footlight::session {
namespace {

// Columns that hold a moment; others in ns are durations. 0 is an unknown moment, and stays.
bool is_moment(std::string_view column) {
  return column == "start_ns" || column == "end_ns" || column == "time_ns" || column == "made_ns" ||
         column == "since_ns" || column == "started_ns";
}

// Adds to the moments of a record and of what is nested in it; of a struct of vectors, to all rows.
template <class R>
struct MoveTimes : Fields {
  R& record;
  int64_t by;
  MoveTimes(R& r, int64_t b) : record(r), by(b) {}

  void move(int64_t& ns) const {
    if (ns) ns = static_cast<int64_t>(static_cast<uint64_t>(ns) + static_cast<uint64_t>(by));
  }
  template <class M>
  void column(const char* name, M R::*member, const char*, Note = {}) {
    if constexpr (std::is_same_v<M, int64_t>) {
      if (is_moment(name)) move(record.*member);
    } else if constexpr (std::is_same_v<M, std::vector<int64_t>>) {
      if (!is_moment(name)) return;
      for (int64_t& ns : record.*member) move(ns);
    }
  }
  template <class M>
  void duration(const char*, M R::*end, M R::*, const char*, Note = {}) {
    column("end_ns", end, "");
  }
  template <class E>
  void list(const char*, std::vector<E> R::*member, const char*, Note = {}) {
    if constexpr (Described<E>) {
      for (E& element : record.*member) {
        MoveTimes<E> inner(element, by);
        E::describe(inner);
      }
    }
  }
};

template <class R>
void move_times(R& record, int64_t by) {
  if (!by) return;
  MoveTimes<R> move(record, by);
  R::describe(move);
}

// Appends frames to the log.
class Output {
 public:
  explicit Output(const std::string& path) : path_(path), log_(LogFile::create(path, own_layout())) {
    append_frame(waiting_, layout_frame());
  }

  template <class R>
  void add(const R& record, InSession ids) {
    ByteWriter out;
    out.u32(own_layout());
    encode(out, ids, record);
    if (out.size() > kMaxFrame) {
      add(DroppedRecord{"records", "it was too large", 1}, ids);
      return;
    }
    append_frame(waiting_, out.bytes());
    if (waiting_.size() > kBatch) flush();
  }

  template <class Chunk>
  void add_chunk(const Chunk& chunk, InSession ids) {
    if (chunk.size() == 0) return;
    ByteWriter out;
    out.u32(own_layout());
    encode_chunk_row(out, chunk_kind<Chunk>(), describe(chunk), encode_chunk(chunk, ids));
    append_frame(waiting_, out.bytes());
    if (waiting_.size() > kBatch) flush();
  }

  void close() {
    flush();
    log_.abandon();
  }

 private:
  static constexpr size_t kBatch = size_t{1} << 20;

  void flush() {
    int error = 0;
    if (log_.append(waiting_, error) != waiting_.size())
      throw Error(ErrorKind::kIo, "cannot write " + path_ + ": " + std::strerror(error));
    waiting_.clear();
  }

  std::string path_;
  LogFile log_;
  std::string waiting_;
};

class Merge {
 public:
  Merge(const std::string& to, size_t parts, const std::function<bool(double)>& go_on)
      : output_(to), parts_(parts), go_on_(go_on) {}

  void add(const MergePart& part) {
    const auto reader = Reader::open(part.path, {.go_on = go_on_ ? [this](double share) { return asks(share / 2); }
                                                                 : std::function<bool(double)>()});
    Contents all = reader->contents();
    const InSession ids = InSession::merged_at(processes_);
    const uint32_t own_processes = count_of_processes(all);
    if (processes_ + own_processes > kMaxProcesses)
      throw Error(ErrorKind::kResourceExhausted,
                  "a recording holds at most " + std::to_string(kMaxProcesses) + " processes");
    if (done_ == 0) begin(all);
    describe_processes(all, part, reader->state());
    std::apply([&](auto... member) { (add_records(all.*member, part.move_ns, ids), ...); }, kRecordTables);
    if (all.end) note_end(*all.end, part.move_ns);
    for_each_chunk_kind([&]<class Chunk, size_t I>() { add_events<Chunk>(*reader, part.move_ns, ids); });
    if (!reader->damage().empty()) output_.add(DroppedRecord{"records", part.path + ": " + reader->damage(), 1}, ids);
    processes_ += own_processes;
    ++done_;
  }

  void close() {
    std::ranges::stable_sort(console_, {}, &ConsoleRecord::time_ns);
    for (const ConsoleRecord& line : console_) output_.add(line, InSession());
    if (end_) output_.add(*end_, InSession());
    output_.close();
  }

 private:
  bool asks(double share) const {
    return !go_on_ || go_on_((static_cast<double>(done_) + share) / static_cast<double>(parts_));
  }

  static uint32_t count_of_processes(const Contents& all) {
    uint32_t count = 1;
    for (const ProcessRecord& process : all.processes) {
      if (process.id.valid()) count = std::max(count, process.id.value + 1);
    }
    return count;
  }

  void begin(const Contents& all) {
    output_.add(all.run, InSession());
    output_.add(LevelRecord{all.level}, InSession());
  }

  static void describe_processes(Contents& all, const MergePart& part, State state) {
    if (all.processes.empty()) {
      all.processes.emplace_back();  // recordings of old versions do not describe their process
      all.processes.back().id = ProcessId(0);
    }
    for (ProcessRecord& process : all.processes) {
      if (process.recording.empty()) {
        process.clock_offset_ns = process.clock_error_ns = 0;  // the part is moved by what is known of them
        process.recording = part.path;
        process.end = all.end ? all.end->reason : state == State::kLive ? "still running" : "";
      }
      process.clock_moved_ns += part.move_ns;
      process.clock_error_ns = part.error_ns < 0 || process.clock_error_ns < 0
                                   ? -1
                                   : std::max(process.clock_error_ns, part.error_ns);
    }
  }

  template <class R>
  void add_records(std::vector<R>& records, int64_t move_ns, InSession ids) {
    for (R& record : records) {
      move_times(record, move_ns);
      output_.add(record, ids);
      record = {};
    }
    records = {};
  }
  // Lines of all processes are put in the order of time, at the end.
  void add_records(std::vector<ConsoleRecord>& records, int64_t move_ns, InSession ids) {
    for (ConsoleRecord& record : records) {
      move_times(record, move_ns);
      record.process = ProcessId(ids.process(record.process.valid() ? record.process.value : 0));
      console_.push_back(std::move(record));
    }
    records = {};
  }
  void add_records(std::optional<EndRecord>&, int64_t, InSession) {}

  // The run ended as its first process did, when the last one did.
  void note_end(EndRecord end, int64_t move_ns) {
    move_times(end, move_ns);
    if (!end_ && done_ == 0) end_ = std::move(end);
    else if (end_) end_->time_ns = std::max(end_->time_ns, end.time_ns);
  }

  template <class Chunk>
  void add_events(const Reader& reader, int64_t move_ns, InSession ids) {
    const auto& store = reader.events<Chunk>();
    uint64_t lost = 0;
    for (size_t i = 0; i < store.index().size(); ++i) {
      if (!asks(0.5 + 0.5 * static_cast<double>(i) / static_cast<double>(store.index().size())))
        throw Error(ErrorKind::kCancelled, "the merge was cancelled");
      try {
        Chunk chunk = *store.chunk(i);
        if constexpr (kOfRecords<Chunk>) {
          for (auto& event : chunk) move_times(event, move_ns);
        } else {
          move_times(chunk, move_ns);
        }
        output_.add_chunk(chunk, ids);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::kDataLoss) throw;
        lost += store.index()[i].count;
      }
    }
    if (lost) output_.add(DroppedRecord{RowsOf<Chunk>::type::kPlural, "they could not be read back", lost}, ids);
  }

  Output output_;
  const size_t parts_;
  const std::function<bool(double)>& go_on_;
  size_t done_ = 0;
  uint32_t processes_ = 0;
  std::vector<ConsoleRecord> console_;
  std::optional<EndRecord> end_;
};

}  // namespace

void write_merged(const std::vector<MergePart>& parts, const std::string& to,
                  const std::function<bool(double)>& go_on) {
  refuse_unless_recording(to);
  const std::string log = to + ".merging";
  try {
    Merge merge(log, parts.size(), go_on);
    for (const MergePart& part : parts) merge.add(part);
    merge.close();
    finish_log(log, to);
  } catch (...) {
    unlink(log.c_str());
    throw;
  }
  unlink(log.c_str());
}

}  // namespace footlight::session
