// Only plain tables are read: no view, no virtual table, no computed column.
#include "engine/foreign/nsight_tables.h"

#include <algorithm>

namespace footlight::foreign {

using session::Statement;
using session::Value;

NsightTable::NsightTable(session::Database& database, const std::string& name, const std::vector<std::string>& wanted)
    : has_(wanted.size()) {
  Statement kind = database.prepare("SELECT count(*) FROM sqlite_schema WHERE name=? AND type='table' AND "
                                    "sql LIKE 'CREATE TABLE %'");
  kind.bind(1, Value{Value::Type::kText, 0, name});
  if (!kind.step() || kind.integer(0) != 1) return;
  Statement info = database.prepare("SELECT name, hidden FROM pragma_table_xinfo(?)");
  info.bind(1, Value{Value::Type::kText, 0, name});
  while (info.step()) {
    const auto column = std::ranges::find(wanted, info.column(0).bytes);
    if (column != wanted.end() && info.integer(1) == 0) has_[static_cast<size_t>(column - wanted.begin())] = true;
  }
  std::string select = "SELECT ";
  for (size_t i = 0; i < wanted.size(); ++i)
    select += (i ? ", " : "") + (has_[i] ? '"' + wanted[i] + '"' : std::string("NULL"));
  rows_.emplace(database.prepare(select + " FROM \"" + name + '"'));
}

int64_t NsightTable::number(size_t column) const {
  const Value value = rows_->column(static_cast<int>(column));
  return value.type == Value::Type::kInteger ? value.integer : 0;
}

std::string_view NsightTable::text(size_t column) const {
  const Value value = rows_->column(static_cast<int>(column));
  return value.type == Value::Type::kText ? value.bytes : std::string_view();
}

bool NsightTable::is_null(size_t column) const {
  return rows_->column(static_cast<int>(column)).type == Value::Type::kNull;
}

}  // namespace footlight::foreign
