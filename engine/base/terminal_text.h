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

// Whether a character that is no ASCII stands at the front which a terminal obeys (C1 controls: U+009B alone begins an
// escape sequence) or which shows other characters in another order than they stand (bidirectional controls).
bool is_deceptive(std::string_view s);

// For terminals: control characters are gone, and U+FFFD stands for what is no UTF-8 and for deceptive characters. The
// second keeps line ends.
std::string printable(std::string_view text);
std::string printable_lines(std::string_view text);

}  // namespace footlight
