// Words for a line of a file, or of a cell of a notebook.
#include "engine/base/place.h"

namespace footlight {

bool is_cell(std::string_view path) { return path.starts_with("cell [") && path.ends_with(']'); }

std::string place_text_with_path(std::string_view path, int line) {
  if (path.empty()) return {};
  return std::string(path) + (is_cell(path) ? ", line " : ":") + std::to_string(line);
}

std::string place_text(std::string_view path, int line) {
  return place_text_with_path(path.substr(path.rfind('/') + 1), line);
}

}  // namespace footlight
