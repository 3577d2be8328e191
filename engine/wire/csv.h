// The fields of CSV (RFC 4180): reading them, and writing them so that they are safe for spreadsheets.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace footlight::wire {

enum class CsvField : uint8_t {
  kGood,
  kUnclosed,     // the text ends in quotes
  kLooseQuote,   // a quote that ends a field is followed by more of it
  kQuoteInside,  // a field without quotes around it has one inside
};

// Takes the field at `at`, and leaves that at its end. `next_line()` puts the next line into `line`, for quoted fields
// that go on there; false where no line follows.
template <class Line, class NextLine>
CsvField take_csv_field(Line& line, size_t& at, char delimiter, bool has_quotes, std::string& field,
                        NextLine&& next_line) {
  if (!has_quotes || at >= line.size() || line[at] != '"') {
    const size_t end = std::min(line.find(delimiter, at), line.size());
    field.assign(line, at, end - at);
    at = end;
    return has_quotes && field.find('"') != field.npos ? CsvField::kQuoteInside : CsvField::kGood;
  }
  field.clear();
  for (++at;; ++at) {
    for (; at == line.size(); at = 0) {
      if (!next_line()) return CsvField::kUnclosed;
      field += '\n';
    }
    if (line[at] != '"') field += line[at];
    else if (at + 1 < line.size() && line[at + 1] == '"') field += line[at++];
    else break;
  }
  return ++at < line.size() && line[at] != delimiter ? CsvField::kLooseQuote : CsvField::kGood;
}

// Spreadsheets run a text that begins like this, and texts may come from a stranger.
inline bool is_csv_formula(std::string_view text) {
  if (text.empty() || std::string_view("=+-@\t\r").find(text[0]) == std::string_view::npos) return false;
  double number = 0;
  const char* const begin = text.data() + (text[0] == '+' && !text.starts_with("+-") ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
  return error != std::errc() || end != text.data() + text.size();
}

// In quotes where it needs them; with a ' in front where a spreadsheet would run it.
inline void put_csv_text(std::string& row, std::string_view text) {
  const bool is_formula = is_csv_formula(text);
  if (!is_formula && text.find_first_of(",\"\r\n") == text.npos) {
    row += text;
    return;
  }
  row += is_formula ? "\"'" : "\"";
  for (const char c : text) row.append(c == '"' ? 2 : 1, c);
  row += '"';
}

}  // namespace footlight::wire
