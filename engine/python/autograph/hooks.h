// Functions through which engine/python/function steers converted code. All are null where nobody has installed them.
#pragma once

#include "engine/python/interpreter/ref.h"

#include <string>

namespace footlight::python {

struct AutographHooks {
  // Called for every call that converted code makes while something is recorded. install_hooks.cpp installs it.
  void (*converted_call)(PyObject* callable, PyObject* const* args, Py_ssize_t count) = nullptr;
  // Called for every `if` of converted code that Python decides while something is recorded.
  void (*decided)(const std::string& file, int line, bool body) = nullptr;
  // The same as converted_call for every call of a function that do_not_convert() wraps, such as Keras' own steps.
  void (*unconverted_call)(PyObject* function) = nullptr;
};
extern constinit AutographHooks autograph_hooks;

}  // namespace footlight::python
