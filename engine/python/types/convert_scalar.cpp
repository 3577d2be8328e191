// Single Python numbers and strings as tensors, and back.
#include "engine/base/activity.h"
#include "engine/base/text.h"
#include "engine/ops/builder.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/types/convert.h"

#include "engine/python/interpreter/module.h"

#include <cmath>
#include <limits>

namespace footlight::python {
namespace {

Tensor constant(Tensor t) {
  t.body()->python_number = true;
  return t;
}

template <class T>
Tensor scalar(T value) {
  return constant(Tensor::scalar<T>(value));
}

[[noreturn]] void cannot(PyObject* o, DType dtype) {
  fail(ErrorKind::kType, "Cannot convert ", repr_of(o).substr(0, 200), " to a tensor of dtype ", name_of(dtype));
}

Tensor from_double(PyObject* o, double v, DType dtype) {
  switch (dtype) {
    case DType::kInvalid:
    case DType::kFloat32:
      // Where float32 is requested, or is the dtype of the other operand, such a number is infinite.
      if (dtype == DType::kInvalid && std::isfinite(v) && std::fabs(v) > 3.4028235677973366e38)
        fail(ErrorKind::kValue, "Can't convert Python float ", float(0) + v,
             " to a float32 tensor: it is too large");
      return scalar(static_cast<float>(v));
    case DType::kFloat64: return scalar(v);
    case DType::kFloat16: return scalar(Float16(static_cast<float>(v)));
    case DType::kBFloat16: return scalar(BFloat16(static_cast<float>(v)));
    case DType::kComplex64: return scalar(std::complex<float>(static_cast<float>(v)));
    case DType::kComplex128: return scalar(std::complex<double>(v));
    default: cannot(o, dtype);
  }
}

// Wraps around where the dtype is narrower, as TensorFlow does for an explicit dtype.
Tensor from_integer(PyObject* o, int64_t v, DType dtype) {
  switch (dtype) {
    case DType::kInt8: return scalar(static_cast<int8_t>(v));
    case DType::kInt16: return scalar(static_cast<int16_t>(v));
    case DType::kInt32: return scalar(static_cast<int32_t>(v));
    case DType::kInt64: return scalar(v);
    case DType::kUInt8: return scalar(static_cast<uint8_t>(v));
    case DType::kUInt16: return scalar(static_cast<uint16_t>(v));
    case DType::kUInt32: return scalar(static_cast<uint32_t>(v));
    case DType::kUInt64:
      if (v < 0) cannot(o, dtype);
      return scalar(static_cast<uint64_t>(v));
    case DType::kFloat32: return scalar(static_cast<float>(v));
    default: return from_double(o, static_cast<double>(v), dtype);
  }
}

Tensor from_long(PyObject* o, DType dtype) {
  int overflow;
  const int64_t v = PyLong_AsLongLongAndOverflow(o, &overflow);
  if (overflow) {
    if (dtype == DType::kUInt64 && overflow > 0) {
      const uint64_t u = PyLong_AsUnsignedLongLong(o);
      if (!PyErr_Occurred()) return scalar(u);
      clear_only(PyExc_OverflowError);
    } else if (dtype != DType::kInvalid && (is_floating(dtype) || is_complex(dtype))) {
      const double d = PyLong_AsDouble(o);
      if (d != -1 || !PyErr_Occurred()) return from_double(o, d, dtype);
      clear_only(PyExc_OverflowError);
      fail(ErrorKind::kValue, "Can't convert a Python int this large to a tensor of ", name_of(dtype));
    }
    fail(this_thread.builder ? ErrorKind::kType : ErrorKind::kValue,
         "Can't convert a Python int this large to a tensor: it does not fit 64 bits");
  }
  if (dtype == DType::kInvalid)
    dtype = v >= std::numeric_limits<int32_t>::min() && v <= std::numeric_limits<int32_t>::max()
                ? DType::kInt32
                : DType::kInt64;
  return from_integer(o, v, dtype);
}

Tensor from_bool(PyObject* o, DType dtype) {
  const bool v = o == Py_True;
  switch (dtype) {
    case DType::kInvalid:
    case DType::kBool: return scalar(v);
    case DType::kInt32: return scalar<int32_t>(v);
    case DType::kInt64: return scalar<int64_t>(v);
    case DType::kUInt64: return scalar<uint64_t>(v);
    case DType::kFloat16:
    case DType::kFloat32:
    case DType::kFloat64:
    case DType::kComplex128: return from_double(o, v, dtype);
    default: cannot(o, dtype);
  }
}

Tensor from_text(PyObject* o, DType dtype) {
  if (dtype != DType::kInvalid && dtype != DType::kString) cannot(o, dtype);
  if (PyUnicode_Check(o)) return constant(Tensor::string(std::string(utf8(o))));
  Py_ssize_t n;
  char* s;
  if (PyBytes_AsStringAndSize(o, &s, &n) < 0) throw PythonErrorSet();
  return constant(Tensor::string(std::string(s, static_cast<size_t>(n))));
}

Ref element(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kBool: return Ref::borrow(t.data<bool>()[i] ? Py_True : Py_False);
    case DType::kString: {
      const std::string& s = t.data<std::string>()[i];
      return checked(PyBytes_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size())));
    }
    case DType::kInt8: return checked(PyLong_FromLong(t.data<int8_t>()[i]));
    case DType::kInt16: return checked(PyLong_FromLong(t.data<int16_t>()[i]));
    case DType::kInt32: return checked(PyLong_FromLong(t.data<int32_t>()[i]));
    case DType::kInt64: return checked(PyLong_FromLongLong(t.data<int64_t>()[i]));
    case DType::kUInt8: return checked(PyLong_FromLong(t.data<uint8_t>()[i]));
    case DType::kUInt16: return checked(PyLong_FromLong(t.data<uint16_t>()[i]));
    case DType::kUInt32: return checked(PyLong_FromUnsignedLong(t.data<uint32_t>()[i]));
    case DType::kUInt64: return checked(PyLong_FromUnsignedLongLong(t.data<uint64_t>()[i]));
    case DType::kFloat16: return checked(PyFloat_FromDouble(float{t.data<Float16>()[i]}));
    case DType::kBFloat16: return checked(PyFloat_FromDouble(float{t.data<BFloat16>()[i]}));
    case DType::kFloat32: return checked(PyFloat_FromDouble(t.data<float>()[i]));
    case DType::kFloat64: return checked(PyFloat_FromDouble(t.data<double>()[i]));
    case DType::kComplex64:
      return checked(PyComplex_FromDoubles(t.data<std::complex<float>>()[i].real(),
                                           t.data<std::complex<float>>()[i].imag()));
    case DType::kComplex128:
      return checked(PyComplex_FromDoubles(t.data<std::complex<double>>()[i].real(),
                                           t.data<std::complex<double>>()[i].imag()));
    default: fail(ErrorKind::kType, "A tensor of dtype ", name_of(t.dtype()), " has no Python value");
  }
}

Ref nested(const Tensor& t, int axis, int64_t& at) {
  if (axis == t.shape().rank()) return element(t, at++);
  Ref list = checked(PyList_New(t.shape()[axis]));
  for (int64_t i = 0; i < t.shape()[axis]; ++i)
    PyList_SET_ITEM(list.get(), i, nested(t, axis + 1, at).release());
  return list;
}

}  // namespace

std::optional<Tensor> scalar_from_object(PyObject* o, DType dtype) {
  const ActivityScope conversion(this_thread.activity, Activity::kConversion);
  if (PyFloat_CheckExact(o)) return from_double(o, PyFloat_AS_DOUBLE(o), dtype);
  if (PyBool_Check(o)) return from_bool(o, dtype);
  if (PyLong_Check(o)) {
    if (dtype == DType::kBool || dtype == DType::kString) cannot(o, dtype);
    return from_long(o, dtype);
  }
  if (PyUnicode_Check(o) || PyBytes_Check(o)) return from_text(o, dtype);
  if (PyComplex_CheckExact(o)) {
    const Py_complex c = PyComplex_AsCComplex(o);
    if (dtype == DType::kInvalid || dtype == DType::kComplex128)
      return scalar(std::complex<double>(c.real, c.imag));
    if (dtype == DType::kComplex64)
      return scalar(std::complex<float>(static_cast<float>(c.real), static_cast<float>(c.imag)));
    cannot(o, dtype);
  }
  return {};
}

Ref python_value(const Tensor& t) {
  const ActivityScope conversion(this_thread.activity, Activity::kConversion);
  int64_t at = 0;
  return nested(t, 0, at);
}

}  // namespace footlight::python
