// The state of a trace in progress: whether variables may be created, and which were.
#pragma once

#include "engine/trace/graph_builder.h"

#include <string>
#include <vector>

namespace footlight::trace {

struct NewVariable {
  Tensor handle;
  Tensor initial;   // symbolic: assigned after tracing; empty: already assigned
};

// The trace in progress on this thread, if any; decisions are recorded for it.
TraceId current_trace();

// Installed while tracing; the innermost one is active.
class FunctionScope {
 public:
  FunctionScope(GraphBuilder& builder, std::string function, TraceId trace, bool may_create_variables);
  ~FunctionScope();
  FunctionScope(const FunctionScope&) = delete;
  FunctionScope& operator=(const FunctionScope&) = delete;

  GraphBuilder& builder() { return builder_; }
  const std::vector<NewVariable>& created() const { return created_; }
  TraceId trace() const { return trace_; }
  const std::string& function() const { return function_; }
  FunctionScope* outer() const { return outer_; }
  bool note(const Tensor& handle, const Tensor& initial);  // see note_variable
  static FunctionScope* innermost();
  friend TraceId current_trace();

 private:
  GraphBuilder& builder_;
  std::string function_;
  TraceId trace_;
  bool may_create_;
  std::vector<NewVariable> created_;
  FunctionScope* outer_;
};

// A variable is being created. True: its initial value is symbolic and is assigned after tracing.
// False: assign it now. Throws if the function being traced must not create variables any more.
bool note_variable(const Tensor& handle, const Tensor& initial);

// Computes the initial values of variables that a trace created, in order, with the arguments of the traced call. Where
// these are symbols of a trace around it, that one computes them when it is done.
void initialise(const FunctionScope&, const Graph&, std::span<const Tensor> arguments,
                std::span<const Tensor> captures);

}  // namespace footlight::trace
