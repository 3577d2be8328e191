// Helpers of readers of program texts: brackets, lists, lines. Nothing here throws.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::foreign {

std::string_view trimmed(std::string_view text);
// Removes the word and the blanks around it from the beginning of the text; false: the text begins otherwise.
bool skip_word(std::string_view& text, std::string_view word);
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
// The number with which the text begins; 0 if it begins with none or with one that is too large.
uint64_t leading_number(std::string_view text);

enum class Angles : bool { kPlain, kBrackets };  // whether < and > are brackets; those of -> never are
// The position behind the closing quote of the string that begins at `at`.
size_t behind_string(std::string_view text, size_t at);
// The contents of a string that is given with its quotes. Escapes stay as they are.
std::string_view without_quotes(std::string_view string);
// The position of the bracket that closes the one at `at`; npos: none does. Brackets in strings do not count.
size_t closing(std::string_view text, size_t at, Angles angles = Angles::kPlain);
// The first place outside of brackets and strings where `word` stands; npos: nowhere.
size_t find_outside(std::string_view text, std::string_view word, Angles angles = Angles::kPlain, size_t from = 0);
// The parts between commas outside of brackets and strings, without blanks around them and without empty ones.
std::vector<std::string_view> split_list(std::string_view text, Angles angles = Angles::kPlain);
// How many brackets of a text stay open: negative where it closes more than it opens.
int open_brackets(std::string_view text);

// The lines of a text, one after the other.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}
  bool next();
  std::string_view line() const { return line_; }
  int number() const { return number_; }  // from 1
  size_t position() const { return at_; }
  // Adds following lines to this one until all brackets that it opens are closed. Changes nothing if they stay open for
  // too many lines.
  void complete();

 private:
  std::string_view text_, line_;
  size_t at_ = 0, begin_ = 0;
  int number_ = 0;
};

// "f32" of HLO and FX, "f32" and "ui8" of MLIR: "float32", "uint8"; itself where it is unknown.
std::string element_type(std::string_view name);
// "f32" and "4,8": "float32 (4, 8)".
std::string array_type(std::string_view element, std::string_view sizes);
// At most `most` bytes of the text. Cuts between UTF-8 characters.
std::string_view cut(std::string_view text, size_t most);

}  // namespace footlight::foreign
