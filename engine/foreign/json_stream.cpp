// Copies one value at a time out of pieces of the file.
#include "engine/foreign/json_stream.h"

#include <bitset>

namespace footlight::foreign {
namespace {
constexpr size_t kMaxDepth = 500;
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool ends_word(char c) { return is_space(c) || c == ',' || c == ']' || c == '}' || c == ':'; }
}  // namespace

bool JsonStream::more() {
  before_ += piece_.size();
  piece_ = input_.next();
  at_ = 0;
  return !piece_.empty();
}

bool JsonStream::get(char& c) {
  if (at_ >= piece_.size() && !more()) return false;
  c = piece_[at_];
  return true;
}

char JsonStream::peek() {
  for (char c = 0; get(c); ++at_)
    if (!is_space(c)) return c;
  return 0;
}

bool JsonStream::value(std::string& out, size_t most, bool& too_long) {
  out.clear();
  too_long = false;
  std::bitset<kMaxDepth> is_object;
  size_t depth = 0;
  bool in_text = false, escaped = false;
  const char first = peek();
  const bool is_word = first != '"' && first != '{' && first != '[';
  if (!first) return false;
  for (;;) {
    if (at_ >= piece_.size() && !more()) return is_word && depth == 0 && !out.empty();
    const size_t begin = at_;
    bool done = false;
    for (; at_ < piece_.size() && !done; ++at_) {
      const char c = piece_[at_];
      if (in_text) {
        if (escaped) escaped = false;
        else if (c == '\\') escaped = true;
        else if (c == '"') in_text = false, done = depth == 0;
        continue;
      }
      if (is_word) {
        if (!ends_word(c)) continue;
        done = true;
        break;
      }
      switch (c) {
        case '"': in_text = true; break;
        case '{':
        case '[':
          if (depth == kMaxDepth) return false;
          is_object[depth++] = c == '{';
          break;
        case '}':
        case ']':
          if (is_object[--depth] != (c == '}')) return false;
          done = depth == 0;
          break;
        default: break;
      }
    }
    const std::string_view part = piece_.substr(begin, at_ - begin);
    if (!too_long && out.size() + part.size() <= most) out += part;
    else too_long = true;
    if (done) return !out.empty() || too_long;
  }
}

}  // namespace footlight::foreign
