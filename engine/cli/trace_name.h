// FUNCTION or FUNCTION#TRACE, as users name a trace.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace footlight::cli {

struct TraceName {
  std::string function;
  int number = 0;  // from 1; 0: none was named
};

// None if what follows the last # is no number from 1.
std::optional<TraceName> trace_name(std::string_view word);

}  // namespace footlight::cli
