// The tables of an export of Nsight Systems, with the columns that its version has.
#pragma once

#include "engine/session/database.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::foreign {

// Reads the rows of a table in no particular order. A column that the file does not have holds 0 and no text.
class NsightTable {
 public:
  // `wanted`: names of columns. Values are asked for by a position there, which readers name in an enum.
  NsightTable(session::Database& database, const std::string& name, const std::vector<std::string>& wanted);
  bool exists() const { return rows_.has_value(); }
  bool has(size_t column) const { return column < has_.size() && has_[column]; }
  bool next() { return rows_ && rows_->step(); }
  int64_t number(size_t column) const;
  std::string_view text(size_t column) const;  // valid until next()
  bool is_null(size_t column) const;

 private:
  std::vector<bool> has_;
  std::optional<session::Statement> rows_;
};

}  // namespace footlight::foreign
