// The writer: a queue of records, and a thread that turns them into frames of the log every 50 ms.
#include "engine/session/writer.h"

#include "engine/base/background_thread.h"
#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/session/chunk.h"
#include "engine/session/given_sources.h"
#include "engine/session/log.h"
#include "engine/session/rows.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <variant>

namespace footlight::session {
namespace {
constexpr size_t kMaxFileText = size_t{8} << 20;
// More than it takes to write what waited when the first began, even if the program adds events as fast.
constexpr int kMaxRounds = 512;

// Approximate size of a record, for the queue's cap.
template <class R>
struct Weight : Fields {
  const R& record;
  size_t bytes = sizeof(R) + 64;
  explicit Weight(const R& r) : record(r) {}
  template <class M>
  void column(const char*, M R::* member, const char*, Note = {}) {
    if constexpr (std::is_same_v<M, std::string>) bytes += (record.*member).size();
    else if constexpr (std::is_same_v<M, Blob>) bytes += (record.*member).bytes.size();
  }
  template <class E>
  void list(const char*, std::vector<E> R::* member, const char*, Note = {}) {
    bytes += (record.*member).size() * (sizeof(E) + 64);
  }
};
template <class R>
size_t weight(const R& record) {
  Weight<R> weight(record);
  R::describe(weight);
  return weight.bytes;
}

const char* kind_of(const AnyRecord& item) {
  return std::holds_alternative<ConsoleRecord>(item) ? "console lines" : "records";
}

// The contents of a frame, to report if they are lost.
struct Pending {
  size_t end = 0;  // end of the frame in the batch
  const char* what = "";
  uint64_t count = 0;
  enum class Rank : uint8_t { kEvent, kRecord, kEnd } rank = Rank::kRecord;  // lowest dropped first near the cap
};

// The text of a regular file. Code may claim to come from anything: a FIFO that nobody writes to, a device.
std::string read_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat s;
  if (!file || fstat(file.get(), &s) != 0 || !S_ISREG(s.st_mode)) return {};
  std::string text(std::min(static_cast<size_t>(s.st_size), kMaxFileText), '\0');
  size_t got = 0;
  while (got < text.size()) {
    const ssize_t n = ::read(file.get(), text.data() + got, text.size() - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += static_cast<size_t>(n);
  }
  text.resize(got);
  return text;
}

std::atomic<Writer*> g_active{nullptr};
std::atomic<uint32_t> g_functions{0}, g_traces{0}, g_graphs{0}, g_keys{0};
}  // namespace

struct Writer::State {
  explicit State(LogFile file, WriterOptions o, std::string p)
      : log(std::move(file)), options(o), path(std::move(p)) {
    ids = InSession(options.process.valid() ? options.process.value : log.claim_process());
  }

  LogFile log;
  const WriterOptions options;
  const std::string path;
  InSession ids;
  Writer* writer = nullptr;  // used by the pump

  std::mutex mutex;  // guards the queue
  std::condition_variable changed;
  std::vector<AnyRecord> queue;
  size_t queue_bytes = 0;
  EventChunks events;
  std::unordered_map<std::string, FileId> files;
  Pump pump = nullptr;
  void* pump_context = nullptr;
  uint64_t wanted = 0, done = 0;  // flushes
  bool stopping = false;
  std::atomic<bool> closed{false};
  bool abandoned = false;
  std::atomic<bool> filling{false};

  // Losses from the queue are counted here until they are written down; losses from the log, in `unsaid`.
  using Losses = std::map<std::pair<std::string, std::string>, uint64_t>;
  Losses dropped;

  std::mutex file_mutex;  // guards the members below: one flush at a time
  Losses unsaid;          // not appended to the log yet: kept in the slot
  std::optional<EndRecord> unsaid_end;
  uint64_t out_of_memory = 0;  // flushes that failed because of it
  uint64_t failed_checks = 0;  // flushes that an internal bug ended
  uint32_t generated = 0, observations = 0, comparisons = 0, values = 0;
  std::thread thread;
  bool elsewhere = false;  // the log's descriptors are in the thread's own table

  void begin();
  void run();
  void flush_now();
  void encode_item(ByteWriter& out, AnyRecord& item);
  template <class Chunk>
  void add_chunk(std::string& batch, std::vector<Pending>& pending, const Chunk& chunk);
  template <class Chunk>
  void add_chunks(std::string& batch, std::vector<Pending>& pending, const Chunk& all);
  void write_out(std::string_view batch, const std::vector<Pending>& pending);
  void append(std::string_view batch, const std::vector<Pending>& pending);
  bool append_losses(Losses& losses);
  void write_slot();
  bool over_cap(size_t more, Pending::Rank rank) const;

  // Reserves that many bytes; false: the queue is full, and `count` is added to the losses. Records may use more of it
  // than events: a lost graph would take the meaning of all its events with it.
  bool reserve(size_t bytes, const char* what, uint64_t count, Pending::Rank rank) {
    const auto cap = static_cast<size_t>(options.queue_cap) * (rank == Pending::Rank::kEvent ? 1 : 4);
    if (queue_bytes + bytes > cap) {
      dropped[{what, "the disk was too slow"}] += count;
      return false;
    }
    queue_bytes += bytes;
    return true;
  }

  void add(AnyRecord item) {
    if (closed.load(std::memory_order_relaxed)) return;
    const size_t bytes = std::visit([](const auto& record) { return weight(record); }, item);
    bool wake = false;
    {
      std::lock_guard lock(mutex);
      if (!reserve(bytes, kind_of(item), 1, Pending::Rank::kRecord)) return;
      queue.push_back(std::move(item));
      wake = queue_bytes > static_cast<size_t>(options.queue_cap) / 4 && !filling.exchange(true);
    }
    if (wake) changed.notify_one();
  }
};

// --- The flush ----------------------------------------------------------------------------------------------------

void Writer::State::encode_item(ByteWriter& out, AnyRecord& item) {
  out.u32(own_layout());
  std::visit(
      [&](auto& record) {
        if constexpr (std::is_same_v<std::decay_t<decltype(record)>, GeneratedRecord>)
          if (!record.id.valid()) record.id = GeneratedId(generated++);
        if constexpr (std::is_same_v<std::decay_t<decltype(record)>, ObservationRecord>)
          if (!record.id.valid()) record.id = ObservationId(observations++);
        if constexpr (std::is_same_v<std::decay_t<decltype(record)>, ComparisonRecord>)
          if (!record.id.valid()) record.id = ComparisonId(comparisons++);
        if constexpr (std::is_same_v<std::decay_t<decltype(record)>, CallValues>)
          if (!record.id.valid()) record.id = ValuesId(values++);
        encode(out, ids, record);
      },
      item);
}

template <class Chunk>
void Writer::State::add_chunk(std::string& batch, std::vector<Pending>& pending, const Chunk& chunk) {
  const ChunkInfo info = describe(chunk);
  ByteWriter out;
  out.u32(own_layout());
  encode_chunk_row(out, chunk_kind<Chunk>(), info, encode_chunk(chunk, ids));
  append_frame(batch, out.bytes());
  pending.push_back({batch.size(), RowsOf<Chunk>::type::kPlural, info.count, Pending::Rank::kEvent});
}

// Splits into pieces of the usual chunk size.
template <class Chunk>
void Writer::State::add_chunks(std::string& batch, std::vector<Pending>& pending, const Chunk& all) {
  if (all.size() && all.size() <= kUsualChunkRows * 2) return add_chunk(batch, pending, all);
  for (size_t at = 0; at < all.size(); at += kUsualChunkRows) {
    Chunk piece;
    session::append(piece, all, at, at + kUsualChunkRows);
    add_chunk(batch, pending, piece);
  }
}

void Writer::State::flush_now() {
  std::vector<AnyRecord> items;
  EventChunks all_events;
  Losses losses;
  {
    std::lock_guard lock(mutex);
    filling = false;
    items.swap(queue);
    queue_bytes = 0;
    std::swap(all_events, events);
    losses.swap(dropped);
  }
  std::lock_guard lock(file_mutex);
  std::string batch;
  std::vector<Pending> pending;
  for (AnyRecord& item : items) {
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
  std::apply([&](const auto&... kind) { (add_chunks(batch, pending, kind), ...); }, all_events);
  for (auto& [key, count] : losses) unsaid[key] += count;
  if (out_of_memory) unsaid[{"batches of records", "memory ran out"}] += std::exchange(out_of_memory, 0);
  if (failed_checks) unsaid[{"batches of records", "an internal check failed"}] += std::exchange(failed_checks, 0);
  write_out(batch, pending);
  if (!unsaid.empty() && append_losses(unsaid)) unsaid.clear();
  if (!unsaid.empty() || unsaid_end) write_slot();
}

// Events stop a little before the cap, so that functions, traces and the console can continue for a while.
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
      unsaid[{p.what, "the recording reached its size limit"}] += p.count;
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
      unsaid[{p.what, error == EFBIG   ? "the file reached the largest size allowed here"
                      : error == EBADF ? "the program closed the recording's descriptor"
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
    out.u32(own_layout());
    encode(out, ids, record);
    append_frame(batch, out.bytes());
  }
  int error = 0;
  return log.append(batch, error) == batch.size();
}

void Writer::State::write_slot() {
  ByteWriter out;
  out.u32(own_layout());
  if (unsaid_end) encode(out, ids, *unsaid_end);
  for (auto& [key, count] : unsaid) encode(out, ids, DroppedRecord{key.first, key.second, count});
  if (log.write_slot(out.bytes())) return;
  // If the slot is too small for all reasons, it gets one sum, and a shortened reason for the end.
  ByteWriter less;
  less.u32(own_layout());
  DroppedRecord sum{"records and events", "the disk was full", 0};
  for (auto& [key, count] : unsaid) sum.count += count;
  if (unsaid_end) {
    EndRecord end = *unsaid_end;
    end.reason.resize(std::min<size_t>(end.reason.size(), 200));
    encode(less, ids, end);
  }
  encode(less, ids, sum);
  log.write_slot(less.bytes());
}

void Writer::State::begin() {
  if (!options.own_descriptors) {
    thread = quiet_thread([this] { run(); });
    return;
  }
  thread = thread_with_descriptors(log.descriptors(), [this](const Taken& taken) {
    log.moved_to(taken.numbers);
    elsewhere = taken.own;
    run();
    if (taken.own) log.abandon();
  });
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
    bool more = true;
    for (int round = 0; more && round < kMaxRounds; ++round) {
      try {
        more = pump_now && pump_now(*writer, context);
        flush_now();
      } catch (const std::bad_alloc&) {  // the program used up its memory, or limited it: it can recover, and so can we
        std::lock_guard losses(file_mutex);
        ++out_of_memory;
        more = false;
      } catch (const std::logic_error&) {  // a bug of ours must not end the program or its session
        std::lock_guard losses(file_mutex);
        ++failed_checks;
        more = false;
      }
    }
    lock.lock();
    done = upto;
    changed.notify_all();
  }
}

// --- The interface ------------------------------------------------------------------------------------------------

Writer::Writer() = default;

std::unique_ptr<Writer> Writer::start(LogFile log, const std::string& path, const WriterOptions& options) {
  auto made = std::make_unique<State>(std::move(log), options, path);  // may throw: a writer always has its state
  std::unique_ptr<Writer> writer(new Writer);
  writer->state_ = std::move(made);
  State* state = writer->state_.get();
  state->writer = writer.get();
  if (state->log.size() == kHeaderSize || state->log.layout() != own_layout()) {
    std::string frame;
    append_frame(frame, layout_frame());
    int error = 0;
    state->log.append(frame, error);  // on a full disk, readers of another version see that they cannot read it
  }
  return writer;
}

std::unique_ptr<Writer> Writer::create(const std::string& path, const RunRecord& run, RecordingLevel level,
                                       const WriterOptions& options) {
  auto writer = start(LogFile::create(path, own_layout()), path, options);
  writer->set_run(run);
  writer->set_level(level);
  writer->state_->flush_now();  // readable from the first moment on
  writer->state_->begin();
  return writer;
}

std::unique_ptr<Writer> Writer::attach(const std::string& path, const WriterOptions& options) {
  auto writer = start(LogFile::attach(path), path, options);
  writer->state_->begin();
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
  FileRecord record{id, path, std::string(text)};
  if (std::optional<GivenSource> source = text.empty() ? given_source(path) : std::nullopt) {
    record.path = std::move(source->name);
    record.text = std::move(source->text);
  } else if (text.empty()) {
    record.text = read_file(path);
  }
  if (record.text.size() > kMaxFileText) record.text.resize(kMaxFileText);
  s.add(std::move(record));
  return id;
}

ProcessId Writer::process() const { return ProcessId(state_->ids.process()); }

void Writer::add_record(AnyRecord record) { state_->add(std::move(record)); }
void Writer::set_level(RecordingLevel level) { state_->add(LevelRecord{level}); }
void Writer::set_run(RunRecord run) { state_->add(std::move(run)); }

void Writer::add_event(AnyEvent event) {
  State& s = *state_;
  if (s.closed.load(std::memory_order_relaxed)) return;
  std::lock_guard lock(s.mutex);
  std::visit(
      [&]<class R>(R& record) {
        if (s.reserve(sizeof(R), R::kPlural, 1, Pending::Rank::kEvent))
          std::get<std::vector<R>>(s.events).push_back(std::move(record));
      },
      event);
}

void Writer::add_chunk(PointerToAny<EventChunks>::type rows) {
  State& s = *state_;
  if (s.closed.load(std::memory_order_relaxed)) return;
  std::lock_guard lock(s.mutex);
  std::visit(
      [&]<class Chunk>(Chunk* chunk) {
        using Rows = typename RowsOf<Chunk>::type;
        constexpr size_t kRow = kOfRecords<Chunk> ? sizeof(Rows) : 64;
        if (!s.reserve(chunk->size() * kRow, Rows::kPlural, chunk->size(), Pending::Rank::kEvent)) return;
        Chunk& waiting = std::get<Chunk>(s.events);
        if (waiting.size()) append(waiting, *chunk);
        else waiting = std::move(*chunk);
      },
      rows);
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
  { std::lock_guard lock(state_->mutex); }  // not between the thread's check and its wait
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
  if (s.closed) return {false, "the recording was closed before"};
  s.add(std::move(end));
  rest();
  const LogFile::AtPath there = s.log.at_path();
  Descriptor file = there == LogFile::AtPath::kTheLog ? Descriptor() : s.log.for_reading();
  s.log.abandon();
  try {
    if (there == LogFile::AtPath::kTheLog) {
      finish_log(s.path, s.path);
      return {};
    }
    const bool replaced = there == LogFile::AtPath::kAnotherFile;
    const std::string gone = (replaced ? "another file took the place of the recording " + s.path
                                       : "the recording " + s.path + " was removed") +
                             " while it was recorded";
    if (!file) return {false, gone};
    const std::string to = replaced ? s.path + ".recorded" : s.path;
    finish_log(std::move(file), s.path, to);
    return {false, gone + "; it is saved as " + to};
  } catch (const Error& e) {
    // The log may be what is gone: somebody removed it, or put another file in its place.
    const Descriptor left(open(s.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    char first[kSlotsAt];
    const ssize_t got = left ? pread(left.get(), first, sizeof first, 0) : -1;
    if (got > 0 && std::string_view(first, static_cast<size_t>(got)).starts_with(kLogMagic))
      return {false, e.message() + "; the recording stays a log, which opens as well"};
    return {false, e.message() + "; the recording is lost: it is no longer at " + s.path};
  }
}

void Writer::abandon() noexcept {
  State& s = *state_;
  s.closed = true;
  s.abandoned = true;
  if (s.elsewhere) s.log.forget();
  else s.log.abandon();
  if (s.thread.joinable())
    new std::thread(std::move(s.thread));  // the thread does not exist here: neither join nor destroy it
  Writer* self = this;
  g_active.compare_exchange_strong(self, nullptr);
}

Writer* active_writer() noexcept { return g_active.load(std::memory_order_acquire); }
void set_active_writer(Writer* writer) noexcept { g_active.store(writer, std::memory_order_release); }

FunctionId new_function_id() noexcept { return FunctionId(g_functions.fetch_add(1, std::memory_order_relaxed)); }
TraceId new_trace_id() noexcept { return TraceId(g_traces.fetch_add(1, std::memory_order_relaxed)); }
KeyId new_key_id() noexcept { return KeyId(g_keys.fetch_add(1, std::memory_order_relaxed)); }
GraphId new_graph_id() noexcept { return GraphId(g_graphs.fetch_add(1, std::memory_order_relaxed)); }

}  // namespace footlight::session
