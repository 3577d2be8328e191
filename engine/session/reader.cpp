// Detects the form of a session file; look-ups and times, which both forms share.
#include "engine/session/reader.h"

#include "engine/base/errors.h"
#include "engine/session/log.h"
#include "engine/session/open.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace footlight::session {

std::unique_ptr<Reader> Reader::open(const std::string& path, ReadOptions options) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) throw Error(ErrorKind::kIo, path + ": " + std::strerror(errno));
  struct stat s;
  if (fstat(file.get(), &s) != 0) throw Error(ErrorKind::kIo, path + ": " + std::strerror(errno));
  if (S_ISDIR(s.st_mode)) throw Error(ErrorKind::kDataLoss, path + ": this is a folder, not a recording");
  if (!S_ISREG(s.st_mode)) throw Error(ErrorKind::kDataLoss, path + ": this is not a regular file");
  char first[100] = {};  // the header of a log, or of SQLite
  const ssize_t got = pread(file.get(), first, sizeof first, 0);
  const std::string_view bytes(first, static_cast<size_t>(std::max<ssize_t>(got, 0)));
  try {
    if (LogScanner::is_log(bytes)) return open_log(std::move(file), std::move(options));
    if (is_database(bytes)) return open_database(path, std::move(file), std::move(options));
    if (bytes.size() < 24 && kLogMagic.starts_with(bytes.substr(0, 16)) && !bytes.empty())
      throw Error(ErrorKind::kDataLoss, "broken: the recording is cut off in its first bytes");
    throw Error(ErrorKind::kDataLoss, s.st_size ? "not a recording" : "not a recording: the file is empty");
  } catch (const Error& e) {
    throw Error(e.kind(), path + ": " + e.message());
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::kMemory, path + ": broken, or too large for the memory of this machine");
  }
}

Reader::Reader() : index_(std::make_unique<Index>(contents_)) {}
Reader::~Reader() = default;

const ProcessRecord* Reader::process(ProcessId id) const { return index_->find<ProcessRecord>(id.value); }
const FileRecord* Reader::file(FileId id) const { return index_->find<FileRecord>(id.value); }
const CodeRecord* Reader::code(CodeId id) const { return index_->find<CodeRecord>(id.value); }
const FunctionRecord* Reader::function(FunctionId id) const { return index_->find<FunctionRecord>(id.value); }
const TraceRecord* Reader::trace(TraceId id) const { return index_->find<TraceRecord>(id.value); }
const GraphRecord* Reader::graph(GraphId id) const { return index_->find<GraphRecord>(id.value); }
const OpNameRecord* Reader::op_name(OpNumber id) const { return index_->find<OpNameRecord>(id.value); }
const SignatureRecord* Reader::signature(SignatureId id) const { return index_->find<SignatureRecord>(id.value); }
const KeyRecord* Reader::key(KeyId id) const { return index_->find<KeyRecord>(id.value); }
const LocationRecord* Reader::location(LocationId id) const { return index_->find<LocationRecord>(id.value); }
const TrackRecord* Reader::track(TrackId id) const { return index_->find<TrackRecord>(id.value); }

Reader::SourcePlace Reader::place(SourceRef source) const {
  const CodeRecord* c = source.code.valid() ? code(source.code) : nullptr;
  if (!c) return {};
  const auto after = std::upper_bound(c->lines.begin(), c->lines.end(), source.offset,
                                      [](uint32_t offset, const CodeLine& line) { return offset < line.first_offset; });
  return {c->file, after == c->lines.begin() ? c->first_line : static_cast<int>(std::prev(after)->line)};
}

namespace {
// A file of a few kilobytes can claim to hold billions of rows.
constexpr uint64_t kMaxAtOnce = 20'000'000;

template <class Record>
std::vector<Record> all_of(const ChunkStore<std::vector<Record>>& store) {
  if (store.rows() > kMaxAtOnce)
    throw Error(ErrorKind::kResourceExhausted, std::to_string(store.rows()) + " records are too many to show at once");
  std::vector<Record> all;
  for (size_t i = 0; i < store.index().size(); ++i) {
    const auto chunk = store.chunk(i);
    all.insert(all.end(), chunk->begin(), chunk->end());
  }
  return all;
}
}  // namespace

std::vector<CallRecord> Reader::all_calls() const { return all_of(calls()); }
std::vector<DeviceRecord> Reader::all_device_events() const { return all_of(device_events()); }

namespace {
struct Range {
  int64_t first = 0, last = 0;
  void take(int64_t begin, int64_t end) {
    if (begin <= 0) return;  // CUPTI: no time
    first = first ? std::min(first, begin) : begin;
    last = std::max(last, end);
  }
  void take(const std::vector<ChunkInfo>& chunks) {
    for (const ChunkInfo& c : chunks) take(c.first_ns, c.last_ns);
  }
};
}  // namespace

static Range range_of_events(const Reader& r) {
  Range range;
  for_each_chunk_kind([&]<class Chunk, size_t I>() { range.take(r.events<Chunk>().index()); });
  for (const TraceRecord& t : r.contents().traces) range.take(t.start_ns, t.end_ns);
  return range;
}

static Range range_of(const Reader& r) {
  Range range = range_of_events(r);
  for (const ConsoleRecord& c : r.contents().console) range.take(c.time_ns, c.time_ns);
  return range;
}

int64_t Reader::first_time() const {
  const int64_t first = range_of_events(*this).first;
  return first ? first : range_of(*this).first;
}
int64_t Reader::last_time() const { return range_of(*this).last; }
int64_t Reader::events_ns() const {
  const Range range = range_of_events(*this);
  return std::max<int64_t>(0, range.last - range.first);
}

}  // namespace footlight::session
