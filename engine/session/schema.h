// The schema as data, derived from the descriptions of the records. SQL, layouts of logs and the printed page follow
// from it; a file's own tables and columns are matched with it.
#pragma once

#include "engine/session/contents.h"

#include <string>
#include <string_view>
#include <vector>

namespace footlight::session {

constexpr int kVersion = 3;
// Readers of this version or newer can read what is written here, leaving out what they do not know. Raise it only when
// that would be wrong.
constexpr int kReadableFrom = 3;
void refuse_newer(int version, int readable_from);  // throws Error, in words

enum class ColumnType : uint8_t { kInteger, kReal, kText, kBlob };

struct Column {
  std::string name;
  std::string meaning;
  std::string unit;
  std::string formerly;
  ColumnType type = ColumnType::kInteger;
  int since = 1;
  int until = 0;                              // the last version that has it; 0: still current
  std::span<const char* const> values = {};   // names of an enumeration
};

struct TableSchema {
  std::string name;
  std::string meaning;
  int since = 1;
  int parent = -1;       // the table that owns this table's rows
  size_t owners = 0;     // leading columns with the owner and the position in it; in a table with an id, that column
  bool has_id = false;
  std::vector<Column> columns;
};

struct Schema {
  std::vector<TableSchema> tables;  // `meta`, what belongs to it, records, then a table for each kind of chunk
  std::vector<TableSchema> chunks;  // the columns inside of chunks, in the order of EventChunks
  size_t first_chunk_table = 0;     // index in `tables`
};
const Schema& schema();

// Positions of kRecordTables in `tables`: nested tables follow their owner.
constexpr size_t kMetaTable = 0;
size_t first_table(size_t record_table);

// The statements that create an empty session of this version.
std::string schema_sql();
// The printed page.
std::string schema_page();

// --- What a file has ---------------------------------------------------------------------------------------------
struct Layout {
  struct Column {
    std::string name;
    size_t values = 0;  // number of known names of an enumeration
  };
  struct Table {
    std::string name;
    std::vector<Column> columns;
    bool chunk = false;  // the columns inside of a chunk
  };
  std::vector<Table> tables;
};

// The layout as text, stored in every file since version 3:
//
//   table trace
//    id
//    reason=call|get_concrete_function
//   chunk op_chunk
//    start_ns
std::string layout_text();
Layout parse_layout(std::string_view text);   // throws Error if it is not a layout
const Layout& layout_before_3();              // logs of versions 1 and 2 do not contain it

// Maps rows of a file's table to rows of ours.
struct Binding {
  int table = -1;                 // index in Schema::tables; -1: unknown table
  size_t width = 0;               // columns of a row of the file
  std::vector<int16_t> columns;   // for each of our columns, its place in the row, or -1
};
// Matches by name. What is unknown here is added to `left_out`: "table weather", "column trace.colour", "2 values of
// column call_chunk.outcome".
Binding bind(const Layout::Table& table, std::vector<std::string>& left_out);
void bind_chunk(const Layout::Table& chunk, std::vector<std::string>& left_out);

// "a newer Footlight wrote this; left out: table weather, column trace.colour"; empty: nothing.
std::string words_for(const std::vector<std::string>& left_out);

}  // namespace footlight::session
