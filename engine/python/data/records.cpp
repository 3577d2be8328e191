// _engine.RecordWriter: what tf.io.TFRecordWriter writes with.
#include "engine/base/text.h"
#include "engine/data/input_file.h"
#include "engine/python/data/module_init.h"
#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/gil_state.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/types.h"

#include <optional>

namespace footlight::python {
namespace {

struct PyRecordWriter {
  PyObject_HEAD
  std::optional<data::RecordWriter> writer;
};
PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};

std::optional<data::RecordWriter>& writer_of(PyObject* self) { return reinterpret_cast<PyRecordWriter*>(self)->writer; }

PyObject* construct(PyTypeObject* kind, PyObject* args, PyObject*) {
  const char *path, *compression;
  int level;
  if (!PyArg_ParseTuple(args, "ssi:RecordWriter", &path, &compression, &level)) return nullptr;
  Ref made = new_object_of<PyRecordWriter>(kind);
  writer_of(made.get()).emplace(path, data::compression_of(compression), level);
  return made.release();
}

PyObject* write(PyObject* self, PyObject* record) {
  if (!PyBytes_Check(record)) fail(ErrorKind::kType, "a record is bytes or str");
  writer_of(self)->write({PyBytes_AS_STRING(record), static_cast<size_t>(PyBytes_GET_SIZE(record))});
  return Py_NewRef(Py_None);
}
PyObject* flush(PyObject* self, PyObject*) {
  writer_of(self)->flush();
  return Py_NewRef(Py_None);
}
PyObject* close(PyObject* self, PyObject*) {
  writer_of(self)->close();
  return Py_NewRef(Py_None);
}

PyMethodDef methods[] = {{"write", guard<write>, METH_O, "Adds a record."},
                         {"flush", guard<flush>, METH_NOARGS, "Passes what was written to the system."},
                         {"close", guard<close>, METH_NOARGS, "Ends the file."},
                         {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_record_writer(PyObject* module) {
  define_type<PyRecordWriter>(type, "footlight._engine.RecordWriter",
                              {.doc = "RecordWriter(path, compression, level)\n--\n\nWrites a TFRecord file.",
                               .construct = guard<construct>,
                               .methods = methods});
  if (PyModule_AddObjectRef(module, "RecordWriter", reinterpret_cast<PyObject*>(&type)) < 0)
    throw PythonErrorSet();
}

}  // namespace footlight::python
