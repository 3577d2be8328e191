// Members that tensors get while the program runs: tensor_members({"T": property, "reshape": function, ...}).
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/types/tensor_members.h"

#include <utility>

namespace footlight::python {
namespace {

PyObject* late_members = nullptr;  // a dict, once there is one; never given back

PyObject* tensor_members(PyObject*, PyObject* members) {
  if (!PyDict_Check(members)) {
    PyErr_SetString(PyExc_TypeError, "tensor_members: a dict is wanted");
    return nullptr;
  }
  Py_INCREF(members);
  Py_XSETREF(late_members, members);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"tensor_members", tensor_members, METH_O,
     "tensor_members(members)\n--\n\nGives all tensors members besides those of their type."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

Ref late_member(PyObject* tensor, PyObject* name) {
  PyObject* member = late_members ? find_item(late_members, name) : nullptr;
  if (!member) return {};
  Ref held = Ref::borrow(member);
  const descrgetfunc get = Py_TYPE(member)->tp_descr_get;
  return get ? checked(get(member, tensor, reinterpret_cast<PyObject*>(Py_TYPE(tensor)))) : std::move(held);
}

void init_late_members(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet();
}

}  // namespace footlight::python
