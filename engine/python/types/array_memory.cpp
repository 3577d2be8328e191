// The buffer protocol in both directions. Dtypes come from the protocol's format characters, so no NumPy
// headers are needed and NumPy 1 and 2 are the same.
#include "engine/python/types/array_memory.h"

#include "engine/base/text.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/gil_state.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/dtype_object.h"
#include "engine/python/types/shape_object.h"
#include "engine/python/interpreter/module.h"
#include "engine/tensor/borrowed.h"

#include <cstring>
#include <vector>

namespace footlight::python {
namespace {

DType dtype_of_format(const char* format, Py_ssize_t size) {
  if (!format) return DType::kUInt8;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  const std::string_view f = format;
  if (f == "?") return DType::kBool;
  if (f == "e") return DType::kFloat16;
  if (f == "f") return DType::kFloat32;
  if (f == "d") return DType::kFloat64;
  if (f == "Zf") return DType::kComplex64;
  if (f == "Zd") return DType::kComplex128;
  const bool is_signed = f == "b" || f == "h" || f == "i" || f == "l" || f == "q" || f == "n";
  const bool is_unsigned = f == "B" || f == "H" || f == "I" || f == "L" || f == "Q" || f == "N";
  if (!is_signed && !is_unsigned) return DType::kInvalid;
  switch (size) {
    case 1: return is_signed ? DType::kInt8 : DType::kUInt8;
    case 2: return is_signed ? DType::kInt16 : DType::kUInt16;
    case 4: return is_signed ? DType::kInt32 : DType::kUInt32;
    case 8: return is_signed ? DType::kInt64 : DType::kUInt64;
    default: return DType::kInvalid;
  }
}

const char* format_of(DType d) {
  switch (d) {
    case DType::kBool: return "?";
    case DType::kFloat16: return "e";
    case DType::kFloat32: return "f";
    case DType::kFloat64: return "d";
    case DType::kComplex64: return "Zf";
    case DType::kComplex128: return "Zd";
    case DType::kInt8: return "b";
    case DType::kInt16: return "h";
    case DType::kInt32: return "i";
    case DType::kInt64: return "l";
    case DType::kUInt8: return "B";
    case DType::kUInt16: return "H";
    case DType::kUInt32: return "I";
    case DType::kUInt64: return "L";
    default: return nullptr;
  }
}

void release_view(void* context) {
  auto* view = static_cast<Py_buffer*>(context);
  if (!Py_IsInitialized()) return;  // the process is exiting: leave it to the OS
  const WithGil held;
  PyBuffer_Release(view);
  delete view;
}

// Converts what the protocol cannot express (objects, strings, other byte orders, bfloat16) with NumPy.
std::optional<Tensor> through_numpy(PyObject* o) {
  const Ref dtype = optional_attribute(o, "dtype");
  if (!dtype) return {};
  const Ref kind = optional_attribute(dtype.get(), "kind"), name = optional_attribute(dtype.get(), "name");
  if (!kind || !name) return {};
  const std::string k(utf8(kind.get())), n(utf8(name.get()));
  if (n == "bfloat16") {
    Ref raw = checked(PyObject_CallMethod(o, "view", "s", "uint16"));
    const Tensor bits = *array_value(raw.get());
    Tensor out = Tensor::empty(DType::kBFloat16, bits.shape());
    std::memcpy(out.raw(), bits.raw(), bits.bytes());
    return out;
  }
  if (k == "O" || k == "S" || k == "U" || k == "T") {
    const Level level("an array that becomes a tensor");  // it may hold itself
    Ref list = checked(PyObject_CallMethod(o, "tolist", nullptr));
    if (!is_array(list.get()) || PyBytes_Check(list.get())) {
      const Tensor value = to_tensor(list.get(), k == "O" ? DType::kInvalid : DType::kString);
      const Ref shape = checked(PyObject_GetAttrString(o, "shape"));
      return value.elements() ? value : value.reshaped(shape_from_object(shape.get()));  // [] says nothing of 0 x 3
    }
  }
  if (k == "f" && n == "float128") {
    Ref narrow = checked(PyObject_CallMethod(o, "astype", "s", "float64"));
    return array_value(narrow.get());
  }
  const Ref order = optional_attribute(dtype.get(), "byteorder");
  if (order && PyUnicode_CompareWithASCIIString(order.get(), ">") == 0) {
    Ref native = checked(PyObject_CallMethod(dtype.get(), "newbyteorder", "s", "="));
    Ref swapped = checked(PyObject_CallMethod(o, "astype", "O", native.get()));
    return array_value(swapped.get());
  }
  fail(ErrorKind::kValue, "Failed to convert a NumPy array to a Tensor: elements of dtype ", n,
       " are not supported");
}

// Whether nobody can write the memory that this object shows read-only: that of bytes and tensors, seen through arrays
// and views. An array that is read-only itself may have writeable views, and a memory map follows its file.
bool is_immutable(PyObject* o, int depth = 0) {
  constexpr int kDeepest = 16;  // NumPy joins views of views
  if (depth == kDeepest) return false;
  if (PyBytes_CheckExact(o)) return true;
  if (is_tensor(o)) return !tensor_of(o).is_symbolic() && !is_borrowed(tensor_of(o));
  if (PyMemoryView_Check(o)) {
    PyObject* const of = PyMemoryView_GET_BUFFER(o)->obj;
    return of && is_immutable(of, depth + 1);
  }
  PyTypeObject* const type = Py_TYPE(o);
  if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) || std::strcmp(type->tp_name, "numpy.ndarray") != 0) return false;
  const Ref base = optional_attribute(o, "base");
  return base && is_immutable(base.get(), depth + 1);
}

struct Exported {
  Tensor value;
  std::vector<Py_ssize_t> shape, strides;
};

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  try {
    const Tensor value = on_host(tensor_of(self));
    const char* format = format_of(value.dtype());
    if (!format || flags & PyBUF_WRITABLE) {
      PyErr_Format(PyExc_BufferError,
                   format ? "a tensor's memory is read-only" : "a tensor of dtype %s has no buffer",
                   std::string(name_of(value.dtype())).c_str());
      return -1;
    }
    auto exported = std::make_unique<Exported>();
    exported->value = value;
    Py_ssize_t stride = static_cast<Py_ssize_t>(size_of(value.dtype()));
    exported->shape.assign(value.shape().dims().begin(), value.shape().dims().end());
    exported->strides.resize(exported->shape.size());
    for (size_t i = exported->shape.size(); i-- > 0;) {
      exported->strides[i] = stride;
      stride *= exported->shape[i];
    }
    static char nothing;
    view->buf = value.raw() ? value.raw() : &nothing;
    view->len = static_cast<Py_ssize_t>(value.bytes());
    view->itemsize = static_cast<Py_ssize_t>(size_of(value.dtype()));
    view->readonly = 1;
    view->ndim = static_cast<int>(exported->shape.size());
    view->format = flags & PyBUF_FORMAT ? const_cast<char*>(format) : nullptr;
    view->shape = flags & PyBUF_ND ? exported->shape.data() : nullptr;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? exported->strides.data() : nullptr;
    view->suboffsets = nullptr;
    view->internal = exported.release();
    view->obj = Py_NewRef(self);
    return 0;
  } catch (...) {
    set_python_error();
    return -1;
  }
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<Exported*>(view->internal); }

// numpy.float32 and so on: kept once NumPy was loaded.
PyObject* numpy_scalar_type(DType d) {
  static PyObject* types[kDTypeCount];
  PyObject*& t = types[static_cast<size_t>(d)];
  if (!t) t = checked(PyObject_GetAttrString(numpy_dtype(d).get(), "type")).release();
  return t;
}

}  // namespace

PyBufferProcs tensor_buffer = {get_buffer, release_buffer};

bool is_array(PyObject* o) {
  if (is_tensor(o) || PyUnicode_Check(o) || PyBytes_Check(o)) return false;
  if (PyObject_CheckBuffer(o)) return true;
  if (PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyList_CheckExact(o) || PyTuple_CheckExact(o) ||
      PyType_Check(o))
    return false;
  return class_has_attribute(o, "__array__") || class_has_attribute(o, "__array_interface__");
}

std::optional<Tensor> array_value(PyObject* o) {
  if (!is_array(o)) return {};
  if (!PyObject_CheckBuffer(o)) {
    Ref array;
    if (class_has_attribute(o, "__array__")) {
      array = checked(PyObject_CallMethod(o, "__array__", nullptr));
    } else {
      Ref numpy = import_numpy();
      array = checked(PyObject_CallMethod(numpy.get(), "asarray", "O", o));
    }
    if (!PyObject_CheckBuffer(array.get()))
      fail(ErrorKind::kType, Py_TYPE(o)->tp_name, ".__array__() did not return an array, but a ",
           Py_TYPE(array.get())->tp_name);
    return array_value(array.get());
  }
  auto view = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(o, view.get(), PyBUF_FULL_RO) < 0) {
    clear_only(PyExc_Exception);
    return through_numpy(o);
  }
  const DType dtype = dtype_of_format(view->format, view->itemsize);
  // NumPy's scalars of time show their bytes.
  const bool hides = dtype == DType::kUInt8 && Py_TYPE(o)->tp_as_number &&
                     has_attribute(o, "dtype") && !PyIndex_Check(o);
  if (hides || dtype == DType::kInvalid || size_of(dtype) != static_cast<size_t>(view->itemsize)) {
    PyBuffer_Release(view.get());
    return through_numpy(o);
  }
  const Shape shape(std::span<const int64_t>(view->shape, static_cast<size_t>(view->ndim)));
  const bool aligned = reinterpret_cast<uintptr_t>(view->buf) % 64 == 0;
  if (view->readonly && view->len > 16 && aligned && PyBuffer_IsContiguous(view.get(), 'C') && is_immutable(o)) {
    Py_buffer* kept = view.release();
    return Tensor::borrow(dtype, shape, kept->buf, release_view, kept);
  }
  Tensor out = Tensor::empty(dtype, shape);
  const int failed = view->len ? PyBuffer_ToContiguous(out.raw(), view.get(), view->len, 'C') : 0;
  PyBuffer_Release(view.get());
  if (failed) throw PythonErrorSet();
  return out;
}

Ref numpy_value(const Tensor& tensor) {
  const Tensor t = on_host(tensor);
  const DType d = t.dtype();
  const bool is_scalar = t.shape().rank() == 0;
  if (is_scalar && d == DType::kString) return python_value(t);
  if (is_scalar) {
    Ref value = python_value(t);
    return checked(PyObject_CallOneArg(numpy_scalar_type(d), value.get()));
  }
  Ref numpy = import_numpy();
  Ref shape = checked(PyTuple_New(t.shape().rank()));
  for (int i = 0; i < t.shape().rank(); ++i)
    PyTuple_SET_ITEM(shape.get(), i, checked(PyLong_FromLongLong(t.shape()[i])).release());
  if (d == DType::kString) {
    const int64_t flat[] = {t.elements()};
    Ref list = python_value(t.reshaped(Shape(std::span<const int64_t>(flat, 1))));
    Ref array = checked(PyObject_CallMethod(numpy.get(), "array", "OO", list.get(), numpy_dtype(d).get()));
    return checked(PyObject_CallMethod(array.get(), "reshape", "O", shape.get()));
  }
  Ref dtype = numpy_dtype(d);
  Ref array = checked(PyObject_CallMethod(numpy.get(), "empty", "OO", shape.get(), dtype.get()));
  if (d == DType::kBFloat16) {
    Ref raw = checked(PyObject_CallMethod(array.get(), "view", "s", "uint16"));
    Py_buffer to;
    if (PyObject_GetBuffer(raw.get(), &to, PyBUF_CONTIG) < 0) throw PythonErrorSet();
    std::memcpy(to.buf, t.raw(), t.bytes());
    PyBuffer_Release(&to);
    return array;
  }
  Py_buffer to;
  if (PyObject_GetBuffer(array.get(), &to, PyBUF_CONTIG) < 0) throw PythonErrorSet();
  if (t.bytes()) std::memcpy(to.buf, t.raw(), t.bytes());
  PyBuffer_Release(&to);
  return array;
}

}  // namespace footlight::python
