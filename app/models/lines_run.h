// Tells which lines of a function ran in one trace, from its decisions and from the lines that made nodes.
#pragma once

#include "app/models/source_lines.h"

#include <string>
#include <vector>

namespace footlight::app {

enum class Ran { kNo, kMaybe, kYes };

// What is recorded of one line in the trace.
struct LineSeen {
  bool made_nodes = false;
  std::vector<const Way*> ways;  // its decisions
};

// For each line, whether its statement ran; a line of its own for each of `lines` and `seen`. A statement is known to
// have run if a later one of its block has, or if nothing before it may have left the function, the loop or a `try`.
std::vector<Ran> lines_that_ran(const std::vector<CodeLine>& lines, const std::vector<LineSeen>& seen);

}  // namespace footlight::app
