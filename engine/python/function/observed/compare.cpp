// Waiting for the call that is to be compared.
#include "engine/python/function/observed/compare.h"

#include "engine/ops/builder.h"
#include "engine/python/function/function_object.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/tensor/kept_states.h"

namespace footlight::python {
namespace {

struct Waiting {
  WantedComparison wanted;
  vectorcallfunc plain = nullptr;
};
Waiting* waiting = nullptr;  // null: no comparison is wanted

// Whether this call is the wanted one.
bool is_now(PyObject* function) {
  ChosenCall& chosen = waiting->wanted.call;
  if (chosen.is_over()) reinterpret_cast<PyTracedFunction*>(function)->vectorcall = waiting->plain;
  return !this_thread.builder && chosen.arrives(core_of(function));
}

PyObject* waiting_call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  bool now = false;
  if (!guarded([&] { return now = is_now(self), Py_None; })) return nullptr;
  if (!now) return waiting->plain(self, args, nargsf, kwnames);
  return guarded(
      [&] { return compare_call(waiting->wanted, waiting->plain, {self, args, nargsf, kwnames}).release(); });
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
  read.call = ChosenCall(readable(name), call);
  watch_states();
  waiting = new Waiting{.wanted = std::move(read)};
}

}  // namespace footlight::python
