// Reads a finished session: plain tables into records, the index of the chunks, chunks when asked for.
#include "engine/session/chunk_store.h"
#include "engine/session/database.h"
#include "engine/session/log.h"
#include "engine/session/open.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace footlight::session {
namespace {

constexpr Table kRecordTables[] = {
    Table::kMeta, Table::kRunArgument, Table::kRunEnd, Table::kDropped, Table::kFile, Table::kCode, Table::kCodeLine,
    Table::kFunction, Table::kFunctionParameter, Table::kTrace, Table::kKeyLeaf, Table::kTraceDiffering,
    Table::kTraceCapture, Table::kGraph, Table::kNode, Table::kNodeInput, Table::kNodeControlInput, Table::kNodeOutput,
    Table::kNodeFunction, Table::kGraphInput, Table::kGraphOutput, Table::kGenerated, Table::kGeneratedLine,
    Table::kGeneratedStatement, Table::kDecision, Table::kConsole, Table::kOp, Table::kThread, Table::kDevice,
    Table::kSignature};

// A copy of a file somebody changed with SQLite and left with its side files: recovery happens there.
class PrivateCopy {
 public:
  explicit PrivateCopy(const std::string& path) {
    const char* base = std::getenv("TMPDIR");
    folder_ = std::string(base && *base ? base : "/tmp") + "/footlight-XXXXXX";
    if (!mkdtemp(folder_.data()))
      throw Error(ErrorKind::kIo, std::string("cannot make a folder in /tmp: ") + std::strerror(errno));
    for (const char* suffix : {"", "-wal", "-journal"}) copy(path + suffix, this->path() + suffix);
  }
  ~PrivateCopy() {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) unlink((path() + suffix).c_str());
    rmdir(folder_.c_str());
  }
  PrivateCopy(const PrivateCopy&) = delete;
  PrivateCopy& operator=(const PrivateCopy&) = delete;
  std::string path() const { return folder_ + "/session"; }

 private:
  static void copy(const std::string& from, const std::string& to) {
    Descriptor in(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
    if (!in) return;
    Descriptor out(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    std::string buffer(1 << 16, '\0');
    while (true) {
      const ssize_t n = read(in.get(), buffer.data(), buffer.size());
      if (n == 0) return;
      if (n < 0 || write(out.get(), buffer.data(), static_cast<size_t>(n)) != n)
        throw Error(ErrorKind::kIo, std::string("cannot copy the session to ") + to + ": " + std::strerror(errno));
    }
  }
  std::string folder_;
};

bool has_side_files(const std::string& path) {
  struct stat s;
  for (const char* suffix : {"-wal", "-journal"})
    if (stat((path + suffix).c_str(), &s) == 0 && s.st_size > 0) return true;
  return false;
}

class DatabaseReader final : public Reader {
 public:
  DatabaseReader(const std::string& path, std::unique_ptr<PrivateCopy> copy)
      : copy_(std::move(copy)),
        db_(Database::open_untrusted(copy_ ? copy_->path() : path, !copy_)),
        ops_(fetch("op_chunk")),
        calls_(fetch("call_chunk")),
        device_(fetch("device_chunk")) {
    check_version();
    for (const Table table : kRecordTables)
      if (static_cast<int>(table_info(table).since) <= version_) read(table);
    index(ops_, "op_chunk");
    index(calls_, "call_chunk");
    index(device_, "device_chunk");
    state_ = contents_.end ? State::kFinished : State::kKilled;
  }

  const OpStore& op_events() const override { return ops_; }
  const CallStore& calls() const override { return calls_; }
  const DeviceStore& device_events() const override { return device_; }
  Changes refresh() override { return {}; }

 private:
  void check_version() {
    Statement application = db_.prepare("PRAGMA application_id");
    if (!application.step() || application.integer(0) != kApplicationId)
      throw Error(ErrorKind::kDataLoss, "not a session, but another SQLite file");
    Statement version = db_.prepare("PRAGMA user_version");
    version_ = version.step() ? static_cast<int>(version.integer(0)) : 0;
    if (version_ > static_cast<int>(kVersion))
      throw Error(ErrorKind::kUnimplemented, "newer version " + std::to_string(version_) +
                                                 ", this Footlight reads sessions up to version " +
                                                 std::to_string(kVersion));
    if (version_ < 1) throw_broken("it says version " + std::to_string(version_));
  }

  // A plain table with these columns, stored as such: no view, no virtual table, no computed column.
  void check_table(const char* name, const char* columns) {
    Statement kind = db_.prepare("SELECT count(*) FROM sqlite_schema WHERE name=? AND type='table' AND "
                                 "sql LIKE 'CREATE TABLE %'");
    kind.bind(1, Value{Value::Type::kText, 0, name});
    if (!kind.step() || kind.integer(0) != 1) throw_broken(std::string("table ") + name + " is missing");
    Statement info = db_.prepare("SELECT name, hidden FROM pragma_table_xinfo(?)");
    info.bind(1, Value{Value::Type::kText, 0, name});
    std::string found;
    while (info.step()) {
      if (info.integer(1) != 0) throw_broken(std::string("table ") + name + " is computed");
      if (!found.empty()) found += ",";
      found += info.column(0).bytes;
    }
    if (found != columns) throw_broken(std::string("table ") + name + " has other columns");
  }

  void read(Table table) {
    const TableInfo& info = table_info(table);
    check_table(info.name, info.columns);
    Statement select = db_.prepare(std::string("SELECT * FROM ") + info.name);
    Value values[kMaxColumns];
    const auto count = static_cast<size_t>(select.columns());
    if (count > kMaxColumns) throw_broken("a table has too many columns");
    while (select.step()) {
      for (size_t i = 0; i < count; ++i) values[i] = select.column(static_cast<int>(i));
      index_->add(table, {values, count});
    }
  }

  template <class Store>
  void index(Store& store, const char* table) {
    check_table(table, "id,first_ns,last_ns,count,data");
    Statement select = db_.prepare(std::string("SELECT id,first_ns,last_ns,count FROM ") + table + " ORDER BY id");
    while (select.step()) {
      const Value values[] = {select.column(1), select.column(2), select.column(3)};
      ChunkInfo info;
      RowDecoder decoder(values);
      decoder(info.first_ns, info.last_ns, info.count);
      store.add(info, select.integer(0), 0);
    }
  }

  std::function<std::string(const ChunkPlace&)> fetch(const char* table) {
    return [this, sql = std::string("SELECT data FROM ") + table + " WHERE id=?"](const ChunkPlace& place) {
      std::lock_guard lock(mutex_);
      Statement select = db_.prepare(sql);
      select.bind(1, place.at);
      if (!select.step()) throw_broken("a chunk is missing");
      return std::string(select.column(0).bytes);
    };
  }

  std::unique_ptr<PrivateCopy> copy_;
  Database db_;
  std::mutex mutex_;  // chunks are fetched from any thread
  LazyStore<OpColumns> ops_;
  LazyStore<std::vector<CallRecord>> calls_;
  LazyStore<std::vector<DeviceRecord>> device_;
};

}  // namespace

bool is_database(std::string_view first_bytes) {
  return first_bytes.starts_with(std::string_view("SQLite format 3\0", 16));
}

// SQLite itself would notice only when somebody asks for what is missing.
static void check_length(std::string_view header, int64_t size) {
  if (header.size() < 100) throw_broken("the file is cut off");
  const auto byte = [&](size_t i) { return int64_t{static_cast<unsigned char>(header[i])}; };
  const int64_t page = byte(16) << 8 | byte(17);
  const int64_t pages = byte(28) << 24 | byte(29) << 16 | byte(30) << 8 | byte(31);
  if (pages * (page == 1 ? 65536 : page) > size) throw_broken("the file is cut off");
}

std::unique_ptr<Reader> open_database(const std::string& path, std::string_view first_bytes, int64_t size) {
  std::unique_ptr<PrivateCopy> copy;
  if (has_side_files(path)) {
    copy = std::make_unique<PrivateCopy>(path);
  } else {
    check_length(first_bytes, size);
  }
  return std::make_unique<DatabaseReader>(path, std::move(copy));
}

}  // namespace footlight::session
