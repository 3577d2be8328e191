// tf.TensorSpec: an immutable (shape, dtype, name), and how two of them relate.
#include "engine/python/types/spec_object.h"

#include "engine/base/text.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/types.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/dtype_object.h"
#include "engine/python/interpreter/members.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/types/shape_object.h"
#include "engine/python/types/variable_object.h"

namespace footlight::python {
namespace {

struct PySpec {
  PyObject_HEAD
  SpecValue value;
};
PyTypeObject base = {PyVarObject_HEAD_INIT(nullptr, 0)};
PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};

std::string name_from(PyObject* o) {
  if (!o || o == Py_None) return {};
  if (!PyUnicode_Check(o)) fail(ErrorKind::kType, "TensorSpec: name must be a str or None");
  return std::string(utf8(o));
}

// A spec, tensor or variable as a spec.
SpecValue described(PyObject* o) {
  if (is_spec(o)) return spec_of(o);
  if (is_tensor(o)) return {tensor_of(o).dtype(), tensor_of(o).shape(), {}, false};
  if (is_variable(o)) return {variable_dtype(o), variable_shape(o), {}, false};
  const Tensor t = to_tensor(o);
  return {t.dtype(), t.shape(), {}, false};
}

// For classes of users: what they say in __init__ is theirs.
PyObject* construct_base(PyTypeObject* kind, PyObject*, PyObject*) {
  if (kind == &base) {
    PyErr_SetString(PyExc_TypeError, "tf.TypeSpec is abstract: derive a class from it");
    return nullptr;
  }
  return kind->tp_alloc(kind, 0);
}

PyObject* construct(PyTypeObject*, PyObject* args, PyObject* keywords) {
  PyObject *shape, *dtype = nullptr, *name = nullptr;
  parse_keywords(args, keywords, "O|OO:TensorSpec", {"shape", "dtype", "name"}, &shape, &dtype, &name);
  SpecValue v;
  v.shape = shape_from_object(shape);
  if (dtype) v.dtype = dtype_from_object(dtype);
  v.name = name_from(name);
  v.named = name && name != Py_None;
  return spec_object(std::move(v));
}

PyObject* repr(PyObject* self) { return PyUnicode_FromString(spec_text(spec_of(self)).c_str()); }

Py_hash_t hash(PyObject* self) {
  Ref shape = Ref::steal(guarded([&] { return shape_object(spec_of(self).shape); }));
  if (!shape) return -1;
  const Py_hash_t of_shape = PyObject_Hash(shape.get());
  if (of_shape == -1) return -1;
  const auto mixed = static_cast<Py_uhash_t>(of_shape) * 31 + static_cast<Py_uhash_t>(spec_of(self).dtype);
  return static_cast<Py_hash_t>(mixed) == -1 ? -2 : static_cast<Py_hash_t>(mixed);
}

PyObject* compare(PyObject* a, PyObject* b, int op) {
  if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  if (!is_spec(b)) return PyBool_FromLong(op == Py_NE);  // an array would compare each of its elements
  const SpecValue &x = spec_of(a), &y = spec_of(b);
  return PyBool_FromLong((x.dtype == y.dtype && x.shape == y.shape && x.name == y.name) == (op == Py_EQ));
}

bool subtype(const SpecValue& a, const SpecValue& b) {
  return a.dtype == b.dtype && is_subshape(a.shape, b.shape) && (a.name.empty() || a.name == b.name);
}

PyObject* is_compatible_with(PyObject* self, PyObject* other) {
  if (!is_spec(other) && !is_tensor(other)) Py_RETURN_FALSE;
  const SpecValue a = spec_of(self), b = described(other);
  return PyBool_FromLong(a.dtype == b.dtype && compatible(a.shape, b.shape));
}
PyObject* is_subtype_of(PyObject* self, PyObject* other) {
  return PyBool_FromLong(is_spec(other) && subtype(spec_of(self), spec_of(other)));
}
PyObject* supertype(PyObject* self, PyObject* others) {
  SpecValue v = spec_of(self);
  for (PyObject* o : Items(others, "expected a sequence of specs")) {
    if (!is_spec(o) || spec_of(o).dtype != v.dtype || spec_of(o).name != v.name) Py_RETURN_NONE;
    v.shape = relax(v.shape, spec_of(o).shape);
  }
  return spec_object(std::move(v));
}
PyObject* most_specific_compatible(PyObject* self, PyObject* other) {
  SpecValue v = spec_of(self);
  if (!is_spec(other) || spec_of(other).dtype != v.dtype || spec_of(other).name != v.name)
    fail(ErrorKind::kValue, "No TypeSpec is compatible with both ", spec_text(v), " and ",
         is_spec(other) ? spec_text(spec_of(other)) : Py_TYPE(other)->tp_name);
  v.shape = relax(v.shape, spec_of(other).shape);
  return spec_object(std::move(v));
}
template <bool of_tensor>
PyObject* from(PyObject*, PyObject* args, PyObject* keywords) {
  static const char* names[] = {of_tensor ? "tensor" : "spec", "name", nullptr};
  PyObject *value, *name = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, of_tensor ? "O|O:from_tensor" : "O|O:from_spec",
                                   const_cast<char**>(names), &value, &name))
    return nullptr;
  SpecValue v = described(value);
  if (name) v.name = name_from(name);
  return spec_object(std::move(v));
}
PyObject* reduce(PyObject* self, PyObject*) {
  const SpecValue& v = spec_of(self);
  Ref shape = checked(shape_object(v.shape));
  return v.name.empty()
             ? Py_BuildValue("O(OO)", &type, shape.get(), dtype_object(v.dtype))
             : Py_BuildValue("O(OOs)", &type, shape.get(), dtype_object(v.dtype), v.name.c_str());
}

PyObject* get_name(PyObject* self, void*) {
  const SpecValue& v = spec_of(self);
  return v.name.empty() && !v.named ? Py_NewRef(Py_None) : text_object(v.name).release();
}
PyObject* get_shape(PyObject* self, void*) { return shape_object(spec_of(self).shape); }

// Libraries change copies that they have just made by these two, in the place of making others.
int set_name(PyObject* self, PyObject* name, void*) {
  SpecValue& v = reinterpret_cast<PySpec*>(self)->value;
  v.name = name_from(name);
  v.named = name && name != Py_None;
  return 0;
}
int set_shape(PyObject* self, PyObject* shape, void*) {
  if (!shape) fail(ErrorKind::kType, "TensorSpec: the shape cannot be deleted");
  reinterpret_cast<PySpec*>(self)->value.shape = shape_from_object(shape);
  return 0;
}

PyGetSetDef properties[] = {
    {"_name", guard<get_name>, guard<set_name>, nullptr, nullptr},
    {"_shape", guard<get_shape>, guard<set_shape>, nullptr, nullptr},
    {"shape", guard<get_shape>, nullptr, "The TensorShape.", nullptr},
    {"dtype", [](PyObject* s, void*) { return Py_NewRef(dtype_object(spec_of(s).dtype)); }, nullptr,
     "The DType.", nullptr},
    {"name", guard<get_name>, nullptr, "The name, or None.", nullptr},
    {"value_type", [](PyObject*, void*) { return Py_NewRef(reinterpret_cast<PyObject*>(tensor_type)); },
     nullptr, "tf.Tensor.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {
    {"is_compatible_with", guard<is_compatible_with>, METH_O, "Whether a value may fit both."},
    {"is_subtype_of", is_subtype_of, METH_O, "Whether every value that fits this spec fits the other."},
    {"most_specific_common_supertype", guard<supertype>, METH_O, "The narrowest spec that covers all, else None."},
    {"most_specific_compatible_type", guard<most_specific_compatible>, METH_O,
     "The narrowest spec that covers both; ValueError when there is none."},
    {"from_tensor", as_method(guard<from<true>>), METH_VARARGS | METH_KEYWORDS | METH_CLASS, "The spec of a tensor."},
    {"from_spec", as_method(guard<from<false>>), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "The same spec, perhaps with another name."},
    {"__reduce__", guard<reduce>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyObject* type_spec_from_value(PyObject*, PyObject* value) {
  if (!is_tensor(value) && !is_variable(value) && !is_array(value))
    fail(ErrorKind::kType, "Could not build a TypeSpec for ", repr_of(value), " of type ", Py_TYPE(value)->tp_name);
  return spec_object(described(value));
}
PyMethodDef from_value = {"type_spec_from_value", guard<type_spec_from_value>, METH_O,
                          "type_spec_from_value(value)\n--\n\nThe spec of a tensor."};

}  // namespace

bool is_spec(PyObject* o) { return Py_TYPE(o) == &type; }
const SpecValue& spec_of(PyObject* o) { return reinterpret_cast<PySpec*>(o)->value; }

PyObject* spec_object(SpecValue value) {
  return new_object<PySpec>(type, std::move(value)).release();
}

std::string spec_text(const SpecValue& v) {
  return str("TensorSpec(shape=", v.shape.to_string(), ", dtype=tf.", name_of(v.dtype),
             ", name=", v.name.empty() && !v.named ? "None" : "'" + v.name + "'", ")");
}

void init_specs() {
  define_type(
      base, "footlight.TypeSpec",
      {.doc = "What is known of a value before it exists.", .flags = Py_TPFLAGS_BASETYPE, .construct = construct_base});
  define_type<PySpec>(
      type, "footlight.TensorSpec",
      {.doc =
           "TensorSpec(shape, dtype='float32', name=None)\n--\n\n"
           R"(Shape, dtype and name of a tensor that does not exist yet: of an argument, of the elements of a dataset.

  >>> rows = tf.TensorSpec([None, 2], tf.float32)
  >>> rows.is_compatible_with(tf.ones([5, 2]))
  True
  >>> @tf.function(input_signature=[rows])
  ... def total(x):
  ...     return tf.reduce_sum(x)
  >>> print(total(tf.ones([3, 2])))
  tf.Tensor(6.0, shape=(), dtype=float32)

Args:
  shape: the shape; None for a dimension of any size, or in place of a shape of any rank.
  dtype: the dtype.
  name: a str, the name of the argument.)",
       .base = &base,
       .construct = guard<construct>,
       .repr = guard<repr>,
       .hash = hash,
       .compare = compare,
       .get_attribute = get_member,
       .properties = properties,
       .methods = methods});
  publish("TypeSpec", reinterpret_cast<PyObject*>(&base));
  publish("TensorSpec", reinterpret_cast<PyObject*>(&type));
  publish_function("type_spec_from_value", &from_value);
}

}  // namespace footlight::python
