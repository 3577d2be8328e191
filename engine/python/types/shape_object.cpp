// tf.TensorShape: an immutable shape, some of it perhaps unknown.
#include "engine/python/types/shape_object.h"

#include "engine/base/text.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/members.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/types.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/size_reads.h"
#include "engine/tensor/size.h"

#include <algorithm>
#include <string>

namespace footlight::python {
namespace {

struct PyShape {
  PyObject_HEAD
  Shape shape;
};

PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};

PyObject* dimension(int64_t d) {
  if (d == kUnknownDim) Py_RETURN_NONE;
  return PyLong_FromLongLong(d);
}

[[noreturn]] void no_rank(const char* what) {
  throw Error(ErrorKind::kValue, std::string(what) + " is not defined on an unknown TensorShape");
}

Shape of_rank(int64_t rank) {
  if (rank > kMaxDimensions)
    fail(ErrorKind::kValue, "A TensorShape of ", rank, " dimensions: a tensor has at most ", kMaxDimensions);
  return unknown_dimensions(rank);
}

Shape concatenated(const Shape& a, const Shape& b) {
  if (!a.has_rank() || !b.has_rank()) return Shape::unknown_rank();
  Shape r = a;
  for (int64_t d : b.dims()) r.append(d);
  return r;
}

Ref list_of(const Shape& s) {
  if (!s.has_rank()) no_rank("as_list()");
  Ref list = checked(PyList_New(s.rank()));
  for (int i = 0; i < s.rank(); ++i) PyList_SET_ITEM(list.get(), i, checked(dimension(s[i])).release());
  return list;
}

PyObject* construct(PyTypeObject*, PyObject* args, PyObject* keywords) {
  PyObject* dims;
  parse_keywords(args, keywords, "O:TensorShape", {"dims"}, &dims);
  if (has_attribute(dims, "unknown_rank"))  // a TensorShapeProto, ours or protobuf's
    return PyObject_CallMethod(reinterpret_cast<PyObject*>(&type), "experimental_from_proto", "O", dims);
  return shape_object(shape_from_object(dims));
}

PyObject* repr(PyObject* self) {
  const Shape& s = shape_of(self);
  if (!s.has_rank()) return PyUnicode_FromString("TensorShape(None)");
  return PyUnicode_FromFormat("TensorShape(%R)", list_of(s).get());
}
PyObject* str(PyObject* self) { return PyUnicode_FromString(shape_of(self).to_string().c_str()); }

Py_hash_t hash(PyObject* self) {
  const Shape& s = shape_of(self);
  if (!s.has_rank()) return 7;
  size_t h = 14695981039346656037u;
  for (int64_t d : s.dims()) h = (h ^ static_cast<size_t>(d)) * 1099511628211u;
  const auto result = static_cast<Py_hash_t>(h);
  return result == -1 ? -2 : result;
}

PyObject* compare(PyObject* self, PyObject* other, int op) {
  if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  bool equal;
  try {
    equal = shape_from_object(other) == shape_of(self);
  } catch (const Error&) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  return PyBool_FromLong(equal == (op == Py_EQ));
}

Py_ssize_t length(PyObject* self) {
  const Shape& s = shape_of(self);
  if (s.has_rank()) return s.rank();
  PyErr_SetString(PyExc_ValueError, "Cannot take the length of shape with unknown rank.");
  return -1;
}
int truth(PyObject* self) { return shape_of(self).has_rank(); }

PyObject* add(PyObject* a, PyObject* b) {
  return shape_object(concatenated(shape_from_object(a), shape_from_object(b)));
}

PyObject* item(PyObject* self, PyObject* key) {
  const Shape& s = shape_of(self);
  return guarded([&]() -> PyObject* {
    if (PySlice_Check(key)) {
      Py_ssize_t start, stop, step;
      if (PySlice_Unpack(key, &start, &stop, &step) < 0) return nullptr;
      if (!s.has_rank()) {
        const auto* slice = reinterpret_cast<PySliceObject*>(key);
        if (slice->step != Py_None)
          throw Error(ErrorKind::kValue, "A TensorShape of unknown rank has no slices with a step");
        // [:n] of an unknown rank is assumed to have n dimensions; anything else stays unknown.
        if (start < 0 || stop < 0 || slice->stop == Py_None)
          return shape_object(Shape::unknown_rank());
        return shape_object(of_rank(stop - std::min(start, stop)));
      }
      const Py_ssize_t n = PySlice_AdjustIndices(s.rank(), &start, &stop, step);
      Shape r;
      for (Py_ssize_t i = 0; i < n; ++i, start += step) r.append(s[static_cast<int>(start)]);
      return shape_object(r);
    }
    Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (i == -1 && PyErr_Occurred()) return nullptr;
    if (!s.has_rank()) Py_RETURN_NONE;
    if (i < 0) i += s.rank();
    if (i < 0 || i >= s.rank())
      throw Error(ErrorKind::kIndex, "TensorShape index out of range: " + s.to_string() + " has " +
                                         std::to_string(s.rank()) + " dimensions");
    record_size_read(s, static_cast<int>(i));
    return dimension(s[static_cast<int>(i)]);
  });
}

PyObject* item_at(PyObject* self, Py_ssize_t i) {
  Ref index = Ref::steal(PyLong_FromSsize_t(i));
  return index ? item(self, index.get()) : nullptr;
}

PyObject* iterate(PyObject* self) {
  if (!shape_of(self).has_rank()) no_rank("Iterating over the dimensions");
  record_size_reads(shape_of(self));
  return PyObject_GetIter(list_of(shape_of(self)).get());
}

PyObject* get_rank(PyObject* self, void*) {
  const Shape& s = shape_of(self);
  if (!s.has_rank()) Py_RETURN_NONE;
  return PyLong_FromLong(s.rank());
}
PyObject* get_dims(PyObject* self, void*) {
  if (!shape_of(self).has_rank()) Py_RETURN_NONE;
  record_size_reads(shape_of(self));
  return guarded([&] { return list_of(shape_of(self)).release(); });
}

PyObject* as_list(PyObject* self, PyObject*) {
  Ref list = list_of(shape_of(self));
  record_size_reads(shape_of(self));
  return list.release();
}
PyObject* num_elements(PyObject* self, PyObject*) {
  const Shape& s = shape_of(self);
  if (!s.fully_known()) Py_RETURN_NONE;
  record_size_reads(s);
  return PyLong_FromLongLong(s.elements());
}
PyObject* is_fully_defined(PyObject* self, PyObject*) { return PyBool_FromLong(shape_of(self).fully_known()); }

std::string both(const Shape& a, const Shape& b) { return a.to_string() + " and " + b.to_string(); }

PyObject* is_compatible_with(PyObject* self, PyObject* other) {
  return PyBool_FromLong(compatible(shape_of(self), shape_from_object(other)));
}
PyObject* assert_is_compatible_with(PyObject* self, PyObject* other) {
  const Shape o = shape_from_object(other);
  if (!compatible(shape_of(self), o))
    throw Error(ErrorKind::kValue, "Shapes " + both(shape_of(self), o) + " are incompatible");
  Py_RETURN_NONE;
}
PyObject* merge_with(PyObject* self, PyObject* other) {
  const Shape o = shape_from_object(other);
  if (!compatible(shape_of(self), o))
    throw Error(ErrorKind::kValue, "Shapes " + both(shape_of(self), o) + " are not compatible");
  return shape_object(merge(shape_of(self), o));
}
PyObject* concatenate(PyObject* self, PyObject* other) {
  return shape_object(concatenated(shape_of(self), shape_from_object(other)));
}
PyObject* is_subtype_of(PyObject* self, PyObject* other) {
  return guarded(
      [&] { return PyBool_FromLong(is_shape(other) && is_subshape(shape_of(self), shape_of(other))); });
}
PyObject* most_specific_compatible(PyObject* self, PyObject* other) {
  return shape_object(relax(shape_of(self), shape_from_object(other)));
}
PyObject* supertype(PyObject* self, PyObject* others) {
  Shape r = shape_of(self);
  for (PyObject* o : Items(others, "expected a sequence of shapes")) {
    if (!is_shape(o)) Py_RETURN_NONE;
    r = relax(r, shape_of(o));
  }
  return shape_object(r);
}

enum class Rank { kExactly, kAtLeast, kAtMost };
template <Rank Wanted>
PyObject* with_rank(PyObject* self, PyObject* argument) {
  return guarded([&]() -> PyObject* {
    if (Wanted == Rank::kExactly && argument == Py_None) return Py_NewRef(self);
    const long n = PyLong_AsLong(argument);
    if (n == -1 && PyErr_Occurred()) return nullptr;
    const Shape& s = shape_of(self);
    const bool fits = !s.has_rank() || (Wanted == Rank::kExactly   ? s.rank() == n
                                        : Wanted == Rank::kAtLeast ? s.rank() >= n
                                                                   : s.rank() <= n);
    if (!fits)
      throw Error(ErrorKind::kValue, "Shape " + s.to_string() + " must have rank " +
                                         (Wanted == Rank::kExactly   ? ""
                                          : Wanted == Rank::kAtLeast ? "at least "
                                                                     : "at most ") +
                                         std::to_string(n));
    if (Wanted == Rank::kExactly && !s.has_rank()) {
      return shape_object(of_rank(std::max(n, 0L)));
    }
    return Py_NewRef(self);
  });
}
PyObject* assert_has_rank(PyObject* self, PyObject* argument) {
  Ref same = Ref::steal(with_rank<Rank::kExactly>(self, argument));
  if (!same) return nullptr;
  Py_RETURN_NONE;
}
PyObject* assert_same_rank(PyObject* self, PyObject* other) {
  const Shape o = shape_from_object(other);
  if (shape_of(self).has_rank() && o.has_rank() && shape_of(self).rank() != o.rank())
    throw Error(ErrorKind::kValue, "Shapes " + both(shape_of(self), o) + " must have the same rank");
  Py_RETURN_NONE;
}
PyObject* assert_is_fully_defined(PyObject* self, PyObject*) {
  if (!shape_of(self).fully_known())
    throw Error(ErrorKind::kValue, "Shape " + shape_of(self).to_string() + " is not fully defined");
  Py_RETURN_NONE;
}
PyObject* reduce(PyObject* self, PyObject*) {
  Ref dims = shape_of(self).has_rank() ? list_of(shape_of(self)) : Ref::borrow(Py_None);
  return Py_BuildValue("O(O)", reinterpret_cast<PyObject*>(&type), dims.get());
}

PyGetSetDef properties[] = {
    {"rank", get_rank, nullptr, "Number of dimensions, None when unknown.", nullptr},
    {"ndims", get_rank, nullptr, "Number of dimensions, None when unknown.", nullptr},
    {"dims", get_dims, nullptr, "The dimensions as a list, None when the rank is unknown.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {
    {"as_list", guard<as_list>, METH_NOARGS, "The dimensions as a list, None for unknown ones."},
    {"num_elements", guard<num_elements>, METH_NOARGS,
     "The product of the dimensions, None when not all are known."},
    {"is_fully_defined", is_fully_defined, METH_NOARGS, "Whether every dimension is known."},
    {"is_compatible_with", guard<is_compatible_with>, METH_O, "Whether some shape fits both."},
    {"is_subtype_of", is_subtype_of, METH_O, "Whether this shape is the other one or a more specific one."},
    {"most_specific_compatible_shape", guard<most_specific_compatible>, METH_O, "What both shapes agree on."},
    {"most_specific_common_supertype", guard<supertype>, METH_O, "What all shapes agree on."},
    {"merge_with", guard<merge_with>, METH_O, "A shape that knows what either knows."},
    {"concatenate", guard<concatenate>, METH_O, "The dimensions of both, one after the other."},
    {"with_rank", with_rank<Rank::kExactly>, METH_O,
     "This shape, when it may have that rank; else ValueError."},
    {"with_rank_at_least", with_rank<Rank::kAtLeast>, METH_O,
     "This shape, when it may have so many dimensions or more."},
    {"with_rank_at_most", with_rank<Rank::kAtMost>, METH_O,
     "This shape, when it may have so many dimensions or fewer."},
    {"assert_has_rank", assert_has_rank, METH_O, "ValueError unless the rank fits."},
    {"assert_same_rank", guard<assert_same_rank>, METH_O, "ValueError unless the ranks fit."},
    {"assert_is_compatible_with", guard<assert_is_compatible_with>, METH_O, "ValueError unless compatible."},
    {"assert_is_fully_defined", guard<assert_is_fully_defined>, METH_NOARGS,
     "ValueError unless every dimension is known."},
    {"__reduce__", guard<reduce>, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyTypeObject* shape_type = &type;

bool is_shape(PyObject* o) { return Py_TYPE(o) == &type; }
const Shape& shape_of(PyObject* o) { return reinterpret_cast<PyShape*>(o)->shape; }

PyObject* shape_object(const Shape& shape) {
  return new_object<PyShape>(type, shape).release();
}

int64_t dimension_from_object(PyObject* o) {
  if (o == Py_None) return kUnknownDim;
  const Ref index = Ref::steal(PyNumber_Index(o));
  if (!index) {
    clear_only(PyExc_Exception);
    const Ref value = optional_attribute(o, "value");  // of a tf.compat.v1.Dimension
    if (value && (value.get() == Py_None || PyLong_Check(value.get()))) return dimension_from_object(value.get());
    fail(ErrorKind::kType, "A dimension must be an integer or None, not ", repr_of(o));
  }
  const long long d = PyLong_AsLongLong(index.get());
  if (d == -1 && PyErr_Occurred()) throw PythonErrorSet();
  if (d < 0) throw Error(ErrorKind::kValue, "Dimension " + std::to_string(d) + " must be >= 0");
  return d;
}

Shape shape_from_object(PyObject* o) {
  if (is_shape(o)) return shape_of(o);
  if (o == Py_None) return Shape::unknown_rank();
  Shape s;
  if (PyLong_Check(o) || (PyIndex_Check(o) && !PySequence_Check(o))) {
    s.append(dimension_from_object(o));
    return s;
  }
  if (PyUnicode_Check(o) || PyBytes_Check(o) ||
      !(PySequence_Check(o) || PyIter_Check(o) || Py_TYPE(o)->tp_iter))
    fail(ErrorKind::kType, "Not a shape: ", repr_of(o));
  if (is_tensor(o) && tensor_of(o).shape().has_rank() && tensor_of(o).shape().rank() == 0) {
    s.append(dimension_from_object(o));
    return s;
  }
  // One by one: a sequence that never ends is refused at the first item that is no dimension, and never held whole.
  const Ref iterator = Ref::steal(PyObject_GetIter(o));
  if (!iterator) {
    clear_only(PyExc_TypeError);
    fail(ErrorKind::kType, "not a shape");
  }
  constexpr int kMaxRank = 1 << 20;
  while (const Ref dimension = Ref::steal(PyIter_Next(iterator.get()))) {
    if (s.rank() == kMaxRank) fail(ErrorKind::kValue, "a shape has at most ", kMaxRank, " dimensions");
    s.append(dimension_from_object(dimension.get()));
  }
  if (PyErr_Occurred()) throw PythonErrorSet();
  return s;
}

void init_shape() {
  define_type<PyShape>(
      type, "footlight.TensorShape",
      {.doc = "TensorShape(dims)\n--\n\nA shape: None for an unknown rank, else its dimensions, None for an unknown "
              "one.",
       .flags = Py_TPFLAGS_SEQUENCE,
       .construct = guard<construct>,
       .repr = guard<repr>,
       .str = guard<str>,
       .hash = hash,
       .compare = guard<compare>,
       .get_attribute = get_member,
       .iterate = guard<iterate>,
       .properties = properties,
       .methods = methods,
       .length = length,
       .item = item_at,
       .subscript = item,
       .add = guard<add>,
       .truth = truth});
  publish("TensorShape", reinterpret_cast<PyObject*>(&type));
}

}  // namespace footlight::python
