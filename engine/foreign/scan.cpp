// Strings are in double or single quotes, with backslashes as in C.
#include "engine/foreign/scan.h"

#include <charconv>

namespace footlight::foreign {
namespace {

constexpr int kMaxLinesOfOne = 10'000;  // of an instruction with a large constant

// Calls visit(i, depth) for each character outside of strings; true from it ends the walk. `depth` is that before it.
template <class Visit>
void walk(std::string_view text, size_t from, Angles angles, const Visit& visit) {
  int depth = 0;
  for (size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = behind_string(text, i) - 1;
      continue;
    }
    const bool is_arrow = c == '>' && i > 0 && text[i - 1] == '-';
    const bool with_angles = angles == Angles::kBrackets;
    const bool closes = c == ')' || c == ']' || c == '}' || (with_angles && c == '>' && !is_arrow);
    if (closes) --depth;
    if (visit(i, depth)) return;
    if (c == '(' || c == '[' || c == '{' || (with_angles && c == '<')) ++depth;
  }
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

bool skip_word(std::string_view& text, std::string_view word) {
  const std::string_view rest = trimmed(text);
  if (!rest.starts_with(word)) return false;
  text = trimmed(rest.substr(word.size()));
  return true;
}

uint64_t leading_number(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? number : 0;
}

size_t behind_string(std::string_view text, size_t at) {
  const char quote = text[at];
  for (size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') ++i;
    else if (text[i] == quote) return i + 1;
  }
  return text.size();
}

std::string_view without_quotes(std::string_view string) {
  return string.size() < 2 ? std::string_view() : string.substr(1, string.size() - 2);
}

size_t closing(std::string_view text, size_t at, Angles angles) {
  size_t found = text.npos;
  walk(text, at, angles, [&](size_t i, int depth) {
    if (depth > 0 || i == at) return false;
    found = i;
    return true;
  });
  return found;
}

size_t find_outside(std::string_view text, std::string_view word, Angles angles, size_t from) {
  size_t found = text.npos;
  walk(text, from, angles, [&](size_t i, int depth) {
    if (depth != 0 || !text.substr(i).starts_with(word)) return false;
    found = i;
    return true;
  });
  return found;
}

std::vector<std::string_view> split_list(std::string_view text, Angles angles) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  const auto add = [&](size_t end) {
    if (const std::string_view part = trimmed(text.substr(begin, end - begin)); !part.empty()) parts.push_back(part);
    begin = end + 1;
  };
  walk(text, 0, angles, [&](size_t i, int depth) {
    if (text[i] == ',' && depth == 0) add(i);
    return false;
  });
  if (begin <= text.size()) add(text.size());
  return parts;
}

int open_brackets(std::string_view text) {
  int open = 0;
  walk(text, 0, Angles::kPlain, [&](size_t i, int) {
    open += text[i] == '(' || text[i] == '[' || text[i] == '{';
    open -= text[i] == ')' || text[i] == ']' || text[i] == '}';
    return false;
  });
  return open;
}

bool Lines::next() {
  if (at_ >= text_.size()) return false;
  begin_ = at_;
  const size_t end = std::min(text_.find('\n', at_), text_.size());
  line_ = text_.substr(at_, end - at_);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  at_ = end + 1;
  ++number_;
  return true;
}

void Lines::complete() {
  int open = open_brackets(line_);
  size_t at = at_;
  int lines = 0;
  while (open > 0 && at < text_.size() && lines < kMaxLinesOfOne) {
    const size_t end = std::min(text_.find('\n', at), text_.size());
    open += open_brackets(text_.substr(at, end - at));
    at = end + 1;
    ++lines;
  }
  if (open != 0 || lines == 0) return;
  line_ = text_.substr(begin_, std::min(at - 1, text_.size()) - begin_);
  at_ = at;
  number_ += lines;
}

std::string element_type(std::string_view name) {
  struct Named { std::string_view written, type; };
  static constexpr Named kTypes[] = {
      {"pred", "bool"},   {"i1", "bool"},     {"b8", "bool"},     {"s2", "int2"},     {"s4", "int4"},
      {"s8", "int8"},     {"s16", "int16"},   {"s32", "int32"},   {"s64", "int64"},   {"i4", "int4"},
      {"i8", "int8"},     {"i16", "int16"},   {"i32", "int32"},   {"i64", "int64"},   {"u2", "uint2"},
      {"u4", "uint4"},    {"u8", "uint8"},    {"u16", "uint16"},  {"u32", "uint32"},  {"u64", "uint64"},
      {"ui4", "uint4"},   {"ui8", "uint8"},   {"ui16", "uint16"}, {"ui32", "uint32"}, {"ui64", "uint64"},
      {"f16", "float16"}, {"f32", "float32"}, {"f64", "float64"}, {"bf16", "bfloat16"}, {"c32", "complex32"},
      {"c64", "complex64"}, {"c128", "complex128"}, {"complex<f32>", "complex64"}, {"complex<f64>", "complex128"}};
  for (const Named& named : kTypes)
    if (named.written == name) return std::string(named.type);
  return std::string(name);
}

std::string array_type(std::string_view element, std::string_view sizes) {
  std::string text;
  for (const std::string_view size : split_list(sizes)) text += (text.empty() ? "" : ", ") + std::string(size);
  return element_type(element) + " (" + text + ")";
}

std::string_view cut(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most);
}

}  // namespace footlight::foreign
