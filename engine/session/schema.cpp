// Turns descriptions of records into tables, SQL, the layout of a file and the printed page.
#include "engine/session/schema.h"

#include "engine/session/bytes.h"
#include "engine/session/tables.h"

#include <algorithm>

namespace footlight::session {
namespace {

template <class T>
constexpr ColumnType type_of() {
  if constexpr (std::is_same_v<T, std::string>) return ColumnType::kText;
  else if constexpr (std::is_same_v<T, Blob> || std::is_same_v<T, std::vector<uint64_t>>) return ColumnType::kBlob;
  else if constexpr (std::is_floating_point_v<T>) return ColumnType::kReal;
  else return ColumnType::kInteger;
}

template <class M>
void add_column(std::vector<Column>& columns, const char* name, const char* meaning, const Note& note) {
  if constexpr (std::is_same_v<M, SourceRef>) {
    columns.push_back({std::string(name) + "_code", meaning, "", "", ColumnType::kInteger, note.since});
    columns.push_back(
        {std::string(name) + "_offset", "instruction in it", "bytes", "", ColumnType::kInteger, note.since});
  } else {
    Column column{name, meaning, note.unit, note.formerly, type_of<M>(), note.since};
    if constexpr (std::is_enum_v<M>) column.values = enumerators(M{});
    columns.push_back(std::move(column));
  }
}

// Adds the tables of a record and of its nested lists.
struct AddTables : Fields {
  Schema& to;
  size_t table;
  AddTables(Schema& s, size_t t) : to(s), table(t) {}

  TableSchema& own() { return to.tables[table]; }

  template <class R, class M>
  void id(const char* name, M R::*, const char* meaning, Note note = {}) {
    own().has_id = true;
    own().owners = 1;
    add_column<M>(own().columns, name, meaning, note);
  }
  template <class R, class M>
  void column(const char* name, M R::*, const char* meaning, Note note = {}) {
    add_column<M>(own().columns, name, meaning, note);
  }
  template <class R, class E>
  void list(const char* name, std::vector<E> R::*, const char* meaning, Note note = {}) {
    TableSchema child{name, meaning, note.since, static_cast<int>(table), 0, false, {}};
    // Owners: the id of the record, the positions down to this list's.
    if (own().parent < 0 && own().has_id) {
      child.columns.push_back({own().name, "id of the " + own().name, "", "", ColumnType::kInteger, note.since});
    } else if (own().parent >= 0) {
      child.columns.assign(own().columns.begin(), own().columns.begin() + static_cast<std::ptrdiff_t>(own().owners));
      child.columns.back().name = own().name;
      child.columns.back().meaning = "position of the " + own().name;
    }
    child.columns.push_back({"position", "from 0", "", "", ColumnType::kInteger, note.since});
    child.owners = child.columns.size();
    const size_t at = to.tables.size();
    to.tables.push_back(std::move(child));
    if constexpr (Described<E>) {
      AddTables inner(to, at);
      E::describe(inner);
    } else {
      add_column<E>(to.tables[at].columns, note.column, "", note);
    }
  }
  template <class Set>
  void former(const char* name, int until, Set&&) {
    Column column{name, "", "", "", ColumnType::kInteger, 1};
    column.until = until;
    own().columns.push_back(std::move(column));
  }
};

// Adds the tables nested in a record of `meta`, whose own columns are rows there.
struct AddMetaTables : AddTables {
  using AddTables::AddTables;
  template <class R, class M>
  void column(const char*, M R::*, const char*, Note = {}) {}
};

struct AddChunkColumns : Fields {
  std::vector<Column>& to;
  explicit AddChunkColumns(std::vector<Column>& columns) : to(columns) {}

  template <class R, class M>
  void column(const char* name, M R::*, const char* meaning, Note note = {}) {
    if constexpr (kOfRecords<M>) add_column<typename RowsOf<M>::type>(to, name, meaning, note);
    else add_column<M>(to, name, meaning, note);
  }
  template <class R, class M>
  void duration(const char* name, M R::*, M R::*, const char* meaning, Note note = {}) {
    to.push_back({name, meaning, note.unit, note.formerly, ColumnType::kInteger, note.since});
  }
};

Schema make_schema() {
  Schema s;
  s.tables.push_back({"meta", "Facts of the run, a row each.", 1, -1, 0, false, {}});
  s.tables[0].columns = {{"key", "level, version, layout and those below", "", "", ColumnType::kText, 1},
                         {"value", "a text or a number", "", "", ColumnType::kText, 1}};
  for_each_meta_record([&]<class R>() {
    AddMetaTables tables(s, kMetaTable);
    R::describe(tables);
  });
  for_each_record_table([&]<class R, size_t I>() {
    const size_t at = s.tables.size();
    s.tables.push_back({R::kTable.name, R::kTable.meaning, R::kTable.since, -1, 0, false, {}});
    AddTables tables(s, at);
    R::describe(tables);
  });
  s.first_chunk_table = s.tables.size();
  for_each_chunk_kind([&]<class Chunk, size_t I>() {
    using Rows = typename RowsOf<Chunk>::type;
    const TableNote& note = Rows::kTable;
    s.tables.push_back({note.name, note.meaning, note.since, -1, 0, false, {}});
    s.tables.back().columns = {
        {"first_ns", "least start", "ns", "", ColumnType::kInteger, note.since},
        {"last_ns", "greatest end", "ns", "", ColumnType::kInteger, note.since},
        {"count", "rows", "", "", ColumnType::kInteger, note.since},
        {"data", "columns, compressed: engine/session/chunk.h", "", "", ColumnType::kBlob, note.since}};
    s.chunks.push_back({note.name, note.meaning, note.since, -1, 0, false, {}});
    AddChunkColumns columns(s.chunks.back().columns);
    Rows::describe(columns);
  });
  return s;
}

const char* sql_type(ColumnType type) {
  switch (type) {
    case ColumnType::kInteger: return "INTEGER";
    case ColumnType::kReal: return "REAL";
    case ColumnType::kText: return "TEXT";
    case ColumnType::kBlob: return "BLOB";
  }
  return "";
}

std::string values_text(const Column& column, const char* between) {
  std::string out;
  for (size_t i = 0; i < column.values.size(); ++i) {
    if (i) out += between;
    if (*between != '|') out += std::to_string(i) + ' ';
    out += column.values[i];
  }
  return out;
}

constexpr const char* kSums = R"(
-- Sums over the chunks, for questions asked with sqlite3. traced: 1 inside a traced call, 0 eager.
CREATE TABLE op_summary (op INTEGER, traced INTEGER, count INTEGER, total_ns INTEGER,
                         PRIMARY KEY (op, traced)) WITHOUT ROWID;
-- outcome: as in call_chunk
CREATE TABLE call_summary (function INTEGER, trace INTEGER, outcome INTEGER, count INTEGER, total_ns INTEGER);

CREATE VIEW traces AS
  SELECT function.name AS function, trace.number, trace.signature, trace.why,
         (trace.end_ns - trace.start_ns) / 1e6 AS trace_ms,
         (SELECT count(*) FROM node JOIN trace_graph USING (graph)
          WHERE trace_graph.trace = trace.id AND trace_graph.stage = 'traced') AS nodes,
         (SELECT total(count) FROM call_summary WHERE call_summary.trace = trace.id) AS calls
  FROM trace LEFT JOIN function ON function.id = trace.function ORDER BY trace.function, trace.number;
CREATE VIEW ops AS
  SELECT op.name, op.family, op_summary.traced, op_summary.count, op_summary.total_ns / 1e6 AS total_ms
  FROM op_summary LEFT JOIN op ON op.id = op_summary.op ORDER BY op_summary.total_ns DESC;
)";

// The tables of logs that contain no layout, by number from 1.
constexpr const char* kTablesBefore3[] = {
    "meta key value", "run_argument position value", "run_end time_ns exit_code signal reason",
    "dropped what why count", "file id path text", "code id file qualname first_line",
    "code_line code position first_offset line", "function id name file line decorator_line",
    "function_parameter function position name",
    ("trace id function graph number reason start_ns end_ns python_ns autograph_ns optimize_ns compile_ns signature "
     "nearest why source_code source_offset error"),
    "key_leaf trace position path parameter kind type shape value", "trace_differing trace position path",
    "trace_capture trace position capture", "graph id name",
    "node graph position id name op family attributes constant source_code source_offset",
    "node_input graph node position source output", "node_control_input graph node position source",
    "node_output graph node position type", "node_function graph node position attribute function_graph",
    "graph_input graph position node", "graph_output graph position node output",
    "generated id function code name file text", "generated_line generated position user_line",
    "generated_statement generated position line last_line kind fate note",
    "decision trace file line kind fate note", "console time_ns stream text", "op id name family",
    "thread number system_id name", "device number name description", "op_chunk first_ns last_ns count data",
    "call_chunk first_ns last_ns count data", "device_chunk first_ns last_ns count data",
    "op_signature id op inputs outputs input_bytes output_bytes flops"};

}  // namespace

const Schema& schema() {
  static const Schema* const made = new Schema(make_schema());
  return *made;
}

void refuse_newer(int version, int readable_from) {
  if (readable_from > kVersion)
    throw Error(ErrorKind::kUnimplemented, "a newer Footlight wrote this recording, in version " +
                                               std::to_string(version) + " of the format; this one reads up to " +
                                               std::to_string(kVersion) + ". Update Footlight to open it");
}

size_t first_table(size_t record_table) {
  static const auto* const first = [] {
    auto* out = new std::vector<size_t>;
    size_t at = 1;
    while (schema().tables[at].parent == static_cast<int>(kMetaTable)) ++at;
    for_each_record_table([&]<class R, size_t I>() {
      out->push_back(at);
      at += table_count<R>();
    });
    return out;
  }();
  return (*first)[record_table];
}

std::string schema_sql() {
  std::string out = "-- A Footlight recording, version " + std::to_string(kVersion) + ".\n";
  for (const TableSchema& t : schema().tables) {
    out += "CREATE TABLE " + t.name + " (";
    const bool chunk = &t >= &schema().tables[schema().first_chunk_table];
    if (chunk) out += "id INTEGER PRIMARY KEY, ";
    std::string key;
    for (size_t i = 0, shown = 0; i < t.columns.size(); ++i) {
      const Column& c = t.columns[i];
      if (c.until) continue;
      if (shown++) out += ", ";
      out += c.name;
      if (&t != &schema().tables[kMetaTable] || i == 0) out += std::string(" ") + sql_type(c.type);
      if (t.has_id && i == 0) out += " PRIMARY KEY";
      if (t.parent >= 0 && i < t.owners) key += (key.empty() ? "" : ", ") + c.name;
    }
    if (&t == &schema().tables[kMetaTable]) key = "key";
    out += key.empty() ? ");\n" : ", PRIMARY KEY (" + key + ")) WITHOUT ROWID;\n";
  }
  return out + kSums;
}

std::string schema_page() {
  std::string out =
      "A Footlight recording, version " + std::to_string(kVersion) +
      ". Times are nanoseconds since 1970 (CLOCK_REALTIME). Ids are NULL where there is none; their\n"
      "highest 8 bits are the number of the process that gave them. What comes at a high rate lies in the\n"
      "tables *_chunk, as compressed columns, with their time range and number of rows; op_summary and\n"
      "call_summary hold sums over them, the views traces and ops what is asked most. A number behind a "
      "name\n"
      "is the version that brought it.\n";
  const auto page = [&](const TableSchema& t) {
    out += '\n' + t.name + (t.since > 1 ? " (" + std::to_string(t.since) + ")" : "") + ": " + t.meaning + '\n';
    for (const Column& c : t.columns) {
      if (c.until) continue;
      std::string name = c.name + (c.since > t.since ? " (" + std::to_string(c.since) + ")" : "");
      name.resize(std::max<size_t>(name.size(), 20), ' ');
      std::string type = sql_type(c.type);
      type.resize(8, ' ');
      out += "  " + name + ' ' + type + c.meaning;
      if (!c.unit.empty()) out += " [" + c.unit + "]";
      if (!c.values.empty()) out += ": " + values_text(c, ", ");
      while (out.back() == ' ') out.pop_back();
      out += '\n';
    }
  };
  const Schema& s = schema();
  for (size_t i = 0; i < s.first_chunk_table; ++i) page(s.tables[i]);
  out += "\nIn chunks\n";
  for (const TableSchema& t : s.chunks) page(t);
  return out;
}

std::string layout_text() {
  std::string out;
  const auto add = [&](const char* word, const TableSchema& t) {
    out += std::string(word) + ' ' + t.name + '\n';
    for (const Column& c : t.columns) {
      if (c.until) continue;
      out += ' ' + c.name + (c.values.empty() ? "" : '=' + values_text(c, "|")) + '\n';
    }
  };
  for (const TableSchema& t : schema().tables) add("table", t);
  for (const TableSchema& t : schema().chunks) add("chunk", t);
  return out;
}

Layout parse_layout(std::string_view text) {
  constexpr size_t kMax = 1000;
  Layout layout;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.starts_with(' ') && !layout.tables.empty()) {
      auto& columns = layout.tables.back().columns;
      const size_t equals = line.find('=');
      Layout::Column column{std::string(line.substr(1, equals == line.npos ? line.npos : equals - 1)), 0};
      if (equals != line.npos)
        column.values = 1 + static_cast<size_t>(std::count(line.begin() + static_cast<std::ptrdiff_t>(equals),
                                                           line.end(), '|'));
      columns.push_back(std::move(column));
      if (columns.size() > kMax) throw_broken("a table has too many columns");
    } else if (line.starts_with("table ") || line.starts_with("chunk ")) {
      layout.tables.push_back({std::string(line.substr(6)), {}, line[0] == 'c'});
      if (layout.tables.size() > kMax) throw_broken("there are too many tables");
    }  // anything else from newer versions is skipped
  }
  return layout;
}

const Layout& layout_before_3() {
  static const Layout* const made = [] {
    auto* layout = new Layout;
    for (std::string_view line : kTablesBefore3) {
      Layout::Table table;
      while (!line.empty()) {
        const size_t space = std::min(line.find(' '), line.size());
        if (table.name.empty()) table.name = line.substr(0, space);
        else table.columns.push_back({std::string(line.substr(0, space)), 0});
        line.remove_prefix(std::min(line.size(), space + 1));
      }
      layout->tables.push_back(std::move(table));
    }
    return layout;
  }();
  return *made;
}

namespace {
// Adds to `left_out` what `table` has and `known` lacks.
void say_unknown(const Layout::Table& table, const TableSchema& known, const std::vector<bool>& used,
                 std::vector<std::string>& left_out) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const Layout::Column& column = table.columns[i];
    if (!used[i]) left_out.push_back("column " + table.name + "." + column.name);
    for (const Column& c : known.columns)
      if (c.name == column.name && column.values > c.values.size() && !c.values.empty())
        left_out.push_back(std::to_string(column.values - c.values.size()) + " values of column " + table.name + "." +
                           column.name);
  }
}

std::vector<int16_t> match(const Layout::Table& table, const TableSchema& known, std::vector<bool>& used) {
  const auto find = [&](const std::string& name) {
    for (size_t i = 0; i < table.columns.size(); ++i)
      if (table.columns[i].name == name) return static_cast<int16_t>(i);
    return int16_t{-1};
  };
  std::vector<int16_t> places;
  for (const Column& c : known.columns) places.push_back(find(c.name));
  used.assign(table.columns.size(), false);
  for (const int16_t place : places)
    if (place >= 0) used[static_cast<size_t>(place)] = true;
  for (size_t i = 0; i < places.size(); ++i) {
    const Column& c = known.columns[i];
    if (places[i] >= 0 || c.formerly.empty()) continue;
    const int16_t place = find(c.formerly);
    if (place < 0 || used[static_cast<size_t>(place)]) continue;
    places[i] = place;
    used[static_cast<size_t>(place)] = true;
  }
  return places;
}
}  // namespace

Binding bind(const Layout::Table& table, std::vector<std::string>& left_out) {
  Binding binding;
  binding.width = table.columns.size();
  const auto& tables = schema().tables;
  const auto known = std::find_if(tables.begin(), tables.end(), [&](const auto& t) { return t.name == table.name; });
  if (known == tables.end()) {
    left_out.push_back("table " + table.name);
    return binding;
  }
  std::vector<bool> used;
  binding.columns = match(table, *known, used);
  say_unknown(table, *known, used, left_out);
  for (size_t i = 0; i < known->owners; ++i)
    if (binding.columns[i] < 0) {
      left_out.push_back("table " + table.name + ", which lacks " + known->columns[i].name);
      return binding;
    }
  binding.table = static_cast<int>(known - tables.begin());
  return binding;
}

void bind_chunk(const Layout::Table& chunk, std::vector<std::string>& left_out) {
  for (const TableSchema& known : schema().chunks) {
    if (known.name != chunk.name) continue;
    std::vector<bool> used;
    match(chunk, known, used);
    say_unknown(chunk, known, used, left_out);
  }
}

std::string words_for(const std::vector<std::string>& left_out) {
  std::string out;
  for (auto what = left_out.begin(); what != left_out.end(); ++what) {
    if (std::find(left_out.begin(), what, *what) != what) continue;
    out += (out.empty() ? "a newer Footlight wrote this; left out: " : ", ") + *what;
  }
  return out;
}

}  // namespace footlight::session
