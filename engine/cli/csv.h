// Cells of CSV, safe for spreadsheets (engine/wire/csv.h).
#pragma once

#include <string>
#include <string_view>

namespace footlight::cli {

// In quotes where it needs them; with a ' in front where a spreadsheet would run it.
void append_csv_text(std::string& row, std::string_view text);
void append_csv_number(std::string& row, double number);  // the shortest digits that give it again

}  // namespace footlight::cli
