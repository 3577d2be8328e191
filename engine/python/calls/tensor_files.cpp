// Files for _saving/checkpoint.py and _summary/writers.py: named tensors, opened, read and written; events, written.
#include "engine/base/text.h"
#include "engine/python/calls/library.h"
#include "engine/python/interpreter/formats_api.h"
#include "engine/python/interpreter/gil_state.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/array_memory.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/dtype_object.h"
#include "engine/python/types/shape_object.h"
#include "engine/tensor/tensor_file.h"

namespace footlight::python {
namespace {

constexpr const char* kFile = "footlight.tensor_file";

void forget(PyObject* capsule) { delete static_cast<TensorFile*>(PyCapsule_GetPointer(capsule, kFile)); }

const TensorFile& file_of(PyObject* capsule) {
  const auto* file = static_cast<const TensorFile*>(PyCapsule_GetPointer(capsule, kFile));
  if (!file) throw PythonErrorSet();
  return *file;
}

PyObject* open_tensors(PyObject*, PyObject* prefix) {
  std::unique_ptr<TensorFile> file = formats_api().open_bundle(std::string(utf8(prefix)));
  Ref capsule = checked(PyCapsule_New(file.get(), kFile, forget));
  file.release();
  return capsule.release();
}

// {name: (dtype, shape)}; dtype None: one that is not supported.
PyObject* tensors_in(PyObject*, PyObject* capsule) {
  Ref all = checked(PyDict_New());
  for (const TensorFile::Entry& entry : file_of(capsule).entries()) {
    const Ref shape = checked(shape_object(entry.shape));
    PyObject* dtype = entry.dtype == DType::kInvalid ? Py_None : dtype_object(entry.dtype);
    const Ref pair = checked(PyTuple_Pack(2, dtype, shape.get()));
    if (PyDict_SetItem(all.get(), text_object(entry.name).get(), pair.get()) < 0) throw PythonErrorSet();
  }
  return all.release();
}

PyObject* read_tensor(PyObject*, PyObject* args) {
  PyObject *capsule, *name;
  if (!PyArg_ParseTuple(args, "OO", &capsule, &name)) return nullptr;
  const TensorFile& file = file_of(capsule);
  const std::string wanted(utf8(name));
  Tensor value;
  {
    const GilReleased free;
    value = file.read(wanted);
  }
  return wrap(std::move(value));
}

PyObject* write_tensors(PyObject*, PyObject* args) {
  PyObject *prefix, *names, *values;
  if (!PyArg_ParseTuple(args, "OOO", &prefix, &names, &values)) return nullptr;
  const Items all(names), given(values);
  if (all.size() != given.size()) fail(ErrorKind::kValue, "there are not as many names as tensors");
  std::vector<NamedTensor> tensors;
  for (Py_ssize_t i = 0; i < all.size(); ++i) {
    Tensor value = to_tensor(given[i]);
    if (value.is_symbolic())
      fail(ErrorKind::kValue, "a checkpoint cannot be written while a function is being traced: '",
           utf8(all[i]), "' has no value yet");
    tensors.push_back({std::string(utf8(all[i])), on_host(value)});
  }
  const std::string where(utf8(prefix));
  const FormatsApi& api = formats_api();
  {
    const GilReleased free;
    api.write_bundle(where, tensors);
  }
  Py_RETURN_NONE;
}

PyObject* create_event_file(PyObject*, PyObject* args) {
  PyObject *folder, *suffix;
  long long max_queue, flush_millis;
  if (!PyArg_ParseTuple(args, "OLLO", &folder, &max_queue, &flush_millis, &suffix)) return nullptr;
  return wrap(formats_api().create_event_file(std::string(utf8(folder)), max_queue, flush_millis,
                                              std::string(utf8(suffix))));
}

PyObject* flush_event_files(PyObject*, PyObject*) {
  return guarded([]() -> PyObject* {
    formats_api().flush_event_files();
    Py_RETURN_NONE;
  });
}

PyMethodDef functions[] = {
    {"open_tensors", guard<open_tensors>, METH_O, "open_tensors(prefix)\n--\n\nA checkpoint's file of tensors."},
    {"tensors_in", guard<tensors_in>, METH_O, "tensors_in(file)\n--\n\nThe dtype and shape of each, by name."},
    {"read_tensor", guard<read_tensor>, METH_VARARGS, "read_tensor(file, name)\n--\n\nOne of them."},
    {"write_tensors", guard<write_tensors>, METH_VARARGS,
     "write_tensors(prefix, names, values)\n--\n\nWrites a checkpoint's file of tensors, in this order."},
    {"create_event_file", guard<create_event_file>, METH_VARARGS,
     "create_event_file(folder, max_queue, flush_millis, suffix)\n--\n\nA writer of summaries, as a resource."},
    {"flush_event_files", flush_event_files, METH_NOARGS,
     "flush_event_files()\n--\n\nWrites what writers of summaries still hold."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_tensor_files(PyObject* module) { if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet(); }

}  // namespace footlight::python
