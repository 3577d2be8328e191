// Quotes the texts of a CSV table.
#include "engine/cli/csv.h"

#include "engine/cli/text.h"

#include <charconv>

namespace footlight::cli {
namespace {

// Spreadsheets run a text that begins like this, and a session may come from a stranger.
bool is_formula(std::string_view text) {
  if (text.empty() || std::string_view("=+-@\t\r").find(text[0]) == std::string_view::npos) return false;
  double number = 0;
  const char* const begin = text.data() + (text[0] == '+' && !text.starts_with("+-") ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
  return error != std::errc() || end != text.data() + text.size();
}

}  // namespace

void append_csv_text(std::string& row, std::string_view text) {
  const std::string shown = valid_text(text);
  const bool formula = is_formula(shown);
  if (!formula && shown.find_first_of(",\"\r\n") == std::string::npos) {
    row += shown;
    return;
  }
  row += formula ? "\"'" : "\"";
  for (const char c : shown) row.append(c == '"' ? 2 : 1, c);
  row += '"';
}

void append_csv_number(std::string& row, double number) {
  char digits[40];
  row.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

}  // namespace footlight::cli
