// Exposes tables as SQLite's virtual tables. Nothing is copied into SQLite: it asks for rows and cells. A join by
// equality uses an index that is built when the same statement looks up a second value.
#pragma once

#include "engine/sql/table.h"

#include <sqlite3.h>

#include <functional>
#include <string>

namespace footlight::sql {

// Costs and errors of the running statement, for all tables of one connection.
struct Watch {
  size_t index_bytes = 0;   // memory of indexes and aggregates, which SQLite does not count
  std::string failure;      // a chunk could not be read, or what a table refused
  bool is_refused = false;  // the table has more rows than a statement may ask for; nothing is damaged
  bool is_declaring = false;  // a table tells SQLite its columns, which SQLite takes for a change of its schema
  std::function<bool()> may_go_on = [] { return true; };  // false: the statement is to end
};

// Makes the table known to the connection under its name; both must outlive it.
void add_virtual_table(sqlite3* db, Table& table, Watch& watch);

// median(x) and percentile(x, p), p from 0 to 100.
void add_functions(sqlite3* db, Watch& watch);

}  // namespace footlight::sql
