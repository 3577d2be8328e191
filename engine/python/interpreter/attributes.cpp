// Looks up attributes and items that may be missing, without raising an exception for that.
#include "engine/python/interpreter/attributes.h"

namespace footlight::python {
namespace {

bool answer(int result) {
  if (result < 0) throw PythonErrorSet();
  return result > 0;
}

}  // namespace

Ref optional_attribute(PyObject* object, const char* name) {
  PyObject* found = nullptr;
#if PY_VERSION_HEX >= 0x030D0000
  if (PyObject_GetOptionalAttrString(object, name, &found) < 0) throw PythonErrorSet();
#else
  // Does not create an AttributeError if the type uses the default look-up.
  const Ref text = checked(PyUnicode_InternFromString(name));
  if (_PyObject_LookupAttr(object, text.get(), &found) < 0) throw PythonErrorSet();
#endif
  return Ref::steal(found);
}

bool has_attribute(PyObject* object, const char* name) { return static_cast<bool>(optional_attribute(object, name)); }

bool class_has_attribute(PyObject* object, const char* name) {
  // The usual look-up of a missing attribute raises an exception, which costs as much as many look-ups. It is needed
  // only if a metaclass may have the attribute.
  const Ref key = checked(PyUnicode_InternFromString(name));
  if (_PyType_Lookup(Py_TYPE(object), key.get())) return true;
  if (Py_IS_TYPE(reinterpret_cast<PyObject*>(Py_TYPE(object)), &PyType_Type)) return false;
  return has_attribute(reinterpret_cast<PyObject*>(Py_TYPE(object)), name);
}

PyObject* find_item(PyObject* dict, PyObject* key) {
  PyObject* found = PyDict_GetItemWithError(dict, key);
  if (!found && PyErr_Occurred()) throw PythonErrorSet();
  return found;
}

PyObject* find_item(PyObject* dict, const char* key) {
  return find_item(dict, checked(PyUnicode_InternFromString(key)).get());
}

bool is_instance(PyObject* object, PyObject* classes) { return answer(PyObject_IsInstance(object, classes)); }
bool is_true(PyObject* object) { return answer(PyObject_IsTrue(object)); }
bool are_equal(PyObject* a, PyObject* b) { return answer(PyObject_RichCompareBool(a, b, Py_EQ)); }

}  // namespace footlight::python
