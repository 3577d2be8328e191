// The parts of this folder that are added to the extension module `footlight_recorder._recorder`.
#pragma once

#include "engine/python/interpreter/exceptions.h"

namespace footlight::python {

// Throws PythonErrorSet with a Python exception set.
void init_recording(PyObject* module);
void init_records(PyObject* module);
void init_keys(PyObject* module);
void init_recorded_callables(PyObject* module);
void init_spans(PyObject* module);
void init_watched_calls(PyObject* module);
void init_executable_uses(PyObject* module);

}  // namespace footlight::python
