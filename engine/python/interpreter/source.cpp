// The engine's interface to the recorder, which provides source positions.
#include "engine/python/interpreter/source.h"

#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/recorder_api.h"
#include "engine/python/interpreter/text.h"

namespace footlight::python {
namespace {

const RecorderApi* recorder = nullptr;

// Import the recorder's extension; the capsule alone would not load it.
const RecorderApi* load_recorder() {
  const Ref module = checked(PyImport_ImportModule("footlight_recorder._recorder"));
  void* const api = PyCapsule_Import(kRecorderApi, 0);
  if (!api) throw PythonErrorSet();
  return static_cast<const RecorderApi*>(api);
}

}  // namespace

CodeId code_id(PyObject* code) { return recorder->code_id(code); }

void init_source() {
  recorder = load_recorder();
  const Ref file = checked(PyObject_GetAttrString(namespace_of(""), "__file__"));
  const std::string path = readable(file.get());
  record::add_own_folder(path.substr(0, path.rfind('/') + 1));  // "/.../python/footlight/"
}

}  // namespace footlight::python
