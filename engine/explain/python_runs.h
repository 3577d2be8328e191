// Sums the time of Python functions that a pipeline's stage calls through py_function and numpy_function.
#pragma once

#include "engine/explain/evidence.h"

#include <string>

namespace footlight::explain {

struct PythonRuns {
  std::string name;      // the function that took longest
  uint64_t runs = 0;
  int64_t spent_ns = 0;
  int64_t busy_ns = 0;   // the part of it in which it computed and did not wait
};

// The sums for the stage; without runs if its graph calls no Python.
PythonRuns python_runs_of(const Evidence& evidence, const PipelineStage& stage);

// The last observation of each node that runs Python. Its counts include those of the earlier ones.
std::vector<const session::ObservationRecord*> python_nodes(const Evidence& evidence);

}  // namespace footlight::explain
