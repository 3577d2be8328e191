// Which lines called the function that a line is in: of all stacks that were recorded, the next line of the person's.
#pragma once

#include "app/models/callers.h"

namespace footlight::app {

struct CalledFrom {
  CallerFrame caller;
  uint64_t times = 0;  // in how many stacks
};
// The most frequent first, at most `most`; empty: nothing is known.
std::vector<CalledFrom> called_from(const Document& document, SourcePlace place, size_t most = 12);

}  // namespace footlight::app
