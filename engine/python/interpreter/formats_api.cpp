// Finds the functions of footlight._formats, which is loaded when one is needed.
#include "engine/python/interpreter/formats_api.h"

#include "engine/python/interpreter/exceptions.h"

namespace footlight::python {

const FormatsApi& formats_api() {
  static const FormatsApi* api = nullptr;
  if (!api) {
    checked(PyImport_ImportModule("footlight._formats"));
    api = static_cast<const FormatsApi*>(PyCapsule_Import(kFormatsApi, 0));
    if (!api) throw PythonErrorSet();
  }
  return *api;
}

}  // namespace footlight::python
