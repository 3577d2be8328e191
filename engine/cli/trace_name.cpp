// Takes the names of traces apart.
#include "engine/cli/trace_name.h"

#include <charconv>

namespace footlight::cli {

std::optional<TraceName> trace_name(std::string_view word) {
  const size_t hash = word.rfind('#');
  TraceName name{std::string(word.substr(0, hash)), 0};
  if (hash == word.npos) return name;
  const char* const end = word.data() + word.size();
  const auto read = std::from_chars(word.data() + hash + 1, end, name.number);
  if (read.ec != std::errc() || read.ptr != end || name.number < 1) return std::nullopt;
  return name;
}

}  // namespace footlight::cli
