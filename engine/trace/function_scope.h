// The state of a trace in progress: whether variables may be created, and which get their values from the graph.
#pragma once

#include "engine/trace/graph_builder.h"

#include <string>
#include <vector>

namespace footlight::trace {

// The trace in progress on this thread, if any; decisions are recorded for it.
TraceId current_trace();

// What is known from a function's calls so far about variables that it creates.
enum class Variables : uint8_t { kMayBeMade, kNone, kMade };

// Installed while tracing; the innermost one is active.
class FunctionScope {
 public:
  FunctionScope(GraphBuilder& builder, std::string function, TraceId trace, Variables variables);
  ~FunctionScope();
  FunctionScope(const FunctionScope&) = delete;
  FunctionScope& operator=(const FunctionScope&) = delete;

  bool made_variables() const { return made_; }
  // Handles of variables that have a value only once the graph has run, in order of creation.
  const std::vector<Tensor>& set_by_graph() const { return set_by_graph_; }
  TraceId trace() const { return trace_; }
  static FunctionScope* innermost();
  Tensor note(const Tensor& handle, const Tensor& initial, bool lifted);  // see note_variable
  friend TraceId current_trace();

 private:
  GraphBuilder& builder_;
  std::string function_;
  TraceId trace_;
  Variables variables_;
  bool made_ = false;
  std::vector<Tensor> set_by_graph_;
  FunctionScope* outer_;
};

// Called when a variable is created. Returns the value to give it now; a tensor of the trace is computed outside of it.
// Empty if the value depends on the function's arguments or on variables, so that only the graph can compute it, in
// program order with other effects. Throws if the function must not create variables any more. `lifted` is false if the
// user wants it created as if outside of the function: in any trace, from a known value.
Tensor note_variable(const Tensor& handle, const Tensor& initial, bool lifted);

}  // namespace footlight::trace
