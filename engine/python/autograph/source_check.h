// Whether the source of a function still is that of its code: a file may have been edited since it was imported.
#pragma once

#include "engine/python/interpreter/ref.h"

namespace footlight::python {

// Whether `lines`, the present lines of the code's file, are the code's source. A file that has not changed since this
// process began is trusted. Otherwise the whole file is compiled, once, and compared with the code, except for lines
// and columns. True if the code is meant to differ from its source: another loader has changed it (pytest's rewrites
// every assert), or it has no file.
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
