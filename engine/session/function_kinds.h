// Kinds of functions that readers of a recording treat alike.
#pragma once

#include "engine/session/records.h"

namespace footlight::session {

// Whether it is a step function that Keras makes, or one that a stage of a dataset runs.
inline bool is_step_of_library(const FunctionRecord* function) {
  return function && (function->kind == "keras" || function->kind == "dataset");
}

}  // namespace footlight::session
