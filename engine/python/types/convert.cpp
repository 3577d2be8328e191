// Nested lists, arrays, tensors and variables as tensors. A Python value is marked as such
// (python_number): a graph makes a constant of it, no tape watches it.
#include "engine/python/types/convert.h"

#include "engine/base/activity.h"
#include "engine/base/text.h"
#include "engine/ops/builder.h"
#include "engine/ops/functions.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/array_memory.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/types/shape_object.h"
#include "engine/python/types/size_reads.h"
#include "engine/python/types/tensor_like.h"
#include "engine/python/types/variable_object.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace footlight::python {
namespace {

struct Registered {
  Ref type, function;
};
// Never destroyed: the interpreter ends before it would be.
std::vector<Registered>& registered = *new std::vector<Registered>;

bool is_registered(PyObject* o) {
  for (size_t i = 0; i < registered.size(); ++i)  // an __instancecheck__ may register more of them
    if (is_instance(o, Registered(registered[i]).type.get())) return true;
  return false;
}

std::string short_repr(PyObject* o) {
  std::string out = repr_of(o);
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
  return PyIndex_Check(o) && !(sequence && sequence->sq_length) && !is_tensor(o) &&
         !PyObject_TypeCheck(o, variable_type);
}

enum class Kind { kNone, kBool, kNumpyBool, kInt, kFloat, kComplex, kText, kOther };

Kind kind_of(PyObject* o) {
  if (PyBool_Check(o)) return Kind::kBool;
  if (PyLong_Check(o)) return Kind::kInt;
  if (PyFloat_Check(o) && !PyObject_CheckBuffer(o)) return Kind::kFloat;
  if (PyComplex_Check(o) && !PyObject_CheckBuffer(o)) return Kind::kComplex;
  if (PyUnicode_Check(o) || PyBytes_Check(o)) return Kind::kText;
  if (is_numpy_integer(o)) return Kind::kInt;
  return Kind::kOther;
}

Kind kind_of(DType d) {
  if (d == DType::kBool) return Kind::kNumpyBool;
  if (d == DType::kString) return Kind::kText;
  return is_complex(d) ? Kind::kComplex : is_floating(d) ? Kind::kFloat : Kind::kInt;
}

// The contents of a nested list, found in one pass.
struct Contents {
  bool dtype_given = false;        // then mixed kinds are judged by it, not by the first leaf
  Shape shape;
  bool closed = false;     // the rank is known: a leaf or an empty list was seen
  Kind kind = Kind::kNone;  // of the first leaf: all others have to go with it
  DType number = DType::kFloat32;  // the dtype of the first leaf, if that is a float
  uint32_t seen = 0;               // the kinds that occur, as bits
  bool needs_64_bits = false;      // an integer that needs 64 bits
  Ref other;                       // a leaf that is no constant: tensor, variable, registered class
  // What the walk met, in its order, for write(): a second look might find something else.
  std::vector<Items> lists;
  std::vector<Tensor> arrays;

  bool has(Kind k) const { return seen >> static_cast<int>(k) & 1; }
};

[[noreturn]] void ragged(PyObject* top) {
  fail(ErrorKind::kValue, "Can't convert non-rectangular Python sequence to Tensor: ", short_repr(top));
}

bool go_together(Kind first, Kind next) {
  const bool plain = next == Kind::kInt || next == Kind::kBool || next == Kind::kFloat;
  switch (first) {
    case Kind::kBool:
    case Kind::kNumpyBool: return next == Kind::kBool || next == Kind::kNumpyBool;
    case Kind::kInt:
    case Kind::kFloat: return plain;
    case Kind::kComplex: return plain || next == Kind::kComplex;
    default: return next == first;
  }
}

void note_kind(Contents& c, Kind next, DType number, PyObject* leaf) {
  c.seen |= 1u << static_cast<int>(next);
  if (c.kind == Kind::kNone) {
    c.kind = next;
    if (next == Kind::kFloat) c.number = number;
  } else if (!c.dtype_given && c.kind != next && !go_together(c.kind, next)) {
    fail(ErrorKind::kValue, "Can't convert Python sequence with mixed types to Tensor: ", short_repr(leaf),
         " does not go with what comes before it.");
  }
}

void note_width(Contents& c, PyObject* leaf) {
  Ref index = PyLong_Check(leaf) ? Ref::borrow(leaf) : checked(PyNumber_Index(leaf));
  int overflow;
  const long long v = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
  c.needs_64_bits |= overflow || v < INT32_MIN || v > INT32_MAX;
}

void note_width(Contents& c, const Tensor& t) {
  const int64_t n = t.elements();
  if (t.dtype() == DType::kUInt32) {
    for (int64_t i = 0; i < n; ++i) c.needs_64_bits |= t.data<uint32_t>()[i] > INT32_MAX;
  } else if (t.dtype() == DType::kInt64) {
    for (int64_t i = 0; i < n; ++i)
      c.needs_64_bits |= t.data<int64_t>()[i] < INT32_MIN || t.data<int64_t>()[i] > INT32_MAX;
  } else if (t.dtype() == DType::kUInt64) {
    for (int64_t i = 0; i < n; ++i) {
      const uint64_t v = t.data<uint64_t>()[i];
      c.needs_64_bits |= v > INT32_MAX;
      if (v > INT64_MAX && !c.dtype_given)
        fail(ErrorKind::kValue, "Can't convert a list with the integer ", v,
             " to a tensor: it does not fit 64 bits; give a dtype");
    }
  }
}

// One level of nesting, of a list or of an array among them.
void enter_level(Contents& c, int depth, int64_t n, PyObject* top) {
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
    c.closed = true;
  }
}

Tensor value_of_array(PyObject* o) {
  std::optional<Tensor> t = array_value(o);
  if (!t) not_a_tensor(o);
  return std::move(*t);
}

void inspect(PyObject* o, PyObject* top, int depth, Contents& c) {
  if (depth > 250) fail(ErrorKind::kValue, "Lists nested this deep cannot become a tensor");
  if (!is_list(o)) {
    const Kind kind = kind_of(o);
    if (kind == Kind::kOther) {
      if (c.other) return;
      if (is_variable(o) || is_registered(o) || converts_itself(o) || !is_array(o)) {
        c.other = Ref::borrow(o);
        return;
      }
      c.arrays.push_back(value_of_array(o));
      const Tensor t = c.arrays.back();
      const int rank = t.shape().rank();
      for (int i = 0; i < rank; ++i) enter_level(c, depth + i, t.shape()[i], top);
      if (!t.elements()) return;
      if (c.closed && depth + rank != c.shape.rank()) ragged(top);
      c.closed = true;
      note_kind(c, kind_of(t.dtype()), t.dtype(), o);
      note_width(c, t);
      return;
    }
    if (c.other) return;
    if (c.closed && depth != c.shape.rank()) ragged(top);
    c.closed = true;
    note_kind(c, kind, DType::kFloat32, o);
    if (kind == Kind::kInt) note_width(c, o);
    return;
  }
  const Items items(o);
  c.lists.push_back(items);
  enter_level(c, depth, items.size(), top);
  if (depth >= c.shape.rank()) return;
  for (PyObject* item : items) inspect(item, top, depth + 1, c);
}

Tensor cast_constant(const Tensor&, DType);

void copy(const Tensor& from, const Tensor& to, int64_t& at) {
  const int64_t n = from.elements();
  if (n > to.elements() - at) changed_meanwhile();
  if (to.dtype() == DType::kString) {
    for (int64_t i = 0; i < n; ++i) to.data<std::string>()[at + i] = from.data<std::string>()[i];
  } else if (n) {
    const size_t size = size_of(to.dtype());
    std::memcpy(static_cast<char*>(to.raw()) + static_cast<size_t>(at) * size, from.raw(),
                static_cast<size_t>(n) * size);
  }
  at += n;
}

// How far write() has come: in the tensor, and in what inspect() met.
struct Progress {
  int64_t element = 0;
  size_t list = 0, array = 0;
};

// Lists of constants: written element by element, arrays whole.
void write(PyObject* o, const Tensor& to, const Contents& c, Progress& at) {
  if (is_list(o)) {
    if (at.list == c.lists.size()) changed_meanwhile();  // its class is another one than before
    for (PyObject* item : c.lists[at.list++]) write(item, to, c, at);
    return;
  }
  if (to.dtype() == DType::kFloat32 && PyFloat_CheckExact(o)) {
    const double v = PyFloat_AS_DOUBLE(o);
    const auto f = static_cast<float>(v);
    if (!c.dtype_given && std::isinf(f) && std::isfinite(v))
      fail(ErrorKind::kValue, "Can't convert a list with the number ", v, " to float32: it is too large");
    if (at.element == to.elements()) changed_meanwhile();
    to.data<float>()[at.element++] = f;
    return;
  }
  const Kind kind = kind_of(o);
  if (kind == Kind::kOther) {
    if (at.array == c.arrays.size()) changed_meanwhile();
    const Tensor& t = c.arrays[at.array++];
    copy(t.dtype() == to.dtype() ? t : cast_constant(t, to.dtype()), to, at.element);
    return;
  }
  // Members of enumerations and of user classes as the number that they are.
  Ref plain = kind == Kind::kFloat && !PyFloat_CheckExact(o) ? checked(PyNumber_Float(o))
              : kind == Kind::kInt && !PyLong_Check(o)       ? checked(PyNumber_Index(o))
                                                             : Ref::borrow(o);
  const std::optional<Tensor> number = scalar_from_object(plain.get(), to.dtype());
  if (!number) not_a_tensor(o);
  copy(*number, to, at.element);
}

// A shape is a list of int32, or of int64 if a dimension needs it; no other dtype.
Tensor from_shape(const Shape& s, DType dtype) {
  if (!s.fully_known())
    fail(ErrorKind::kValue, "Cannot convert a partially known TensorShape ", s.to_string(), " to a Tensor.");
  record_size_reads(s);
  bool needs_64_bits = false;
  for (int64_t d : s.dims()) needs_64_bits |= d > INT32_MAX;
  if (dtype != DType::kInvalid && dtype != DType::kInt32 && dtype != DType::kInt64)
    fail(ErrorKind::kType, "Cannot convert the TensorShape ", s.to_string(), " to a tensor of dtype ", name_of(dtype),
         ": it becomes int32 or int64");
  if (needs_64_bits && dtype == DType::kInt32)
    fail(ErrorKind::kValue, "Cannot convert the TensorShape ", s.to_string(),
         " to a tensor of dtype int32: a dimension is too large");
  if (dtype == DType::kInvalid) dtype = needs_64_bits ? DType::kInt64 : DType::kInt32;
  Tensor out = Tensor::empty(dtype, Shape{s.rank()});
  for (int i = 0; i < s.rank(); ++i) {
    if (dtype == DType::kInt64) out.data<int64_t>()[i] = s[i];
    else out.data<int32_t>()[i] = static_cast<int32_t>(s[i]);
  }
  out.body()->python_number = true;
  return out;
}

DType dtype_of_kind(const Contents& c) {
  switch (c.kind) {
    case Kind::kBool:
    case Kind::kNumpyBool: return DType::kBool;
    case Kind::kInt:
      return c.has(Kind::kFloat) ? DType::kFloat32 : c.needs_64_bits ? DType::kInt64 : DType::kInt32;
    case Kind::kComplex: return DType::kComplex128;
    case Kind::kText: return DType::kString;
    default: return c.number;
  }
}

// Whether all leaves can be converted to this dtype.
bool accepts(DType d, const Contents& c) {
  const bool small = is_integer(d) && d != DType::kInt32 && d != DType::kInt64 && d != DType::kUInt64;
  if (d == DType::kBool || d == DType::kString) {
    const bool text = d == DType::kString;
    return !c.has(Kind::kInt) && !c.has(Kind::kFloat) && !c.has(Kind::kComplex) && c.has(Kind::kText) <= text &&
           (c.has(Kind::kBool) || c.has(Kind::kNumpyBool)) <= !text;
  }
  if (c.has(Kind::kText) || c.has(Kind::kNumpyBool)) return false;
  if (c.has(Kind::kBool) && (small || d == DType::kBFloat16 || d == DType::kComplex64)) return false;
  if (c.has(Kind::kComplex) && !is_complex(d)) return false;
  return !c.has(Kind::kFloat) || is_floating(d) || is_complex(d);
}

// The first tensor or variable in nested lists: all others take its dtype.
Ref first_tensor(PyObject* o) {
  if (is_tensor(o) || is_variable(o)) return Ref::borrow(o);
  if (!is_list(o)) return {};
  const Level level("a list that becomes a tensor");
  for (PyObject* item : Items(o))
    if (Ref t = first_tensor(item)) return t;
  return {};
}

Tensor pack(const std::vector<Tensor>& parts) {
  return apply("Pack"_op.row(), parts, Attrs{{AttrName("axis"), int64_t{0}}}, "stack");
}

// Nested lists that contain tensors: level by level.
Tensor stacked(PyObject* o, DType dtype, bool with_tensors, bool dtype_given) {
  const Level level("a list that becomes a tensor");
  const Items items(o);
  std::vector<Tensor> parts;
  for (PyObject* item : items) {
    // A dtype that was asked for is given to all; other tensors that do not go together: the op says so.
    if (is_tensor(item) && dtype != DType::kInvalid && tensor_of(item).dtype() != dtype) {
      const Tensor& t = tensor_of(item);
      parts.push_back(!dtype_given ? t : t.is_symbolic() ? ops::cast(t, dtype) : cast_constant(t, dtype));
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
  if (parts.empty()) changed_meanwhile();
  if (with_tensors) return pack(parts);
  for (const Tensor& p : parts)
    if (!compatible(p.shape(), parts[0].shape())) ragged(o);
  // All constants: join them here, so that a graph gets one constant. Eager whatever is being traced.
  Tensor joined = ops::hooks.eager_builder->emit_one("Pack"_op.row(), parts, Attrs{{AttrName("axis"), int64_t{0}}}, {});
  joined.body()->python_number = true;
  return joined;
}

// Lists of floats are the most usual ones. Exact lists and tuples of exact floats run none of the user's code, so they
// are read in place, while others are held.
bool is_plain(PyObject* o) { return PyList_CheckExact(o) || PyTuple_CheckExact(o); }

bool holds_floats(PyObject* o, const Shape& shape, int depth) {
  if (!is_plain(o) || PySequence_Fast_GET_SIZE(o) != shape[depth]) return false;
  PyObject* const* const items = PySequence_Fast_ITEMS(o);
  const bool innermost = depth + 1 == shape.rank();
  return std::all_of(items, items + shape[depth], [&](PyObject* item) {
    return innermost ? PyFloat_CheckExact(item) : holds_floats(item, shape, depth + 1);
  });
}

// False: a number is too large.
template <class T>
bool write_floats(PyObject* o, int levels, T*& at) {
  PyObject* const* const items = PySequence_Fast_ITEMS(o);
  bool fits = true;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
    if (levels > 1) {
      fits &= write_floats(items[i], levels - 1, at);
      continue;
    }
    const double v = PyFloat_AS_DOUBLE(items[i]);
    *at = static_cast<T>(v);
    fits &= !std::isinf(*at++) || std::isinf(v);
  }
  return fits;
}

// Empty: something else than equally long lists of floats, or a number that needs an error.
Tensor from_floats(PyObject* o, DType dtype) {
  constexpr int kLevels = 4;
  Shape shape;
  PyObject* first = o;
  for (; is_plain(first) && PySequence_Fast_GET_SIZE(first) > 0 && shape.rank() <= kLevels;
       first = PySequence_Fast_GET_ITEM(first, 0))
    shape.append(PySequence_Fast_GET_SIZE(first));
  if (shape.rank() == 0 || shape.rank() > kLevels || !PyFloat_CheckExact(first)) return {};
  if (!holds_floats(o, shape, 0)) return {};
  Tensor out = Tensor::empty(dtype == DType::kInvalid ? DType::kFloat32 : dtype, shape);
  bool fits;
  if (dtype == DType::kFloat64) {
    double* at = out.data<double>();
    fits = write_floats(o, shape.rank(), at);
  } else {
    float* at = out.data<float>();
    fits = write_floats(o, shape.rank(), at);
  }
  if (!fits && dtype == DType::kInvalid) return {};
  out.body()->python_number = true;
  return out;
}

Tensor from_list(PyObject* o, DType dtype) {
  if (dtype == DType::kInvalid || dtype == DType::kFloat32 || dtype == DType::kFloat64)
    if (Tensor floats = from_floats(o, dtype)) return floats;
  Contents c;
  c.dtype_given = dtype != DType::kInvalid;
  inspect(o, o, 0, c);
  if (c.other) {
    const Ref t = first_tensor(o);
    if (t && !c.dtype_given) dtype = is_tensor(t.get()) ? tensor_of(t.get()).dtype() : variable_dtype(t.get());
    return stacked(o, dtype, static_cast<bool>(t), c.dtype_given);
  }
  if (!c.dtype_given) dtype = dtype_of_kind(c);
  else if (!accepts(dtype, c))
    fail(ErrorKind::kType, "Cannot convert ", short_repr(o), " to a tensor of dtype ", name_of(dtype));
  Tensor out = Tensor::empty(dtype, c.shape);
  Progress at;
  if (out.elements() > 0) write(o, out, c, at);
  if (at.element < out.elements() && out.elements() > 0) changed_meanwhile();
  out.body()->python_number = true;
  return out;
}

Tensor cast_constant(const Tensor& t, DType dtype) {
  if ((t.dtype() == DType::kString) != (dtype == DType::kString))
    fail(ErrorKind::kValue, "An array of ", name_of(t.dtype()), " cannot be converted to a tensor of ",
         name_of(dtype));
  Tensor out = ops::hooks.eager_builder->emit_one("Cast"_op.row(), std::span<const Tensor>(&t, 1),
                                       Attrs{{AttrName("DstT"), dtype}}, {});
  out.body()->python_number = true;
  return out;
}

Tensor with_dtype(Tensor t, DType dtype, PyObject* o) {
  if (dtype == DType::kInvalid || t.dtype() == dtype) return t;
  fail(ErrorKind::kValue, "Tensor conversion requested dtype ", name_of(dtype), " for Tensor with dtype ",
       name_of(t.dtype()), ": ", short_repr(o));
}

bool is_number_class(PyObject* type) {
  auto* const t = reinterpret_cast<PyTypeObject*>(type);
  for (PyTypeObject* own : {&PyLong_Type, &PyFloat_Type, &PyComplex_Type, &PyBool_Type})
    if (PyType_IsSubtype(t, own)) return true;
  const std::string_view name = t->tp_name;
  return name == "numpy.ndarray" || (name.starts_with("numpy.") && has_attribute(type, "itemsize"));
}

// tf.register_tensor_conversion_function(base_type, conversion_func, priority=100)
PyObject* register_function(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *type, *function;
  int priority = 100;
  parse_keywords(args, keywords, "OO|i:register_tensor_conversion_function",
                 {"base_type", "conversion_func", "priority"}, &type, &function, &priority);
  constexpr const char* kSelf = "register_tensor_conversion_function: ";
  if (!PyType_Check(type) && !PyTuple_Check(type))
    fail(ErrorKind::kType, kSelf, "base_type must be a class or a tuple of classes");
  if (PyType_Check(type) && is_number_class(type))
    fail(ErrorKind::kType, kSelf, "numbers, NumPy scalars and arrays have a fixed conversion; base_type must be a "
         "class of your own");
  if (!PyCallable_Check(function)) fail(ErrorKind::kType, kSelf, "conversion_func must be callable");
  registered.push_back({Ref::borrow(type), Ref::borrow(function)});
  Py_RETURN_NONE;
}
PyMethodDef register_method = {"register_tensor_conversion_function", as_method(guard<register_function>),
                               METH_VARARGS | METH_KEYWORDS,
                               "register_tensor_conversion_function(base_type, conversion_func, "
                               "priority=100)\n--\n\nRegisters a conversion of another class to tensors."};

std::optional<Tensor> by_registered(PyObject* o, DType dtype) {
  const Level level("tf.register_tensor_conversion_function");
  for (size_t i = 0; i < registered.size(); ++i) {
    const Registered r = registered[i];  // the functions may register more of them
    if (!is_instance(o, r.type.get())) continue;
    Ref wanted = dtype == DType::kInvalid ? Ref::borrow(Py_None) : Ref::borrow(dtype_object(dtype));
    Ref args = checked(PyTuple_Pack(1, o));
    Ref keywords = checked(Py_BuildValue("{sOsO}", "dtype", wanted.get(), "name", Py_None));
    Ref result = checked(PyObject_Call(r.function.get(), args.get(), keywords.get()));
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
  const ActivityScope conversion(this_thread.activity, Activity::kConversion);
  if (is_shape(o)) return from_shape(shape_of(o), dtype);
  if (is_list(o)) return from_list(o, dtype);
  if (!registered.empty())
    if (std::optional<Tensor> t = by_registered(o, dtype)) return *t;
  if (converts_itself(o)) return with_dtype(converted_by_itself(o, dtype), dtype, o);
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

bool may_be_operand(PyObject* o) {
  return is_tensor(o) || o == Py_None || PyFloat_Check(o) || PyLong_Check(o) || PyComplex_Check(o) ||
         PyUnicode_Check(o) || PyBytes_Check(o) || is_variable(o) || is_list(o) || is_array(o) ||
         is_registered(o) || converts_itself(o);
}

void init_conversions() { publish_function("register_tensor_conversion_function", &register_method); }

}  // namespace footlight::python
