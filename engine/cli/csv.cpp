// Makes texts valid UTF-8 before they are quoted.
#include "engine/cli/csv.h"

#include "engine/cli/text.h"
#include "engine/wire/csv.h"

namespace footlight::cli {

void append_csv_text(std::string& row, std::string_view text) { wire::put_csv_text(row, valid_text(text)); }

void append_csv_number(std::string& row, double number) {
  char digits[40];
  row.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

}  // namespace footlight::cli
