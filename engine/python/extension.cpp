// The extension module footlight._engine: loads once, in the main interpreter, and initializes each folder in turn.
#include "engine/eager/execute.h"
#include "engine/python/calls/operators.h"
#include "engine/python/install_hooks.h"
#include "engine/python/interpreter/module.h"
#include "engine/trace/init.h"

namespace {

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "footlight._engine",
                          "The engine behind footlight.",
                          -1,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

PyObject* refuse(const char* why) {
  PyErr_SetString(PyExc_ImportError, why);
  return nullptr;
}

}  // namespace

PyMODINIT_FUNC PyInit__engine() {
  using namespace footlight::python;
#ifdef Py_GIL_DISABLED
  return refuse("footlight does not run in free-threaded builds of Python; use the standard one");
#endif
  if (PyInterpreterState_Get() != PyInterpreterState_Main())
    return refuse("footlight works in the main interpreter only, not in a subinterpreter");
  if (namespaces_exist()) return refuse("footlight's engine is loaded already and cannot be loaded a second time");
  return guarded([]() -> PyObject* {
    Ref module = checked(PyModule_Create(&definition));
    init_namespaces();
    install_hooks();
    footlight::eager::init();
    footlight::trace::init();
    install_operators();
    for (auto init : {init_interpreter, init_types, init_calls, init_gradients, init_function, init_autograph,
                      init_data})
      init(module.get());
    return module.release();
  });
}
