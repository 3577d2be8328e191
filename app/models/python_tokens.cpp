// One scanner for both kinds of text: it reports where strings, comments and words are.
#include "app/models/python_tokens.h"

#include <algorithm>
#include <array>

namespace footlight::app {
namespace {

constexpr std::array kKeywords{
    "False", "None",   "True",  "and",    "as",   "assert", "async",  "await",    "break",  "class", "continue", "def",
    "del",   "elif",   "else",  "except", "for",  "finally", "from",  "global",   "if",     "import", "in",      "is",
    "lambda", "nonlocal", "not", "or",    "pass", "raise",  "return", "try",      "while",  "with",  "yield"};

bool is_digit(uint32_t c) { return c >= '0' && c <= '9'; }
bool is_word(uint32_t c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

// Calls visit(start, end, what) for strings ('s'), comments ('#') and words ('w').
template <class Char, class Visit>
LineState scan(const Char* text, size_t size, LineState state, Visit&& visit) {
  const auto at = [&](size_t i) { return i < size ? static_cast<uint32_t>(text[i]) & 0xffff : 0u; };
  const auto close = [&](size_t from, uint32_t quote, bool triple, bool& closed) {
    for (size_t i = from; i < size; ++i) {
      if (at(i) == '\\') ++i;
      else if (at(i) == quote && (!triple || (at(i + 1) == quote && at(i + 2) == quote)))
        return closed = true, i + (triple ? 3 : 1);
    }
    return size;
  };
  size_t i = 0;
  if (state != LineState::kCode) {
    bool closed = false;
    i = close(0, state == LineState::kSingle ? '\'' : '"', true, closed);
    visit(size_t{0}, i, 's');
    if (!closed) return state;
  }
  while (i < size) {
    const uint32_t c = at(i);
    if (c == '#') {
      visit(i, size, '#');
      return LineState::kCode;
    }
    if (c == '"' || c == '\'') {
      const bool triple = at(i + 1) == c && at(i + 2) == c;
      bool closed = false;
      const size_t end = close(i + (triple ? 3 : 1), c, triple, closed);
      visit(i, end, 's');
      if (triple && !closed) return c == '"' ? LineState::kDouble : LineState::kSingle;
      i = end;
    } else if (is_word(c)) {
      size_t end = i + 1;
      while (end < size && (is_word(at(end)) || (is_digit(c) && at(end) == '.'))) ++end;
      visit(i, end, 'w');
      i = end;
    } else {
      ++i;
    }
  }
  return LineState::kCode;
}

}  // namespace

std::vector<Token> python_tokens(const QString& line, LineState& state) {
  std::vector<Token> tokens;
  bool defines = false;  // the word before was def or class
  const auto add = [&](size_t start, size_t end, TokenKind kind) {
    tokens.push_back({static_cast<qsizetype>(start), static_cast<qsizetype>(end - start), kind});
  };
  const auto visit = [&](size_t start, size_t end, char what) {
    if (what == 's') return add(start, end, TokenKind::kString);
    if (what == '#') return add(start, end, TokenKind::kComment);
    const QStringView word = QStringView(line).mid(static_cast<qsizetype>(start), static_cast<qsizetype>(end - start));
    const bool keyword = std::any_of(kKeywords.begin(), kKeywords.end(),
                                     [&](const char* k) { return word == QLatin1String(k); });
    if (defines) add(start, end, TokenKind::kDefinition);
    else if (keyword) add(start, end, TokenKind::kKeyword);
    else if (word.front().isDigit()) add(start, end, TokenKind::kNumber);
    defines = word == QLatin1String("def") || word == QLatin1String("class");
  };
  const LineState before = state;
  state = scan(line.utf16(), static_cast<size_t>(line.size()), state, visit);
  const qsizetype mark = line.indexOf(QLatin1Char('@'));
  if (before == LineState::kCode && mark >= 0 && line.left(mark).trimmed().isEmpty()) {
    qsizetype end = mark + 1;
    while (end < line.size() && (is_word(line[end].unicode()) || line[end] == QLatin1Char('.'))) ++end;
    tokens.insert(tokens.begin(), {mark, end - mark, TokenKind::kDecorator});
  }
  return tokens;
}

LineState state_after(std::string_view line, LineState state) {
  // Most lines have no string that could go on.
  if (state == LineState::kCode && line.find("\"\"\"") == line.npos && line.find("'''") == line.npos) return state;
  return scan(line.data(), line.size(), state, [](size_t, size_t, char) {});
}

QString token_tone(TokenKind kind) {
  switch (kind) {
    case TokenKind::kKeyword: return QStringLiteral("violet");
    case TokenKind::kString: return QStringLiteral("green");
    case TokenKind::kNumber: return QStringLiteral("pink");
    case TokenKind::kComment: return QStringLiteral("faint");
    case TokenKind::kDecorator: return QStringLiteral("teal");
    case TokenKind::kDefinition: return QStringLiteral("blue");
  }
  return QStringLiteral("text");
}

}  // namespace footlight::app
