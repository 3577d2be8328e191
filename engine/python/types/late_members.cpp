// What tensors get while the program runs: members, tensor_members({"T": property, "reshape": function, ...}), and
// operators with NumPy's rules in the place of the plain ones, numpy_operators(promote, matmul, getitem). Variables:
// whether tapes watch them, set_trainable(variable, yes).
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/types/tensor_members.h"
#include "engine/python/types/variable_object.h"
#include "engine/tensor/variable.h"

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

// Functions of Python; never given back.
PyObject *promote = nullptr, *matmul = nullptr, *getitem = nullptr;

// Calls `plain` with the operands that promote(a, b) returns, and the third thing that it may return, a function, with
// the result.
template <class Plain>
PyObject* promoted(PyObject* a, PyObject* b, Plain&& plain) {
  const Ref operands = Ref::steal(PyObject_CallFunctionObjArgs(promote, a, b, nullptr));
  if (!operands) return nullptr;
  PyObject *x, *y, *finish = nullptr;
  if (!PyArg_ParseTuple(operands.get(), "OO|O", &x, &y, &finish)) return nullptr;
  Ref result = Ref::steal(plain(x, y));
  if (!result || !finish || result.get() == Py_NotImplemented) return result.release();
  return PyObject_CallFunctionObjArgs(finish, result.get(), nullptr);
}
template <binaryfunc PyNumberMethods::* Slot>
struct Promoting {
  static inline binaryfunc plain = nullptr;
  static PyObject* call(PyObject* a, PyObject* b) { return promoted(a, b, plain); }
  static void install() {
    if (!plain) plain = tensor_type->tp_as_number->*Slot;
    tensor_type->tp_as_number->*Slot = variable_type->tp_as_number->*Slot = call;
  }
};
ternaryfunc plain_power = nullptr;
PyObject* promoting_power(PyObject* a, PyObject* b, PyObject* modulus) {
  return promoted(a, b, [&](PyObject* x, PyObject* y) { return plain_power(x, y, modulus); });
}
richcmpfunc plain_compare = nullptr;
PyObject* promoting_compare(PyObject* a, PyObject* b, int op) {
  return promoted(a, b, [&](PyObject* x, PyObject* y) { return plain_compare(x, y, op); });
}
PyObject* multiply_matrices(PyObject* a, PyObject* b) { return PyObject_CallFunctionObjArgs(matmul, a, b, nullptr); }
// NotImplemented from Python: the plain operator does it.
template <PyTypeObject* const& Type>
struct Subscript {
  static inline binaryfunc plain = nullptr;
  static PyObject* call(PyObject* self, PyObject* key) {
    Ref found = Ref::steal(PyObject_CallFunctionObjArgs(getitem, self, key, nullptr));
    return found.get() == Py_NotImplemented ? plain(self, key) : found.release();
  }
  static void install() {
    if (!plain) plain = Type->tp_as_mapping->mp_subscript;
    Type->tp_as_mapping->mp_subscript = call;
  }
};

PyObject* numpy_operators(PyObject*, PyObject* args) {
  PyObject *p, *m, *g;
  if (!PyArg_ParseTuple(args, "OOO", &p, &m, &g)) return nullptr;
  for (auto [place, given] : {std::pair{&promote, p}, {&matmul, m}, {&getitem, g}}) {
    Py_INCREF(given);
    Py_XSETREF(*place, given);
  }
  Promoting<&PyNumberMethods::nb_add>::install();
  Promoting<&PyNumberMethods::nb_subtract>::install();
  Promoting<&PyNumberMethods::nb_multiply>::install();
  Promoting<&PyNumberMethods::nb_remainder>::install();
  Promoting<&PyNumberMethods::nb_floor_divide>::install();
  Promoting<&PyNumberMethods::nb_true_divide>::install();
  Promoting<&PyNumberMethods::nb_and>::install();
  Promoting<&PyNumberMethods::nb_or>::install();
  Promoting<&PyNumberMethods::nb_xor>::install();
  if (!plain_power) plain_power = tensor_type->tp_as_number->nb_power;
  if (!plain_compare) plain_compare = tensor_type->tp_richcompare;
  for (PyTypeObject* type : {tensor_type, variable_type}) {
    type->tp_as_number->nb_power = promoting_power;
    type->tp_as_number->nb_matrix_multiply = multiply_matrices;
    type->tp_richcompare = promoting_compare;
    PyType_Modified(type);
  }
  Subscript<tensor_type>::install();
  Subscript<variable_type>::install();
  Py_RETURN_NONE;
}

PyObject* set_trainable(PyObject*, PyObject* args) {
  PyObject* variable;
  int yes;
  if (!PyArg_ParseTuple(args, "O!p:set_trainable", variable_type, &variable, &yes)) throw PythonErrorSet();
  Variable* const held = variable_of(variable_handle(variable));
  if (!held)
    fail(ErrorKind::kValue, "Variable._trainable: a variable that is an argument of a traced function is trained or "
         "not outside of it. Set it before the call");
  held->set_trainable(yes);
  return Py_NewRef(Py_None);
}

PyMethodDef functions[] = {
    {"set_trainable", guard<set_trainable>, METH_VARARGS,
     "set_trainable(variable, yes)\n--\n\nSays whether tapes watch a variable by themselves."},
    {"tensor_members", tensor_members, METH_O,
     "tensor_members(members)\n--\n\nGives all tensors members besides those of their type."},
    {"numpy_operators", numpy_operators, METH_VARARGS,
     "numpy_operators(promote, matmul, getitem)\n--\n\nOperators call these instead of being plain."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

Ref late_member(PyObject* tensor, PyObject* name) {
  PyObject* member = late_members ? find_item(late_members, name) : nullptr;
  if (!member) return {};
  Ref held = Ref::borrow(member);
  const descrgetfunc get = Py_TYPE(member)->tp_descr_get;
  return get ? checked(get(member, tensor, reinterpret_cast<PyObject*>(Py_TYPE(tensor)))) : std::move(held);
}

void init_late_members(PyObject* module) { if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet(); }

}  // namespace footlight::python
