// A log becomes one SQLite file: rows go to their tables, small chunks are joined to usual ones, sums are added.
#include "engine/base/errors.h"
#include "engine/session/chunk.h"
#include "engine/session/database.h"
#include "engine/session/log.h"
#include "engine/session/record_rows.h"
#include "engine/session/writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <unordered_map>

namespace footlight::session {
namespace {

// Joins chunks until one is of usual size. Chunks that are so already go through as they are.
template <class Chunk>
class ChunkJoiner {
 public:
  ChunkJoiner(Database& db, const char* table)
      : insert_(db.prepare(std::string("INSERT INTO ") + table + "(first_ns,last_ns,count,data) VALUES(?,?,?,?)")) {}

  // True: the chunk went through as it is, undecoded.
  bool passed(const ChunkRow& row) {
    if (row.count < kUsualChunkRows / 4) return false;
    flush();
    put(row);
    return true;
  }
  // False: it cannot be read.
  bool decode(const ChunkRow& row, Chunk& chunk) {
    try {
      if (row.count == 0) throw_broken("an empty chunk");
      decode_chunk(row.data, row.count, chunk);
      return true;
    } catch (const Error&) {
      lost_ += row.count;
      return false;
    }
  }
  void add(Chunk& chunk) {
    join(pending_, chunk);
    if (pending_.size() >= kUsualChunkRows) flush();
  }
  void flush() {
    if (pending_.size() == 0) return;
    const std::string data = encode_chunk(pending_);
    const ChunkInfo info = describe(pending_);
    put({info.first_ns, info.last_ns, info.count, data});
    pending_.clear();
  }
  uint64_t lost() const { return lost_; }

 private:
  static void join(OpColumns& to, const OpColumns& from) { to.append(from); }
  template <class Record>
  static void join(std::vector<Record>& to, std::vector<Record>& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }
  void put(const ChunkRow& row) {
    insert_.reset();
    insert_.bind(1, row.first_ns);
    insert_.bind(2, row.last_ns);
    insert_.bind(3, int64_t{row.count});
    insert_.bind(4, Value{Value::Type::kBlob, 0, row.data});
    insert_.step();
  }
  Statement insert_;
  Chunk pending_;
  uint64_t lost_ = 0;
};

struct Sum {
  uint64_t count = 0, total_ns = 0;
  void add(uint64_t ns) {
    ++count;
    total_ns += ns;
  }
};

class Finisher {
 public:
  explicit Finisher(const std::string& path)
      : db_(with_schema(path)), ops_(db_, "op_chunk"), calls_(db_, "call_chunk"), device_(db_, "device_chunk") {
    ByteWriter out;
    encode_meta(out, "version", int64_t{kVersion});
    frame(out.bytes());
  }

  void frame(std::string_view payload) {
    ByteReader in(payload);
    Value values[kMaxColumns];
    while (!in.done()) {
      size_t count;
      const Table table = read_row(in, values, count);
      row(table, {values, count});
    }
  }

  void close() {
    ops_.flush();
    calls_.flush();
    device_.flush();
    if (const uint64_t lost = ops_.lost() + calls_.lost() + device_.lost()) {
      DroppedRecord record{"events", "they could not be read back", lost};
      ByteWriter out;
      encode(out, record);
      frame(out.bytes());
    }
    sums();
    for (auto& statement : insert_) statement.reset();
    for (auto& list : clear_) list.clear();
    db_.run("COMMIT");
  }

 private:
  static Database with_schema(const std::string& path) {
    Database db = Database::create(path);
    db.run(kSchema);
    const std::string pragmas = "PRAGMA application_id=" + std::to_string(kApplicationId) +
                                "; PRAGMA user_version=" + std::to_string(kVersion) + "; BEGIN";
    db.run(pragmas.c_str());
    return db;
  }

  void row(Table table, Row row) {
    switch (table) {
      case Table::kOpChunk: op_chunk(chunk_row(row)); return;
      case Table::kCallChunk: call_chunk(chunk_row(row)); return;
      case Table::kDeviceChunk: {
        const ChunkRow chunk = chunk_row(row);
        std::vector<DeviceRecord> events;
        if (!device_.passed(chunk) && device_.decode(chunk, events)) device_.add(events);
        return;
      }
      default: break;
    }
    if (table == Table::kMeta && row[0].bytes == "script") db_.run("DELETE FROM run_argument");
    Statement& insert = insert_of(table);
    insert.reset();
    for (size_t i = 0; i < row.size(); ++i) insert.bind(static_cast<int>(i) + 1, row[i]);
    insert.step();
    for (Statement& clear : clear_of(table)) {
      clear.reset();
      clear.bind(1, row[0]);
      clear.step();
    }
  }

  void op_chunk(const ChunkRow& row) {
    OpDurations times;
    try {
      decode_durations(row.data, row.count, times);
    } catch (const Error&) {
      // Said by decode() below, or by the reader when it meets it.
    }
    for (size_t i = 0; i < times.op.size(); ++i)
      op_sums_[uint32_t{times.op[i]} << 1 | uint32_t{CallId(times.call[i]).valid()}].add(times.ns[i]);
    OpColumns events;
    if (!ops_.passed(row) && ops_.decode(row, events)) ops_.add(events);
  }

  void call_chunk(const ChunkRow& row) {
    std::vector<CallRecord> calls;
    if (!calls_.decode(row, calls)) return;
    for (const CallRecord& c : calls)
      call_sums_[{c.function.value, c.trace.value, uint8_t(c.outcome)}].add(static_cast<uint64_t>(c.end_ns) -
                                                                            static_cast<uint64_t>(c.start_ns));
    if (!calls_.passed(row)) calls_.add(calls);
  }

  static ChunkRow chunk_row(Row row) {
    RowDecoder decoder(row.first(3));
    ChunkRow r;
    decoder(r.first_ns, r.last_ns, r.count);
    r.data = row[3].bytes;
    return r;
  }

  Statement& insert_of(Table table) {
    auto& statement = insert_[size_t(table)];
    if (!statement) {
      const TableInfo& info = table_info(table);
      std::string sql = std::string("INSERT OR REPLACE INTO ") + info.name + "(" + info.columns + ") VALUES(?";
      for (const char* c = info.columns; *c; ++c)
        if (*c == ',') sql += ",?";
      sql += ")";
      if (table == Table::kDropped)
        sql = "INSERT INTO dropped(what,why,count) VALUES(?,?,?) ON CONFLICT DO UPDATE SET count=count+excluded.count";
      statement.emplace(db_.prepare(sql));
    }
    return *statement;
  }

  // A record that came again replaces what belonged to the first one.
  std::vector<Statement>& clear_of(Table table) {
    auto& list = clear_[size_t(table)];
    if (list.empty()) {
      for (size_t i = 1; i < size_t(Table::kCount); ++i) {
        const TableInfo& info = table_info(Table(i));
        if (info.parent != table || table == Table::kNone) continue;
        const std::string_view columns = info.columns;
        list.push_back(db_.prepare(std::string("DELETE FROM ") + info.name + " WHERE " +
                                   std::string(columns.substr(0, columns.find(','))) + "=?"));
      }
    }
    return list;
  }

  void sums() {
    Statement op = db_.prepare("INSERT INTO op_summary VALUES(?,?,?,?)");
    for (const auto& [key, sum] : op_sums_) {
      op.reset();
      op.bind(1, int64_t{key >> 1});
      op.bind(2, int64_t{key & 1});
      op.bind(3, static_cast<int64_t>(sum.count));
      op.bind(4, static_cast<int64_t>(sum.total_ns));
      op.step();
    }
    Statement call = db_.prepare("INSERT INTO call_summary VALUES(?,?,?,?,?)");
    for (const auto& [key, sum] : call_sums_) {
      const auto& [function, trace, outcome] = key;
      call.reset();
      if (FunctionId(function).valid()) call.bind(1, int64_t{function});
      if (TraceId(trace).valid()) call.bind(2, int64_t{trace});
      call.bind(3, int64_t{outcome});
      call.bind(4, static_cast<int64_t>(sum.count));
      call.bind(5, static_cast<int64_t>(sum.total_ns));
      call.step();
    }
  }

  Database db_;
  std::optional<Statement> insert_[size_t(Table::kCount)];
  std::vector<Statement> clear_[size_t(Table::kCount)];
  ChunkJoiner<OpColumns> ops_;
  ChunkJoiner<std::vector<CallRecord>> calls_;
  ChunkJoiner<std::vector<DeviceRecord>> device_;
  std::unordered_map<uint32_t, Sum> op_sums_;  // op * 2 + whether in a traced call
  std::map<std::tuple<uint32_t, uint32_t, uint8_t>, Sum> call_sums_;
};

}  // namespace

void finish_log(const std::string& from, const std::string& to) {
  const auto fail = [](const std::string& what) { throw Error(ErrorKind::kIo, what + ": " + std::strerror(errno)); };
  Descriptor file(open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) fail("cannot open " + from);
  char first[24];
  const ssize_t got = pread(file.get(), first, sizeof first, 0);
  if (!LogScanner::is_log({first, static_cast<size_t>(got < 0 ? 0 : got)}))
    throw Error(ErrorKind::kFailedPrecondition, from + " is not a session that was left unfinished");
  struct stat mode {};
  fstat(file.get(), &mode);

  const std::string temporary = to + ".finishing";
  unlink(temporary.c_str());
  try {
    {
      LogScanner scanner(std::move(file));
      Finisher finisher(temporary);
      scanner.scan(true, [&](std::string_view payload, int64_t) { finisher.frame(payload); });
      std::vector<std::string> slots;
      if (scanner.slots(slots))
        for (const std::string& payload : slots) finisher.frame(payload);
      finisher.close();
    }
    chmod(temporary.c_str(), mode.st_mode & 0777);
    if (rename(temporary.c_str(), to.c_str()) != 0) fail("cannot replace " + to);
  } catch (...) {
    unlink(temporary.c_str());
    throw;
  }
}

}  // namespace footlight::session
