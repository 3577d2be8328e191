// tf.constant, tf.convert_to_tensor, tf.is_tensor etc.: tensors from Python values, and predicates on them.
#include "engine/base/text.h"
#include "engine/eager/execute.h"
#include "engine/ops/builder.h"
#include "engine/ops/functions.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/types/array_memory.h"
#include "engine/python/types/dtype_object.h"
#include "engine/python/calls/library.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/types/shape_object.h"
#include "engine/python/types/tensor_like.h"
#include "engine/python/types/variable_object.h"

#include <cstring>

namespace footlight::python {
namespace {

// A converted Python value as a tensor of its own: a Const node in a graph, a plain tensor outside.
Tensor materialized(Tensor t, std::string_view name) {
  if (t.is_symbolic() || !t.body()->python_number) return t;
  if (this_thread.builder) {
    const DType dtype = t.dtype();
    return apply("Const"_op, {}, Attrs{{AttrName("value"), std::move(t)}, {AttrName("dtype"), dtype}}, name);
  }
  t.body()->python_number = false;
  if (this_thread.device && is_plain(t.dtype())) return copied_to(t, *this_thread.device);
  return t;
}

Tensor filled(const Tensor& t, const Shape& shape) {
  if (!shape.fully_known())
    fail(ErrorKind::kValue, "tf.constant: the shape ", shape.to_string(), " must be fully known");
  const int64_t n = shape.elements();
  if (t.elements() == n) {
    Tensor out = t.reshaped(shape);
    out.body()->python_number = true;
    return out;
  }
  if (t.elements() != 1)
    fail(ErrorKind::kType, "tf.constant: a value of ", t.elements(), " elements (shape ",
         t.shape().to_string(), ") does not fill shape ", shape.to_string(), " of ", n, " elements");
  Tensor out = Tensor::empty(t.dtype(), shape);
  const size_t size = size_of(t.dtype());
  for (int64_t i = 0; i < n; ++i) {
    if (t.dtype() == DType::kString)
      out.data<std::string>()[i] = *t.data<std::string>();
    else
      std::memcpy(static_cast<char*>(out.raw()) + static_cast<size_t>(i) * size, t.raw(), size);
  }
  out.body()->python_number = true;
  return out;
}

std::string name_or(PyObject* name, const char* otherwise) {
  if (!name || name == Py_None) return otherwise;
  if (!PyUnicode_Check(name)) fail(ErrorKind::kType, "name must be a str");
  return std::string(utf8(name));
}

// Whether nested lists contain a tensor or variable: then it is not a constant.
bool holds_tensor(PyObject* o, int depth = 0) {
  if (is_tensor(o) || is_variable(o)) return true;
  if (!PyList_Check(o) && !PyTuple_Check(o)) return false;
  if (depth > 250) fail(ErrorKind::kValue, "Lists nested this deep cannot become a tensor");
  for (Py_ssize_t i = 0; i < Py_SIZE(o); ++i)
    if (holds_tensor(PyList_Check(o) ? PyList_GET_ITEM(o, i) : PyTuple_GET_ITEM(o, i), depth + 1)) return true;
  return false;
}

PyObject* constant(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *value, *dtype = Py_None, *shape = Py_None, *name = nullptr;
  parse_keywords(args, keywords, "O|OOO:constant", {"value", "dtype", "shape", "name"}, &value, &dtype, &shape, &name);
  const DType d = dtype == Py_None ? DType::kInvalid : dtype_from_object(dtype);
  if ((PyList_Check(value) || PyTuple_Check(value)) && holds_tensor(value))
    fail(ErrorKind::kValue, "tf.constant: a list that contains tensors is not a constant; use tf.stack or "
         "tf.convert_to_tensor");
  if ((is_tensor(value) || is_variable(value)) && d != DType::kInvalid &&
      (is_tensor(value) ? tensor_of(value).dtype() : variable_dtype(value)) != d)
    fail(ErrorKind::kType, "tf.constant: a tensor of dtype ",
         name_of(is_tensor(value) ? tensor_of(value).dtype() : variable_dtype(value)), " cannot be converted to ",
         name_of(d), " by itself; use tf.cast");
  if (is_tensor(value) && tensor_of(value).is_symbolic())
    fail(ErrorKind::kType,
         "tf.constant needs a value, which a symbolic tensor does not have. Use the tensor itself, or "
         "tf.identity");
  if (is_tensor(value) && shape == Py_None) return Py_NewRef(value);
  Tensor t = to_tensor(value, d, "value");
  if (shape != Py_None) t = filled(on_host(t), shape_from_object(shape));
  return wrap(materialized(std::move(t), name_or(name, "Const")));
}

PyObject* convert_to_tensor(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *value, *dtype = Py_None, *hint = Py_None, *name = nullptr;
  parse_keywords(args, keywords, "O|OOO:convert_to_tensor", {"value", "dtype", "dtype_hint", "name"}, &value, &dtype,
                 &hint, &name);
  if (dtype == Py_None && is_tensor(value)) return Py_NewRef(value);
  if (is_tensor(value) && tensor_of(value).dtype() == dtype_from_object(dtype)) return Py_NewRef(value);
  Tensor t = dtype == Py_None
                 ? to_tensor_with_hint(value, hint == Py_None ? DType::kInvalid : dtype_from_object(hint))
                 : to_tensor(value, dtype_from_object(dtype), "value");
  return wrap(materialized(std::move(t), name_or(name, "Const")));
}

// An IndexedSlices, a sparse or a ragged tensor.
bool is_several_tensors(PyObject* o) {
  return class_has_attribute(o, "__tensor_fields__") || class_has_attribute(o, "_is_several_tensors");
}

PyObject* py_is_tensor(PyObject*, PyObject* o) {
  if (is_tensor(o) || is_variable(o)) Py_RETURN_TRUE;
  if (PyObject_TypeCheck(o, tensor_like_type)) Py_RETURN_TRUE;
  return guarded([&] { return PyBool_FromLong(is_several_tensors(o)); });
}
PyObject* is_symbolic_tensor(PyObject*, PyObject* o) {
  return PyBool_FromLong(is_tensor(o) && tensor_of(o).is_symbolic());
}

PyObject* get_static_value(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject* o;
  int partial = 0;
  parse_keywords(args, keywords, "O|p:get_static_value", {"tensor", "partial"}, &o, &partial);
  if (is_variable(o)) Py_RETURN_NONE;  // its value may change
  if (is_several_tensors(o)) Py_RETURN_NONE;
  if (!is_tensor(o)) return Py_NewRef(o);
  const Tensor t = known_value(to_tensor(o));
  if (!t || t.is_symbolic()) Py_RETURN_NONE;  // a tensor of a graph that is not being built
  return numpy_value(t).release();
}

PyMethodDef functions[] = {
    {"constant", as_method(guard<constant>), METH_VARARGS | METH_KEYWORDS,
     "constant(value, dtype=None, shape=None, name='Const')\n--\n\n"
     R"(A tensor of a Python value: a number, a str, an array, or lists of these.

  >>> tf.constant([1, 2, 3])
  <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>
  >>> print(tf.constant(0.5, shape=[2]))
  tf.Tensor([0.5 0.5], shape=(2,), dtype=float32)

Args:
  value: the value.
  dtype: the dtype; without it int32 for Python's ints, float32 for its floats, and that of an array.
  shape: the shape; a single value fills it.
  name: a str, the name of the operation in a graph.)"},
    {"convert_to_tensor", as_method(guard<convert_to_tensor>), METH_VARARGS | METH_KEYWORDS,
     "convert_to_tensor(value, dtype=None, dtype_hint=None, name=None)\n--\n\n"
     R"(A tensor of whatever can be one; a tensor is returned as it is.

  >>> print(tf.convert_to_tensor([1, 2], dtype_hint=tf.float32))
  tf.Tensor([1. 2.], shape=(2,), dtype=float32)
  >>> print(tf.convert_to_tensor(tf.Variable(3)))
  tf.Tensor(3, shape=(), dtype=int32)

Args:
  value: a tensor, a variable, a Python value, an array, or an object with __tf_tensor__ or __array__.
  dtype: the dtype that the tensor must have.
  dtype_hint: the dtype to take where the value can have it.
  name: a str, the name of the operation in a graph.)"},
    {"is_tensor", py_is_tensor, METH_O, "is_tensor(x)\n--\n\nWhether it is a tensor or variable."},
    {"is_symbolic_tensor", is_symbolic_tensor, METH_O,
     "is_symbolic_tensor(tensor)\n--\n\nWhether it is a tensor of a graph, without a value."},
    {"get_static_value", as_method(guard<get_static_value>), METH_VARARGS | METH_KEYWORDS,
     "get_static_value(tensor, partial=False)\n--\n\nThe value as NumPy sees it when it is known, else "
     "None."}};

}  // namespace

void init_constant() { for (PyMethodDef& f : functions) publish_function(f.ml_name, &f); }

}  // namespace footlight::python
