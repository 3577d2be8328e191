// engine/python/interpreter as a module of its own, so that a script can call each of its functions.
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/frame_layout.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"

#include <optional>
#include <stdexcept>
#include <system_error>
#include <variant>

namespace footlight::python {
namespace {

// Throws exceptions that count as internal errors, and some that do not.
PyObject* throw_cpp(PyObject*, PyObject* name) {
  return guarded([&]() -> PyObject* {
    const std::string_view kind = utf8(name);
    if (kind == "bad_variant_access") (void)std::get<int>(std::variant<int, bool>(true));
    if (kind == "bad_optional_access") (void)std::optional<int>().value();
    if (kind == "out_of_range") (void)std::string().at(1);
    if (kind == "logic_error") throw std::logic_error("an assumption of ours");
    if (kind == "failed_check") FL_CHECK(kind.empty());
    if (kind == "system_error") throw std::system_error(std::make_error_code(std::errc::no_space_on_device), "x.log");
    if (kind == "bad_alloc") throw std::bad_alloc();
    throw Error(ErrorKind::kType, "the user's");
  });
}

// Calls f(), then cleared_if(classes): returns its result, or raises the exception that is still set.
PyObject* cleared(PyObject*, PyObject* args) {
  PyObject *f, *classes;
  if (!PyArg_ParseTuple(args, "OO", &f, &classes)) return nullptr;
  const Ref result = Ref::steal(PyObject_CallNoArgs(f));
  const bool is = cleared_if(classes);
  return PyErr_Occurred() ? nullptr : PyBool_FromLong(is);
}

PyObject* cleared_or_thrown(PyObject*, PyObject* args) {
  PyObject *f, *classes;
  if (!PyArg_ParseTuple(args, "OO", &f, &classes)) return nullptr;
  return guarded([&]() -> PyObject* {
    const Ref result = Ref::steal(PyObject_CallNoArgs(f));
    clear_only(classes);
    Py_RETURN_NONE;
  });
}

// Calls the second function while the exception of the first is set aside.
PyObject* set_aside(PyObject*, PyObject* args) {
  PyObject *first, *second;
  if (!PyArg_ParseTuple(args, "OO", &first, &second)) return nullptr;
  const Ref result = Ref::steal(PyObject_CallNoArgs(first));
  Ref other;
  {
    const ExceptionSetAside exception;
    other = Ref::steal(PyObject_CallNoArgs(second));
  }
  return PyErr_Occurred() ? nullptr : Py_NewRef(Py_None);
}

// Raises one of our errors while an exception is set.
PyObject* fail_after(PyObject*, PyObject* f) {
  return guarded([&]() -> PyObject* {
    const Ref result = Ref::steal(PyObject_CallNoArgs(f));
    throw Error(ErrorKind::kValue, "ours");
  });
}

PyObject* bytes(const std::string& s) {
  return PyBytes_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size()));
}
template <class F>
PyObject* of_text(PyObject* o, F f) {
  return guarded([&] { return bytes(std::string(f(o))); });
}
PyObject* py_utf8(PyObject*, PyObject* o) { return of_text(o, utf8); }
PyObject* py_readable(PyObject*, PyObject* o) { return of_text(o, readable); }
PyObject* py_distinct(PyObject*, PyObject* o) { return of_text(o, distinct_utf8); }
PyObject* py_repr(PyObject*, PyObject* o) { return of_text(o, repr_of); }
PyObject* py_str(PyObject*, PyObject* o) { return of_text(o, str_of); }

PyObject* attribute(PyObject*, PyObject* args) {
  PyObject* o;
  const char* name;
  if (!PyArg_ParseTuple(args, "Os", &o, &name)) return nullptr;
  return guarded([&] {
    Ref found = optional_attribute(o, name);
    return found ? found.release() : Py_NewRef(Py_NotImplemented);
  });
}
PyObject* item(PyObject*, PyObject* args) {
  PyObject *dict, *key;
  if (!PyArg_ParseTuple(args, "O!O", &PyDict_Type, &dict, &key)) return nullptr;
  return guarded([&] {
    PyObject* found = find_item(dict, key);
    return Py_NewRef(found ? found : Py_NotImplemented);
  });
}

// Where in its code the caller is.
PyObject* offset_of_caller(PyObject*, PyObject*) {
  return PyLong_FromUnsignedLong(offset_of(top_frame(own_thread_state())));
}

PyMethodDef functions[] = {{"throw_cpp", throw_cpp, METH_O, nullptr},
                           {"cleared", cleared, METH_VARARGS, nullptr},
                           {"cleared_or_thrown", cleared_or_thrown, METH_VARARGS, nullptr},
                           {"set_aside", set_aside, METH_VARARGS, nullptr},
                           {"fail_after", fail_after, METH_O, nullptr},
                           {"utf8", py_utf8, METH_O, nullptr},
                           {"readable", py_readable, METH_O, nullptr},
                           {"distinct_utf8", py_distinct, METH_O, nullptr},
                           {"repr_of", py_repr, METH_O, nullptr},
                           {"str_of", py_str, METH_O, nullptr},
                           {"optional_attribute", attribute, METH_VARARGS, nullptr},
                           {"find_item", item, METH_VARARGS, nullptr},
                           {"offset_of_caller", offset_of_caller, METH_O, nullptr},
                           {nullptr, nullptr, 0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "interpreter_room", nullptr, -1,     functions,
                          nullptr,               nullptr,            nullptr, nullptr};

}  // namespace
}  // namespace footlight::python

PyMODINIT_FUNC PyInit_interpreter_room() {
  using namespace footlight::python;
  return guarded([] {
    Ref module = checked(PyModule_Create(&definition));
    init_namespaces();
    init_errors();
    return module.release();
  });
}
