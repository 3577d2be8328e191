// What this folder adds to the extension module: the exception classes, source positions, and `extend`.
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/source.h"

namespace footlight::python {
namespace {

// Adds members written in Python to a type made in C++.
PyObject* extend(PyObject*, PyObject* args) {
  PyObject *type, *name, *member;
  if (!PyArg_ParseTuple(args, "O!UO:extend", &PyType_Type, &type, &name, &member)) return nullptr;
  auto* t = reinterpret_cast<PyTypeObject*>(type);
  if (PyDict_SetItem(t->tp_dict, name, member) < 0) return nullptr;
  PyType_Modified(t);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"extend", extend, METH_VARARGS, "extend(type, name, member)\n--\n\nGives a type a member."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_interpreter(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet();
  init_errors();
  init_source();
}

}  // namespace footlight::python
