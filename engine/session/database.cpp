// SQLite behind exceptions, with everything switched off that a hostile file could use.
#include "engine/session/database.h"

#include "engine/base/errors.h"
#include "engine/session/budget.h"
#include "engine/session/read_only_file.h"

#include <sqlite3.h>

#include <bit>

namespace footlight::session {
namespace {
[[noreturn]] void throw_sqlite(sqlite3* db, int code) {
  const std::string words = db ? sqlite3_errmsg(db) : sqlite3_errstr(code);
  switch (code & 0xff) {
    case SQLITE_NOTADB: throw Error(ErrorKind::kDataLoss, "not a recording");
    case SQLITE_CORRUPT: throw Error(ErrorKind::kDataLoss, "broken: " + words);
    case SQLITE_FULL: throw Error(ErrorKind::kIo, "the disk is full");
    default: throw Error(ErrorKind::kIo, words);
  }
}

constexpr int kStepsBetween = 200;  // SQLite's steps between two checks of the budget

struct Watch {
  const ReadOnlyFile& file;
  Budget& budget;
};
}  // namespace

Statement::Statement(sqlite3* db, std::string_view sql) {
  const int code = sqlite3_prepare_v2(db, sql.data(), static_cast<int>(sql.size()), &stmt_, nullptr);
  if (code != SQLITE_OK) throw_sqlite(db, code);
}
Statement::~Statement() { sqlite3_finalize(stmt_); }

void Statement::fail() const {
  sqlite3* db = sqlite3_db_handle(stmt_);
  throw_sqlite(db, sqlite3_errcode(db));
}

bool Statement::step() {
  const int code = sqlite3_step(stmt_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) fail();
  return false;
}

void Statement::reset() {
  sqlite3_reset(stmt_);
  sqlite3_clear_bindings(stmt_);
}

void Statement::bind(int index, int64_t value) {
  if (sqlite3_bind_int64(stmt_, index, value) != SQLITE_OK) fail();
}

void Statement::bind(int index, const Value& v) {
  int code = SQLITE_OK;
  switch (v.type) {
    case Value::Type::kNull: code = sqlite3_bind_null(stmt_, index); break;
    case Value::Type::kInteger: code = sqlite3_bind_int64(stmt_, index, v.integer); break;
    case Value::Type::kReal: code = sqlite3_bind_double(stmt_, index, std::bit_cast<double>(v.integer)); break;
    case Value::Type::kText:
      code = sqlite3_bind_text64(stmt_, index, v.bytes.empty() ? "" : v.bytes.data(), v.bytes.size(), SQLITE_STATIC,
                                 SQLITE_UTF8);
      break;
    case Value::Type::kBlob:
      code = sqlite3_bind_blob64(stmt_, index, v.bytes.data(), v.bytes.size(), SQLITE_STATIC);
      break;
  }
  if (code != SQLITE_OK) fail();
}

int Statement::columns() const { return sqlite3_column_count(stmt_); }
int64_t Statement::integer(int index) const { return sqlite3_column_int64(stmt_, index); }

Value Statement::column(int index) const {
  switch (sqlite3_column_type(stmt_, index)) {
    case SQLITE_NULL: return {};
    case SQLITE_INTEGER: return {Value::Type::kInteger, sqlite3_column_int64(stmt_, index), {}};
    case SQLITE_FLOAT: return {Value::Type::kReal, std::bit_cast<int64_t>(sqlite3_column_double(stmt_, index)), {}};
    case SQLITE_BLOB: {
      const auto* data = static_cast<const char*>(sqlite3_column_blob(stmt_, index));
      return {Value::Type::kBlob, 0, {data, static_cast<size_t>(sqlite3_column_bytes(stmt_, index))}};
    }
    default: {
      const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(stmt_, index));
      return {Value::Type::kText, 0, {data, static_cast<size_t>(sqlite3_column_bytes(stmt_, index))}};
    }
  }
}

Database Database::create(const std::string& path) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database db(raw);
  if (code != SQLITE_OK) throw_sqlite(raw, code);
  db.run("PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
         "PRAGMA cache_size=-16000");
  return db;
}

Database Database::open_untrusted(const ReadOnlyFile& file, Budget& budget) {
  sqlite3* raw = nullptr;
  const char* const vfs = ReadOnlyFile::vfs();
  int code;
  {
    const ReadOnlyFile::Opening opening(file);
    code = sqlite3_open_v2("session", &raw, SQLITE_OPEN_READONLY | SQLITE_OPEN_FULLMUTEX, vfs);
  }
  Database db(raw);
  if (code != SQLITE_OK) throw_sqlite(raw, code);
  const auto watch = std::make_shared<Watch>(Watch{file, budget});
  db.watch_ = watch;
  sqlite3_progress_handler(
      raw, kStepsBetween,
      [](void* to) {
        const auto& watch = *static_cast<Watch*>(to);
        return watch.budget.go_on(kStepsBetween, watch.file.bytes_read()) ? 0 : 1;
      },
      watch.get());
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, 64 << 20);
  sqlite3_limit(raw, SQLITE_LIMIT_SQL_LENGTH, 64 << 10);
  sqlite3_limit(raw, SQLITE_LIMIT_COLUMN, 100);
  sqlite3_limit(raw, SQLITE_LIMIT_EXPR_DEPTH, 50);
  sqlite3_limit(raw, SQLITE_LIMIT_ATTACHED, 0);
  db.run("PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA temp_store=MEMORY");
  return db;
}

Database::~Database() { sqlite3_close_v2(db_); }

void Database::run(const char* sql) {
  const int code = sqlite3_exec(db_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) throw_sqlite(db_, code);
}

void Database::close() {
  const int code = sqlite3_close(db_);
  if (code != SQLITE_OK) throw_sqlite(db_, code);
  db_ = nullptr;
}

}  // namespace footlight::session
