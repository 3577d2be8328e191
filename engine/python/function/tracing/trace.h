// A cache miss: the function is run once with symbolic arguments, and the trace becomes a concrete function.
#pragma once

#include "engine/python/function/function_object.h"

namespace footlight::python {

// Returns a trace whose parameters have the names of the specs among the arguments: the given one, or a copy of it if
// it was traced with other names.
std::shared_ptr<TraceEntry> with_names(FunctionCore&, const std::shared_ptr<TraceEntry>&,
                                       std::span<PyObject* const> values);

}  // namespace footlight::python
