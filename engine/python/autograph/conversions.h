// What is known of a code object: its conversions, stored in the code object itself. Shared by the files that make and
// call them.
#pragma once

#include "engine/python/autograph/self_contained.h"
#include "engine/python/autograph/strict.h"
#include "engine/python/interpreter/disable_tracing.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace footlight::python::ag {

// A function's destructor takes it out of the collector's list.
inline void drop_untracked(PyObject* function) {
  PyObject_GC_Track(function);
  Ref::steal(function);
}

struct LateSource;

// Stored in a slot of the code object, freed with it.
struct Entry {
  bool lean = false;   // whether a conversion made the code
  bool block = false;  // the code is part of a user's function, not a whole function
  struct Form {
    bool tried = false;
    Ref code;                  // empty: see reason
    std::vector<int> cells;    // per free variable: index in the user's closure, or -1 for a runtime cell
    std::vector<PyObject*> runtime;  // the runtime cells where cells is -1, borrowed
    bool unchanged = false;          // the function does the same as it was written, whatever it meets
    std::string reason;
    Refused refused;
    Ref closure;                     // used if all cells are runtime cells
    std::vector<PyObject*> spares;   // emptied functions of this code, unknown to the collector
    Form() = default;
    Form(Form&&) = default;
    Form& operator=(Form&&) = default;
    ~Form() {
      for (PyObject* spare : spares) drop_untracked(spare);
    }
  } forms[4];  // indexed by recursive; the last two while recording
  bool recorded = false;
  bool written_inside = false;    // whether converted code contains it as written (Conversion::written)
  bool stands_for_users = false;  // library code, but of a wrapper of a function of the program's
  Contained contained;
  // For code from a conversion: the staged forms of its statements, and those that were compiled.
  std::shared_ptr<LateSource> late;
  std::unordered_map<int64_t, Ref> late_codes;
};

// How deep statements may be nested, or nodes of a syntax tree, on the stack that is left. Most of it goes to the
// conversion, which takes less than 2 KiB for a level.
int deepest_nesting();

// Times a conversion, in which Python's own passes over syntax trees may go as deep as ours; a debugger of the
// program's sees nothing of it. A syntax tree is many objects and no garbage: the collector would go through it again
// and again.
class Timer {
 public:
  Timer();
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  DisableTracing disable_tracing_;
  int more_calls_;
  int64_t start_;
  int collects_;
};

// Null: nothing is known of this code.
Entry* known_entry(PyObject* code);
Entry& entry_of(PyObject* code);
// How many were freed with their code so far: until the next one, the addresses of code objects stay theirs.
extern uint64_t dropped_entries;

// The analysis of a function's code; converts it first. Null: a conversion made the code, or it is not converted.
const Contained* find_contained(PyObject* function);

const Entry::Form& form_of(PyCodeObject* code, PyObject* globals, bool recursive);
// Checks whether a function is library code that wraps one of the program's. True: this is new, and the forms of its
// code must be made again.
bool note_wrapper(PyObject* function);
// A function of a form's code, with the original's globals, cells and defaults.
Ref closure_for(PyFunctionObject* function, const Entry::Form& form);
Ref function_from(PyObject* original, const Entry::Form& form);

}  // namespace footlight::python::ag
