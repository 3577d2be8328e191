// The engine under which a function ran: fixes are written in its words.
#pragma once

#include "engine/explain/evidence.h"

namespace footlight::explain {

inline bool is_jax(const session::FunctionRecord* function) { return function && function->kind == "jit"; }
inline bool is_jax(const FunctionRun& run) { return is_jax(run.record); }
// "jax", "footlight"
inline const char* engine_of(const session::FunctionRecord& function) {
  return is_jax(&function) ? "jax" : "footlight";
}

}  // namespace footlight::explain
