// SQL over a recording: one SELECT at a time, which can change nothing and read nothing but the recording. A statement
// ends when it is cancelled, or needs more memory than it may.
#pragma once

#include "engine/base/errors.h"
#include "engine/query/cancel.h"
#include "engine/sql/table.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::sql {

// A value of a result.
struct Value {
  enum class Kind : uint8_t { kNull, kInteger, kReal, kText, kBlob };
  Kind kind = Kind::kNull;
  int64_t integer = 0;
  double real = 0;
  std::string text;  // for kBlob, its bytes
};

// A statement is wrong. `offset`: the place in its text, in bytes; -1: no certain place.
class StatementError : public Error {
 public:
  StatementError(std::string message, int offset)
      : Error(ErrorKind::kInvalidArgument, std::move(message)), offset_(offset) {}
  int offset() const { return offset_; }

 private:
  int offset_;
};

struct Limits {
  size_t memory = size_t{1} << 30;      // limit for sorting, grouping and joins
  size_t text = size_t{4} << 20;        // limit for one value
};

class Recording {
 public:
  // The reader may be refreshed between two statements, in the thread that runs them.
  explicit Recording(const session::Reader& reader, Limits limits = {});
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  const std::vector<std::unique_ptr<Table>>& tables() const { return tables_; }

  struct Result {
    std::function<void(std::vector<std::string>)> columns;   // their names, once
    std::function<bool(std::span<const Value>)> row;         // returns false if it wants no more rows
  };
  // Throws StatementError, query::Cancelled, or Error for a recording that cannot be read.
  void run(std::string_view statement, const Result& result, const query::Cancel& cancel = {});

 private:
  struct Connection;
  [[noreturn]] void fail(Connection& connection, std::string_view statement, int code) const;
  std::string with_near_name(const std::string& message) const;

  const session::Reader& reader_;
  Limits limits_;
  std::unique_ptr<Lookup> lookup_;
  std::vector<std::unique_ptr<Table>> tables_;
};

}  // namespace footlight::sql
