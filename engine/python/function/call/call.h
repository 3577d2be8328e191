// The hot path: a call of a tf.function object, from its arguments to its results.
#pragma once

#include "engine/python/function/function_object.h"

namespace footlight::python {

// The vectorcall of tf.function objects.
PyObject* call_function(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames);

// The key of a call: context, the instance, then each parameter.
void write_key(FunctionCore&, std::span<PyObject* const> values, CallKey&);
// Converts arguments to tensors: a pure implementation (FunctionOptions::pure) gets no variables and numbers.
void make_tensors(BoundArguments&);
Ref run_entry(TraceEntry&, std::span<const Tensor> arguments, CallId);

}  // namespace footlight::python
