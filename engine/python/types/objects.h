// The Python objects of the engine as its own C++ sees them. Only this folder includes Python.h.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "engine/tensor/tensor.h"

#include <span>

namespace footlight::python {

// tf.Tensor, eager and symbolic alike.
struct PyTensor {
  PyObject_HEAD Tensor tensor;
  PyObject* weakrefs;
};
extern PyTypeObject* tensor_type;

inline bool is_tensor(PyObject* o) {
  return Py_TYPE(o) == tensor_type || PyType_IsSubtype(Py_TYPE(o), tensor_type);
}
inline const Tensor& tensor_of(PyObject* o) { return reinterpret_cast<PyTensor*>(o)->tensor; }
PyObject* wrap(Tensor);                       // new reference; throws
PyObject* wrap_all(std::span<const Tensor>);  // a list

// Installed by the tracing part: what `.op` and `.graph` of a symbolic tensor give. New references.
extern PyObject* (*operation_of)(const Tensor&);
extern PyObject* (*graph_of)(const Tensor&);

// Sets the Python exception that belongs to the C++ exception in flight; call it inside `catch (...)`.
void set_python_error();

// Runs `body`, turning C++ exceptions into Python ones: `return guarded([&] { ... return object; });`
template <class Body>
PyObject* guarded(Body&& body) {
  try {
    return body();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

// Owned reference.
class Ref {
 public:
  Ref() = default;
  static Ref steal(PyObject* o) {
    Ref r;
    r.object_ = o;
    return r;
  }
  static Ref borrow(PyObject* o) {
    Py_XINCREF(o);
    return steal(o);
  }
  Ref(Ref&& o) noexcept : object_(o.object_) { o.object_ = nullptr; }
  Ref(const Ref& o) : object_(o.object_) { Py_XINCREF(object_); }
  Ref& operator=(Ref o) noexcept {
    std::swap(object_, o.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }
  PyObject* get() const { return object_; }
  PyObject* release() {
    PyObject* o = object_;
    object_ = nullptr;
    return o;
  }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// Any Python value (number, list, array, tensor, variable) as a tensor; `dtype` kInvalid: inferred.
// Inside a trace a Python value becomes a Const node, a foreign tensor a capture.
Tensor to_tensor(PyObject*, DType dtype = DType::kInvalid, const char* argument = nullptr);

}  // namespace footlight::python
