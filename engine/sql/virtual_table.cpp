// The callbacks of SQLite's interface for virtual tables.
#include "engine/sql/virtual_table.h"

#include "engine/base/errors.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <new>
#include <string_view>

namespace footlight::sql {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr uint64_t kMaxIndexedRows = 30'000'000;
constexpr uint64_t kRowsBetweenLooks = 50'000;

// How rows are looked for, as bits of SQLite's idxNum: the column of an equality plus 1, and bounds of the time.
constexpr int kEqualMask = 0xff, kAtLeast = 0x100, kBelow = 0x200;

struct Module {
  Table& table;
  Watch& watch;
};

// The rows by the value of a column. Texts are known by their hash; SQLite itself compares what is found.
struct Index {
  std::vector<std::pair<uint64_t, uint64_t>> rows;  // key, row; sorted
};

uint64_t key_of_text(std::string_view text) { return std::hash<std::string_view>()(text); }

struct VirtualTable {
  sqlite3_vtab base;
  Module* module;
  std::map<size_t, Index> indexes;  // for one statement at a time
};

struct VirtualCursor {
  sqlite3_vtab_cursor base;
  std::unique_ptr<Cursor> rows;
  uint64_t row = 0, end = 0;
  int64_t from = 0, below = 0;
  bool is_bounded = false;
  const std::pair<uint64_t, uint64_t>*found = nullptr, *found_end = nullptr;
  int filters = 0;  // how often rows were looked up
  Cell cell;
};

VirtualTable* table_of(sqlite3_vtab* t) { return reinterpret_cast<VirtualTable*>(t); }
VirtualCursor* cursor_of(sqlite3_vtab_cursor* c) { return reinterpret_cast<VirtualCursor*>(c); }

// Runs a callback: what it throws becomes an error of the statement.
template <class Do>
int guarded(Watch& watch, Do&& act) {
  try {
    return act();
  } catch (const query::Cancelled&) {
    return SQLITE_INTERRUPT;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const Error& e) {
    watch.failure = e.message();
    watch.is_refused = e.kind() == ErrorKind::kResourceExhausted;
    return SQLITE_IOERR;
  } catch (const std::exception& e) {
    watch.failure = e.what();
    return SQLITE_IOERR;
  }
}

int connect(sqlite3* db, void* aux, int, const char* const*, sqlite3_vtab** made, char**) {
  auto* module = static_cast<Module*>(aux);
  return guarded(module->watch, [&] {
    constexpr const char* kTypes[] = {"INTEGER", "REAL", "TEXT"};
    std::string sql = "CREATE TABLE x(";
    for (const Column& c : module->table.columns())
      sql += (sql.ends_with('(') ? "\"" : ", \"") + c.name + "\" " + kTypes[static_cast<size_t>(c.type)];
    module->watch.is_declaring = true;
    const int code = sqlite3_declare_vtab(db, (sql + ")").c_str());
    module->watch.is_declaring = false;
    if (code != SQLITE_OK) return code;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    auto* table = new VirtualTable{};
    table->module = module;
    *made = &table->base;
    return SQLITE_OK;
  });
}

int disconnect(sqlite3_vtab* t) {
  VirtualTable* table = table_of(t);
  for (const auto& [column, index] : table->indexes)
    table->module->watch.index_bytes -= index.rows.capacity() * sizeof(index.rows[0]);
  delete table;
  return SQLITE_OK;
}

int best_index(sqlite3_vtab* t, sqlite3_index_info* info) {
  const VirtualTable* table = table_of(t);
  return guarded(table->module->watch, [&] {
    const Table& of = table->module->table;
    const auto rows = static_cast<double>(std::max<uint64_t>(of.expected_rows(), 1));
    int equal = -1, at_least = -1, below = -1;
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto& c = info->aConstraint[i];
      if (!c.usable || c.iColumn < 0) continue;
      const bool is_text = of.columns()[static_cast<size_t>(c.iColumn)].type == Type::kText;
      const bool is_real = of.columns()[static_cast<size_t>(c.iColumn)].type == Type::kReal;
      if (c.op == SQLITE_INDEX_CONSTRAINT_EQ && !is_real && of.expected_rows() <= kMaxIndexedRows) {
        // Numbers divide rows into smaller parts than names do.
        if (std::string_view(sqlite3_vtab_collation(info, i)) != "BINARY") continue;
        if (equal < 0 || !is_text) equal = i;
      }
      if (c.iColumn != of.time_column()) continue;
      if (c.op == SQLITE_INDEX_CONSTRAINT_GE || c.op == SQLITE_INDEX_CONSTRAINT_GT) at_least = i;
      if (c.op == SQLITE_INDEX_CONSTRAINT_LE || c.op == SQLITE_INDEX_CONSTRAINT_LT) below = i;
    }
    info->estimatedCost = rows;
    info->estimatedRows = static_cast<sqlite3_int64>(rows);
    int arguments = 0;
    if (equal >= 0) {
      const int column = info->aConstraint[equal].iColumn;
      const bool is_text = of.columns()[static_cast<size_t>(column)].type == Type::kText;
      info->idxNum = column + 1;
      info->aConstraintUsage[equal].argvIndex = ++arguments;
      info->estimatedRows = std::max<sqlite3_int64>(1, static_cast<sqlite3_int64>(rows / (is_text ? 20 : 1000)));
      info->estimatedCost = 10 + static_cast<double>(info->estimatedRows);
      return SQLITE_OK;
    }
    for (const auto& [constraint, bit] : {std::pair(at_least, kAtLeast), std::pair(below, kBelow)}) {
      if (constraint < 0) continue;
      info->idxNum |= bit;
      info->aConstraintUsage[constraint].argvIndex = ++arguments;
      info->estimatedCost /= 4;
      info->estimatedRows = std::max<sqlite3_int64>(1, info->estimatedRows / 4);
    }
    return SQLITE_OK;
  });
}

int open_cursor(sqlite3_vtab* t, sqlite3_vtab_cursor** made) {
  Module* module = table_of(t)->module;
  return guarded(module->watch, [&] {
    auto cursor = std::make_unique<VirtualCursor>();
    cursor->rows = module->table.open();
    *made = &cursor.release()->base;
    return SQLITE_OK;
  });
}

int close_cursor(sqlite3_vtab_cursor* c) {
  delete cursor_of(c);
  return SQLITE_OK;
}

// Goes on to a row that may be wanted.
void settle(VirtualTable* table, VirtualCursor* c) {
  if (c->found) {
    if (c->found != c->found_end) c->rows->go_to(c->row = c->found->second);
    else c->row = c->end;
    return;
  }
  if (c->is_bounded && c->row < c->end) c->row = table->module->table.next_between(c->row, c->from, c->below);
  if (c->row < c->end) c->rows->go_to(c->row);
}

const Index& index_of(VirtualTable* table, VirtualCursor* c, size_t column, Watch& watch) {
  const auto [at, added] = table->indexes.try_emplace(column);
  if (!added) return at->second;
  try {
    Index& index = at->second;
    index.rows.reserve(c->end);
    for (uint64_t row = 0; row < c->end; ++row) {
      if (row % kRowsBetweenLooks == 0 && !watch.may_go_on()) throw Error(ErrorKind::kCancelled, "stopped");
      c->rows->go_to(row);
      c->rows->read(column, c->cell);
      switch (c->cell.kind) {
        case Cell::Kind::kInteger: index.rows.emplace_back(static_cast<uint64_t>(c->cell.integer), row); break;
        case Cell::Kind::kText: index.rows.emplace_back(key_of_text(c->cell.text), row); break;
        case Cell::Kind::kKeptText: index.rows.emplace_back(key_of_text(c->cell.kept), row); break;
        default: break;  // NULL is equal to nothing
      }
    }
    std::sort(index.rows.begin(), index.rows.end());
    watch.index_bytes += index.rows.capacity() * sizeof(index.rows[0]);
  } catch (...) {
    table->indexes.erase(at);
    throw;
  }
  return at->second;
}

int filter(sqlite3_vtab_cursor* cursor, int number, const char*, int, sqlite3_value** values) {
  VirtualCursor* c = cursor_of(cursor);
  VirtualTable* table = table_of(cursor->pVtab);
  Watch& watch = table->module->watch;
  return guarded(watch, [&] {
    c->row = 0;
    c->end = table->module->table.rows();
    c->found = c->found_end = nullptr;
    c->is_bounded = false;
    if (const int equal = number & kEqualMask) {
      const auto column = static_cast<size_t>(equal - 1);
      const bool is_text = table->module->table.columns()[column].type == Type::kText;
      const int type = sqlite3_value_type(values[0]);
      if (type == SQLITE_NULL) c->end = 0;
      // A value of another type may be equal after SQLite has converted it: then it looks at every row itself.
      else if (type == (is_text ? SQLITE_TEXT : SQLITE_INTEGER) && ++c->filters > 1) {
        const Index& index = index_of(table, c, column, watch);
        const uint64_t key =
            is_text ? key_of_text({reinterpret_cast<const char*>(sqlite3_value_text(values[0])),
                                   static_cast<size_t>(sqlite3_value_bytes(values[0]))})
                    : static_cast<uint64_t>(sqlite3_value_int64(values[0]));
        const auto first = std::lower_bound(index.rows.begin(), index.rows.end(), std::pair(key, uint64_t{0}));
        auto last = first;
        while (last != index.rows.end() && last->first == key) ++last;
        c->found = index.rows.data() + (first - index.rows.begin());
        c->found_end = index.rows.data() + (last - index.rows.begin());
        if (index.rows.empty()) c->end = 0, c->found = nullptr;
      }
    } else {
      int argument = 0;
      c->from = -kNever, c->below = kNever;
      const auto bound = [&](int bit, int64_t& to, int64_t more) {
        if (!(number & bit)) return;
        sqlite3_value* value = values[argument++];
        if (sqlite3_value_numeric_type(value) != SQLITE_INTEGER) return;  // SQLite looks at every row
        to = sqlite3_value_int64(value);
        if (to < kNever - more) to += more;
        c->is_bounded = true;
      };
      bound(kAtLeast, c->from, 0);
      bound(kBelow, c->below, 1);
    }
    settle(table, c);
    return SQLITE_OK;
  });
}

int next(sqlite3_vtab_cursor* cursor) {
  VirtualCursor* c = cursor_of(cursor);
  VirtualTable* table = table_of(cursor->pVtab);
  return guarded(table->module->watch, [&] {
    if (c->found) ++c->found;
    else ++c->row;
    settle(table, c);
    return SQLITE_OK;
  });
}

int at_end(sqlite3_vtab_cursor* cursor) {
  const VirtualCursor* c = cursor_of(cursor);
  return c->found ? c->found == c->found_end : c->row >= c->end;
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* to, int which) {
  VirtualCursor* c = cursor_of(cursor);
  return guarded(table_of(cursor->pVtab)->module->watch, [&] {
    Cell& cell = c->cell;
    c->rows->read(static_cast<size_t>(which), cell);
    switch (cell.kind) {
      case Cell::Kind::kNull: sqlite3_result_null(to); break;
      case Cell::Kind::kInteger: sqlite3_result_int64(to, cell.integer); break;
      case Cell::Kind::kReal: sqlite3_result_double(to, cell.real); break;
      case Cell::Kind::kText:
        sqlite3_result_text64(to, cell.text.data(), cell.text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
        break;
      case Cell::Kind::kKeptText:
        sqlite3_result_text64(to, cell.kept.data(), cell.kept.size(), SQLITE_STATIC, SQLITE_UTF8);
        break;
    }
    return SQLITE_OK;
  });
}

int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  *id = static_cast<sqlite3_int64>(cursor_of(cursor)->row);
  return SQLITE_OK;
}

const sqlite3_module kMethods = [] {
  sqlite3_module m{};
  m.iVersion = 1;
  m.xConnect = connect;  // without xCreate: the table is there without CREATE TABLE
  m.xBestIndex = best_index;
  m.xDisconnect = disconnect;
  m.xOpen = open_cursor;
  m.xClose = close_cursor;
  m.xFilter = filter;
  m.xNext = next;
  m.xEof = at_end;
  m.xColumn = column;
  m.xRowid = row_id;
  return m;
}();

}  // namespace

void add_virtual_table(sqlite3* db, Table& table, Watch& watch) {
  sqlite3_create_module_v2(db, table.name().c_str(), &kMethods, new Module{table, watch},
                           [](void* module) { delete static_cast<Module*>(module); });
}

}  // namespace footlight::sql
