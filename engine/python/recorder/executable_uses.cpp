// Counts calls by the placement of their arguments, for each trace with several executables.
#include "engine/python/recorder/executable_uses.h"

#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/recorder/module.h"

#include <algorithm>
#include <unordered_map>

namespace footlight::python {
namespace {

constexpr size_t kMaxPlacements = 64;  // a trace with more of them is counted no further: they do not come again
constexpr size_t kSteadyCalls = 3;     // an executable with so many calls is in use

struct Uses {
  size_t executables = 0, told_calls = 0;
  Ref tell;
  std::unordered_map<uint64_t, size_t> calls;  // since the last executable was made, by placement

  // How often the placement with the fewest calls was called; 0 as long as an executable was not called.
  size_t fewest_calls() const {
    if (calls.size() < executables) return 0;
    return std::ranges::min_element(calls, {}, [](const auto& one) { return one.second; })->second;
  }
};

// A trace is counted until each of its executables is in use. Accessed with the GIL held.
std::unordered_map<uint32_t, Uses>& counted_traces() {
  static auto* const traces = new std::unordered_map<uint32_t, Uses>;
  return *traces;
}

// count_executables(trace, executables, tell)
PyObject* count_executables(PyObject*, PyObject* args) {
  unsigned int trace;
  Py_ssize_t executables;
  PyObject* tell;
  if (!PyArg_ParseTuple(args, "InO:count_executables", &trace, &executables, &tell)) throw PythonErrorSet();
  if (executables < 2) throw Error(ErrorKind::kValue, "count_executables: a trace with one executable is not counted");
  Uses& uses = counted_traces()[trace];
  uses.executables = static_cast<size_t>(executables);
  uses.told_calls = 0;
  uses.tell = Ref::borrow(tell);
  for (auto& one : uses.calls) one.second = 0;
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"count_executables", guard<count_executables>, METH_VARARGS,
     "count_executables(trace, executables, tell): counts calls of the trace by the placement of their arguments, from "
     "now on. tell(trace, calls) is called when each of the executables was called once, and when each was called "
     "three times; that ends it."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool any_executables_counted() { return !counted_traces().empty(); }

void count_use(TraceId trace, bool made_another, const SignatureRules& rules, PyObject* const* args, size_t count,
               PyObject* keywords) {
  const auto at = counted_traces().find(trace.value);
  if (at == counted_traces().end()) return;
  quietly([&] {
    const uint64_t placement = placement_of(rules, args, count, keywords);
    const auto again = counted_traces().find(trace.value);  // hashing runs code of the program
    if (again == counted_traces().end()) return;
    Uses& uses = again->second;
    uses.calls[placement] += !made_another;
    const size_t fewest = uses.fewest_calls();
    const bool is_news = fewest > uses.told_calls && (fewest == 1 || fewest == kSteadyCalls);
    const Ref tell = Ref::borrow(uses.tell.get());
    if (is_news) uses.told_calls = fewest;
    if (fewest >= kSteadyCalls || uses.calls.size() > kMaxPlacements) counted_traces().erase(again);
    if (is_news) checked(PyObject_CallFunction(tell.get(), "In", trace.value, static_cast<Py_ssize_t>(fewest)));
  });
}

void init_executable_uses(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet();
}

}  // namespace footlight::python
