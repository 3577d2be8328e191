// Converts a log to one SQLite file: rows go to their tables, small chunks are merged, totals are added.
#include "engine/base/errors.h"
#include "engine/session/amend_end.h"
#include "engine/session/assembler.h"
#include "engine/session/chunk.h"
#include "engine/session/database.h"
#include "engine/session/log.h"
#include "engine/session/output_place.h"
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
#include <unordered_set>

namespace footlight::session {
namespace {

// Merges chunks up to the usual size. Chunks of that size are copied unchanged.
template <class Chunk>
class ChunkJoiner {
 public:
  ChunkJoiner(Database& db, const std::string& table)
      : insert_(db.prepare("INSERT INTO " + table + "(first_ns,last_ns,count,data) VALUES(?,?,?,?)")) {}

  // True: the chunk was copied unchanged, without decoding it.
  bool passed(const ChunkRow& row) {
    if (row.info.count < kUsualChunkRows / 4) return false;
    flush();
    put(row.info, row.data);
    return true;
  }
  // False: it cannot be read.
  bool decode(const ChunkRow& row, Chunk& chunk) {
    try {
      if (row.info.count == 0) throw_broken("an empty chunk");
      decode_chunk(row.data, row.info.count, chunk);
      return true;
    } catch (const Error&) {
      lost_ += row.info.count;
      return false;
    }
  }
  void add(const Chunk& chunk) {
    append(pending_, chunk);
    if (pending_.size() >= kUsualChunkRows) flush();
  }
  void flush() {
    if (pending_.size() == 0) return;
    put(describe(pending_), encode_chunk(pending_));
    pending_ = {};
  }
  uint64_t lost() const { return lost_; }

 private:
  void put(const ChunkInfo& info, std::string_view data) {
    insert_.reset();
    insert_.bind(1, info.first_ns);
    insert_.bind(2, info.last_ns);
    insert_.bind(3, int64_t{info.count});
    insert_.bind(4, Value{Value::Type::kBlob, 0, data});
    insert_.step();
  }
  Statement insert_;
  Chunk pending_;
  uint64_t lost_ = 0;
};
template <class Chunks>
struct JoinersOf;
template <class... Chunk>
struct JoinersOf<std::tuple<Chunk...>> { using type = std::tuple<ChunkJoiner<Chunk>...>; };

struct Sum {
  uint64_t count = 0, total_ns = 0;
  void add(uint64_t ns) {
    ++count;
    total_ns += ns;
  }
};

class Finisher {
 public:
  // `version`: of the log.
  Finisher(const std::string& path, uint32_t version)
      : db_(with_schema(path)),
        frames_(version),
        joiners_(joiners(std::make_index_sequence<kChunkKinds>())),
        old_(version < 3) {
    insert_.resize(schema().tables.size());
    clear_.resize(schema().tables.size());
    seen_.resize(schema().tables.size());
  }

  void frame(std::string_view payload) {
    frames_.read(payload, [&](const Binding& binding, Row values) {
      const auto table = static_cast<size_t>(binding.table);
      if (table >= schema().first_chunk_table) {
        const ChunkRow chunk = decode_chunk_row(values, binding);
        for_each_chunk_kind([&]<class Chunk, size_t I>() {
          if (I == table - schema().first_chunk_table) add_chunk<Chunk>(chunk);
        });
      } else if (old_ || table == first_table(table_of<DroppedRecord>())) {
        records_.add(binding, values);
      } else {
        row(binding, values);
      }
    });
  }

  void close() {
    std::apply([](auto&... joiner) { (joiner.flush(), ...); }, joiners_);
    if (const uint64_t lost = std::apply([](auto&... joiner) { return (joiner.lost() + ...); }, joiners_))
      contents_.dropped.push_back({"events", "they could not be read back", lost});
    if (!frames_.left_out().empty())
      contents_.dropped.push_back({"records", words_for(frames_.left_out()), frames_.left_out().size()});
    put_records();
    meta("version", int64_t{kVersion});
    meta("readable_from", int64_t{kReadableFrom});
    meta("layout", layout_text());
    sums();
    for (auto& statement : insert_) statement.reset();
    for (auto& list : clear_) list.clear();
    db_.run("COMMIT");
  }

 private:
  static Database with_schema(const std::string& path) {
    Database db = Database::create(path);
    db.run(schema_sql().c_str());
    const std::string pragmas = "PRAGMA application_id=" + std::to_string(kApplicationId) +
                                "; PRAGMA user_version=" + std::to_string(kVersion) + "; BEGIN";
    db.run(pragmas.c_str());
    return db;
  }
  template <size_t... I>
  JoinersOf<EventChunks>::type joiners(std::index_sequence<I...>) {
    return JoinersOf<EventChunks>::type(std::tuple_element_t<I, JoinersOf<EventChunks>::type>(
        db_, schema().tables[schema().first_chunk_table + I].name)...);
  }

  void row(const Binding& binding, Row values) {
    const auto table = static_cast<size_t>(binding.table);
    if (table == kMetaTable && values[static_cast<size_t>(binding.columns[0])].bytes == "script")
      db_.run("DELETE FROM run_argument");
    Statement& insert = insert_of(table);
    insert.reset();
    const auto& columns = schema().tables[table].columns;
    int at = 0;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].until) continue;
      ++at;
      if (binding.columns[i] >= 0) insert.bind(at, values[static_cast<size_t>(binding.columns[i])]);
    }
    insert.step();
    if (!schema().tables[table].has_id) return;
    const Value& id = values[static_cast<size_t>(binding.columns[0])];
    if (!seen_[table].insert(id.integer).second) clear(table, id);
  }

  // Writes the kept records as rows of the current version.
  void put_records() {
    ByteWriter out;
    out.u32(own_layout());
    std::apply(
        [&](auto... member) {
          (for_each_of(contents_.*member, [&](const auto& record) { encode(out, InSession(), record); }), ...);
        },
        kRecordTables);
    if (old_) {
      encode(out, InSession(), contents_.run);
      encode(out, InSession(), LevelRecord{contents_.level});
    }
    FrameReader(kVersion).read(out.bytes(), [&](const Binding& binding, Row values) { row(binding, values); });
  }
  template <class R, class Visit>
  static void for_each_of(const std::vector<R>& records, Visit&& visit) {
    for (const R& record : records) visit(record);
  }
  template <class R, class Visit>
  static void for_each_of(const std::optional<R>& record, Visit&& visit) {
    if (record) visit(*record);
  }

  template <class Chunk>
  void add_chunk(const ChunkRow& row) {
    auto& joiner = std::get<ChunkJoiner<Chunk>>(joiners_);
    if constexpr (std::is_same_v<Chunk, OpColumns>) {
      sum_ops(row);
      if (joiner.passed(row)) return;
    }
    constexpr bool kSummed = std::is_same_v<Chunk, std::vector<CallRecord>>;
    if (!kSummed && joiner.passed(row)) return;
    Chunk chunk;
    if (!joiner.decode(row, chunk)) return;
    if constexpr (kSummed) sum_calls(chunk);
    if (!kSummed || !joiner.passed(row)) joiner.add(chunk);
  }

  void sum_ops(const ChunkRow& row) {
    OpDurations times;
    try {
      decode_chunk(row.data, row.info.count, times);
    } catch (const Error&) {
      return;  // reported by decode(), or by the reader when it gets there
    }
    for (size_t i = 0; i < times.op.size(); ++i)
      op_sums_[uint64_t{times.op[i].value} << 1 | uint64_t{times.call[i].valid()}].add(times.ns[i]);
  }

  void sum_calls(const std::vector<CallRecord>& calls) {
    for (const CallRecord& c : calls)
      call_sums_[{c.function.value, c.trace.value, uint8_t(c.outcome)}].add(static_cast<uint64_t>(c.end_ns) -
                                                                            static_cast<uint64_t>(c.start_ns));
  }

  Statement& insert_of(size_t table) {
    auto& statement = insert_[table];
    if (!statement) {
      std::string columns, marks;
      for (const Column& c : schema().tables[table].columns) {
        if (c.until) continue;
        columns += (columns.empty() ? "" : ",") + c.name;
        marks += marks.empty() ? "?" : ",?";
      }
      statement.emplace(db_.prepare("INSERT OR REPLACE INTO " + schema().tables[table].name + "(" + columns +
                                    ") VALUES(" + marks + ")"));
    }
    return *statement;
  }

  // A record that was written again replaces what belonged to the first one.
  void clear(size_t table, const Value& id) {
    auto& list = clear_[table];
    const auto& tables = schema().tables;
    for (size_t i = table + 1; list.empty() && i < tables.size() && tables[i].parent >= static_cast<int>(table); ++i)
      list.push_back(db_.prepare("DELETE FROM " + tables[i].name + " WHERE " + tables[i].columns[0].name + "=?"));
    for (Statement& statement : list) {
      statement.reset();
      statement.bind(1, id);
      statement.step();
    }
  }

  void meta(const char* key, std::string_view text) { put_meta(key, {Value::Type::kText, 0, text}); }
  void meta(const char* key, int64_t number) { put_meta(key, {Value::Type::kInteger, number, {}}); }
  void put_meta(const char* key, const Value& value) {
    const Value values[] = {{Value::Type::kText, 0, key}, value};
    row({static_cast<int>(kMetaTable), 2, {0, 1}}, values);
  }

  void sums() {
    Statement op = db_.prepare("INSERT INTO op_summary VALUES(?,?,?,?)");
    for (const auto& [key, sum] : op_sums_) {
      op.reset();
      op.bind(1, static_cast<int64_t>(key >> 1));
      op.bind(2, static_cast<int64_t>(key & 1));
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
  FrameReader frames_;
  std::vector<std::optional<Statement>> insert_;
  std::vector<std::vector<Statement>> clear_;
  std::vector<std::unordered_set<int64_t>> seen_;  // ids
  JoinersOf<EventChunks>::type joiners_;
  // Rows that need work before they go to their tables: sums of losses, and everything in a log before version 3.
  Contents contents_;
  Assembler records_{contents_};
  const bool old_;
  std::unordered_map<uint64_t, Sum> op_sums_;  // op * 2 + whether in a traced call
  std::map<std::tuple<uint32_t, uint32_t, uint8_t>, Sum> call_sums_;
};

}  // namespace

namespace {
[[noreturn]] void fail(const std::string& what) { throw Error(ErrorKind::kIo, what + ": " + std::strerror(errno)); }

// A killed conversion leaves an SQLite file, or one whose first page was not written yet.
void remove_leftover(const std::string& temporary) {
  const FileAtPath found = look_at(temporary);
  const bool is_unwritten = found.type == FileType::kRegular && found.is_readable &&
                            found.first.find_first_not_of('\0') == std::string::npos;
  if (!is_unwritten) refuse_unless_recording(temporary);
  unlink(temporary.c_str());
}
}  // namespace

void finish_log(const std::string& from, const std::string& to) {
  Descriptor file(open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) fail("cannot open " + from);
  finish_log(std::move(file), from, to);
}

void finish_log(Descriptor file, const std::string& from, const std::string& to) {
  char first[kSlotsAt];
  const ssize_t got = pread(file.get(), first, sizeof first, 0);
  if (!LogScanner::is_log({first, static_cast<size_t>(got < 0 ? 0 : got)}))
    throw Error(ErrorKind::kFailedPrecondition, from + " is not a recording that was left unfinished");
  struct stat mode {};
  fstat(file.get(), &mode);
  if (to != from) refuse_unless_recording(to);

  const std::string temporary = to + ".finishing";
  remove_leftover(temporary);
  // Private from its first byte; SQLite would make it readable by everybody.
  if (!Descriptor(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)))
    fail("cannot make " + temporary);
  try {
    {
      LogScanner scanner(std::move(file));
      Finisher finisher(temporary, scanner.version());
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

void amend_end(const std::string& path, int exit_code, const std::string& reason) noexcept {
  if (access(path.c_str(), W_OK) != 0) return;  // SQLite would make an empty file in the place of one that is gone
  try {
    Database database = Database::create(path);
    Statement change = database.prepare("UPDATE run_end SET exit_code = ?, reason = ?");
    change.bind(1, int64_t{exit_code});
    change.bind(2, Value{Value::Type::kText, 0, reason});
    change.step();
  } catch (const Error&) {
    // somebody else writes to the file, or it is no recording any more
  }
}

}  // namespace footlight::session
