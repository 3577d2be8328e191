// A cache miss: the function is run once with symbolic arguments, and the trace becomes a concrete function.
#pragma once

#include "engine/python/function/function_object.h"

namespace footlight::python {

// The trace itself or, where specs among the arguments have other names than those that it was traced with,
// one that has these.
std::shared_ptr<TraceEntry> with_names(FunctionCore&, const std::shared_ptr<TraceEntry>&,
                                       std::span<PyObject* const> values);

}  // namespace footlight::python
