// The one place that makes text safe for a terminal. Paths, words of a command line and texts of a session come from
// anybody, and hold any bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace footlight {

inline constexpr const char* kUnprintable = "\xEF\xBF\xBD";  // U+FFFD

// Length of the valid UTF-8 sequence at the front; 0: none.
size_t utf8_sequence(std::string_view s);

// Whether the text begins with a character outside ASCII that a terminal obeys (C1 controls: U+009B alone begins an
// escape sequence) or that reorders other characters on the screen (bidirectional controls).
bool is_deceptive(std::string_view s);

// Makes text safe for terminals: removes control characters, and writes U+FFFD for bytes that are not UTF-8 and for
// deceptive characters. The second function keeps line ends.
std::string printable(std::string_view text);
std::string printable_lines(std::string_view text);

}  // namespace footlight
