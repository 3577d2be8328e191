// Text of a session made safe for other formats: a session may come from anybody, and its strings hold any bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace footlight::cli {

// Length of the valid UTF-8 sequence at the front; 0: none.
size_t utf8_sequence(std::string_view s);

// With U+FFFD for bytes that are no UTF-8, and for NUL, which ends strings in many programs.
std::string valid_text(std::string_view text);

// The same, with spaces for line ends and tabs, and U+FFFD for other characters that XML has no place for.
// Longer texts are cut at `most` characters.
std::string label_text(std::string_view text, size_t most);

// Its lines, each printable and valid.
std::vector<std::string> text_lines(std::string_view text);

// "2026-11-21 12:04:31"
std::string local_time(int64_t ns);

// For terminals, which every text of a session goes through: control characters are gone, and U+FFFD stands for what is
// no UTF-8 and for deceptive characters. The second keeps line ends.
std::string printable(std::string_view text);
std::string printable_lines(std::string_view text);

// Whether a character that is no ASCII stands at the front which a terminal obeys (C1 controls: U+009B alone begins an
// escape sequence) or which shows other characters in another order than they stand (bidirectional controls).
bool is_deceptive(std::string_view s);

}  // namespace footlight::cli
