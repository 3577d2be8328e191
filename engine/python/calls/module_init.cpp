// Adds this folder to the extension module: public functions (from the table and by hand) and operators.
#include "engine/ops/row.h"
#include "engine/python/calls/binder.h"
#include "engine/python/calls/library.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/interpreter/module.h"
#include "engine/record/recorder.h"
#include "engine/record/this_process.h"

#include "footlight_version.h"

namespace footlight::python {
namespace {

PyObject* op_names(PyObject*, PyObject*) {
  return guarded([] {
    return list_of(all_rows(), [](const OpRow* row) { return checked(PyUnicode_FromString(row->name)); }).release();
  });
}

// Events hold the numbers of ops.
void describe_engine(session::Writer& writer) {
  record::change_this_process([](session::ProcessRecord& process) {
    process.engine = "footlight";
    process.engine_version = FOOTLIGHT_VERSION;
  });
  for (const OpRow* row : all_rows())
    writer.add(session::OpNameRecord{row->id, row->name, std::string(name_of(row->family))});
}

PyMethodDef functions[] = {
    {"op_names", op_names, METH_NOARGS, "op_names()\n--\n\nThe names of all primitive ops."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_calls(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet();
  record::on_recording_started(describe_engine);
  init_constant();
  init_variable_updates();
  init_scopes(module);
  init_config();
  init_print();
  init_py_function(module);
  init_raw_ops(module);
  init_tensor_files(module);
  init_public_functions(module);
}

}  // namespace footlight::python
