// The origin of a traced function, for messages and for a session.
#pragma once

#include "engine/python/interpreter/ref.h"

#include <string>

namespace footlight::python {

// Logs a warning through Python's logging, as TensorFlow does.
void log_warning(const std::string& text);
// "train.py:14", where the code of a callable begins; empty if it has none.
std::string definition_place(PyObject* callable);
// The name itself, unless a library makes the function under one that its users know better.
std::string name_by_library(std::string qualified_name);

}  // namespace footlight::python
