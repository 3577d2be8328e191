// The rarer members of tf.Tensor: of sessions, of Python's numbers, lists of operators.
#include "engine/python/types/tensor_members.h"

#include "engine/base/text.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/types/convert.h"
#include "engine/python/interpreter/members.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/graph_object.h"

namespace footlight::python {
namespace {

PyObject* complex_number(PyObject* self, PyObject*) {
  if (tensor_of(self).is_symbolic())
    fail(ErrorKind::kType, "complex() first argument must be a value, not a symbolic tensor: it has none while the "
         "function is being traced");
  const Tensor t = on_host(tensor_of(self));
  if (t.shape().rank() != 0) fail(ErrorKind::kType, "only 0-dimensional arrays can be converted to Python scalars");
  Ref value = python_value(t);
  if (PyBytes_Check(value.get()))
    fail(ErrorKind::kType, "complex() first argument must be a string or a number, not 'bytes'");
  const Py_complex c = PyComplex_AsCComplex(value.get());
  if (c.real == -1 && PyErr_Occurred()) throw PythonErrorSet();
  return PyComplex_FromCComplex(c);
}

PyObject* eval(PyObject* self, PyObject*, PyObject*) {
  if (tensor_of(self).is_symbolic())
    fail(ErrorKind::kValue, "a symbolic tensor cannot be evaluated with `eval()`: no default session is registered; "
         "return it from the traced function instead");
  fail(ErrorKind::kNotImplemented, "eval is not supported when eager execution is enabled, is .numpy() what you're "
       "looking for?");
}

PyObject* consumers(PyObject* self, PyObject*) {
  const Tensor& t = tensor_of(self);
  if (!t.is_symbolic())
    fail(ErrorKind::kNotImplemented, "Tensor.consumers is undefined when eager execution is enabled.");
  Ref graph = graph_of(t);
  Ref name = checked(PyObject_GetAttrString(self, "name"));
  Ref all = checked(PyObject_CallMethod(graph.get(), "get_operations", nullptr));
  Ref list = checked(PyList_New(0));
  for (PyObject* operation : Items(all.get())) {
    Ref inputs = checked(PyObject_GetAttrString(operation, "inputs"));
    for (PyObject* input : Items(inputs.get())) {
      Ref other = checked(PyObject_GetAttrString(input, "name"));
      if (!are_equal(other.get(), name.get())) continue;
      if (PyList_Append(list.get(), operation) < 0) throw PythonErrorSet();
      break;
    }
  }
  return list.release();
}

PyMethodDef methods[] = {
    {"__complex__", guard<complex_number>, METH_NOARGS, nullptr},
    {"eval", as_method(guard<eval>), METH_VARARGS | METH_KEYWORDS,
     "eval(feed_dict=None, session=None)\n--\n\nOf TensorFlow 1; there are no sessions."},
    {"consumers", guard<consumers>, METH_NOARGS, "consumers()\n--\n\nThe operations of its graph that take it."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef properties[] = {
    {"is_packed", [](PyObject*, void*) { return Py_NewRef(Py_False); }, nullptr,
     "Whether it stands for several tensors on several devices: never.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

void init_tensor_members() {
  add_methods(tensor_type, methods);
  add_properties(tensor_type, properties);
  Ref operators = checked(PySet_New(nullptr));
  for (const char* name :
       {"abs", "add", "and", "div", "eq", "floordiv", "ge", "getitem", "gt", "invert", "le", "lt", "matmul", "mod",
        "mul", "ne", "neg", "or", "pow", "radd", "rand", "rdiv", "rfloordiv", "rmatmul", "rmod", "rmul", "ror", "rpow",
        "rsub", "rtruediv", "rxor", "sub", "truediv", "xor"}) {
    Ref text = checked(PyUnicode_FromString(str("__", name, "__").c_str()));
    if (PySet_Add(operators.get(), text.get()) < 0) throw PythonErrorSet();
  }
  if (PyDict_SetItemString(tensor_type->tp_dict, "OVERLOADABLE_OPERATORS", operators.get()) < 0) throw PythonErrorSet();
  init_dlpack();
}

}  // namespace footlight::python
