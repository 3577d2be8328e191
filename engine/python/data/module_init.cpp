// What this folder adds to the extension module, and how threads of datasets get along with the GIL.
#include "engine/python/data/module_init.h"

#include "engine/data/stage_registry.h"
#include "engine/data/run.h"
#include "engine/python/interpreter/gil_state.h"
#include "engine/python/interpreter/module.h"

#include <unistd.h>

namespace footlight::python {
namespace {

thread_local bool ends_program = false;  // the thread that has called end_datasets()

void* leave() { return Py_IsInitialized() && PyGILState_Check() ? PyEval_SaveThread() : nullptr; }
void enter(void* state) { take_gil_again(static_cast<PyThreadState*>(state)); }
void interrupts() {
  if (PyErr_CheckSignals() < 0) throw PythonErrorSet();
}

PyObject* end_datasets(PyObject*, PyObject*) {
  return guarded([] {
    ends_program = true;
    data::end_all_runs();
    return Py_NewRef(Py_None);
  });
}

PyMethodDef functions[] = {
    {"end_datasets", end_datasets, METH_NOARGS, "Cancels all iterations over datasets: the program ends."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void stay_out_of_the_end(const Error& error) {
  if (error.kind() != ErrorKind::kCancelled || !data::runs_have_ended() || ends_program) return;
  PyEval_SaveThread();
  for (;;) pause();
}

void init_data(PyObject* module) {
  namespace_of("data");
  namespace_of("data.experimental");
  data::init();
  data::front_end_lock = {leave, enter, interrupts};
  if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet();
  init_dataset_ops(module);
  init_dataset_iterators(module);
  init_generators(module);
  init_record_writer(module);
}

}  // namespace footlight::python
