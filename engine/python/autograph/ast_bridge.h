// Between CPython's syntax trees and ours: reads ast objects into a Tree and writes a Tree as ast objects.
// What differs between Python 3.11, 3.12 and 3.13 is found by asking the interpreter's own _ast module for its fields.
#pragma once

#include "engine/autograph/tree.h"
#include "engine/python/types/objects.h"

#include <string>
#include <utility>
#include <vector>

namespace footlight::python {

// Loads the tables of the running interpreter; once, with the GIL. False: Python error set.
bool init_ast_bridge();

struct ReadOptions {
  int line_offset = 0;        // added to every line: the text that was parsed began elsewhere
  std::string private_class;  // names like __x inside belong to this class
  // Filled with every function and lambda that was read, and the object it was read from.
  std::vector<std::pair<autograph::Node*, PyObject*>>* functions = nullptr;
};

// The node that `ast` becomes in `tree`; null: Python error set. `ast` must outlive the tree, which refers to
// its strings.
autograph::Node* read_ast(PyObject* ast, autograph::Tree& tree, const ReadOptions& options = {});

// The ast object of `node`; null: Python error set. Objects that had to be made for names and constants are
// kept alive in `keep`.
PyObject* write_ast(const autograph::Node* node, PyObject* keep);

// How Python prints a number or bytes constant of the tree, where the reader left that for later.
std::string constant_text(PyObject* value);

}  // namespace footlight::python
