// Text of a session made safe for other formats: a session may come from anybody, and its strings hold any bytes.
#pragma once

#include "engine/base/terminal_text.h"

#include <string>
#include <string_view>
#include <vector>

namespace footlight::cli {

// With U+FFFD for bytes that are no UTF-8, and for NUL, which ends strings in many programs.
std::string valid_text(std::string_view text);

// The same, with spaces for line ends and tabs, and U+FFFD for other characters that XML has no place for.
// Longer texts are cut at `most` characters.
std::string label_text(std::string_view text, size_t most);

// Its lines, each printable and valid.
std::vector<std::string> text_lines(std::string_view text);

// "2026-11-21 12:04:31"
std::string local_time(int64_t ns);

}  // namespace footlight::cli
