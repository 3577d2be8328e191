// Owned references to Python objects: the one class that counts them. Only engine/python includes Python.h, through
// this header.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "engine/base/errors.h"

namespace footlight::python {

class Ref {
 public:
  Ref() = default;
  // Takes over a new reference, or null.
  static Ref steal(PyObject* o) {
    Ref r;
    r.object_ = o;
    return r;
  }
  // Adds a reference to a borrowed object, or null.
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

// Owns a new reference; null means that a Python exception is set, and throws PythonErrorSet.
inline Ref checked(PyObject* o) {
  if (!o) throw PythonErrorSet();
  return Ref::steal(o);
}

}  // namespace footlight::python
