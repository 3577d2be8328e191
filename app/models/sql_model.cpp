// Formats cells, and reads the columns by which a row selects.
#include "app/models/sql_model.h"

#include "app/models/text.h"

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {

using Kind = sql::Value::Kind;

bool is_number(const sql::Value& value) { return value.kind == Kind::kInteger || value.kind == Kind::kReal; }
double number_of(const sql::Value& value) {
  return value.kind == Kind::kInteger ? static_cast<double>(value.integer) : value.real;
}

// Texts and blobs are sorted by their bytes.
Cell order_of(const sql::Value& value) {
  if (value.kind == Kind::kNull) return {};
  if (is_number(value)) return value.kind == Kind::kInteger ? Cell(value.integer) : Cell(value.real);
  return QString::fromLatin1(value.text);
}

// Decimals for the values of a column, by the largest of them.
int decimals_for(double largest) { return largest >= 1000 ? 1 : largest >= 1 ? 3 : 6; }

QString text_of(const sql::Value& value, int decimals) {
  switch (value.kind) {
    case Kind::kNull: return QStringLiteral("NULL");
    case Kind::kInteger: return QString::number(value.integer);
    case Kind::kReal: {
      // A value other than zero must not show as 0.000.
      const double size = std::fabs(value.real);
      const bool vanishes = size > 0 && size < 0.5 * std::pow(10.0, -decimals);
      if (vanishes || size >= 1e12) return QString::number(value.real, 'g', 3);
      return QString::number(value.real, 'f', decimals);
    }
    case Kind::kText: return beginning_of(q(value.text), kMaxShownCell);
    case Kind::kBlob: return QStringLiteral("%1 bytes").arg(value.text.size());
  }
  return {};
}

}  // namespace

const char* SqlTarget::view() const {
  switch (selection.kind) {
    case Selection::Kind::kNode: return "graph";
    case Selection::Kind::kTrace:
    case Selection::Kind::kFunction: return "retraces";
    case Selection::Kind::kLine: return "source";
    default: return "timeline";
  }
}

void SqlModel::set(std::shared_ptr<const SqlResult> result) {
  reset([&] {
    result_ = std::move(result);
    columns_.clear();
    sorted_by_ = -1;
    const auto columns = static_cast<size_t>(result_ ? result_->columns.size() : 0);
    for (size_t c = 0; c < columns; ++c) {
      double largest = 0;
      bool any_number = false, any_text = false;
      for (size_t at = c; at < result_->rows * columns; at += columns) {
        const sql::Value& value = result_->cells[at];
        if (is_number(value)) any_number = true;
        else if (value.kind != Kind::kNull) any_text = true;
        if (value.kind == Kind::kReal) largest = std::max(largest, std::fabs(value.real));
      }
      // A row is the first of its cells.
      add_column(Column<sql::Value>{
          .name = beginning_of(result_->columns[static_cast<qsizetype>(c)], kMaxShownCell),
          .unit = any_number && !any_text ? Unit::kNumber : Unit::kWords,
          .text = [c, d = decimals_for(largest)](const sql::Value& row) { return text_of((&row)[c], d); },
          .key = [c](const sql::Value& row) { return order_of((&row)[c]); },
          .tip =
              [c](const sql::Value& row) {
                return (&row)[c].kind == Kind::kText ? beginning_of(q((&row)[c].text)) : QString();
              },
          .tone = [c](const sql::Value& row) { return (&row)[c].kind == Kind::kNull ? "faint" : QString(); },
          .is_prose = [c](const sql::Value& row) { return (&row)[c].kind == Kind::kNull; }});
    }
  });
}

const sql::Value& SqlModel::at(int row, int column) const {
  return result_->cells[shown_[static_cast<size_t>(row)] * columns_.size() + static_cast<size_t>(column)];
}

int SqlModel::column_named(const char* name) const {
  return result_ ? static_cast<int>(result_->columns.indexOf(QLatin1String(name))) : -1;
}

std::optional<int64_t> SqlModel::integer(int row, const char* column) const {
  const int c = column_named(column);
  if (c < 0 || at(row, c).kind != Kind::kInteger) return {};
  return at(row, c).integer;
}

QString SqlModel::text(int row, const char* column) const {
  const int c = column_named(column);
  return c >= 0 && at(row, c).kind == Kind::kText ? q(at(row, c).text) : QString();
}

std::optional<int64_t> SqlModel::time(int row, const char* name) const {
  constexpr std::pair<const char*, double> kUnits[] = {{"_ns", 1}, {"_us", 1e3}, {"_ms", 1e6}, {"_s", 1e9}};
  for (const auto& [unit, scale] : kUnits) {
    const int c = column_named((std::string(name) + unit).c_str());
    if (c < 0 || !is_number(at(row, c))) continue;
    const double ns = number_of(at(row, c)) * scale;
    if (at(row, c).kind == Kind::kInteger && scale == 1) return at(row, c).integer;
    if (std::fabs(ns) < 9e18) return std::llround(ns);
  }
  return {};
}

SqlTarget SqlModel::target(const Document& document, int row) const {
  SqlTarget to;
  if (!result_ || row < 0 || row >= rowCount()) return to;
  std::optional<int64_t> start = time(row, "start");
  if (!start) start = time(row, "time");
  if (start) {
    std::optional<int64_t> length = time(row, "duration");
    if (!length) length = time(row, "gap");
    const auto origin = static_cast<uint64_t>(result_->origin_ns);
    const auto from = static_cast<int64_t>(origin + static_cast<uint64_t>(*start));
    to.time = {from, static_cast<int64_t>(static_cast<uint64_t>(from) +
                                          static_cast<uint64_t>(std::max<int64_t>(0, length.value_or(0))))};
  }
  if (const auto op = integer(row, "op_id")) {
    to.op_id = static_cast<uint64_t>(*op);
    return to;
  }
  if (const auto device = integer(row, "device_row"); device && *device >= 0) {
    to.selection = Selection::of_device(static_cast<uint64_t>(*device));
    return to;
  }
  const auto graph = integer(row, "graph_id"), node = integer(row, "node_id");
  if (graph && node) {
    const GraphId id(static_cast<uint32_t>(*graph));
    if (document.node(id, static_cast<uint32_t>(*node))) {
      to.selection = Selection::of_node(document, id, static_cast<uint32_t>(*node));
      return to;
    }
  }
  if (const auto call = integer(row, "call_id")) {
    to.call = CallId(static_cast<uint64_t>(*call));
    return to;
  }
  if (const auto trace = integer(row, "trace_id")) {
    const TraceId id(static_cast<uint32_t>(*trace));
    if (document.trace(id)) {
      to.selection = Selection::of_trace(document, id);
      return to;
    }
  }
  FunctionId function;
  if (const auto id = integer(row, "function_id")) {
    if (document.function(FunctionId(static_cast<uint32_t>(*id)))) function = FunctionId(static_cast<uint32_t>(*id));
  } else if (const QString name = text(row, "function"); !name.isEmpty()) {
    for (const session::FunctionRecord& f : document.functions)
      if (!function.valid() && q(f.name) == name) function = f.id;
  }
  const auto number = integer(row, "trace");
  if (function.valid() && number) {
    for (const session::TraceRecord* trace : document.traces_of(function)) {
      if (trace->number != *number) continue;
      to.selection = Selection::of_trace(document, trace->id);
      return to;
    }
  }
  if (function.valid()) {
    to.selection = Selection::of_function(document, function);
    return to;
  }
  QString file = text(row, "file");
  auto line = integer(row, "line");
  if (const QString source = text(row, "source"); !source.isEmpty()) {
    const qsizetype colon = source.lastIndexOf(QLatin1Char(':'));
    file = source.left(colon);
    line = source.mid(colon + 1).toInt();
  }
  if (!file.isEmpty() && line && *line > 0) {
    const session::FileId id = document.file_named(file.toStdString());
    if (id.valid()) to.selection = Selection::of_line(document, {id, static_cast<int>(*line)});
  }
  return to;
}

}  // namespace footlight::app
