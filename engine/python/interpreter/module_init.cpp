// Adds the exception classes, source positions and `extend` to the extension module.
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/source.h"
#include "engine/python/interpreter/text.h"

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

PyObject* public_namespace(PyObject*, PyObject* name) {
  return Py_NewRef(namespace_of(std::string(utf8(name)).c_str()));
}

PyMethodDef functions[] = {{"namespace", guard<public_namespace>, METH_O,
                            "namespace(name)\n--\n\nThe public namespace \"a.b\", made at first use."},
                           {"extend", extend, METH_VARARGS, "extend(type, name, member)\n--\n\nGives a type a member."},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_interpreter(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet();
  init_errors();
  init_source();
}

}  // namespace footlight::python
