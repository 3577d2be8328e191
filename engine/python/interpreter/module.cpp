// The extension module footlight._engine: loads once, in the main interpreter, and fills the public
// namespaces.
#include "engine/python/interpreter/module.h"

#include "engine/eager/execute.h"
#include "engine/python/interpreter/members.h"

#include <map>
#include <string>

namespace footlight::python {
namespace {

PyObject* namespaces = nullptr;  // dotted name -> module, "" -> footlight

PyObject* make_namespace(const std::string& dotted) {
  const std::string full = dotted.empty() ? "footlight" : "footlight." + dotted;
  Ref module = checked(PyImport_AddModule(full.c_str()));
  Py_INCREF(module.get());  // AddModule lends
  if (PyDict_SetItemString(namespaces, dotted.c_str(), module.get()) < 0) throw PythonErrorSet();
  if (!dotted.empty()) {
    const size_t dot = dotted.rfind('.');
    PyObject* parent = namespace_of(dot == std::string::npos ? "" : dotted.substr(0, dot).c_str());
    const std::string leaf = dot == std::string::npos ? dotted : dotted.substr(dot + 1);
    if (PyObject_SetAttrString(parent, leaf.c_str(), module.get()) < 0) throw PythonErrorSet();
    // `import footlight.nn` asks for packages all the way down.
    Ref path = checked(PyList_New(0));
    if (PyObject_SetAttrString(module.get(), "__path__", path.get()) < 0) throw PythonErrorSet();
  }
  return module.get();
}

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "footlight._engine",
                          "The engine behind footlight.",
                          -1,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

PyObject* namespace_of(const char* dotted) {
  PyObject* known = PyDict_GetItemString(namespaces, dotted);
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
  // Other names of a function are the same object, so that it is found again by the first one: pickle looks there.
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

PyMODINIT_FUNC PyInit__engine() {
  using namespace footlight::python;
#ifdef Py_GIL_DISABLED
  PyErr_SetString(PyExc_ImportError,
                  "footlight does not run in free-threaded builds of Python; use the standard one");
  return nullptr;
#endif
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(PyExc_ImportError,
                    "footlight works in the main interpreter only, not in a subinterpreter");
    return nullptr;
  }
  if (namespaces) {
    PyErr_SetString(PyExc_ImportError,
                    "footlight's engine is loaded already and cannot be loaded a second time");
    return nullptr;
  }
  return guarded([]() -> PyObject* {
    Ref module = checked(PyModule_Create(&definition));
    namespaces = checked(PyDict_New()).release();
    footlight::eager::init();
    for (auto init : {init_members, init_errors, init_dtype, init_shape, init_tensor, init_conversions, init_specs,
                      init_variable, init_tape, init_config, init_print, init_nest, init_public_functions,
                      init_source, init_function, init_autograph})
      if (init) init(module.get());
    return module.release();
  });
}
