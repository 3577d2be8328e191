// How long the Python functions ran that a pipeline's stage calls: py_function and numpy_function.
#pragma once

#include "engine/explain/evidence.h"

#include <string>

namespace footlight::explain {

struct PythonRuns {
  std::string name;  // of the function that took longest
  uint64_t runs = 0;
  int64_t spent_ns = 0;
  int64_t busy_ns = 0;  // of that, the time in which it computed and did not wait
};

// Of the functions that the stage's graph calls; no runs: it calls none.
PythonRuns python_runs_of(const Evidence& evidence, const PipelineStage& stage);

// The last observation of each node that runs Python: their counts grow.
std::vector<const session::ObservationRecord*> python_nodes(const Evidence& evidence);

}  // namespace footlight::explain
