// ConcreteFunction: one trace as an object that can be called, printed and inspected.
#pragma once

#include "engine/python/function/tracing/trace_entry.h"

#include <memory>

namespace footlight::python {

Ref concrete_object(PyObject* function, const std::shared_ptr<TraceEntry>&);
// The trace of a ConcreteFunction; throws TypeError for anything else.
std::shared_ptr<TraceEntry> concrete_entry(PyObject*);
// The number, in the recording that runs, of the function whose trace a ConcreteFunction is.
FunctionId concrete_function(PyObject*);
void init_concrete(PyObject* module);

}  // namespace footlight::python
