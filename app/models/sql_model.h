// The result of a statement as a table, and what each of its rows stands for in the other views.
#pragma once

#include "app/models/selection.h"
#include "app/models/table_model.h"

#include "engine/sql/recording.h"

#include <memory>
#include <optional>
#include <vector>

namespace footlight::app {

struct SqlResult {
  QStringList columns;
  std::vector<sql::Value> cells;  // row by row
  size_t rows = 0;
  bool has_more = false;          // there are more rows than were wanted
  bool is_cancelled = false;
  QString error;
  int error_offset = -1;          // position in the statement, in characters; -1: unknown
  double seconds = 0;
  int64_t origin_ns = 0;          // the moment from which the recording's times count, since 1970
};

// What a row selects: by the columns op_id, device_row, graph_id and node_id, call_id, trace_id, function and trace,
// function_id, function, file and line, source; and when, by columns such as start_ns and duration_us.
struct SqlTarget {
  Selection selection;                       // known at once
  std::optional<uint64_t> op_id;             // else an op
  CallId call;                               // or a call, which the store has to find
  std::optional<std::pair<int64_t, int64_t>> time;  // since 1970
  bool empty() const {
    return selection.kind == Selection::Kind::kNothing && !op_id && !call.valid() && !time;
  }
  const char* view() const;                  // the best view for it
};

// Sorts in SQL's order: NULL, numbers, texts.
class SqlModel : public TableModel {
 public:
  using TableModel::TableModel;

  void set(std::shared_ptr<const SqlResult> result);
  const std::shared_ptr<const SqlResult>& result() const { return result_; }
  SqlTarget target(const Document& document, int row) const;
  const sql::Value& at(int row, int column) const;

 protected:
  size_t count() const override { return result_ ? result_->rows : 0; }
  const void* row(size_t number) const override { return &result_->cells[number * columns_.size()]; }

 private:
  int column_named(const char* name) const;  // -1 if no column has that name
  std::optional<int64_t> integer(int row, const char* column) const;
  QString text(int row, const char* column) const;
  std::optional<int64_t> time(int row, const char* column) const;  // in ns, by the unit in the column's name

  std::shared_ptr<const SqlResult> result_;
};

}  // namespace footlight::app
