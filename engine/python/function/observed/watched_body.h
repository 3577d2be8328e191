// What a function names outside of itself, cached with its code, and one of these places while a trace is made: for
// recordings. The user's code is not run.
#pragma once

#include "engine/autograph/outside.h"
#include "engine/python/function/observed/state_value.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace footlight::python {

struct WatchedBody {
  autograph::Outside outside;
  std::vector<PathNames> names;          // one for each access
  std::vector<int> cells;                // by access: index of the root in the closure; -1: a global
  Ref filename;
  std::string file;
};
using SharedBody = std::shared_ptr<const WatchedBody>;

// The accesses of a function's code; null: there is no source. Kept in the code object.
SharedBody body_of(PyObject* function);
// The function that runs when `callable` is called, and its first arguments.
Ref function_behind(PyObject* callable, std::vector<PyObject*>& first);
// The value that a path begins at, and what holds it.
Ref start_of(PyObject* function, const WatchedBody& body, size_t access, const void** holder);

// One access of a function that runs while tracing.
struct WatchedEntry {
  Ref function, start;                   // kept while tracing alone
  SharedBody body;
  size_t access = 0, steps = 0;
  bool parameter = false, top = false;   // top: of the traced function itself
  const void* holder = nullptr;
  SeenValue before;
  uint64_t contents = 0;                 // of what was there before
  std::string text;                      // of the same
  std::pair<const void*, uint64_t> identity;  // of a tensor or variable that was there before; {}: of something else
  const autograph::OutsideAccess& made() const { return body->outside.accesses[access]; }
  Spot now() const;
  std::string last() const;              // name or key
  std::string path() const;              // "args[1].rate", "global RATE"
};

struct CalledFunction {
  Ref function;                          // null: what is called is no Python function, or is not known
  Ref self;                              // null: no object goes with it
};
// What the access, a call, calls by now.
CalledFunction function_called(const WatchedEntry& entry);

}  // namespace footlight::python
