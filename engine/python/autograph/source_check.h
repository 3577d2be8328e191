// Whether the source of a function still is that of its code: a file may have been edited since it was imported.
#pragma once

#include "engine/python/interpreter/ref.h"

namespace footlight::python {

// `lines`: of the code's file, as it is now. A file that has not changed since this process began is believed without a
// look. Else the whole file is compiled, once, and the code compared with what is there; lines and columns are not.
// True where the code is meant to differ from its source: a loader of somebody's own has changed it (pytest's rewrites
// every assert), or there is no file.
bool source_is_of(PyCodeObject* code, PyObject* globals, const Ref& lines);

void init_source_check();  // early: notes when the process began

// While one lives, parsing and compiling warn of nothing: whoever compiled the user's code has done so. No Python code
// runs meanwhile, so nobody sees the filter.
class NoWarnings {
 public:
  NoWarnings();
  ~NoWarnings();
  NoWarnings(const NoWarnings&) = delete;
  NoWarnings& operator=(const NoWarnings&) = delete;

 private:
  Ref filters_, ignore_;
};

}  // namespace footlight::python
