// Tells an adapter which functions of the program run while a trace is made, by a profile function of Python.
#include "engine/python/recorder/module.h"

#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/frame_layout.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/thread_context.h"

#include <string>
#include <unordered_set>
#include <vector>

namespace footlight::python {
namespace {

// One watch of a thread. Watches are nested, and the innermost is told.
struct Watch {
  Ref told;
  std::unordered_set<PyObject*> seen;  // code objects; those that are told of live as long as the trace
};
thread_local std::vector<Watch> watches;

// "/usr/lib/python3.11/"
const std::string& standard_library() {
  static const std::string folder = [] {
    const Ref os = checked(PyImport_ImportModule("os"));
    const std::string file = readable(checked(PyObject_GetAttrString(os.get(), "__file__")).get());
    return file.substr(0, file.rfind('/') + 1);
  }();
  return folder;
}

// Functions that AutoGraph generated are the program's, too.
bool is_of_program(PyObject* code) {
  const std::string path = readable(reinterpret_cast<PyCodeObject*>(code)->co_filename);
  return path.find("-packages/") == path.npos && path.find("/footlight_recorder/") == path.npos &&
         !path.starts_with('<') && !path.starts_with(standard_library());
}

int profile(PyObject*, PyFrameObject* frame, int what, PyObject*) {
  if (what != PyTrace_CALL || watches.empty()) return 0;
  const Ref code = Ref::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  if (!watches.back().seen.insert(code.get()).second) return 0;
  quietly([&] {
    if (!is_of_program(code.get())) return;
    const InterpreterFrame* const top = top_frame(own_thread_state());
    auto* const function = static_cast<PyObject*>(static_cast<void*>(top->function));
    if (top->code != code.get() || !function || !PyFunction_Check(function)) return;
    const Ref kept = watches.back().told;
    checked(PyObject_CallFunctionObjArgs(kept.get(), function, reinterpret_cast<PyObject*>(frame), nullptr));
  });
  return 0;
}

PyObject* watch_calls(PyObject*, PyObject* told) {
  if (told == Py_None) {
    if (!watches.empty()) watches.pop_back();
    if (watches.empty() && PyThreadState_Get()->c_profilefunc == profile) PyEval_SetProfile(nullptr, nullptr);
    Py_RETURN_TRUE;
  }
  const Py_tracefunc now = PyThreadState_Get()->c_profilefunc;
  if (now && now != profile) Py_RETURN_FALSE;
  watches.push_back({Ref::borrow(told), {}});
  if (!now) PyEval_SetProfile(profile, nullptr);
  Py_RETURN_TRUE;
}

PyMethodDef functions[] = {
    {"watch_calls", guard<watch_calls>, METH_O,
     "watch_calls(told): from now on calls told(function, frame) for the first call of each function of the program on "
     "this thread; watch_calls(None) ends the innermost watch. False: the program has a profile function of its own."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_watched_calls(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet();
}

}  // namespace footlight::python
