// RAII wrappers of SQLite with exceptions, as far as finished sessions need it.
#pragma once

#include "engine/session/rows.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace footlight::session {

class Budget;
class ReadOnlyFile;

constexpr int32_t kApplicationId = 0x464C5453;  // "FLTS"

class Statement {
 public:
  Statement(sqlite3* db, std::string_view sql);
  ~Statement();
  Statement(Statement&& o) noexcept : stmt_(o.stmt_) { o.stmt_ = nullptr; }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  bool step();  // false: done
  void reset();
  void bind(int index, const Value& value);      // index from 1; the bytes must live until reset()
  void bind(int index, int64_t value);
  int columns() const;
  Value column(int index) const;                 // index from 0; valid until the next step
  int64_t integer(int index) const;

 private:
  [[noreturn]] void fail() const;
  sqlite3_stmt* stmt_ = nullptr;
};

class Database {
 public:
  // Creates a file, or opens one of ours for changes; without a journal, because it is discarded if writing fails.
  static Database create(const std::string& path);
  // Opens a file for reading and trusts nothing in it. Both arguments must outlive the database; `budget` is checked
  // while statements run, and says why they failed.
  static Database open_untrusted(const ReadOnlyFile& file, Budget& budget);
  Database(Database&& o) noexcept : watch_(std::move(o.watch_)), db_(o.db_) { o.db_ = nullptr; }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  void run(const char* sql);
  Statement prepare(std::string_view sql) { return Statement(db_, sql); }
  void close();  // throws when the last bytes cannot be written

 private:
  explicit Database(sqlite3* db) : db_(db) {}
  std::shared_ptr<void> watch_;
  sqlite3* db_ = nullptr;
};

}  // namespace footlight::session
