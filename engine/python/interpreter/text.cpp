// Python strings as UTF-8, and back.
#include "engine/python/interpreter/text.h"

namespace footlight::python {
namespace {

std::string encoded(PyObject* text, const char* lone_surrogates) {
  Py_ssize_t size;
  if (const char* data = PyUnicode_AsUTF8AndSize(text, &size)) return {data, static_cast<size_t>(size)};
  clear_only(PyExc_UnicodeEncodeError);
  const Ref bytes = checked(PyUnicode_AsEncodedString(text, "utf-8", lone_surrogates));
  return {PyBytes_AS_STRING(bytes.get()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.get()))};
}

std::string shown(PyObject* object, Ref text) {
  if (text) return readable(text.get());
  clear_only(PyExc_Exception);
  return std::string("<") + Py_TYPE(object)->tp_name + " object>";
}

}  // namespace

std::string_view utf8(PyObject* text) {
  Py_ssize_t size;
  const char* data = PyUnicode_AsUTF8AndSize(text, &size);
  if (!data) throw PythonErrorSet();
  return {data, static_cast<size_t>(size)};
}

std::string readable(PyObject* text) { return encoded(text, "backslashreplace"); }
std::string distinct_utf8(PyObject* text) { return encoded(text, "surrogatepass"); }
std::string repr_of(PyObject* object) { return shown(object, Ref::steal(PyObject_Repr(object))); }
std::string str_of(PyObject* object) { return shown(object, Ref::steal(PyObject_Str(object))); }

std::string take_message() {
  Ref exception = take_exception();
  if (!exception) return {};
  if (!PyErr_GivenExceptionMatches(exception.get(), PyExc_Exception)) {
    raise_again(std::move(exception));
    throw PythonErrorSet();
  }
  return str_of(exception.get());
}

Ref text_object(std::string_view utf8) {
  return checked(PyUnicode_DecodeUTF8(utf8.data(), static_cast<Py_ssize_t>(utf8.size()), "replace"));
}

}  // namespace footlight::python
