// Prepares a statement in a database that holds nothing but the virtual tables, and steps through it.
#include "engine/sql/recording.h"

#include "engine/base/edit_distance.h"
#include "engine/base/text.h"
#include "engine/sql/virtual_table.h"

#include <algorithm>
#include <climits>

namespace footlight::sql {
namespace {

constexpr int kStepsBetweenLooks = 500;

// Allows only reading; the database has no file either.
int authorize(void* watch, int action, const char*, const char* name, const char*, const char*) {
  if (static_cast<Watch*>(watch)->is_declaring) return SQLITE_OK;
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION: return name && std::string_view(name) == "load_extension" ? SQLITE_DENY : SQLITE_OK;
    default: return SQLITE_DENY;
  }
}

std::string nearest(std::string_view name, const std::vector<std::string>& known) {
  std::string best;
  size_t least = std::max<size_t>(3, name.size() / 2);
  for (const std::string& one : known) {
    size_t apart = edit_distance(name, one);
    if (one.find(name) != one.npos || name.find(one) != name.npos) apart = std::min<size_t>(apart, 2);
    if (apart < least) best = one, least = apart;
  }
  return best;
}

Value value_of(sqlite3_stmt* s, int column) {
  Value value;
  const auto bytes = [&](const void* data) {
    const auto size = static_cast<size_t>(sqlite3_column_bytes(s, column));
    if (data) value.text.assign(static_cast<const char*>(data), size);
  };
  switch (sqlite3_column_type(s, column)) {
    case SQLITE_NULL: break;
    case SQLITE_INTEGER:
      value.kind = Value::Kind::kInteger;
      value.integer = sqlite3_column_int64(s, column);
      break;
    case SQLITE_FLOAT:
      value.kind = Value::Kind::kReal;
      value.real = sqlite3_column_double(s, column);
      break;
    case SQLITE_BLOB:
      value.kind = Value::Kind::kBlob;
      bytes(sqlite3_column_blob(s, column));
      break;
    default:
      value.kind = Value::Kind::kText;
      bytes(sqlite3_column_text(s, column));
      break;
  }
  return value;
}

}  // namespace

struct Recording::Connection {
  sqlite3* db = nullptr;
  sqlite3_stmt* statement = nullptr;
  Watch watch;
  size_t memory_before = 0;
  size_t memory_most = 0;
  bool is_cancelled = false, needs_too_much = false;
  const query::Cancel* cancel = nullptr;

  // Whether the statement may go on.
  bool look() {
    if (cancel->requested()) is_cancelled = true;
    const auto used = static_cast<size_t>(std::max<sqlite3_int64>(0, sqlite3_memory_used()));
    const size_t grown = used > memory_before ? used - memory_before : 0;
    if (grown + watch.index_bytes > memory_most) needs_too_much = true;
    return !is_cancelled && !needs_too_much;
  }
  ~Connection() {
    sqlite3_finalize(statement);
    sqlite3_close_v2(db);
  }
};

Recording::Recording(const session::Reader& reader, Limits limits)
    : reader_(reader), limits_(limits), lookup_(std::make_unique<Lookup>(reader)) {
  add_tables(*lookup_, tables_);
}
Recording::~Recording() = default;

void Recording::fail(Connection& connection, std::string_view statement, int code) const {
  if (connection.is_cancelled || connection.cancel->requested()) throw query::Cancelled();
  if (connection.needs_too_much || code == SQLITE_NOMEM)
    throw StatementError(str("The statement needs more than ", bytes_text(limits_.memory),
                             " of memory. Group or filter fewer rows."), -1);
  if (connection.watch.is_refused) throw StatementError(connection.watch.failure + '.', -1);
  if (!connection.watch.failure.empty())
    throw Error(ErrorKind::kDataLoss, "The recording could not be read: " + connection.watch.failure);
  int offset = -1;
#if SQLITE_VERSION_NUMBER >= 3038000
  offset = sqlite3_error_offset(connection.db);
#endif
  if (offset > static_cast<int>(statement.size())) offset = -1;
  const std::string said = sqlite3_errmsg(connection.db);
  if (code == SQLITE_AUTH || said.ends_with("may not be modified"))
    throw StatementError("A recording is only read here: the statement has to be a SELECT.", offset);
  if (code == SQLITE_TOOBIG)
    throw StatementError(str("A value is larger than ", bytes_text(limits_.text), "."), offset);
  throw StatementError(with_near_name(said), offset);
}

// "no such table: cals" becomes a sentence that names what is near.
std::string Recording::with_near_name(const std::string& message) const {
  const auto is = [&](std::string_view begin) { return message.starts_with(begin); };
  std::vector<std::string> known;
  if (is("no such table: ")) {
    const std::string name = message.substr(15);
    for (const auto& table : tables_) known.push_back(table->name());
    const std::string near = nearest(name, known);
    std::string all;
    for (const std::string& one : known) (all += all.empty() ? "" : ", ") += one;
    if (near.empty()) return "There is no table " + name + ". The tables are " + all + ".";
    return "There is no table " + name + "; did you mean " + near + "?";
  }
  if (is("no such column: ")) {
    std::string name = message.substr(16);
    const std::string column = name.substr(name.rfind('.') == name.npos ? 0 : name.rfind('.') + 1);
    for (const auto& table : tables_)
      for (const Column& c : table->columns()) known.push_back(c.name);
    const std::string near = nearest(column, known);
    return "There is no column " + name + (near.empty() || near == column ? " here." : "; did you mean " + near + "?");
  }
  std::string words = message;
  if (!words.empty() && words[0] >= 'a' && words[0] <= 'z') words[0] = static_cast<char>(words[0] - 'a' + 'A');
  return words.ends_with('.') ? words : words + ".";
}

void Recording::run(std::string_view statement, const Result& result, const query::Cancel& cancel) {
  if (statement.size() > (size_t{1} << 20)) throw StatementError("The statement is longer than 1 MB.", -1);
  // The records may have grown since, so tables list their rows anew.
  tables_.clear();
  lookup_ = std::make_unique<Lookup>(reader_);
  lookup_->cancel = cancel;
  add_tables(*lookup_, tables_);

  Connection c;
  c.cancel = &cancel;
  c.memory_before = static_cast<size_t>(std::max<sqlite3_int64>(0, sqlite3_memory_used()));
  c.memory_most = limits_.memory;
  c.watch.may_go_on = [&] { return c.look(); };
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_MEMORY;
  int code = sqlite3_open_v2(":memory:", &c.db, kFlags, nullptr);
  if (code != SQLITE_OK) fail(c, statement, code);
  sqlite3_exec(c.db, "PRAGMA temp_store=MEMORY", nullptr, nullptr, nullptr);
  sqlite3_db_config(c.db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(c.db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(c.db, SQLITE_LIMIT_LENGTH, static_cast<int>(std::min<size_t>(limits_.text, INT_MAX)));
  sqlite3_limit(c.db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(c.db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
  sqlite3_limit(c.db, SQLITE_LIMIT_WORKER_THREADS, 0);
  for (const auto& table : tables_) add_virtual_table(c.db, *table, c.watch);
  add_functions(c.db, c.watch);
  sqlite3_set_authorizer(c.db, authorize, &c.watch);
  sqlite3_progress_handler(
      c.db, kStepsBetweenLooks, [](void* to) { return static_cast<Connection*>(to)->look() ? 0 : 1; }, &c);

  const char* tail = nullptr;
  code = sqlite3_prepare_v3(c.db, statement.data(), static_cast<int>(statement.size()), 0, &c.statement, &tail);
  if (code != SQLITE_OK) fail(c, statement, code);
  if (!c.statement) throw StatementError("Write a SELECT statement.", -1);
  if (!sqlite3_stmt_readonly(c.statement)) fail(c, statement, SQLITE_AUTH);
  sqlite3_stmt* more = nullptr;
  const auto rest = static_cast<int>(statement.data() + statement.size() - tail);
  const int tail_code = sqlite3_prepare_v3(c.db, tail, rest, 0, &more, nullptr);
  sqlite3_finalize(more);
  if (more || tail_code != SQLITE_OK)
    throw StatementError("Only one statement runs at a time: end it where the first one ends.",
                         static_cast<int>(tail - statement.data()));

  const int columns = sqlite3_column_count(c.statement);
  std::vector<std::string> names;
  for (int i = 0; i < columns; ++i) {
    const char* const name = sqlite3_column_name(c.statement, i);
    names.emplace_back(name ? name : "");
  }
  result.columns(std::move(names));
  std::vector<Value> row(static_cast<size_t>(columns));
  while ((code = sqlite3_step(c.statement)) == SQLITE_ROW) {
    for (int i = 0; i < columns; ++i) row[static_cast<size_t>(i)] = value_of(c.statement, i);
    if (!result.row(row)) return;
  }
  if (code != SQLITE_DONE) fail(c, statement, code);
}

}  // namespace footlight::sql
