// Finds the syntax tree of a function that exists: by the position of its code object, lambdas included.
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

// Never sets a Python error: what goes wrong is the reason.
FoundSource find_source(PyCodeObject* code, PyObject* globals);

}  // namespace footlight::python
