// _engine.RecordWriter: what tf.io.TFRecordWriter writes with.
#include "engine/base/text.h"
#include "engine/data/input_file.h"
#include "engine/python/data/module_init.h"
#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/gil_state.h"
#include "engine/python/interpreter/text.h"

#include <new>
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
  Ref made = checked(kind->tp_alloc(kind, 0));
  new (&writer_of(made.get())) std::optional<data::RecordWriter>;
  writer_of(made.get()).emplace(path, data::compression_of(compression), level);
  return made.release();
}

void destroy(PyObject* self) {
  using Writer = std::optional<data::RecordWriter>;
  writer_of(self).~Writer();
  Py_TYPE(self)->tp_free(self);
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
  type.tp_name = "footlight._engine.RecordWriter";
  type.tp_basicsize = sizeof(PyRecordWriter);
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  type.tp_new = guard<construct>;
  type.tp_dealloc = destroy;
  type.tp_methods = methods;
  type.tp_doc = "RecordWriter(path, compression, level)\n--\n\nWrites a TFRecord file.";
  if (PyType_Ready(&type) < 0 || PyModule_AddObjectRef(module, "RecordWriter", reinterpret_cast<PyObject*>(&type)) < 0)
    throw PythonErrorSet();
}

}  // namespace footlight::python
