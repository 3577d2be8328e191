// Finds the syntax tree of an existing function or lambda by the position of its code object.
#pragma once

#include "engine/autograph/definitions.h"
#include "engine/python/autograph/ast_bridge.h"

#include <memory>
#include <optional>
#include <string>

namespace footlight::python {

// Why a function is not converted whose source is of other code by now.
inline constexpr const char* kChangedFile = "its file has changed since it was loaded";

struct FoundSource {
  Ref owner;                  // keeps the ast objects alive
  PyObject* node = nullptr;   // borrowed: a FunctionDef, AsyncFunctionDef or Lambda; null: see reason
  ReadOptions options;        // options for reading it
  std::string text;           // the parsed text, if it is the function alone
  bool indented = false;      // under an `if`
  Ref lines;                  // lines of the file, as it is now
  std::string file;
  std::string reason;         // why there is no source
};

// Never sets a Python error: `reason` says why there is no source.
FoundSource find_source(PyCodeObject* code, PyObject* globals);
// The function in `text` of a FoundSource; null: Python error set, or it has no function.
Ref parse_function(const std::string& text, bool indented, PyObject* filename, int code_flags, PyObject** node);

// The tree of a whole file, as it is now; null: it cannot be read. Valid until the trees of several other files have
// been asked for.
const autograph::Node* tree_of_file(PyObject* filename, PyObject* globals);

// The lines of a file as linecache has them, including notebooks' cells (`globals` may be null). Empty: the file has
// none, or an error is set. A file without an end, or one that blocks (a FIFO, a device), has none.
Ref lines_of_file(PyObject* filename, PyObject* globals);

// A file of Python source as a tree, and questions about its names. The last few files stay parsed. Null: there is no
// such text, or it is not Python.
struct ParsedFile {
  Ref module;  // the ast objects that the tree refers to
  autograph::Tree tree;
  const autograph::Node* root = nullptr;
  std::optional<autograph::Definitions> definitions;
};
std::shared_ptr<const ParsedFile> parsed_file(PyObject* filename);

}  // namespace footlight::python
