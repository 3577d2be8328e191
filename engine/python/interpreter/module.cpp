// The public namespaces: modules that are created on first use.
#include "engine/python/interpreter/module.h"

#include "engine/base/text.h"
#include "engine/python/interpreter/attributes.h"

#include <map>
#include <string>

namespace footlight::python {
namespace {

PyObject* namespaces = nullptr;  // dotted name -> module, "" -> footlight

PyObject* make_namespace(const std::string& dotted) {
  const std::string full = dotted.empty() ? "footlight" : "footlight." + dotted;
  const size_t dot = dotted.rfind('.');
  const std::string leaf = dot == std::string::npos ? dotted : dotted.substr(dot + 1);
  PyObject* const parent =
      dotted.empty() ? nullptr : namespace_of(dot == std::string::npos ? "" : dotted.substr(0, dot).c_str());
  if (parent)
    if (PyObject* there = find_item(PyModule_GetDict(parent), leaf.c_str()); there && !PyModule_Check(there))
      fail(ErrorKind::kValue, full, " is no namespace but a ", Py_TYPE(there)->tp_name);
  const Ref module = Ref::borrow(PyImport_AddModule(full.c_str()));
  if (!module) throw PythonErrorSet();
  if (PyDict_SetItemString(namespaces, dotted.c_str(), module.get()) < 0) throw PythonErrorSet();
  if (parent) {
    if (PyObject_SetAttrString(parent, leaf.c_str(), module.get()) < 0) throw PythonErrorSet();
    // `import footlight.nn` requires every level to be a package.
    Ref path = checked(PyList_New(0));
    if (PyObject_SetAttrString(module.get(), "__path__", path.get()) < 0) throw PythonErrorSet();
  }
  return module.get();
}

}  // namespace

void init_namespaces() { namespaces = checked(PyDict_New()).release(); }
bool namespaces_exist() { return namespaces != nullptr; }

PyObject* namespace_of(const char* dotted) {
  PyObject* known = find_item(namespaces, dotted);
  return known ? known : make_namespace(dotted);
}

void publish(const char* dotted, PyObject* object) {
  const std::string name = dotted;
  const size_t dot = name.rfind('.');
  PyObject* where = namespace_of(dot == std::string::npos ? "" : name.substr(0, dot).c_str());
  if (PyObject_SetAttrString(where, name.c_str() + (dot == std::string::npos ? 0 : dot + 1), object) < 0)
    throw PythonErrorSet();
}

void publish_function(const char* dotted, PyMethodDef* method) {
  // Other names of a function are the same object; pickle finds it by the first one.
  static std::map<PyMethodDef*, PyObject*> published;
  if (PyObject* same = published[method]) return publish(dotted, same);
  const std::string name = dotted;
  const size_t dot = name.rfind('.');
  const std::string in = dot == std::string::npos ? "footlight" : "footlight." + name.substr(0, dot);
  Ref module_name = checked(PyUnicode_FromString(in.c_str()));
  Ref function = checked(PyCFunction_NewEx(method, nullptr, module_name.get()));
  publish(dotted, function.get());
  published[method] = function.release();
}

}  // namespace footlight::python
