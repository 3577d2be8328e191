// Finds which lines called the function around a line: in all recorded stacks, the next line of the user's.
#pragma once

#include "app/models/callers.h"

namespace footlight::app {

struct CalledFrom {
  CallerFrame caller;
  uint64_t times = 0;  // in how many stacks it occurs
};
// The most frequent first, at most `most`; empty: nothing is known.
std::vector<CalledFrom> called_from(const Document& document, SourcePlace place, size_t most = 12);

}  // namespace footlight::app
