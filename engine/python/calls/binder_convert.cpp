// Converts one argument to the type that its parameter declares, and results back.
#include "engine/base/text.h"
#include "engine/ops/functions.h"
#include "engine/python/calls/binder.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/dtype_object.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/calls/operators.h"
#include "engine/python/types/shape_object.h"
#include "engine/python/types/size_reads.h"
#include "engine/python/types/slices_object.h"
#include "engine/python/types/variable_object.h"

namespace footlight::python {
namespace {

bool is_value(PyObject* o) { return is_tensor(o) || is_variable(o); }
bool is_sequence(PyObject* o) {
  return PyList_Check(o) || PyTuple_Check(o) || PyRange_Check(o) || is_shape(o);
}

// Converts a tensor with a known value to Python objects; returns anything else unchanged.
Ref known(PyObject* o) {
  if (!is_value(o)) return Ref::borrow(o);
  const Tensor t = known_value(is_tensor(o) ? tensor_of(o) : variable_value(o));
  if (!t) fail(ErrorKind::kType, "its value must be known here, a symbolic tensor was given");
  return python_value(on_host(t));
}

[[noreturn]] void expected(const char* what, PyObject* got) {
  fail(ErrorKind::kType, "expected ", what, ", got ", Py_TYPE(got)->tp_name);
}

int64_t integer(PyObject* o) {
  Ref v = known(o);
  if (PyBool_Check(v.get()) || !PyIndex_Check(v.get())) expected("an integer", v.get());
  Ref index = checked(PyNumber_Index(v.get()));
  const int64_t i = PyLong_AsLongLong(index.get());
  if (i == -1 && PyErr_Occurred()) throw PythonErrorSet();
  return i;
}

Arg integers(PyObject* o) {
  ArgList list;
  Ref v = is_array(o) ? python_value(on_host(to_tensor(o))) : known(o);
  if (!is_sequence(v.get())) return {ArgList{{integer(v.get())}}};
  for (PyObject* item : Items(v.get())) list.push_back({integer(item)});
  return {std::move(list)};
}

// A scalar integer in host memory, outside of any trace: its value is known and nothing has to be recorded.
bool is_known_integer(PyObject* o) {
  if (this_thread.builder || !is_tensor(o)) return false;
  const Tensor& t = tensor_of(o);
  return !t.is_symbolic() && is_integer(t.dtype()) && t.shape().rank() == 0;
}

// Sizes among which there are tensors: those of floats become integers.
Tensor packed_sizes(PyObject* o) {
  Ref list = checked(PyList_New(0));
  for (PyObject* d : Items(o)) {
    Ref size = Ref::borrow(d);
    if (is_value(d)) {
      const Tensor t = is_tensor(d) ? tensor_of(d) : variable_value(d);
      if (is_floating(t.dtype())) size = checked(wrap(ops::cast(t, DType::kInt32)));
    }
    if (PyList_Append(list.get(), size.get()) < 0) throw PythonErrorSet();
  }
  return to_tensor(list.get());
}

Arg shape(PyObject* o) {
  if (is_value(o)) return {is_tensor(o) ? tensor_of(o) : variable_value(o)};
  if (is_shape(o)) {
    record_size_reads(shape_of(o));
    return {shape_of(o)};
  }
  if (o == Py_None) return {Shape::unknown_rank()};
  if (PyIndex_Check(o) && !is_array(o)) {
    const int64_t size = integer(o);
    return size < 0 ? Arg{to_tensor(o)} : Arg{Shape{size}};
  }
  if (!is_sequence(o)) {
    Tensor values = to_tensor(o, DType::kInvalid);
    if (is_floating(values.dtype()) && values.shape() == Shape{0}) return {Shape{}};  // np.array([])
    return {std::move(values)};
  }
  Shape s;
  for (PyObject* d : Items(o)) {
    if (d == Py_None) {
      s.append(kUnknownDim);
    } else if (PyIndex_Check(d) && !PyBool_Check(d) && (!is_value(d) || is_known_integer(d))) {
      const int64_t size = integer(d);
      if (size < 0) return {to_tensor(o)};  // the op reports the error
      s.append(size);
    } else if (is_tensor(d) && is_floating(tensor_of(d).dtype())) {
      return {to_tensor(o, DType::kInt32)};  // as TensorFlow, which casts tensors in a list
    } else {
      return {packed_sizes(o)};  // it contains tensors, or something that is not a dimension
    }
  }
  return {s};
}

[[noreturn]] void conversion_requested(DType requested, DType given) {
  fail(ErrorKind::kValue, "Tensor conversion requested dtype ", name_of(requested), " for Tensor with dtype ",
       name_of(given));
}

// The dtype of nested Python numbers with both integers and floats; kInvalid for anything else.
DType dtype_of_numbers(PyObject* o) {
  bool whole = false, wide = false, real = false;
  int depth = 0;
  const auto look = [&](auto&& self, PyObject* item) -> bool {
    if (PyFloat_CheckExact(item)) return real = true;
    if (PyLong_CheckExact(item)) {
      int overflow;
      const long long v = PyLong_AsLongLongAndOverflow(item, &overflow);
      wide |= overflow || v != static_cast<int32_t>(v);
      return whole = true;
    }
    if (!PyList_CheckExact(item) && !PyTuple_CheckExact(item)) return false;
    if (depth > 250) return false;  // it may contain itself: the conversion reports that
    ++depth;
    for (PyObject* one : Items(item))
      if (!self(self, one)) return false;
    --depth;
    return true;
  };
  if (!look(look, o) || !whole) return DType::kInvalid;
  return real ? DType::kFloat32 : wide ? DType::kInt64 : DType::kInvalid;
}

// A list of tensors; Python values in it take the dtype of the first tensor.
Arg tensors(PyObject* o, const Parameter& p) {
  ArgList list;
  if (p.none_in_list && !is_sequence(o)) expected("a list of tensors", o);
  if (p.handle && is_variable(o)) return {ArgList{{variable_handle(o)}}};
  if (is_value(o) || !is_sequence(o)) {
    const Tensor t = to_tensor(o);
    if (p.type == ParameterType::kTensors) return {ArgList{{t}}};
    if (!t.shape().has_rank())
      fail(ErrorKind::kValue, "expected a list of tensors, and a tensor of unknown rank cannot be taken apart: give a "
           "list, or say the shape with tf.ensure_shape");
    if (t.shape().rank() == 0) return {ArgList{{t}}};
    const int64_t n = t.shape()[0];
    if (n == kUnknownDim)
      fail(ErrorKind::kValue, "expected a list of tensors, and a tensor whose number of rows is unknown cannot be "
           "taken apart");
    for (int64_t i = 0; i < n; ++i) {
      Ref index = checked(PyLong_FromLongLong(i));
      list.push_back({subscript(t, index.get())});
    }
    return {std::move(list)};
  }
  const Items items(o);
  list.reserve(static_cast<size_t>(items.size()));
  DType dtype = p.preferred;
  if (p.one_dtype) dtype = dtype_of_numbers(o);
  bool all_values = true;
  for (PyObject* item : items) all_values &= is_value(item);
  for (PyObject* item : items) {
    if (p.preferred != DType::kInvalid) break;
    if (!is_value(item)) continue;
    dtype = is_tensor(item) ? tensor_of(item).dtype() : variable_dtype(item);
    break;
  }
  for (PyObject* item : items) {
    if (p.none_in_list && item == Py_None) {
      list.push_back({});
      continue;
    }
    if (is_tensor(item) && p.preferred == DType::kInvalid) {
      list.emplace_back().value = tensor_of(item);
      continue;  // `dtype` is known: some tensor gave it
    }
    if ((p.handle && is_variable(item)) || (p.slices && is_slices(item))) {
      list.push_back({is_variable(item) ? variable_handle(item) : gradient_from(item, DType::kInvalid)});
      continue;
    }
    list.push_back({p.any_dtypes ? operand(item, DType::kInvalid) : operand(item, dtype, Misfit::kRefuse)});
    const DType given = std::get<Tensor>(list.back().value).dtype();
    if (p.preferred != DType::kInvalid && given != p.preferred && !all_values) conversion_requested(p.preferred, given);
    if (dtype == DType::kInvalid) dtype = given;
  }
  return {std::move(list)};
}

Arg tensor(PyObject* o, const Parameter& p, DType hint, bool must_fit) {
  if (is_tensor(o)) {
    const DType given = tensor_of(o).dtype();
    const bool is_index = in_set(p.preferred, dtype_set(DType::kInt32, DType::kInt64));  // of either kind
    if (must_fit && p.must_fit && p.preferred != DType::kInvalid && given != p.preferred && !is_index)
      conversion_requested(p.preferred, given);
    return {tensor_of(o)};
  }
  if (p.handle && is_variable(o)) return {variable_handle(o)};
  if (p.slices && is_slices(o)) return {gradient_from(o, DType::kInvalid)};
  if (is_variable(o)) return {variable_value(o)};
  if (hint != DType::kInvalid) {
    const bool refuse = p.must_fit || (must_fit && !p.never_refused);
    return {operand(o, hint, refuse ? Misfit::kRefuse : Misfit::kLeaveToOp)};
  }
  if (p.must_fit && in_set(p.preferred, dtype_set(DType::kBool, DType::kFloat32)) && is_array(o))
    return {to_tensor(o, p.preferred, p.name.c_str())};
  if (p.preferred == DType::kInvalid || is_array(o)) return {to_tensor(o, DType::kInvalid, p.name.c_str())};
  const bool strictly = p.preferred == DType::kBool || p.preferred == DType::kString;
  // Do not truncate an index or a size that does not fit 32 bits.
  const bool wide = p.preferred == DType::kInt32 && (is_shape(o) || dtype_of_numbers(o) == DType::kInt64);
  if (wide && is_shape(o)) return {to_tensor(o)};
  const DType dtype = wide ? DType::kInt64 : p.preferred;
  if (p.must_fit && (strictly || !is_sequence(o))) return {to_tensor(o, dtype, p.name.c_str())};
  return {to_tensor_with_hint(o, dtype)};
}

Arg any(PyObject* o) {
  if (o == Py_None) return {};
  if (PyBool_Check(o)) return {o == Py_True};
  if (PyLong_CheckExact(o)) return {integer(o)};
  if (PyFloat_CheckExact(o)) return {PyFloat_AS_DOUBLE(o)};
  if (is_dtype(o)) return {dtype_from_object(o)};
  if (is_shape(o)) return {shape_of(o)};
  if (PyUnicode_Check(o)) return {std::string(utf8(o))};
  if (PyList_Check(o) || PyTuple_Check(o)) {
    ArgList list;
    const Level level("an argument");
    for (PyObject* item : Items(o)) list.push_back(any(item));
    return {std::move(list)};
  }
  if (!is_value(o) && !is_array(o) && PyIndex_Check(o)) return {integer(o)};  // an enum member
  return {to_tensor(o)};
}

// A seed may be an integer of any size: the generators take it modulo the largest of 32 bits anyway.
Arg any_seed(PyObject* o) {
  int overflow = 0;
  if (!PyLong_CheckExact(o) || (PyLong_AsLongLongAndOverflow(o, &overflow), overflow == 0)) return any(o);
  const Ref largest = checked(PyLong_FromLong(2147483647));
  return {integer(checked(PyNumber_Remainder(o, largest.get())).get())};
}

// A rate that is a number of NumPy's, np.float64(0.5), is a number, whatever the dtype that it is applied to.
Arg any_rate(PyObject* o) {
  if (is_value(o) || !is_array(o) || to_tensor(o).shape().rank() != 0) return any(o);
  const double rate = PyFloat_AsDouble(o);
  if (rate == -1 && PyErr_Occurred()) throw PythonErrorSet();
  return {rate};
}

}  // namespace

Arg argument_from(PyObject* o, const Parameter& p, DType hint, bool must_fit) {
  if (o == Py_None && (p.optional || (p.has_default && p.default_value.none()))) return {};
  switch (p.type) {
    case ParameterType::kTensor: return tensor(o, p, hint, must_fit);
    case ParameterType::kTensors:
    case ParameterType::kTensorOrTensors: return tensors(o, p);
    case ParameterType::kInt: return {integer(o)};
    case ParameterType::kInts: return integers(o);
    case ParameterType::kBool: {
      if (is_tensor(o) && tensor_of(o).is_symbolic()) return {truth_of(tensor_of(o))};
      return {is_true(o)};
    }
    case ParameterType::kFloat: {
      Ref v = known(o);
      const double d = PyFloat_AsDouble(v.get());
      if (d == -1 && PyErr_Occurred()) {
        clear_only(PyExc_Exception);
        expected("a number", v.get());
      }
      return {d};
    }
    case ParameterType::kStr: {
      if (PyBytes_Check(o))
        return {std::string(PyBytes_AS_STRING(o), static_cast<size_t>(PyBytes_GET_SIZE(o)))};
      if (!PyUnicode_Check(o)) expected("a str", o);
      return {std::string(utf8(o))};
    }
    case ParameterType::kDType: return {dtype_from_object(o)};
    case ParameterType::kShape: return shape(o);
    case ParameterType::kAny: return p.name == "seed" ? any_seed(o) : p.name == "rate" ? any_rate(o) : any(o);
  }
  return {};
}

Ref object_from(const Arg& a, std::span<PyObject* const> given) {
  if (a.none()) return Ref::borrow(Py_None);
  if (const auto* v = std::get_if<bool>(&a.value)) return Ref::borrow(*v ? Py_True : Py_False);
  if (const auto* v = std::get_if<int64_t>(&a.value)) return checked(PyLong_FromLongLong(*v));
  if (const auto* v = std::get_if<double>(&a.value)) return checked(PyFloat_FromDouble(*v));
  if (const auto* v = std::get_if<std::string>(&a.value))
    return text_object(*v);
  if (const auto* v = std::get_if<DType>(&a.value)) return Ref::borrow(dtype_object(*v));
  if (const auto* v = std::get_if<Shape>(&a.value)) return checked(shape_object(*v));
  if (const auto* v = std::get_if<Tensor>(&a.value)) {
    if (!*v) return Ref::borrow(Py_None);
    return checked(v->dtype() == DType::kResource ? wrap_gradient(*v) : wrap_or_given(*v, given));
  }
  return list_of(std::get<ArgList>(a.value), [](const auto& one) { return object_from(one); });
}

}  // namespace footlight::python
