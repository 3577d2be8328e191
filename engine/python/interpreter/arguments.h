// Arguments of methods that are called with keywords.
#pragma once

#include "engine/python/interpreter/ref.h"

#include <algorithm>
#include <cstddef>

namespace footlight::python {

// A C function of any of Python's signatures, for a PyMethodDef.
template <class Result, class... Arguments>
PyCFunction as_method(Result (*f)(Arguments...)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
}

// As PyArg_ParseTupleAndKeywords; throws. parse_keywords(args, keywords, "O|p:name", {"value", "flag"}, &value, &flag)
template <size_t count, class... Places>
void parse_keywords(PyObject* args, PyObject* keywords, const char* format, const char* const (&names)[count],
                    Places... places) {
  char* list[count + 1] = {};
  std::transform(names, names + count, list, [](const char* name) { return const_cast<char*>(name); });
  if (!PyArg_ParseTupleAndKeywords(args, keywords, format, list, places...)) throw PythonErrorSet();
}

}  // namespace footlight::python
