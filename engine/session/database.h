// SQLite with owners and exceptions: what the finished form of a session needs of it.
#pragma once

#include "engine/session/rows.h"

#include <cstdint>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace footlight::session {

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
  void bind(int index, const Value& value);      // from 1; the bytes must live until reset()
  void bind(int index, int64_t value);
  int columns() const;
  Value column(int index) const;                 // from 0; valid until the next step
  int64_t integer(int index) const;

 private:
  [[noreturn]] void fail() const;
  sqlite3_stmt* stmt_ = nullptr;
};

class Database {
 public:
  // A new file, without journal: it is thrown away when making it fails.
  static Database create(const std::string& path);
  // For reading, trusting nothing. `immutable`: nobody changes the file meanwhile, no lock is taken, nothing
  // is written.
  static Database open_untrusted(const std::string& path, bool immutable);
  Database(Database&& o) noexcept : db_(o.db_) { o.db_ = nullptr; }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  void run(const char* sql);
  Statement prepare(std::string_view sql) { return Statement(db_, sql); }
  void close();  // throws when the last bytes cannot be written

 private:
  explicit Database(sqlite3* db) : db_(db) {}
  sqlite3* db_ = nullptr;
};

}  // namespace footlight::session
