// The parts of a line of Python that are shown in colour: keywords, strings, numbers, comments, decorators, and the
// names that it defines.
#pragma once

#include <QString>

#include <cstdint>
#include <string_view>
#include <vector>

namespace footlight::app {

enum class TokenKind : uint8_t { kKeyword, kString, kNumber, kComment, kDecorator, kDefinition };

struct Token {
  qsizetype start = 0, length = 0;
  TokenKind kind = TokenKind::kKeyword;
};

// What a line begins in: code, or a string of three quotes that an earlier line opened.
enum class LineState : uint8_t { kCode, kSingle, kDouble };

// `state` is that of the line's beginning, and becomes that of the next line's.
std::vector<Token> python_tokens(const QString& line, LineState& state);
// Only the state after a line of UTF-8 text, which is faster.
LineState state_after(std::string_view line, LineState state);
// The theme's colour for a kind.
QString token_tone(TokenKind kind);

}  // namespace footlight::app
