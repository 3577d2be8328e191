// Python's lexical rules: where names, numbers, strings, comments and brackets are, and what a line leaves open. Texts
// come from recordings of strangers: any bytes have tokens, and the time is linear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace footlight::source {

// In what a line begins: in code, in a string of three quotes, or in one whose line ended in a backslash.
enum class LineState : uint8_t { kCode, kTripleSingle, kTripleDouble, kSingle, kDouble };

enum class TokenKind : uint8_t {
  kName,     // keywords too; the prefix of a string is a name before it
  kNumber,
  kString,   // with its quotes; without its end where that is missing
  kComment,  // to the end of the line
  kOpen,     // one of ( [ {
  kClose,    // one of ) ] }
  kNewline,
  kJoin,     // a backslash with the end of the line
  kOther,    // one character: an operator, a comma
};

struct Token {
  TokenKind kind = TokenKind::kOther;
  size_t begin = 0, end = 0;
};

constexpr bool is_digit(uint32_t c) { return c >= '0' && c <= '9'; }
constexpr bool begins_name(uint32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}
constexpr bool in_name(uint32_t c) { return begins_name(c) || is_digit(c); }
constexpr bool in_name(char c) { return in_name(uint32_t{static_cast<unsigned char>(c)}); }

// Goes over the tokens of a text, or of one line of it. `Char`: char for UTF-8, char16_t for UTF-16.
template <class Char>
class BasicLexer {
 public:
  explicit BasicLexer(std::basic_string_view<Char> text, LineState state = LineState::kCode)
      : text_(text), state_(state) {}

  // The next token is in `token`; false at the end.
  bool next() {
    if (at_ == 0 && state_ != LineState::kCode && finish_string(0)) return true;
    while (is_blank(at(at_)) && at_ < text_.size()) ++at_;
    if (at_ == text_.size()) return false;
    const size_t from = at_;
    const uint32_t c = at(at_++);
    if (c == '\n') return found(TokenKind::kNewline, from);
    if (c == '#') {
      while (at_ < text_.size() && at(at_) != '\n') ++at_;
      return found(TokenKind::kComment, from);
    }
    if (c == '"' || c == '\'') {
      const bool triple = at(at_) == c && at(at_ + 1) == c;
      if (triple) at_ += 2;
      state_ = triple ? (c == '"' ? LineState::kTripleDouble : LineState::kTripleSingle)
                      : (c == '"' ? LineState::kDouble : LineState::kSingle);
      return finish_string(from);
    }
    if (in_name(c)) {
      while (in_name(at(at_)) || (is_digit(c) && at(at_) == '.')) ++at_;
      return found(is_digit(c) ? TokenKind::kNumber : TokenKind::kName, from);
    }
    if (c == '(' || c == '[' || c == '{') return found(TokenKind::kOpen, from);
    if (c == ')' || c == ']' || c == '}') return found(TokenKind::kClose, from);
    if (c == '\\' && ends_line(at_)) {
      skip_line_end();
      return found(TokenKind::kJoin, from);
    }
    return found(TokenKind::kOther, from);
  }

  // Takes the attributes behind a name into its token: "self.index".
  void take_attributes() {
    while (in_name(at(at_)) || at(at_) == '.') ++at_;
    token.end = at_;
  }

  Token token;
  std::basic_string_view<Char> text() const { return text_.substr(token.begin, token.end - token.begin); }
  bool is(char c) const { return at(token.begin) == static_cast<uint32_t>(c) && token.end == token.begin + 1; }
  // At the end: in what the next line begins.
  LineState state() const { return state_; }

 private:
  uint32_t at(size_t i) const {
    return i < text_.size() ? uint32_t{static_cast<std::make_unsigned_t<Char>>(text_[i])} : 0u;
  }
  static bool is_blank(uint32_t c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f'; }
  bool ends_line(size_t i) const { return i == text_.size() || at(i) == '\n' || (at(i) == '\r' && at(i + 1) == '\n'); }
  void skip_line_end() {
    if (at(at_) == '\r') ++at_;
    if (at_ < text_.size()) ++at_;
  }
  bool found(TokenKind kind, size_t from) {
    token = {kind, from, at_};
    return true;
  }

  // From behind the opening quotes, or from the beginning of a line inside of the string; false for an empty line.
  bool finish_string(size_t from) {
    const bool triple = state_ == LineState::kTripleSingle || state_ == LineState::kTripleDouble;
    const uint32_t quote = state_ == LineState::kTripleDouble || state_ == LineState::kDouble ? '"' : '\'';
    while (at_ < text_.size()) {
      const uint32_t c = at(at_);
      if (c == '\\') {
        const bool joins = ends_line(++at_);
        if (joins) skip_line_end();
        else ++at_;
        if (joins && at_ == text_.size()) return found(TokenKind::kString, from);  // goes on in the next line
        continue;
      }
      if (c == '\n' && !triple) break;
      ++at_;
      if (c != quote || (triple && (at(at_) != quote || at(at_ + 1) != quote))) continue;
      if (triple) at_ += 2;
      state_ = LineState::kCode;
      return found(TokenKind::kString, from);
    }
    if (!triple) state_ = LineState::kCode;
    return at_ > from && found(TokenKind::kString, from);
  }

  std::basic_string_view<Char> text_;
  size_t at_ = 0;
  LineState state_;
};

using Lexer = BasicLexer<char>;

struct Indent {
  size_t columns = 0;     // a tab goes to the next multiple of eight
  size_t characters = 0;
};
inline Indent indent_of(std::string_view line) {
  Indent indent;
  for (; indent.characters < line.size(); ++indent.characters) {
    const char c = line[indent.characters];
    if (c == ' ') ++indent.columns;
    else if (c == '\t') indent.columns = (indent.columns / 8 + 1) * 8;
    else if (c == '\f') indent.columns = 0;
    else break;
  }
  return indent;
}
// The line without its indentation.
inline std::string_view unindented(std::string_view line) { return line.substr(indent_of(line).characters); }
inline bool is_blank_or_comment(std::string_view line) {
  line = unindented(line);
  return line.empty() || line[0] == '#' || line[0] == '\r' || line[0] == '\n';
}
// The first word of a line, behind `async`: "def", "for", "with"; empty where it begins with none.
inline std::string_view leading_word(std::string_view line) {
  Lexer lexer(line);
  while (lexer.next() && lexer.token.kind == TokenKind::kName)
    if (lexer.text() != "async") return lexer.text();
  return {};
}

// In what the line behind this one begins.
inline LineState state_after(std::string_view line, LineState state) {
  // Most lines have no string that could go on.
  const size_t last = line.find_last_not_of("\r\n");
  if (state == LineState::kCode && line.find("\"\"\"") == line.npos && line.find("'''") == line.npos &&
      (last == line.npos || line[last] != '\\'))
    return state;
  Lexer lexer(line, state);
  while (lexer.next()) continue;
  return lexer.state();
}

// Finds where statements begin, line by line.
class StatementLines {
 public:
  // Takes the next line; whether the one behind it begins a statement.
  bool feed(std::string_view line) {
    Lexer lexer(line, state_);
    bool is_joined = false;
    while (lexer.next()) {
      const TokenKind kind = lexer.token.kind;
      if (kind == TokenKind::kOpen) ++depth_;
      if (kind == TokenKind::kClose && depth_) --depth_;
      is_joined = kind == TokenKind::kJoin;
    }
    state_ = lexer.state();
    return state_ == LineState::kCode && depth_ == 0 && !is_joined;
  }

 private:
  LineState state_ = LineState::kCode;
  size_t depth_ = 0;
};

}  // namespace footlight::source
