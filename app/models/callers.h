// The recorded stack above a node, a line, a trace or a call.
#pragma once

#include "app/models/selection.h"

#include <string>
#include <vector>

namespace footlight::app {

// Whether the caller runs the body of its own statement: in converted code the body of a loop or an if is a function.
bool is_own_block(const session::CodeRecord* caller, const session::CodeRecord* body);

struct CallerFrame {
  std::string name;  // name of the function around the place
  SourcePlace place;
  friend bool operator==(const CallerFrame&, const CallerFrame&) = default;
};

// The innermost first; empty: nothing is known beyond the place itself. On the store's thread.
std::vector<CallerFrame> find_callers(const query::Store& store, const Selection& selection);

}  // namespace footlight::app
