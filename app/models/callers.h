// The recorded stack above a node, a line, a trace or a call.
#pragma once

#include "app/models/selection.h"

#include <string>
#include <vector>

namespace footlight::app {

struct CallerFrame {
  std::string name;  // name of the function around the place
  SourcePlace place;
  friend bool operator==(const CallerFrame&, const CallerFrame&) = default;
};

// The innermost first; empty: nothing is known beyond the place itself. On the store's thread.
std::vector<CallerFrame> find_callers(const query::Store& store, const Selection& selection);

}  // namespace footlight::app
