// Waiting for the call that is to be compared.
#include "engine/python/function/compare.h"

#include "engine/ops/builder.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/tensor/kept_states.h"

namespace footlight::python {
namespace {

struct Waiting {
  WantedComparison wanted;
  vectorcallfunc plain = nullptr;
  std::string function = {};  // the one whose calls are counted
  uint64_t calls = 0;
  bool done = false;
};
Waiting* waiting = nullptr;  // null: no comparison is wanted

bool is_wanted(const FunctionCore& core) {
  const std::string& name = waiting->wanted.name;
  if (name.empty()) return waiting->function.empty() || waiting->function == core.qualified_name;
  const std::string& own = core.qualified_name;
  return own == name || core.name == name || own.substr(own.rfind('.') + 1) == name;
}

// Whether this call is the wanted one.
bool is_now(PyObject* function) {
  const FunctionCore& core = core_of(function);
  if (waiting->done) reinterpret_cast<PyTracedFunction*>(function)->vectorcall = waiting->plain;
  if (waiting->done || current_graph_builder || !is_wanted(core)) return false;
  waiting->function = core.qualified_name;
  return waiting->done = ++waiting->calls == waiting->wanted.call;
}

PyObject* waiting_call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  bool now = false;
  if (!guarded([&] { return now = is_now(self), Py_None; })) return nullptr;
  if (!now) return waiting->plain(self, args, nargsf, kwnames);
  return guarded(
      [&] { return compare_call(waiting->wanted, waiting->plain, self, args, nargsf, kwnames).release(); });
}

}  // namespace

vectorcallfunc called_by(vectorcallfunc plain) {
  if (!waiting) return plain;
  waiting->plain = plain;
  return waiting_call;
}

void init_compare() {
  PyObject* const recorder = find_item(PyImport_GetModuleDict(), "footlight_recorder");
  if (!recorder) return;
  const Ref wanted = optional_attribute(recorder, "wanted_comparison");
  if (!wanted || wanted.get() == Py_None) return;
  PyObject* name;
  WantedComparison read;
  unsigned long long call;
  if (!PyArg_ParseTuple(wanted.get(), "UKId", &name, &call, &read.pairs, &read.seconds)) throw PythonErrorSet();
  read.name = readable(name);
  read.call = call;
  watch_states();
  waiting = new Waiting{.wanted = std::move(read)};
}

}  // namespace footlight::python
