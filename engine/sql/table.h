// A table of a recording as SQL sees it: its rows are counted, and a cell is computed only when a statement reads it.
#pragma once

#include "engine/query/cancel.h"
#include "engine/query/names.h"
#include "engine/session/tracing_spans.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace footlight::sql {

enum class Type : uint8_t { kInteger, kReal, kText };

// The value of a cell. A text that lies in the recording's records is not copied.
struct Cell {
  enum class Kind : uint8_t { kNull, kInteger, kReal, kText, kKeptText };
  Kind kind = Kind::kNull;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  std::string_view kept;  // valid until the recording is refreshed
};

struct Column {
  std::string name;
  Type type = Type::kInteger;
  std::string meaning;
};

class Cursor {
 public:
  virtual ~Cursor() = default;
  // Goes to a row below Table::rows(). Throws Error if its chunk cannot be read.
  virtual void go_to(uint64_t row) = 0;
  virtual void read(size_t column, Cell& to) = 0;
};

class Table {
 public:
  Table(std::string name, std::string meaning) : name_(std::move(name)), meaning_(std::move(meaning)) {}
  virtual ~Table() = default;
  const std::string& name() const { return name_; }
  const std::string& meaning() const { return meaning_; }
  const std::vector<Column>& columns() const { return columns_; }

  virtual uint64_t rows() const = 0;
  virtual uint64_t expected_rows() const { return rows(); }  // without much work
  virtual std::unique_ptr<Cursor> open() const = 0;
  // The first row at or after `row` that may begin in [from, to), by what is known of whole chunks.
  virtual uint64_t next_between(uint64_t row, int64_t /*from*/, int64_t /*to*/) const { return row; }
  // The column that next_between() is about; -1: none.
  virtual int time_column() const { return -1; }

 protected:
  std::vector<Column> columns_;

 private:
  std::string name_, meaning_;
};

// Shared lookups for the columns of all tables.
struct Lookup {
  explicit Lookup(const session::Reader& r) : reader(r), names(r), origin(r.first_time()) {}
  const session::Reader& reader;
  query::Names names;
  int64_t origin;  // times are given since then, as in exports
  query::Cancel cancel;  // cancels the running statement

  int64_t since(int64_t ns) const { return static_cast<int64_t>(uint64_t(ns) - uint64_t(origin)); }
  const session::TraceRecord* trace(TraceId id) const { return reader.trace(id); }
  // The text of the line of its def; empty: it is not known. All are read when the first one is asked for.
  std::string_view def_text(const session::FunctionRecord& function);
  size_t traces_of(FunctionId function);
  const session::TracingSpans& tracing();
  // A stage of a pipeline: each iteration over the pipeline has a track of its own for it.
  struct Stage {
    std::string name;         // "map(enrich)"; "map" where the function that it runs is not known or has no name
    session::TrackId number;  // the first of its tracks
  };
  const Stage* stage(session::TrackId track);  // null: it is no track of a stage

 private:
  void find_stages();
  std::optional<std::unordered_map<const session::FunctionRecord*, std::string_view>> def_texts_;
  std::optional<std::unordered_map<FunctionId, size_t>> traces_;
  std::optional<session::TracingSpans> tracing_;
  std::optional<std::unordered_map<session::TrackId, Stage>> stages_;
};

// Adds every table of a recording, in the order in which they are listed. `to` has to stay where it is: the last table
// lists the columns of all of them.
void add_tables(Lookup& lookup, std::vector<std::unique_ptr<Table>>& to);
void add_program_tables(Lookup& lookup, std::vector<std::unique_ptr<Table>>& to);  // functions, traces, what they did
void add_graph_tables(Lookup& lookup, std::vector<std::unique_ptr<Table>>& to);
void add_event_tables(Lookup& lookup, std::vector<std::unique_ptr<Table>>& to);
void add_total_tables(Lookup& lookup, std::vector<std::unique_ptr<Table>>& to);    // sums of ops, as in the timeline
void add_run_tables(Lookup& lookup, std::vector<std::unique_ptr<Table>>& to);      // the run, its files, its console

// The tables that every recording has, for lists of them.
struct TableDescription {
  std::string name, meaning;
  std::vector<Column> columns;
};
const std::vector<TableDescription>& table_descriptions();

}  // namespace footlight::sql
