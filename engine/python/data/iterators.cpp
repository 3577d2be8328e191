// Eager steps of an iterator, without the detour over an op where nobody records it.
#include "engine/base/recording.h"
#include "engine/base/text.h"
#include "engine/data/iterator.h"
#include "engine/python/data/module_init.h"
#include "engine/python/function/observed/state_watch.h"
#include "engine/python/types/objects.h"

namespace footlight::python {
namespace {

Tensor given(PyObject* o, const char* what) {
  if (!is_tensor(o)) fail(ErrorKind::kType, what, " must be a tensor, not ", Py_TYPE(o)->tp_name);
  return tensor_of(o);
}
Tensor handle_of(PyObject* o) { return given(o, "the handle of an iterator"); }

// iterator_next(handle): the tensors of the next element as a list, a single one as it is; None at the end.
PyObject* iterator_next(PyObject*, PyObject* handle) {
  if (recording_structure()) note_element();
  const Tensor resource = handle_of(handle);  // kept while the GIL may be released
  data::Element element;
  try {
    if (!data::iterator_of(resource).next(element)) Py_RETURN_NONE;
  } catch (const Error& e) {
    stay_out_of_the_end(e);
    throw Error(e.kind(), str(e.message(), " [Op:IteratorGetNext]"));
  }
  for (Tensor& tensor : element)
    if (tensor.dtype() != DType::kVariant && tensor.dtype() != DType::kResource &&
        tensor.body()->refs.load(std::memory_order_relaxed) > 1)
      tensor = tensor.alias();  // a value of its own for tapes
  if (element.size() == 1) return wrap(std::move(element[0]));
  return wrap_all(element);
}

PyObject* iterator_cancel(PyObject*, PyObject* handle) {
  data::iterator_of(handle_of(handle)).cancel();
  return Py_NewRef(Py_None);
}

PyObject* iterator_state(PyObject*, PyObject* handle) {
  const Tensor resource = handle_of(handle);
  return wrap(Tensor::string(data::iterator_of(resource).save()));
}

PyObject* iterator_restore(PyObject*, PyObject* args) {
  PyObject *handle, *state;
  if (!PyArg_ParseTuple(args, "OO:iterator_restore", &handle, &state)) return nullptr;
  const Tensor resource = handle_of(handle), said = given(state, "the state of an iterator");
  if (said.dtype() != DType::kString || said.elements() != 1)
    fail(ErrorKind::kInvalidArgument, "the state of an iterator is a scalar string");
  data::iterator_of(resource).restore(*said.data<std::string>());
  return Py_NewRef(Py_None);
}

PyMethodDef functions[] = {
    {"iterator_next", guard<iterator_next>, METH_O,
     "iterator_next(handle)\n--\n\nThe tensors of the next element, or None."},
    {"iterator_cancel", guard<iterator_cancel>, METH_O,
     "iterator_cancel(handle)\n--\n\nStops what an iterator is doing."},
    {"iterator_state", guard<iterator_state>, METH_O,
     "iterator_state(handle)\n--\n\nWhere an iterator is, as a string."},
    {"iterator_restore", guard<iterator_restore>, METH_VARARGS,
     "iterator_restore(handle, state)\n--\n\nGoes to where another iterator over the same dataset was."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_dataset_iterators(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet();
}

}  // namespace footlight::python
