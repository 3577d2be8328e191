// Adds this folder to the extension module, and hooks for dataset threads that need the GIL.
#include "engine/python/data/module_init.h"

#include "engine/data/stage_registry.h"
#include "engine/data/run.h"
#include "engine/python/interpreter/gil_state.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/thread_context.h"

#include <unistd.h>

namespace footlight::python {
namespace {

PyObject* end_datasets(PyObject*, PyObject*) {
  return guarded([] {
    python_thread.ends_program = true;
    data::end_all_runs();
    return Py_NewRef(Py_None);
  });
}

PyMethodDef functions[] = {
    {"end_datasets", end_datasets, METH_NOARGS, "Cancels all iterations over datasets: the program ends."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void* leave_gil() { return Py_IsInitialized() && PyGILState_Check() ? PyEval_SaveThread() : nullptr; }
void enter_gil(void* state) { take_gil_again(static_cast<PyThreadState*>(state)); }
void check_interrupts_of_python() {
  if (PyErr_CheckSignals() < 0) throw PythonErrorSet();
}

void stay_out_of_the_end(const Error& error) {
  if (error.kind() != ErrorKind::kCancelled || !data::runs_have_ended() || python_thread.ends_program) return;
  PyEval_SaveThread();
  for (;;) pause();
}

void init_data(PyObject* module) {
  namespace_of("data");
  namespace_of("data.experimental");
  data::init();
  if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet();
  init_dataset_ops(module);
  init_dataset_iterators(module);
  init_generators(module);
  init_record_writer(module);
}

}  // namespace footlight::python
