// `footlight sql`: a statement over a recording, its result as a table, CSV or JSON.
#include "engine/base/text.h"
#include "engine/cli/commands.h"
#include "engine/cli/csv.h"
#include "engine/cli/export_output.h"
#include "engine/cli/json.h"
#include "engine/cli/open_file.h"
#include "engine/cli/text.h"
#include "engine/cli/text_columns.h"
#include "engine/sql/ready_queries.h"
#include "engine/sql/recording.h"

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <iterator>

namespace footlight::cli {
namespace {

using sql::Value;

constexpr const char* kHow = "`footlight sql FILE \"SELECT ...\" [--csv|--json] [--limit N] [-o FILE]`";
constexpr uint64_t kRowsOfTable = 1000;
constexpr size_t kWidestCell = 60;

// A header of plain names, which only CSV ends with CR and LF.
bool begins_as_csv_result(std::string_view first) {
  const size_t end = first.find("\r\n");
  return end != first.npos &&
         first.substr(0, end).find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789,") == first.npos;
}
bool begins_as_json_result(std::string_view first) { return first.starts_with("[\n {\"") || first == "[]\n"; }
bool begins_as_text_result(std::string_view) { return false; }
const OutputKind kCsvKind{"a CSV table", {".csv"}, begins_as_csv_result};
const OutputKind kJsonKind{"a JSON result", {".json"}, begins_as_json_result};
const OutputKind kTextKind{"a table of text", {".txt"}, begins_as_text_result};

enum class Form { kTable, kCsv, kJson };

std::string number_text(double number) {
  std::string out;
  append_csv_number(out, number);
  return out;
}
std::string blob_text(const std::string& bytes) {
  std::string out = "x'";
  for (const char c : bytes) {
    char pair[3];
    std::snprintf(pair, sizeof pair, "%02x", static_cast<unsigned char>(c));
    out += pair;
  }
  return out + "'";
}

std::string csv_row(std::span<const Value> row) {
  std::string out;
  for (size_t i = 0; i < row.size(); ++i) {
    if (i) out += ',';
    switch (row[i].kind) {
      case Value::Kind::kNull: break;
      case Value::Kind::kInteger: out += std::to_string(row[i].integer); break;
      case Value::Kind::kReal: append_csv_number(out, row[i].real); break;
      case Value::Kind::kText: append_csv_text(out, row[i].text); break;
      case Value::Kind::kBlob: append_csv_text(out, blob_text(row[i].text)); break;
    }
  }
  return out + "\r\n";
}

std::string json_row(const std::vector<std::string>& columns, std::span<const Value> row) {
  JsonObject object;
  for (size_t i = 0; i < row.size(); ++i) {
    const char* const name = columns[i].c_str();
    switch (row[i].kind) {
      case Value::Kind::kNull: object.raw(name, "null"); break;
      case Value::Kind::kInteger: object.add(name, row[i].integer); break;
      case Value::Kind::kReal: object.raw(name, std::isfinite(row[i].real) ? number_text(row[i].real) : "null"); break;
      case Value::Kind::kText: object.add(name, row[i].text); break;
      case Value::Kind::kBlob: object.add(name, blob_text(row[i].text)); break;
    }
  }
  return object.inline_();
}

// Rows in aligned columns, numbers to the right.
class TextTable {
 public:
  void add(std::vector<std::string> cells, std::vector<bool> to_the_right) {
    if (widths_.size() < cells.size()) widths_.resize(cells.size());
    for (size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], columns_of(cells[i]));
    rows_.push_back({std::move(cells), std::move(to_the_right)});
  }
  std::string text() const {
    std::string out;
    for (size_t r = 0; r < rows_.size(); ++r) {
      std::string line;
      for (size_t i = 0; i < rows_[r].cells.size(); ++i) {
        if (i) line += "  ";
        const std::string& cell = rows_[r].cells[i];
        // A heading stands as the first row's cell does.
        const auto& sides = rows_[r == 0 && rows_.size() > 1 ? 1 : r].to_the_right;
        const std::string space(widths_[i] - columns_of(cell), ' ');
        line += sides[i] ? space + cell : cell + space;
      }
      while (line.ends_with(' ')) line.pop_back();
      out += line + '\n';
      if (r > 0) continue;
      for (size_t i = 0; i < widths_.size(); ++i) out += (i ? "  " : "") + std::string(widths_[i], '-');
      out += '\n';
    }
    return out;
  }

 private:
  struct Row {
    std::vector<std::string> cells;
    std::vector<bool> to_the_right;
  };
  std::vector<Row> rows_;
  std::vector<size_t> widths_;
};

std::string shown_cell(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kNull: return "";
    case Value::Kind::kInteger: return std::to_string(value.integer);
    case Value::Kind::kReal: {
      char digits[40];
      // What is not nothing does not show as 0.000.
      const double size = std::fabs(value.real);
      std::snprintf(digits, sizeof digits, size >= 1e7 ? "%.6g" : size == 0 || size >= 0.001 ? "%.3f" : "%.3g",
                    value.real);
      return digits;
    }
    case Value::Kind::kText: return label_text(value.text, kWidestCell);
    case Value::Kind::kBlob: return label_text(blob_text(value.text), kWidestCell);
  }
  return {};
}

struct SqlWords {
  std::string file, statement, output, query;
  Form form = Form::kTable;
  uint64_t limit = UINT64_MAX;
  bool tables = false, queries = false;
};

SqlWords parsed(const Words& words) {
  SqlWords out;
  bool has_only_words = false;  // behind --
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&]() -> const std::string& {
      if (++i == words.size()) invalid("sql: ", word, " needs a value; usage: ", kHow);
      return words[i];
    };
    // A statement may begin with a comment.
    const bool is_option = !has_only_words && word.find_first_of(" \n\t") == word.npos;
    if (!is_option) {
      if (out.file.empty()) out.file = word;
      else if (out.statement.empty()) out.statement = word;
      else invalid("sql: unexpected word '", word, "'; put the statement in quotes; usage: ", kHow);
    } else if (word == "--") has_only_words = true;
    else if (word == "--csv") out.form = Form::kCsv;
    else if (word == "--json") out.form = Form::kJson;
    else if (word == "--tables") out.tables = true;
    else if (word == "--queries") out.queries = true;
    else if (word == "--query") out.query = value();
    else if (word == "-o" || word == "--output") out.output = value();
    else if (word == "--limit") {
      const std::string& number = value();
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), out.limit);
      if (error != std::errc() || end != number.data() + number.size())
        invalid("sql: --limit needs a number of rows, not '", number, "'");
      if (out.limit == 0) out.limit = UINT64_MAX - 1;
    } else if (word.starts_with("--")) invalid("sql: unknown option '", word, "'; usage: ", kHow);
    else if (out.file.empty() && !word.empty()) out.file = word;
    else if (out.statement.empty() && !word.empty()) out.statement = word;
    else invalid("sql: unexpected word '", word, "'; put the statement in quotes; usage: ", kHow);
  }
  return out;
}

void list_queries() {
  for (const sql::ReadyQuery& query : sql::ready_queries()) {
    std::string name = query.name;
    name.resize(20, ' ');
    std::printf("%s%s\n", name.c_str(), query.title);
  }
}

void list_tables() {
  constexpr const char* kTypes[] = {"INTEGER", "REAL", "TEXT"};
  for (const sql::TableDescription& table : sql::table_descriptions()) {
    std::printf("%s: %s\n", table.name.c_str(), table.meaning.c_str());
    for (const sql::Column& c : table.columns)
      std::printf("  %-18s %-8s %s\n", c.name.c_str(), kTypes[static_cast<size_t>(c.type)], c.meaning.c_str());
  }
}

// The statement's text, with a mark under the place of the error.
std::string error_text(const sql::StatementError& error, const std::string& statement) {
  if (error.offset() < 0) return error.message();
  const auto offset = std::min(static_cast<size_t>(error.offset()), statement.size());
  const size_t begin = offset == 0 ? 0 : statement.rfind('\n', offset - 1) + 1;
  const std::string line = statement.substr(begin, statement.find('\n', offset) - begin);
  return error.message() + "\n  " + line + "\n  " + std::string(offset - begin, ' ') + "^";
}

}  // namespace

int sql(const Words& words) {
  SqlWords said = parsed(words);
  if (said.queries || said.tables) {
    said.queries ? list_queries() : list_tables();
    return 0;
  }
  if (said.file.empty()) invalid("sql needs a recording; usage: ", kHow);
  if (!said.query.empty()) {
    const sql::ReadyQuery* const query = sql::ready_query(said.query);
    if (!query) invalid("sql: there is no query '", said.query, "'; `footlight sql --queries` lists them");
    if (!said.statement.empty()) invalid("sql: either a statement or --query, not both");
    said.statement = query->statement;
  } else if (said.statement == "-") {
    said.statement.assign(std::istreambuf_iterator<char>(std::cin), {});
  }
  if (said.statement.empty()) invalid("sql needs a statement; usage: ", kHow);

  const auto reader = open_file(said.file);
  sql::Recording recording(*reader);
  const OutputKind& kind = said.form == Form::kCsv ? kCsvKind : said.form == Form::kJson ? kJsonKind : kTextKind;
  Output out(said.output, said.file, kind);
  const uint64_t limit = said.limit != UINT64_MAX ? said.limit : said.form == Form::kTable ? kRowsOfTable : UINT64_MAX;
  std::vector<std::string> columns;
  TextTable table;
  uint64_t rows = 0;
  bool is_cut = false;
  const auto take_columns = [&](std::vector<std::string> names) {
    columns = std::move(names);
    std::string head;
    for (size_t i = 0; i < columns.size(); ++i) append_csv_text(head += i ? "," : "", columns[i]);
    if (said.form == Form::kCsv) out.write(head + "\r\n");
    if (said.form == Form::kJson) out.write("[");
    std::vector<std::string> shown;
    for (const std::string& name : columns) shown.push_back(label_text(name, kWidestCell));
    if (said.form == Form::kTable) table.add(shown, std::vector<bool>(columns.size()));
  };
  const auto take_row = [&](std::span<const Value> row) {
    if (rows == limit) {
      is_cut = true;
      return false;
    }
    ++rows;
    if (said.form == Form::kCsv) out.write(csv_row(row));
    if (said.form == Form::kJson) out.write((rows > 1 ? ",\n " : "\n ") + json_row(columns, row));
    if (said.form != Form::kTable) return true;
    std::vector<std::string> cells;
    std::vector<bool> to_the_right;
    for (const Value& value : row) {
      cells.push_back(shown_cell(value));
      to_the_right.push_back(value.kind == Value::Kind::kInteger || value.kind == Value::Kind::kReal);
    }
    table.add(std::move(cells), std::move(to_the_right));
    return true;
  };
  try {
    recording.run(said.statement, {take_columns, take_row});
  } catch (const sql::StatementError& e) {
    throw Error(e.kind(), error_text(e, said.statement));
  }
  if (said.form == Form::kJson) out.write(rows ? "\n]\n" : "]\n");
  if (said.form == Form::kTable) out.write(table.text());
  out.finish();
  if (is_cut) std::fprintf(stderr, "footlight: there are more rows than %" PRIu64 "; --limit 0 gives all\n", limit);
  return 0;
}

}  // namespace footlight::cli
