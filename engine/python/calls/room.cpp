// What this room adds to the extension module: the public functions, of the table and by hand, and the operators.
#include "engine/ops/row.h"
#include "engine/python/calls/binder.h"
#include "engine/python/calls/library.h"
#include "engine/python/interpreter/module.h"
#include "engine/record/recorder.h"

namespace footlight::python {
namespace {

PyObject* op_names(PyObject*, PyObject*) {
  return guarded([] {
    Ref list = checked(PyList_New(0));
    for (const OpRow* row : all_rows()) {
      const Ref name = checked(PyUnicode_FromString(row->name));
      if (PyList_Append(list.get(), name.get()) < 0) throw PythonErrorSet();
    }
    return list.release();
  });
}

// Events hold the numbers of ops.
void record_op_names(session::Writer& writer) {
  for (const OpRow* row : all_rows()) writer.add_op_name({row->id, row->name, std::string(name_of(row->family))});
}

PyMethodDef functions[] = {
    {"op_names", op_names, METH_NOARGS, "op_names()\n--\n\nThe names of all primitive ops."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_calls(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet();
  record::on_recording_started(record_op_names);
  init_constant();
  init_variable_updates();
  init_scopes();
  init_config();
  init_print();
  init_public_functions();
}

}  // namespace footlight::python
