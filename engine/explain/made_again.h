// Finds traced functions that are made again each time a line runs: a library makes them for a line of the program, or
// they belong to the stages of a pipeline (a tf.data.Dataset) that the line builds.
#pragma once

#include "engine/explain/evidence.h"

#include <vector>

namespace footlight::explain {

// Functions that were made again at one line of the program, by a library or for stages that the line itself adds.
struct MadeAgain {
  Line line;
  CodeId code;
  bool by_library = false;
  std::vector<const FunctionRun*> functions;  // in the order of their first traces

  int64_t tracing_ns() const;
};

// One entry for each line and maker. Leaves out functions of which only one was made from their definition.
std::vector<MadeAgain> made_again_by_line(const Evidence& evidence);

// One run of the line, as far as it was recorded: from the first function that it made to the last trace or element
// there.
struct LineRun {
  int64_t start_ns = 0, end_ns = 0;
  uint64_t elements = 0;    // how many elements pipelines gave to the line
  uint64_t iterations = 0;  // how often the line iterated over a pipeline
};
// The runs of the line. It makes functions in the same order in each run, which tells runs apart; empty where that
// order does not repeat, or where the line calls several functions.
std::vector<LineRun> runs_of_line(const Evidence& evidence, const MadeAgain& made);

}  // namespace footlight::explain
