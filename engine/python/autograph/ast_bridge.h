// Between CPython's syntax trees and ours: reads ast objects into a Tree and writes a Tree as ast objects.
// Differences between Python 3.11, 3.12 and 3.13 are found by reading the fields of the interpreter's _ast module.
#pragma once

#include "engine/autograph/tree.h"
#include "engine/python/types/objects.h"

#include <string>
#include <utility>
#include <vector>

namespace footlight::python {

// Loads the tables of the running interpreter; call it once, with the GIL. False: Python error set.
bool init_ast_bridge();

struct ReadOptions {
  int line_offset = 0;        // added to every line, if the parsed text did not start at line 1
  int deepest = 1000;         // how deep nodes may be nested
  std::string private_class;  // names like __x inside belong to this class
  // Receives every function and lambda that was read, with the object it was read from.
  std::vector<std::pair<autograph::Node*, PyObject*>>* functions = nullptr;
};

// Adds `ast` to `tree` and returns its node; null: Python error set. `ast` must outlive the tree, which refers to
// its strings.
autograph::Node* read_ast(PyObject* ast, autograph::Tree& tree, const ReadOptions& options = {});

// Makes the ast object of `node`; null: Python error set. New objects for names and constants are
// kept alive in `keep`. `to_compile`: with tuples of constants as constants, which CPython makes of them anyway.
PyObject* write_ast(const autograph::Node* node, PyObject* keep, bool to_compile = false);

// Python's repr of a number or bytes constant of the tree, if the reader did not store it.
std::string constant_text(PyObject* value);

}  // namespace footlight::python
