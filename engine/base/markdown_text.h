// The one place that makes text safe for Markdown. What a session says comes from anybody, and a page that shows
// Markdown makes links, mentions and pictures out of it.
#pragma once

#include <string>
#include <string_view>

namespace footlight {

// Quotes text as code within a line. A bar is escaped in a table's cell, because it would end the cell.
std::string markdown_code(std::string_view text, bool in_cell = false);

// Writes text as plain words of a line, without markup and control characters.
std::string markdown_words(std::string_view text, bool in_cell = false);

// Lines of code between fences, each ended by a line end.
std::string markdown_block(std::string_view language, std::string_view lines);

}  // namespace footlight
