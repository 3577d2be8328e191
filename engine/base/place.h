// Lines of a program in words.
#pragma once

#include <string>
#include <string_view>

namespace footlight {

// "train.py:12" for line 12 of "/home/me/train.py"; "cell [3], line 12" for the third cell of a notebook, whose path is
// "cell [3]"; "" without a path.
std::string place_text(std::string_view path, int line);
// The same with the path as it is: "src/train.py:12".
std::string place_text_with_path(std::string_view path, int line);

// Whether the path is that of a notebook's cell. Cells share their names.
bool is_cell(std::string_view path);

}  // namespace footlight
