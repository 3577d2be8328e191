// The extension module footlight_recorder._recorder: recording of a Python program, without any engine.
#include "engine/python/recorder/module.h"

#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/recorder_api.h"
#include "engine/python/recorder/code_objects.h"
#include "engine/record/sources.h"

namespace footlight::python {
namespace {

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "footlight_recorder._recorder",
                          "Records what a program does in a Footlight session.",
                          -1,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

const RecorderApi kApi{code_id};

// "/.../python/footlight_recorder/"
std::string own_folder() {
  const Ref package = checked(PyImport_ImportModule("footlight_recorder"));
  const Ref file = checked(PyObject_GetAttrString(package.get(), "__file__"));
  const std::string path = readable(file.get());
  return path.substr(0, path.rfind('/') + 1);
}

}  // namespace
}  // namespace footlight::python

PyMODINIT_FUNC PyInit__recorder() {
  using namespace footlight::python;
#ifdef Py_GIL_DISABLED
  PyErr_SetString(PyExc_ImportError,
                  "footlight does not run in free-threaded builds of Python; use the standard one");
  return nullptr;
#endif
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(PyExc_ImportError, "footlight works in the main interpreter only, not in a subinterpreter");
    return nullptr;
  }
  static bool loaded = false;
  if (loaded) {
    PyErr_SetString(PyExc_ImportError, "footlight's recorder is loaded already and cannot be loaded a second time");
    return nullptr;
  }
  return guarded([]() -> PyObject* {
    Ref module = checked(PyModule_Create(&definition));
    footlight::record::add_own_folder(own_folder());
    init_code_objects();
    init_recording(module.get());
    init_records(module.get());
    init_keys(module.get());
    init_recorded_callables(module.get());
    init_spans(module.get());
    init_watched_calls(module.get());
    init_executable_uses(module.get());
    Ref api = checked(PyCapsule_New(const_cast<RecorderApi*>(&kApi), kRecorderApi, nullptr));
    if (PyModule_AddObjectRef(module.get(), "api", api.get()) < 0) throw footlight::PythonErrorSet();
    loaded = true;
    return module.release();
  });
}
