// Gives colours to the tokens of the lexer.
#include "app/models/python_tokens.h"

#include <algorithm>
#include <array>

namespace footlight::app {
namespace {

constexpr std::array kKeywords{
    "False", "None",   "True",  "and",    "as",   "assert", "async",  "await",    "break",  "class", "continue", "def",
    "del",   "elif",   "else",  "except", "for",  "finally", "from",  "global",   "if",     "import", "in",      "is",
    "lambda", "nonlocal", "not", "or",    "pass", "raise",  "return", "try",      "while",  "with",  "yield"};

bool is_keyword(QStringView word) {
  return std::ranges::any_of(kKeywords, [&](const char* k) { return word == QLatin1String(k); });
}

}  // namespace

std::vector<ColouredText> python_tokens(const QString& line, LineState& state) {
  using source::TokenKind;
  std::vector<ColouredText> tokens;
  bool defines = false;  // the word before was def or class
  source::BasicLexer<char16_t> lexer({QStringView(line).utf16(), static_cast<size_t>(line.size())}, state);
  bool begins = state == LineState::kCode;
  while (lexer.next()) {
    const TokenKind kind = lexer.token.kind;
    const auto add = [&](TokenColour colour) {
      const auto [any, begin, end] = lexer.token;
      tokens.push_back({static_cast<qsizetype>(begin), static_cast<qsizetype>(end - begin), colour});
    };
    if (kind == TokenKind::kString) add(TokenColour::kString);
    if (kind == TokenKind::kComment) add(TokenColour::kComment);
    if (begins && lexer.is('@')) {
      lexer.take_attributes();
      add(TokenColour::kDecorator);
    }
    begins = false;
    if (kind != TokenKind::kName && kind != TokenKind::kNumber) continue;
    const QStringView word(lexer.text().data(), static_cast<qsizetype>(lexer.text().size()));
    if (defines) add(TokenColour::kDefinition);
    else if (kind == TokenKind::kNumber) add(TokenColour::kNumber);
    else if (is_keyword(word)) add(TokenColour::kKeyword);
    defines = word == QLatin1String("def") || word == QLatin1String("class");
  }
  state = lexer.state();
  return tokens;
}

QString token_tone(TokenColour colour) {
  switch (colour) {
    case TokenColour::kKeyword: return QStringLiteral("violet");
    case TokenColour::kString: return QStringLiteral("green");
    case TokenColour::kNumber: return QStringLiteral("pink");
    case TokenColour::kComment: return QStringLiteral("faint");
    case TokenColour::kDecorator: return QStringLiteral("teal");
    case TokenColour::kDefinition: return QStringLiteral("blue");
  }
  return QStringLiteral("text");
}

}  // namespace footlight::app
