// The engine under which a function ran: fixes are written in its words.
#pragma once

#include "engine/explain/evidence.h"
#include "engine/session/function_kinds.h"
#include "engine/source/line.h"

namespace footlight::explain {

// A jitted function, or the body of a loop or branch that runs outside of one, for which JAX makes a trace too.
inline bool is_jax(const session::FunctionRecord* function) {
  return function && (function->kind == "jit" || function->kind == "eager");
}
inline bool is_jax(const FunctionRun& run) { return is_jax(run.record); }
inline bool is_jax(const Evidence& evidence, FunctionId function) {
  const auto run = evidence.functions().find(function);
  return run != evidence.functions().end() && is_jax(run->second);
}
// The kind of a function that a library made for itself: it is kept, and never blamed.
inline constexpr const char* kInternal = "internal";
inline bool is_internal(const session::FunctionRecord& function) { return function.kind == kInternal; }
using session::is_step_of_library;
// What TorchDynamo makes of the rest of a function after a graph break.
inline bool is_resume(const session::FunctionRecord& function) { return function.kind == "resume"; }
// A code object that TorchDynamo compiles.
inline bool is_torch(const session::FunctionRecord* function) {
  return function && (function->kind == "dynamo" || is_resume(*function));
}
inline bool is_torch(const FunctionRun& run) { return is_torch(run.record); }
// A function that a library made for a call such as `fit`, whose line it has: nobody can edit its definition or calls.
inline bool is_made_by_library(const Evidence& evidence, const FunctionRun& run) {
  if (!run.record || is_jax(run) || is_torch(run)) return false;
  if (run.record->kind == "keras") return true;
  const std::string_view text = evidence.text({run.record->file, run.record->line});
  return !source::is_definition(text) && source::find_call(text, "function") == text.npos;
}
// The path of the leaf that says which backend compiled a trace.
inline constexpr const char* kBackend = "context.backend";
inline bool has_tensorflow(const std::vector<session::ProcessRecord>& processes) {
  for (const session::ProcessRecord& process : processes)
    if (process.engine == "tensorflow") return true;
  return false;
}
// "jax", "torch", "tensorflow", "footlight". The last two share their kinds of functions: `tensorflow` says which ran.
inline const char* engine_of(const session::FunctionRecord& function, bool tensorflow) {
  return is_jax(&function) ? "jax" : is_torch(&function) ? "torch" : tensorflow ? "tensorflow" : "footlight";
}
inline bool is_of_another_engine(const session::FunctionRecord* function,
                                 const std::vector<session::ProcessRecord>& processes) {
  return function && engine_of(*function, has_tensorflow(processes)) != std::string_view("footlight");
}

}  // namespace footlight::explain
