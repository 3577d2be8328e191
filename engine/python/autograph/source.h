// Finds the syntax tree of an existing function or lambda by the position of its code object.
#pragma once

#include "engine/python/autograph/ast_bridge.h"

#include <string>

namespace footlight::python {

struct FoundSource {
  Ref owner;                  // keeps the ast objects alive
  PyObject* node = nullptr;   // borrowed: a FunctionDef, AsyncFunctionDef or Lambda; null: see reason
  ReadOptions options;        // to read it with
  std::string file;
  std::string reason;         // why there is no source
};

// Never sets a Python error: `reason` says what went wrong.
FoundSource find_source(PyCodeObject* code, PyObject* globals);

}  // namespace footlight::python
