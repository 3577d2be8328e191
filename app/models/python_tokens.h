// The parts of a line of Python that are shown in colour: keywords, strings, numbers, comments, decorators, and the
// names that it defines.
#pragma once

#include "engine/source/lexer.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace footlight::app {

enum class TokenColour : uint8_t { kKeyword, kString, kNumber, kComment, kDecorator, kDefinition };

struct ColouredText {
  qsizetype start = 0, length = 0;
  TokenColour colour = TokenColour::kKeyword;
};

using source::LineState;

// `state` is that of the line's beginning, and becomes that of the next line's.
std::vector<ColouredText> python_tokens(const QString& line, LineState& state);
// The theme's colour.
QString token_tone(TokenColour colour);

}  // namespace footlight::app
