// Traced functions that are made again each time a line runs: those that a library makes for a line of the program,
// and those of a pipeline's stages.
#pragma once

#include "engine/explain/evidence.h"

#include <vector>

namespace footlight::explain {

// What was made at one line of the program: functions that a library made there, or the functions of its own stages.
struct MadeAt {
  Line line;
  CodeId code;
  bool by_library = false;
  std::vector<const FunctionRun*> functions;  // in the order of their first traces

  int64_t tracing_ns() const;
};

// By line, then by who made them: functions of which there are several from one definition.
std::vector<MadeAt> made_at_lines(const Evidence& evidence);

// A file of the program's own: nobody is to edit that of a library.
bool is_own(const Evidence& evidence, const Line& line);

// One run of the line, as far as it was recorded: from the first function that it made to the last trace or element
// there.
struct LineRun {
  int64_t start_ns = 0, end_ns = 0;
  uint64_t elements = 0;    // that pipelines gave to the line
  uint64_t iterations = 0;  // over pipelines
};
// The runs of such a line, told apart by the order in which functions are made, which repeats; empty where it does not,
// or where the line calls several functions.
std::vector<LineRun> runs_of_line(const Evidence& evidence, const MadeAt& made);

}  // namespace footlight::explain
