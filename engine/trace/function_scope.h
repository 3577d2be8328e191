// What one trace of a function knows while it runs: whether variables may be made, and which were.
#pragma once

#include "engine/trace/graph_builder.h"

#include <string>
#include <vector>

namespace footlight::trace {

struct NewVariable {
  Tensor handle;
  Tensor initial;   // symbolic: assigned once the trace is over; empty: assigned already
};

// The trace that is being made on this thread, none outside; what a decision taken meanwhile belongs to.
TraceId current_trace();

// Installed for the time of a trace, innermost wins.
class FunctionScope {
 public:
  FunctionScope(GraphBuilder& builder, std::string function, TraceId trace, bool may_create_variables);
  ~FunctionScope();
  FunctionScope(const FunctionScope&) = delete;
  FunctionScope& operator=(const FunctionScope&) = delete;

  GraphBuilder& builder() { return builder_; }
  const std::vector<NewVariable>& created() const { return created_; }
  TraceId trace() const { return trace_; }
  static FunctionScope* innermost();
  friend TraceId current_trace();

 private:
  friend bool note_variable(const Tensor&, const Tensor&);
  GraphBuilder& builder_;
  std::string function_;
  TraceId trace_;
  bool may_create_;
  std::vector<NewVariable> created_;
  FunctionScope* outer_;
};

// A variable is being made. True: its initial value is symbolic and is assigned when the trace is over.
// False: assign it now. Throws when the function that is being traced must not make one any more.
bool note_variable(const Tensor& handle, const Tensor& initial);

// Runs the initial values of what a trace created, in order, with the arguments of the call that was traced.
void initialise(const FunctionScope&, const Graph&, std::span<const Tensor> arguments,
                std::span<const Tensor> captures);

}  // namespace footlight::trace
