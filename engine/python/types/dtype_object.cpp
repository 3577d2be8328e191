// tf.DType: one object per dtype, its properties, and conversion of other objects to a dtype.
#include "engine/python/types/dtype_object.h"

#include "engine/base/text.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/members.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/types.h"
#include "engine/python/interpreter/walk.h"

#include <unistd.h>

#include <array>
#include <cfloat>
#include <climits>
#include <string>

namespace footlight::python {
namespace {

struct PyDType {
  PyObject_HEAD
  DType dtype;
};

PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
std::array<PyObject*, kDTypeCount> objects{};

constexpr DType kAll[] = {DType::kFloat32,    DType::kFloat64, DType::kInt32,    DType::kUInt8,
                          DType::kInt16,      DType::kInt8,    DType::kString,   DType::kComplex64,
                          DType::kInt64,      DType::kBool,    DType::kBFloat16, DType::kUInt16,
                          DType::kComplex128, DType::kFloat16, DType::kResource, DType::kVariant,
                          DType::kUInt32,     DType::kUInt64};

DType of(PyObject* o) { return reinterpret_cast<PyDType*>(o)->dtype; }
std::string name(PyObject* o) { return std::string(name_of(of(o))); }
bool is_unsigned(DType d) {
  return d == DType::kUInt8 || d == DType::kUInt16 || d == DType::kUInt32 || d == DType::kUInt64;
}
bool has_values(DType d) { return d != DType::kResource && d != DType::kVariant; }

PyObject* repr(PyObject* self) { return PyUnicode_FromString(("tf." + name(self)).c_str()); }
PyObject* to_str(PyObject* self) { return PyUnicode_FromString(("<dtype: '" + name(self) + "'>").c_str()); }
Py_hash_t hash(PyObject* self) { return static_cast<Py_hash_t>(of(self)); }

PyObject* compare(PyObject* self, PyObject* other, int op) {
  if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  bool equal = self == other;
  if (!equal && !is_dtype(other) && other != Py_None) {
    try {
      equal = dtype_from_object(other) == of(self);
    } catch (const Error&) {  // no dtype: not equal
    } catch (const PythonErrorSet&) {
      clear_only(PyExc_Exception);
    }
  }
  return PyBool_FromLong(equal == (op == Py_EQ));
}

PyObject* construct(PyTypeObject*, PyObject* args, PyObject*) {
  PyObject* what;
  if (!PyArg_ParseTuple(args, "O:DType", &what)) return nullptr;
  return Py_NewRef(dtype_object(dtype_from_object(what)));
}

PyObject* number(double v) { return PyFloat_FromDouble(v); }

PyObject* limit(DType d, bool high) {
  switch (d) {
    case DType::kInt8: return PyLong_FromLong(high ? INT8_MAX : INT8_MIN);
    case DType::kInt16: return PyLong_FromLong(high ? INT16_MAX : INT16_MIN);
    case DType::kInt32: return PyLong_FromLong(high ? INT32_MAX : INT32_MIN);
    case DType::kInt64: return PyLong_FromLongLong(high ? INT64_MAX : INT64_MIN);
    case DType::kUInt8: return PyLong_FromLong(high ? UINT8_MAX : 0);
    case DType::kUInt16: return PyLong_FromLong(high ? UINT16_MAX : 0);
    case DType::kUInt32: return PyLong_FromUnsignedLong(high ? UINT32_MAX : 0);
    case DType::kUInt64: return PyLong_FromUnsignedLongLong(high ? UINT64_MAX : 0);
    case DType::kFloat16: return number(high ? 65504.0 : -65504.0);
    case DType::kBFloat16: return number((high ? 1 : -1) * 3.3895313892515355e38);
    case DType::kFloat32: return number((high ? 1 : -1) * double{FLT_MAX});
    case DType::kFloat64: return number((high ? 1 : -1) * DBL_MAX);
    default:
      PyErr_Format(PyExc_TypeError, "%s has no smallest and no largest value",
                   std::string(name_of(d)).c_str());
      return nullptr;
  }
}

// What images of this dtype hold: 0 to the largest integer, or 0 to 1.
PyObject* get_limits(PyObject* self, void*) {
  const DType d = of(self);
  if (d == DType::kFloat32 || d == DType::kFloat64) return Py_BuildValue("(ii)", 0, 1);
  if (d == DType::kBool) return Py_BuildValue("(OO)", Py_False, Py_True);
  if (!is_integer(d)) fail(ErrorKind::kValue, name_of(d), " has no limits");
  return Py_BuildValue("(iN)", 0, limit(d, true));
}

PyObject* get_numpy(PyObject* self, void*) {
  if (of(self) == DType::kString) return Py_NewRef(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
  Ref dtype = numpy_dtype(of(self));
  return checked(PyObject_GetAttrString(dtype.get(), "type")).release();
}

PyObject* get_real(PyObject* self, void*) {
  const DType d = of(self);
  return Py_NewRef(dtype_object(d == DType::kComplex64    ? DType::kFloat32
                                : d == DType::kComplex128 ? DType::kFloat64
                                                          : d));
}

template <bool (*Test)(DType)>
PyObject* get_flag(PyObject* self, void*) { return PyBool_FromLong(Test(of(self))); }

bool boolean(DType d) { return d == DType::kBool; }
bool numeric(DType d) { return is_floating(d) || is_integer(d) || is_complex(d); }
bool never(DType) { return false; }

PyGetSetDef properties[] = {
    {"name", [](PyObject* s, void*) { return guarded([&] { return PyUnicode_FromString(name(s).c_str()); }); }, nullptr,
     "The dtype's name.", nullptr},
    {"size",
     [](PyObject* s, void*) {
       return PyLong_FromSize_t(has_values(of(s)) && of(s) != DType::kString ? size_of(of(s)) : 0);
     },
     nullptr, "Bytes of one element.", nullptr},
    {"as_datatype_enum", [](PyObject* s, void*) { return PyLong_FromLong(static_cast<long>(of(s))); },
     nullptr, "The number in a GraphDef.", nullptr},
    {"as_numpy_dtype", guard<get_numpy>, nullptr, "NumPy's scalar type.", nullptr},
    {"base_dtype", [](PyObject* s, void*) { return Py_NewRef(s); }, nullptr, "The dtype without reference.",
     nullptr},
    {"real_dtype", get_real, nullptr, "The dtype of the real part.", nullptr},
    {"is_bool", get_flag<boolean>, nullptr, nullptr, nullptr},
    {"is_complex", get_flag<is_complex>, nullptr, nullptr, nullptr},
    {"is_floating", get_flag<is_floating>, nullptr, nullptr, nullptr},
    {"is_integer", get_flag<is_integer>, nullptr, nullptr, nullptr},
    {"is_numeric", get_flag<numeric>, nullptr, nullptr, nullptr},
    {"is_numpy_compatible", get_flag<has_values>, nullptr, nullptr, nullptr},
    {"is_quantized", get_flag<never>, nullptr, nullptr, nullptr},
    {"is_unsigned", get_flag<is_unsigned>, nullptr, nullptr, nullptr},
    {"min", [](PyObject* s, void*) { return limit(of(s), false); }, nullptr, "The smallest value.", nullptr},
    {"max", [](PyObject* s, void*) { return limit(of(s), true); }, nullptr, "The largest value.", nullptr},
    {"limits", guard<get_limits>, nullptr, "(min, max).", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyObject* same_as(PyObject* self, PyObject* other) { return PyBool_FromLong(dtype_from_object(other) == of(self)); }
PyObject* is_subtype_of(PyObject* self, PyObject* other) { return PyBool_FromLong(self == other); }
PyObject* supertype(PyObject* self, PyObject* others) {
  for (PyObject* other : Items(others, "expected a sequence of dtypes"))
    if (other != self) Py_RETURN_NONE;
  return Py_NewRef(self);
}
PyObject* reduce(PyObject* self, PyObject*) {
  return guarded(
      [&] { return Py_BuildValue("O(s)", reinterpret_cast<PyObject*>(dtype_type), name(self).c_str()); });
}
PyObject* same_object(PyObject* self, PyObject*) { return Py_NewRef(self); }

PyMethodDef methods[] = {
    {"is_compatible_with", guard<same_as>, METH_O, "Whether a value of the other dtype may stand here."},
    {"is_subtype_of", is_subtype_of, METH_O, "Whether every value of this dtype is one of the other."},
    {"most_specific_common_supertype", guard<supertype>, METH_O, "This dtype when all are equal, else None."},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {"__copy__", same_object, METH_NOARGS, nullptr},
    {"__deepcopy__", same_object, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyObject* as_dtype(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject* what;
  parse_keywords(args, keywords, "O:as_dtype", {"type_value"}, &what);
  return Py_NewRef(dtype_object(dtype_from_object(what)));
}
PyMethodDef as_dtype_method = {
    "as_dtype", as_method(guard<as_dtype>), METH_VARARGS | METH_KEYWORDS,
    "as_dtype(type_value)\n--\n\nThe DType that a name, a NumPy type or a Python type stands for."};

// Dtypes of TensorFlow that no tensor has here.
bool is_not_here(std::string_view n) {
  return n.starts_with("float8_") || n.starts_with("float4_") || n.starts_with("qint") || n.starts_with("quint") ||
         n == "int2" || n == "int4" || n == "uint2" || n == "uint4";
}

// Other spellings, NumPy's included.
DType by_other_name(std::string_view n) {
  if (n == "half" || n == "f2" || n == "e") return DType::kFloat16;
  if (n == "float" || n == "f4") return DType::kFloat32;
  if (n == "double" || n == "f8") return DType::kFloat64;
  if (n == "int") return DType::kInt64;
  if (n == "bool_") return DType::kBool;
  if (n == "str" || n == "bytes" || n == "object" || n == "str_" || n == "bytes_") return DType::kString;
  if (n.starts_with("str") || n.starts_with("bytes")) return DType::kString;  // NumPy's str96, bytes8
  return DType::kInvalid;
}

}  // namespace

PyTypeObject* dtype_type = &type;
PyObject* dtype_object(DType d) { return objects[static_cast<size_t>(d)]; }
bool is_dtype(PyObject* o) { return Py_TYPE(o) == &type; }

DType dtype_from_object(PyObject* o) {
  if (is_dtype(o)) return of(o);
  DType d = DType::kInvalid;
  if (PyUnicode_Check(o)) {
    const std::string text = readable(o);
    d = dtype_from_name(text);
    const std::string_view other = text;
    if (other == "half" || other == "float" || other == "double") d = by_other_name(other);
  } else if (o == reinterpret_cast<PyObject*>(&PyFloat_Type)) {
    d = DType::kFloat32;
  } else if (o == reinterpret_cast<PyObject*>(&PyBool_Type)) {
    d = DType::kBool;
  } else if (o == reinterpret_cast<PyObject*>(&PyBaseObject_Type)) {
    d = DType::kString;
  } else if (o == reinterpret_cast<PyObject*>(&PyLong_Type) || o == reinterpret_cast<PyObject*>(&PyComplex_Type) ||
             o == reinterpret_cast<PyObject*>(&PyUnicode_Type) || o == reinterpret_cast<PyObject*>(&PyBytes_Type) ||
             (PyType_Check(o) && !has_attribute(o, "dtype"))) {  // NumPy takes every class for an object
    // No dtype: below it says which.
  } else if (PyLong_Check(o) && !PyBool_Check(o)) {
    int overflow;
    const long n = PyLong_AsLongAndOverflow(o, &overflow);
    if (n > 0 && n < static_cast<long>(kDTypeCount) && objects[static_cast<size_t>(n)])
      d = static_cast<DType>(n);
  } else {
    // np.dtype and NumPy's scalar types; NumPy is loaded already when such an object exists.
    PyObject* numpy = find_item(PyImport_GetModuleDict(), "numpy");
    Ref dtype;
    if (numpy && o != Py_None) {
      dtype = Ref::steal(PyObject_CallMethod(numpy, "dtype", "O", o));
      if (!dtype) clear_only(PyExc_Exception);
    }
    const Ref text = dtype ? optional_attribute(dtype.get(), "name") : Ref();
    if (text && PyUnicode_Check(text.get())) {
      const std::string n = readable(text.get());
      d = dtype_from_name(n);
      if (d == DType::kInvalid) d = by_other_name(n);
    }
  }
  if (d == DType::kInvalid) {
    const char* which = o == reinterpret_cast<PyObject*>(&PyLong_Type)      ? "; write tf.int32 or tf.int64"
                        : o == reinterpret_cast<PyObject*>(&PyComplex_Type) ? "; write tf.complex64 or tf.complex128"
                        : o == reinterpret_cast<PyObject*>(&PyUnicode_Type) ||
                                o == reinterpret_cast<PyObject*>(&PyBytes_Type)
                            ? "; write tf.string"
                        : PyUnicode_Check(o) && is_not_here(readable(o)) ? ": it is not in Footlight yet"
                                                                         : ".";
    throw Error(ErrorKind::kType,
                "Cannot convert " + repr_of(o) + " to a TensorFlow DType" + which);
  }
  return d;
}

Ref import_numpy() {
  Ref numpy = Ref::steal(PyImport_ImportModule("numpy"));
  if (numpy) return numpy;
  clear_only(PyExc_ModuleNotFoundError);
  const Ref file = checked(PyObject_GetAttrString(namespace_of(""), "__file__"));
  std::string tree(utf8(file.get()));  // BUILD/PRESET/python/footlight/__init__.py -> BUILD
  for (int up = 0; up < 4; ++up) tree.resize(tree.rfind('/') == std::string::npos ? 0 : tree.rfind('/'));
  const std::string packages =
      footlight::str(tree, "/venv/lib/python", PY_MAJOR_VERSION, ".", PY_MINOR_VERSION, "/site-packages");
  if (access((packages + "/numpy/__init__.py").c_str(), R_OK) == 0) {
    PyObject* path = PySys_GetObject("path");
    Ref text = checked(PyUnicode_FromString(packages.c_str()));
    if (path && PyList_Append(path, text.get()) < 0) throw PythonErrorSet();
    return checked(PyImport_ImportModule("numpy"));
  }
  PyObject* program = PySys_GetObject("executable");
  PyErr_Format(PyExc_ImportError, "this needs NumPy, which is not installed for %S: %S -m pip install numpy",
               program ? program : Py_None, program ? program : Py_None);
  throw PythonErrorSet();
}

Ref numpy_dtype(DType d) {
  Ref numpy = import_numpy();
  if (d == DType::kBFloat16) {
    Ref extra = Ref::steal(PyImport_ImportModule("ml_dtypes"));
    if (!extra) {
      clear_only(PyExc_ImportError);
      throw Error(ErrorKind::kType,
                  "NumPy has no bfloat16 of its own: install ml_dtypes, or cast to float32 first");
    }
    Ref scalar = checked(PyObject_GetAttrString(extra.get(), "bfloat16"));
    return checked(PyObject_CallMethod(numpy.get(), "dtype", "O", scalar.get()));
  }
  if (!has_values(d)) throw Error(ErrorKind::kType, "NumPy has no dtype for " + std::string(name_of(d)));
  const std::string n = d == DType::kString ? "object" : std::string(name_of(d));
  return checked(PyObject_CallMethod(numpy.get(), "dtype", "s", n.c_str()));
}

void init_dtype() {
  define_type<PyDType>(type, "footlight.DType",
                       {.doc = "The type of a tensor's elements.",
                        .construct = guard<construct>,
                        .repr = guard<repr>,
                        .str = guard<to_str>,
                        .hash = hash,
                        .compare = guard<compare>,
                        .get_attribute = get_member,
                        .properties = properties,
                        .methods = methods,
                        .to_int = [](PyObject* s) { return PyLong_FromLong(static_cast<long>(of(s))); }});
  for (DType d : kAll) {
    objects[static_cast<size_t>(d)] = new_object<PyDType>(type, d).release();
    for (const char* prefix : {"", "dtypes."})
      publish((prefix + std::string(name_of(d))).c_str(), objects[static_cast<size_t>(d)]);
  }
  for (const char* prefix : {"", "dtypes."}) {
    publish((prefix + std::string("half")).c_str(), dtype_object(DType::kFloat16));
    publish((prefix + std::string("double")).c_str(), dtype_object(DType::kFloat64));
    publish((prefix + std::string("DType")).c_str(), reinterpret_cast<PyObject*>(&type));
    publish_function((prefix + std::string("as_dtype")).c_str(), &as_dtype_method);
  }
}

}  // namespace footlight::python
