// JSON as slices of the text: an object is split into its members, and a value is understood when somebody asks.
// Nothing is copied and nothing recurses, so a trace of a gigabyte costs the memory of one event.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace footlight::foreign {

// Goes over the members of an object or the elements of a list, given as text with its brackets.
class JsonParts {
 public:
  explicit JsonParts(std::string_view container);
  // The next part; false at the end, or where the text is damaged: then ok() is false.
  bool next();
  bool ok() const { return ok_; }

  std::string_view key;    // of an object's member, with escapes, without quotes
  std::string_view value;  // as it stands

 private:
  std::string_view rest_;
  bool is_object_ = false, ok_ = true, first_ = true;
};

// The value that `text` begins with. Empty if it begins with none, or with one that does not end or nests deeper than
// 500. A number is taken to end where `text` does.
std::string_view json_value(std::string_view text);

bool is_json_text(std::string_view value);
// A string's characters, without quotes and escapes; other values as they stand. Broken surrogates become U+FFFD.
std::string json_text(std::string_view value);
// A number, or a string that holds one.
std::optional<double> json_number(std::string_view value);
std::optional<int64_t> json_integer(std::string_view value);
// A number times 10^`digits`, rounded down, exactly: "1718000000123.456" with 3 digits is 1718000000123456.
std::optional<int64_t> json_scaled(std::string_view value, int digits);

}  // namespace footlight::foreign
