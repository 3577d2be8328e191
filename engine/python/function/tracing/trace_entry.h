// One trace of a Python function: the engine's trace, and what Python needs to call it, print it and hand it out.
#pragma once

#include "engine/python/function/call/binding.h"
#include "engine/python/function/call/output.h"
#include "engine/trace/function.h"

#include <memory>
#include <string>
#include <vector>

namespace footlight::python {

// A capture that is not simply the one of the trace.
struct CapturedValue {
  Ref value;  // a tensor, a variable, or a function that is asked at each call
  Ref spec;   // of what such a function gives, if it is known; else it is one tensor
};

struct TracedValues;
class TraceState;
struct TraceEntry final : trace::Trace {
  OutputTemplate outputs;
  bool single_tensor = false;            // the whole result is one tensor
  bool long_work = false;                // long enough to release the GIL
  std::vector<std::string> input_types;  // per flat parameter: "TensorSpec(shape=(), ...)", for printing
  std::vector<std::string> input_names;  // "x", "args_0"
  std::vector<FunctionParameter::Kind> input_kinds;
  std::vector<std::vector<size_t>> leaves_of;  // per parameter: its tensors among the inputs
  Ref structured_args, structured_kwargs;
  std::string output_type;
  std::vector<Ref> captured_variables;   // empty references for captures that are not variables
  Ref object;                            // a weak reference to the ConcreteFunction, once one was made
  std::shared_ptr<TracedValues> traced;  // only while tracing
  std::shared_ptr<TraceState> state;     // of a recorded trace that has read any
  std::shared_ptr<trace::Concrete> open;  // the same graph with its captures as arguments; made when asked for
  std::vector<std::string>
      tensor_names;  // of each tensor among the arguments: "x", or as the user named its spec
  std::vector<std::shared_ptr<TraceEntry>> renamed;  // the same trace under other such names
  std::vector<CapturedValue> replaced;  // instead of the captures of `concrete`, in their order; empty: those
};

}  // namespace footlight::python
