// The target of a weak reference, for each Python version.
#pragma once

#include "engine/python/interpreter/ref.h"

namespace footlight::python {

// Empty if the object is dead.
inline Ref weak_target(PyObject* reference) {
#if PY_VERSION_HEX >= 0x030D0000
  PyObject* object = nullptr;
  if (PyWeakref_GetRef(reference, &object) < 0) throw PythonErrorSet();
  return Ref::steal(object);
#else
  PyObject* object = PyWeakref_GetObject(reference);
  return object == Py_None ? Ref() : Ref::borrow(object);
#endif
}

}  // namespace footlight::python
