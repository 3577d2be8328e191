// The writer: a queue of records, and a thread that turns them into frames of the log every 50 ms.
#include "engine/session/writer.h"

#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/session/chunk.h"
#include "engine/session/log.h"
#include "engine/session/record_rows.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <variant>

namespace footlight::session {
namespace {
constexpr size_t kMaxFileText = size_t{8} << 20;

struct LevelItem { RecordingLevel level; };
using Item = std::variant<RunRecord, EndRecord, LevelItem, FileRecord, CodeRecord, FunctionRecord,
                          TraceRecord, GraphRecord, GeneratedRecord, DecisionRecord, ConsoleRecord,
                          OpNameRecord, SignatureRecord, ThreadRecord, DeviceNameRecord>;

// Roughly, for the queue's cap.
template <class Record>
size_t weight(const Record&) { return 256; }
size_t weight(const FileRecord& r) { return 256 + r.text.size(); }
size_t weight(const ConsoleRecord& r) { return 128 + r.text.size(); }
size_t weight(const GraphRecord& r) { return 256 + r.nodes.size() * 512; }
size_t weight(const GeneratedRecord& r) { return 512 + r.text.size(); }

const char* kind_of(const Item& item) {
  return std::holds_alternative<ConsoleRecord>(item) ? "console lines" : "records";
}

// What a frame holds, to be able to say what was lost with it.
struct Pending {
  size_t end = 0;  // of the frame in the batch
  const char* what = "";
  uint64_t count = 0;
  enum class Rank : uint8_t { kEvent, kRecord, kEnd } rank = Rank::kRecord;  // who goes first when the cap comes near
};

std::string read_file(const std::string& path) {
  std::string text;
  if (FILE* f = std::fopen(path.c_str(), "rbe")) {
    char buffer[65536];
    while (size_t n = std::fread(buffer, 1, sizeof buffer, f)) {
      text.append(buffer, n);
      if (text.size() > kMaxFileText) break;
    }
    std::fclose(f);
  }
  return text;
}

std::atomic<Writer*> g_active{nullptr};
std::atomic<uint32_t> g_functions{0}, g_traces{0}, g_graphs{0};
}  // namespace

struct Writer::State {
  explicit State(LogFile file, WriterOptions o, std::string p)
      : log(std::move(file)), options(o), path(std::move(p)) {}

  LogFile log;
  const WriterOptions options;
  const std::string path;
  Writer* writer = nullptr;  // for the pump

  std::mutex mutex;  // of the queue
  std::condition_variable changed;
  std::vector<Item> queue;
  size_t queue_bytes = 0;
  OpColumns ops;
  std::vector<CallRecord> calls;
  std::vector<DeviceRecord> device;
  std::unordered_map<std::string, FileId> files;
  Pump pump = nullptr;
  void* pump_context = nullptr;
  uint64_t wanted = 0, done = 0;  // flushes
  bool stopping = false;
  std::atomic<bool> closed{false};
  bool abandoned = false;
  std::atomic<bool> filling{false};

  // What is lost from the queue is counted here until it is written down; of the log's, in `unsaid`.
  using Losses = std::map<std::pair<std::string, std::string>, uint64_t>;
  Losses dropped;

  std::mutex file_mutex;  // of what follows: one flush at a time
  Losses unsaid;          // could not be appended to the log yet: stands in the slot
  std::optional<EndRecord> unsaid_end;
  uint32_t generated = 0;
  std::thread thread;

  void run();
  void flush_now();
  void encode_item(ByteWriter& out, Item& item);
  template <class Chunk>
  void add_chunk(std::string& batch, std::vector<Pending>& pending, Table table, const Chunk& chunk, const char* what);
  void write_out(std::string_view batch, const std::vector<Pending>& pending);
  void append(std::string_view batch, const std::vector<Pending>& pending);
  bool append_losses(Losses& losses);
  void write_slot();
  bool over_cap(size_t more, Pending::Rank rank) const;

  template <class Record>
  void add_event(std::vector<Record>& to, Record record, const char* what) {
    if (closed.load(std::memory_order_relaxed)) return;
    std::lock_guard lock(mutex);
    if (queue_bytes + sizeof(Record) > static_cast<size_t>(options.queue_cap)) {
      ++dropped[{what, "the disk was too slow"}];
      return;
    }
    queue_bytes += sizeof(Record);
    to.push_back(std::move(record));
  }

  template <class Record>
  void add(Record&& record) {
    if (closed.load(std::memory_order_relaxed)) return;
    const size_t bytes = weight(record);
    Item item(std::forward<Record>(record));
    bool wake = false;
    {
      std::lock_guard lock(mutex);
      if (queue_bytes + bytes > static_cast<size_t>(options.queue_cap)) {
        ++dropped[{kind_of(item), "the disk was too slow"}];
        return;
      }
      queue_bytes += bytes;
      queue.push_back(std::move(item));
      wake = queue_bytes > static_cast<size_t>(options.queue_cap) / 4 && !filling.exchange(true);
    }
    if (wake) changed.notify_one();
  }
};

// --- The flush ----------------------------------------------------------------------------------------------------

void Writer::State::encode_item(ByteWriter& out, Item& item) {
  std::visit(
      [&](auto& record) {
        using R = std::decay_t<decltype(record)>;
        if constexpr (std::is_same_v<R, LevelItem>) {
          encode_meta(out, "level", int64_t(record.level));
        } else if constexpr (std::is_same_v<R, GeneratedRecord>) {
          encode(out, record, generated++);
        } else {
          encode(out, record);
        }
      },
      item);
}

template <class Chunk>
void Writer::State::add_chunk(std::string& batch, std::vector<Pending>& pending, Table table, const Chunk& chunk,
                              const char* what) {
  ChunkInfo info = describe(chunk);
  const std::string data = encode_chunk(chunk);
  ByteWriter out;
  out.u8(uint8_t(table));
  RowEncoder row(out);
  row.integer(info.first_ns);
  row.integer(info.last_ns);
  row.integer(info.count);
  row.blob(data);
  append_frame(batch, out.bytes());
  pending.push_back({batch.size(), what, info.count, Pending::Rank::kEvent});
}

namespace {
// Hands `records` out in pieces of a usual chunk.
template <class Record, class Visit>
void in_pieces(std::vector<Record>& records, Visit&& visit) {
  if (records.size() <= kUsualChunkRows * 2) {
    if (!records.empty()) visit(records);
    return;
  }
  for (size_t at = 0; at < records.size(); at += kUsualChunkRows) {
    const size_t end = std::min(records.size(), at + kUsualChunkRows);
    std::vector<Record> piece(std::make_move_iterator(records.begin() + static_cast<std::ptrdiff_t>(at)),
                              std::make_move_iterator(records.begin() + static_cast<std::ptrdiff_t>(end)));
    visit(piece);
  }
}
OpColumns slice(const OpColumns& from, size_t begin, size_t end) {
  OpColumns to;
  const auto cut = [&](auto& out, const auto& in) {
    out.assign(in.begin() + static_cast<std::ptrdiff_t>(begin), in.begin() + static_cast<std::ptrdiff_t>(end));
  };
  cut(to.start_ns, from.start_ns), cut(to.end_ns, from.end_ns), cut(to.id, from.id), cut(to.call, from.call);
  cut(to.code, from.code), cut(to.offset, from.offset), cut(to.node, from.node), cut(to.bytes, from.bytes);
  cut(to.op, from.op), cut(to.thread, from.thread), cut(to.device, from.device);
  cut(to.signature, from.signature);
  return to;
}
}  // namespace

void Writer::State::flush_now() {
  std::vector<Item> items;
  OpColumns op_events;
  std::vector<CallRecord> call_records;
  std::vector<DeviceRecord> device_records;
  Losses losses;
  {
    std::lock_guard lock(mutex);
    filling = false;
    items.swap(queue);
    queue_bytes = 0;
    std::swap(op_events, ops);
    call_records.swap(calls);
    device_records.swap(device);
    losses.swap(dropped);
  }
  std::lock_guard lock(file_mutex);
  std::string batch;
  std::vector<Pending> pending;
  for (Item& item : items) {
    ByteWriter out;
    encode_item(out, item);
    if (out.size() > kMaxFrame) {
      ++losses[{kind_of(item), "it was too large"}];
      continue;
    }
    append_frame(batch, out.bytes());
    auto* end = std::get_if<EndRecord>(&item);
    if (end) unsaid_end = std::move(*end);
    pending.push_back({batch.size(), kind_of(item), 1, end ? Pending::Rank::kEnd : Pending::Rank::kRecord});
  }
  in_pieces(call_records,
            [&](const auto& piece) { add_chunk(batch, pending, Table::kCallChunk, piece, "calls"); });
  in_pieces(device_records,
            [&](const auto& piece) { add_chunk(batch, pending, Table::kDeviceChunk, piece, "device events"); });
  if (op_events.size() && op_events.size() <= kUsualChunkRows * 2) {
    add_chunk(batch, pending, Table::kOpChunk, op_events, "op events");
  } else {
    for (size_t at = 0; at < op_events.size(); at += kUsualChunkRows)
      add_chunk(batch, pending, Table::kOpChunk,
                slice(op_events, at, std::min(op_events.size(), at + kUsualChunkRows)), "op events");
  }
  for (auto& [key, count] : losses) unsaid[key] += count;
  write_out(batch, pending);
  if (!unsaid.empty() && append_losses(unsaid)) unsaid.clear();
  if (!unsaid.empty() || unsaid_end) write_slot();
}

// Events stop a little before the cap, so that functions, traces and the console go on for a while.
bool Writer::State::over_cap(size_t more, Pending::Rank rank) const {
  if (rank == Pending::Rank::kEnd) return false;
  const int64_t reserve = std::min<int64_t>(options.size_cap / 8, int64_t{16} << 20);
  return log.size() + static_cast<int64_t>(more) > options.size_cap - (rank == Pending::Rank::kEvent ? reserve : 0);
}

void Writer::State::write_out(std::string_view batch, const std::vector<Pending>& pending) {
  std::string kept;  // only when something was left out
  std::vector<Pending> kept_pending;
  size_t begin = 0, bytes = 0;
  bool all = true;
  for (const Pending& p : pending) {
    const size_t size = p.end - begin;
    if (over_cap(bytes + size, p.rank)) {
      if (all) {
        all = false;
        kept.assign(batch.substr(0, begin));
        kept_pending.assign(pending.begin(), pending.begin() + (&p - pending.data()));
      }
      unsaid[{p.what, "the session reached its size limit"}] += p.count;
    } else {
      bytes += size;
      if (!all) {
        kept.append(batch.substr(begin, size));
        kept_pending.push_back(p);
        kept_pending.back().end = kept.size();
      }
    }
    begin = p.end;
  }
  append(all ? batch : std::string_view(kept), all ? pending : kept_pending);
}

void Writer::State::append(std::string_view batch, const std::vector<Pending>& pending) {
  if (batch.empty()) return;
  int error = 0;
  const size_t done = log.append(batch, error);
  for (const Pending& p : pending) {
    if (p.end > done) {
      unsaid[{p.what, error == EFBIG ? "the file reached the largest size allowed here"
                                     : std::strerror(error)}] += p.count;
    } else if (p.rank == Pending::Rank::kEnd) {
      unsaid_end.reset();
    }
  }
}

bool Writer::State::append_losses(Losses& losses) {
  std::string batch;
  for (auto& [key, count] : losses) {
    DroppedRecord record{key.first, key.second, count};
    ByteWriter out;
    encode(out, record);
    append_frame(batch, out.bytes());
  }
  int error = 0;
  return log.append(batch, error) == batch.size();
}

void Writer::State::write_slot() {
  ByteWriter out;
  if (unsaid_end) encode(out, *unsaid_end);
  for (auto& [key, count] : unsaid) {
    DroppedRecord record{key.first, key.second, count};
    encode(out, record);
  }
  if (log.write_slot(out.bytes())) return;
  // Too many reasons for the slot: one sum, and a short word for the end.
  ByteWriter less;
  DroppedRecord sum{"records and events", "the disk was full", 0};
  for (auto& [key, count] : unsaid) sum.count += count;
  if (unsaid_end) {
    EndRecord end = *unsaid_end;
    end.reason.resize(std::min<size_t>(end.reason.size(), 200));
    encode(less, end);
  }
  encode(less, sum);
  log.write_slot(less.bytes());
}

void Writer::State::run() {
  pthread_setname_np(pthread_self(), "footlight-log");
  std::unique_lock lock(mutex);
  for (bool last = false; !last;) {
    changed.wait_for(lock, std::chrono::milliseconds(options.flush_ms),
                     [&] { return stopping || wanted != done || filling.load(); });
    last = stopping;
    const uint64_t upto = wanted;
    const Pump pump_now = pump;
    void* const context = pump_context;
    lock.unlock();
    if (pump_now) pump_now(*writer, context);
    flush_now();
    lock.lock();
    done = upto;
    changed.notify_all();
  }
}

// --- The interface ------------------------------------------------------------------------------------------------

Writer::Writer() = default;

namespace {
// The new thread must not take the signals that the program waits for.
template <class Body>
std::thread quiet_thread(Body body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(body);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}
}  // namespace

std::unique_ptr<Writer> Writer::start(LogFile log, const std::string& path, const WriterOptions& options) {
  std::unique_ptr<Writer> writer(new Writer);
  writer->state_ = std::make_unique<State>(std::move(log), options, path);
  State* state = writer->state_.get();
  state->writer = writer.get();
  return writer;
}

std::unique_ptr<Writer> Writer::create(const std::string& path, const RunRecord& run, RecordingLevel level,
                                       const WriterOptions& options) {
  auto writer = start(LogFile::create(path), path, options);
  writer->set_run(run);
  writer->set_level(level);
  writer->state_->flush_now();  // there from the first moment on
  writer->state_->thread = quiet_thread([state = writer->state_.get()] { state->run(); });
  return writer;
}

std::unique_ptr<Writer> Writer::attach(const std::string& path, const WriterOptions& options) {
  auto writer = start(LogFile::attach(path), path, options);
  writer->state_->thread = quiet_thread([state = writer->state_.get()] { state->run(); });
  return writer;
}

Writer::~Writer() {
  close();
  Writer* self = this;
  g_active.compare_exchange_strong(self, nullptr);
}

const std::string& Writer::path() const { return state_->path; }

FileId Writer::file(const std::string& path, std::string_view text) {
  State& s = *state_;
  FileId id;
  {
    std::lock_guard lock(s.mutex);
    const auto [it, added] = s.files.try_emplace(path, FileId(static_cast<uint32_t>(s.files.size())));
    id = it->second;
    if (!added) return id;
  }
  FileRecord record{id, path, text.empty() ? read_file(path) : std::string(text)};
  if (record.text.size() > kMaxFileText) record.text.resize(kMaxFileText);
  s.add(std::move(record));
  return id;
}

void Writer::add_file(FileRecord record) { state_->add(std::move(record)); }
void Writer::add_code(CodeRecord record) { state_->add(std::move(record)); }
void Writer::add_function(FunctionRecord record) { state_->add(std::move(record)); }
void Writer::add_trace(TraceRecord record) { state_->add(std::move(record)); }
void Writer::add_graph(GraphRecord record) { state_->add(std::move(record)); }
void Writer::add_generated(GeneratedRecord record) { state_->add(std::move(record)); }
void Writer::add_decision(DecisionRecord record) { state_->add(std::move(record)); }
void Writer::add_console(ConsoleRecord record) { state_->add(std::move(record)); }
void Writer::add_op_name(OpNameRecord record) { state_->add(std::move(record)); }
void Writer::add_signature(SignatureRecord record) { state_->add(std::move(record)); }
void Writer::add_thread(ThreadRecord record) { state_->add(std::move(record)); }
void Writer::add_device_name(DeviceNameRecord record) { state_->add(std::move(record)); }
void Writer::set_level(RecordingLevel level) { state_->add(LevelItem{level}); }
void Writer::set_run(RunRecord run) { state_->add(std::move(run)); }

void Writer::add_call(CallRecord record) { state_->add_event(state_->calls, std::move(record), "calls"); }
void Writer::add_device(DeviceRecord record) { state_->add_event(state_->device, std::move(record), "device events"); }

void Writer::add_calls(const std::vector<CallRecord>& records) {
  State& s = *state_;
  if (s.closed.load(std::memory_order_relaxed)) return;
  std::lock_guard lock(s.mutex);
  const size_t bytes = records.size() * sizeof(CallRecord);
  if (s.queue_bytes + bytes > static_cast<size_t>(s.options.queue_cap)) {
    s.dropped[{"calls", "the disk was too slow"}] += records.size();
    return;
  }
  s.queue_bytes += bytes;
  s.calls.insert(s.calls.end(), records.begin(), records.end());
}

void Writer::add_op_events(const OpColumns& events) {
  State& s = *state_;
  if (s.closed.load(std::memory_order_relaxed)) return;
  std::lock_guard lock(s.mutex);
  const size_t bytes = events.size() * 48;
  if (s.queue_bytes + bytes > static_cast<size_t>(s.options.queue_cap)) {
    s.dropped[{"op events", "the disk was too slow"}] += events.size();
    return;
  }
  s.queue_bytes += bytes;
  s.ops.append(events);
}

void Writer::add_dropped(const std::string& what, const std::string& why, uint64_t count) {
  if (state_->closed.load(std::memory_order_relaxed) || !count) return;
  std::lock_guard lock(state_->mutex);
  state_->dropped[{what, why}] += count;
}

void Writer::set_pump(Pump pump, void* context) {
  std::lock_guard lock(state_->mutex);
  state_->pump = pump;
  state_->pump_context = context;
}

void Writer::wake() {
  if (state_->filling.exchange(true)) return;
  { std::lock_guard lock(state_->mutex); }  // not between the thread's look and its wait
  state_->changed.notify_one();
}

void Writer::flush() {
  State& s = *state_;
  if (s.closed) return;
  std::unique_lock lock(s.mutex);
  const uint64_t mine = ++s.wanted;
  s.changed.notify_all();
  s.changed.wait(lock, [&] { return s.done >= mine || s.stopping; });
}

void Writer::close() {
  if (state_->abandoned) return;
  rest();
  state_->log.abandon();
}

void Writer::rest() {
  State& s = *state_;
  {
    std::lock_guard lock(s.mutex);
    s.stopping = true;
  }
  s.changed.notify_all();
  if (s.thread.joinable()) s.thread.join();
  s.closed = true;
}

Writer::Finished Writer::finish(EndRecord end) {
  State& s = *state_;
  if (s.closed) return {false, "the session was closed before"};
  s.add(std::move(end));
  close();
  try {
    finish_log(s.path, s.path);
    return {};
  } catch (const Error& e) {
    return {false, e.message() + "; the session stays a log, which opens as well"};
  }
}

void Writer::abandon() noexcept {
  State& s = *state_;
  s.closed = true;
  s.abandoned = true;
  s.log.abandon();
  if (s.thread.joinable())
    new std::thread(std::move(s.thread));  // it does not exist here: neither joined nor destroyed
  Writer* self = this;
  g_active.compare_exchange_strong(self, nullptr);
}

Writer* active_writer() noexcept { return g_active.load(std::memory_order_acquire); }
void set_active_writer(Writer* writer) noexcept { g_active.store(writer, std::memory_order_release); }

FunctionId new_function_id() noexcept { return FunctionId(g_functions.fetch_add(1, std::memory_order_relaxed)); }
TraceId new_trace_id() noexcept { return TraceId(g_traces.fetch_add(1, std::memory_order_relaxed)); }
GraphId new_graph_id() noexcept { return GraphId(g_graphs.fetch_add(1, std::memory_order_relaxed)); }

}  // namespace footlight::session
