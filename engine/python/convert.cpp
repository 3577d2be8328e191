// Nested lists, arrays, tensors and variables as tensors. A Python value comes out marked as such
// (python_number): a graph makes a constant of it, no tape watches it.
#include "engine/python/convert.h"

#include "engine/base/text.h"
#include "engine/ops/builder.h"
#include "engine/python/array_memory.h"
#include "engine/python/module.h"
#include "engine/python/variable_object.h"

#include <cstring>
#include <vector>

namespace footlight::python {
namespace {

struct Registered {
  PyObject* type;      // owned
  PyObject* function;  // owned
};
std::vector<Registered> registered;

std::string short_repr(PyObject* o) {
  Ref text = Ref::steal(PyObject_Repr(o));
  if (!text) {
    PyErr_Clear();
    return Py_TYPE(o)->tp_name;
  }
  Py_ssize_t n;
  const char* s = PyUnicode_AsUTF8AndSize(text.get(), &n);
  if (!s) throw PythonErrorSet();
  std::string out(s, static_cast<size_t>(n));
  if (out.size() > 120) out = out.substr(0, 117) + "...";
  return out;
}

[[noreturn]] void not_a_tensor(PyObject* o) {
  fail(ErrorKind::kValue, "Attempt to convert a value (", short_repr(o), ") with an unsupported type (",
       Py_TYPE(o)->tp_name, ") to a Tensor.");
}

bool is_list(PyObject* o) {
  return PyList_Check(o) || PyTuple_Check(o) || PyRange_Check(o) ||
         (PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_SEQUENCE) && !is_array(o) && !is_tensor(o));
}

// Among Python's numbers NumPy's integers count as Python's.
bool is_numpy_integer(PyObject* o) {
  const PySequenceMethods* sequence = Py_TYPE(o)->tp_as_sequence;
  return PyIndex_Check(o) && !(sequence && sequence->sq_length) && !is_tensor(o) && !is_variable(o);
}

enum class Kind { kNone, kBool, kInt, kFloat, kDouble, kComplex, kText, kOther };

Kind kind_of(PyObject* o) {
  if (PyBool_Check(o)) return Kind::kBool;
  if (PyLong_Check(o)) return Kind::kInt;
  if (PyFloat_CheckExact(o)) return Kind::kFloat;
  if (PyComplex_CheckExact(o)) return Kind::kComplex;
  if (PyUnicode_Check(o) || PyBytes_Check(o)) return Kind::kText;
  if (is_numpy_integer(o)) return Kind::kInt;
  return Kind::kOther;
}

// What a nested list holds, found in one walk.
struct Contents {
  Shape shape;
  bool closed = false;  // the rank is known: a leaf or an empty list was seen
  Kind kind = Kind::kNone;
  bool wide = false;          // an integer that needs 64 bits
  PyObject* other = nullptr;  // a leaf that is no Python scalar: array, tensor, variable
  bool empty = false;
};

[[noreturn]] void ragged(PyObject* top) {
  fail(ErrorKind::kValue, "Can't convert non-rectangular Python sequence to Tensor: ", short_repr(top));
}

void mix(Contents& c, Kind next, PyObject* leaf) {
  if (next == Kind::kInt) {
    Ref index = checked(PyNumber_Index(leaf));
    int overflow;
    const long long v = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
    c.wide |= overflow || v < INT32_MIN || v > INT32_MAX;
  }
  if (c.kind == Kind::kNone || c.kind == next) {
    c.kind = next;
  } else if (c.kind == Kind::kFloat && (next == Kind::kInt || next == Kind::kBool)) {
  } else if (c.kind == Kind::kInt && next == Kind::kFloat) {
    c.kind = Kind::kFloat;
  } else if (c.kind == Kind::kInt && next == Kind::kBool) {
  } else {
    fail(ErrorKind::kValue, "Can't convert Python sequence with mixed types to Tensor: ", short_repr(leaf),
         " does not go with what comes before it.");
  }
}

void look(PyObject* o, PyObject* top, int depth, Contents& c) {
  if (depth > 250) fail(ErrorKind::kValue, "Lists nested this deep cannot become a tensor");
  if (!is_list(o)) {
    const Kind kind = kind_of(o);
    if (kind == Kind::kOther) {
      if (!c.other) c.other = o;
      return;
    }
    if (c.other) return;
    if (c.closed && depth != c.shape.rank()) ragged(top);
    c.closed = true;
    mix(c, kind, o);
    return;
  }
  Ref items = checked(PySequence_Fast(o, "a sequence"));
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(items.get());
  if (depth == c.shape.rank()) {
    if (c.closed) {
      if (!c.other) ragged(top);
      return;
    }
    c.shape.append(n);
  } else if (c.shape[depth] != n) {
    if (!c.other) ragged(top);
  }
  if (n == 0) {
    if (c.closed && c.shape.rank() != depth + 1 && !c.other) ragged(top);
    c.closed = c.empty = true;
  }
  for (Py_ssize_t i = 0; i < n; ++i) look(PySequence_Fast_GET_ITEM(items.get(), i), top, depth + 1, c);
}

// Lists of plain scalars: written element by element.
void write(PyObject* o, const Tensor& to, int depth, int64_t& at) {
  if (depth < to.shape().rank()) {
    Ref items = checked(PySequence_Fast(o, "a sequence"));
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i)
      write(PySequence_Fast_GET_ITEM(items.get(), i), to, depth + 1, at);
    return;
  }
  if (to.dtype() == DType::kFloat32 && PyFloat_CheckExact(o)) {
    to.data<float>()[at++] = static_cast<float>(PyFloat_AS_DOUBLE(o));
    return;
  }
  Ref index = PyLong_Check(o) || !is_numpy_integer(o) ? Ref::borrow(o) : checked(PyNumber_Index(o));
  const Tensor one = *scalar_from_object(index.get(), to.dtype());
  if (to.dtype() == DType::kString) {
    to.data<std::string>()[at] = *one.data<std::string>();
  } else {
    const size_t size = size_of(to.dtype());
    std::memcpy(static_cast<char*>(to.raw()) + static_cast<size_t>(at) * size, one.raw(), size);
  }
  ++at;
}

DType dtype_of_kind(const Contents& c) {
  switch (c.kind) {
    case Kind::kBool: return DType::kBool;
    case Kind::kInt: return c.wide ? DType::kInt64 : DType::kInt32;
    case Kind::kComplex: return DType::kComplex128;
    case Kind::kText: return DType::kString;
    default: return DType::kFloat32;
  }
}

// The first tensor or variable of a nest of lists: its dtype is the one that all others take.
PyObject* first_tensor(PyObject* o) {
  if (is_tensor(o) || is_variable(o)) return o;
  if (!is_list(o)) return nullptr;
  Ref items = checked(PySequence_Fast(o, "a sequence"));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i)
    if (PyObject* t = first_tensor(PySequence_Fast_GET_ITEM(items.get(), i))) return t;
  return nullptr;
}

Tensor pack(const std::vector<Tensor>& parts) {
  static const Op kPack{"Pack"};
  return apply(kPack.row(), parts, Attrs{{AttrName("axis"), int64_t{0}}}, "stack");
}

// A nest of lists that holds arrays or tensors: level by level.
Tensor cast_constant(const Tensor&, DType);

Tensor stacked(PyObject* o, DType dtype, bool with_tensors, bool asked) {
  Ref items = checked(PySequence_Fast(o, "a sequence"));
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(items.get());
  std::vector<Tensor> parts;
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(items.get(), i);
    // Tensors that do not go together: the op says so.
    if (is_tensor(item) && dtype != DType::kInvalid && tensor_of(item).dtype() != dtype) {
      const bool cast = asked && !tensor_of(item).is_symbolic();
      parts.push_back(cast ? cast_constant(tensor_of(item), dtype) : tensor_of(item));
      continue;
    }
    try {
      parts.push_back(to_tensor(item, dtype));
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::kType) fail(ErrorKind::kValue, e.message());
      throw;
    }
    if (dtype == DType::kInvalid) dtype = parts.back().dtype();
  }
  if (with_tensors) return pack(parts);
  for (const Tensor& p : parts)
    if (!compatible(p.shape(), parts[0].shape())) ragged(o);
  // All constants: join them here, so that a graph gets one constant. Eager whatever is being traced.
  static const Op kPack{"Pack"};
  Tensor joined = eager_builder->emit_one(kPack.row(), parts, Attrs{{AttrName("axis"), int64_t{0}}}, {});
  joined.body()->python_number = true;
  return joined;
}

Tensor from_list(PyObject* o, DType dtype) {
  Contents c;
  look(o, o, 0, c);
  if (c.other) {
    PyObject* t = first_tensor(o);
    const bool asked = dtype != DType::kInvalid;
    if (t && !asked) dtype = is_tensor(t) ? tensor_of(t).dtype() : variable_dtype(t);
    return stacked(o, dtype, t != nullptr, asked);
  }
  if (dtype == DType::kInvalid) dtype = dtype_of_kind(c);
  if (c.kind == Kind::kBool && dtype != DType::kBool && (is_integer(dtype) || is_complex(dtype)) &&
      dtype != DType::kInt32 && dtype != DType::kInt64 && dtype != DType::kUInt64)
    fail(ErrorKind::kType, "Cannot convert ", short_repr(o), " to a tensor of dtype ", name_of(dtype));
  Tensor out = Tensor::empty(dtype, c.shape);
  int64_t at = 0;
  if (out.elements() > 0) write(o, out, 0, at);
  out.body()->python_number = true;
  return out;
}

Tensor cast_constant(const Tensor& t, DType dtype) {
  static const Op kCast{"Cast"};
  if ((t.dtype() == DType::kString) != (dtype == DType::kString))
    fail(ErrorKind::kValue, "An array of ", name_of(t.dtype()), " does not become a tensor of ",
         name_of(dtype));
  Tensor out = eager_builder->emit_one(kCast.row(), std::span<const Tensor>(&t, 1),
                                       Attrs{{AttrName("DstT"), dtype}}, {});
  out.body()->python_number = true;
  return out;
}

Tensor with_dtype(Tensor t, DType dtype, PyObject* o) {
  if (dtype == DType::kInvalid || t.dtype() == dtype) return t;
  fail(ErrorKind::kValue, "Tensor conversion requested dtype ", name_of(dtype), " for Tensor with dtype ",
       name_of(t.dtype()), ": ", short_repr(o));
}

// tf.register_tensor_conversion_function(base_type, conversion_func, priority=100)
PyObject* register_function(PyObject*, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"base_type", "conversion_func", "priority", nullptr};
  PyObject *type, *function;
  int priority = 100;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|i:register_tensor_conversion_function",
                                   const_cast<char**>(names), &type, &function, &priority))
    return nullptr;
  if (!PyType_Check(type) && !PyTuple_Check(type)) {
    PyErr_SetString(PyExc_TypeError,
                    "register_tensor_conversion_function: base_type must be a class or a tuple of classes");
    return nullptr;
  }
  if (!PyCallable_Check(function)) {
    PyErr_SetString(PyExc_TypeError, "register_tensor_conversion_function: conversion_func must be callable");
    return nullptr;
  }
  registered.push_back({Py_NewRef(type), Py_NewRef(function)});
  Py_RETURN_NONE;
}
PyMethodDef register_method = {"register_tensor_conversion_function", with_keywords(register_function),
                               METH_VARARGS | METH_KEYWORDS,
                               "register_tensor_conversion_function(base_type, conversion_func, "
                               "priority=100)\n--\n\nTeaches tensors to be made of another class."};

std::optional<Tensor> by_registered(PyObject* o, DType dtype) {
  for (const Registered& r : registered) {
    const int is = PyObject_IsInstance(o, r.type);
    if (is < 0) throw PythonErrorSet();
    if (!is) continue;
    Ref wanted = dtype == DType::kInvalid ? Ref::borrow(Py_None) : Ref::borrow(dtype_object(dtype));
    Ref args = checked(PyTuple_Pack(1, o));
    Ref keywords = checked(Py_BuildValue("{sOsO}", "dtype", wanted.get(), "name", Py_None));
    Ref result = checked(PyObject_Call(r.function, args.get(), keywords.get()));
    if (result.get() == Py_NotImplemented) continue;
    return to_tensor(result.get(), dtype);
  }
  return {};
}

}  // namespace

Tensor to_tensor(PyObject* o, DType dtype, const char* argument) {
  if (is_tensor(o)) return with_dtype(tensor_of(o), dtype, o);
  if (std::optional<Tensor> t = scalar_from_object(o, dtype)) return std::move(*t);
  if (is_variable(o)) return with_dtype(variable_value(o), dtype, o);
  if (is_list(o)) return from_list(o, dtype);
  if (!registered.empty())
    if (std::optional<Tensor> t = by_registered(o, dtype)) return *t;
  if (std::optional<Tensor> t = array_value(o)) {
    t->body()->python_number = true;
    return dtype == DType::kInvalid || t->dtype() == dtype ? *t : cast_constant(*t, dtype);
  }
  if (o == Py_None && argument)
    fail(ErrorKind::kValue, "None values not supported: argument `", argument, "` needs a tensor");
  if (o == Py_None) fail(ErrorKind::kValue, "None values not supported.");
  not_a_tensor(o);
}

Tensor to_tensor_with_hint(PyObject* o, DType hint) {
  if (is_tensor(o)) return tensor_of(o);
  if (hint != DType::kInvalid) {
    try {
      return to_tensor(o, hint);
    } catch (const Error&) {
    }
  }
  return to_tensor(o);
}

Tensor operand(PyObject* o, DType dtype, Misfit misfit) {
  if (is_tensor(o)) return tensor_of(o);
  if (dtype == DType::kInvalid) return to_tensor(o);
  return misfit == Misfit::kRefuse ? to_tensor(o, dtype) : to_tensor_with_hint(o, dtype);
}

bool is_registered(PyObject* o) {
  for (const Registered& r : registered) {
    const int is = PyObject_IsInstance(o, r.type);
    if (is < 0) PyErr_Clear();
    if (is > 0) return true;
  }
  return false;
}

bool may_be_operand(PyObject* o) {
  return is_tensor(o) || o == Py_None || PyFloat_Check(o) || PyLong_Check(o) || PyComplex_Check(o) ||
         PyUnicode_Check(o) || PyBytes_Check(o) || is_variable(o) || is_list(o) || is_array(o) ||
         is_registered(o);
}

void init_conversions(PyObject*) {
  publish_function("register_tensor_conversion_function", &register_method);
  init_constant();
}

}  // namespace footlight::python
