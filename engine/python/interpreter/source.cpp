// The engine's end of the recorder: it takes positions through it, and adds the names of its ops to every session.
#include "engine/python/interpreter/source.h"

#include "engine/ops/row.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/recorder/api.h"
#include "engine/record/recorder.h"

namespace footlight::python {
namespace {

const RecorderApi* recorder = nullptr;

void record_op_names(session::Writer& writer) {
  for (const OpRow* row : all_rows()) writer.add_op_name({row->id, row->name, std::string(name_of(row->family))});
}

// The recorder's extension, which the capsule's name alone would not load.
const RecorderApi* load_recorder() {
  const Ref module = checked(PyImport_ImportModule("footlight_recorder._recorder"));
  void* const api = PyCapsule_Import(kRecorderApi, 0);
  if (!api) throw PythonErrorSet();
  return static_cast<const RecorderApi*>(api);
}

}  // namespace

CodeId code_id(PyObject* code) { return recorder->code_id(code); }

void init_source(PyObject*) {
  recorder = load_recorder();
  const Ref file = checked(PyObject_GetAttrString(namespace_of(""), "__file__"));
  const std::string path = readable(file.get());
  record::add_own_folder(path.substr(0, path.rfind('/') + 1));  // "/.../python/footlight/"
  record::on_recording_started(record_op_names);
}

}  // namespace footlight::python
