// Converted trees as code objects: compiled inside of a function that makes the variables around them free, and marked.
// What is staged of statements is compiled when it is needed (late.cpp).
#pragma once

#include "engine/autograph/convert.h"
#include "engine/python/autograph/ast_bridge.h"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace footlight::python::ag {

// A conversion with what its trees refer to.
struct Trees {
  Ref owner;  // owns the ast objects that were read
  Ref keep;   // objects created while trees were written
  autograph::Tree tree;
  autograph::Conversion conversion;
  std::unordered_set<std::string_view> made_names;
};

// The source of Conversion::late, to convert it again in the same order: text takes the least memory.
struct LateSource {
  std::string text;  // empty: the trees stay, for the file may be another one by now
  bool indented = false;
  int flags = 0;     // compiler flags of the code
  ReadOptions read;
  autograph::Options options;
  std::unique_ptr<Trees> trees;
  size_t compiled = 0;  // number of compiled ones in `trees`
};

// Converted code runs next: the trees of the last few functions are kept until they are compiled.
void keep_latest(const std::shared_ptr<LateSource>& source);

// The first code object among the constants of another one, or null. Borrowed.
PyObject* find_code(PyObject* code);
std::unordered_set<std::string_view> made_names(const autograph::Tree& tree);

// The codes of functions, each a statement of another name, in which the names in `outer` and those of the runtime are
// free variables. None: Python error set.
std::vector<Ref> compile_inside(Trees& trees, const std::vector<autograph::Node*>& functions,
                                const std::vector<std::string>& outer, PyObject* filename, int flags);
Ref compile_lean(Trees& trees, PyCodeObject* original);

// Puts the original's codes of Conversion::written in the place of those that were compiled of them, so that there is
// one conversion of each, and marks these. Where the original has none, what was compiled stays.
void put_written(PyObject* made, PyObject* original, const std::vector<const autograph::Node*>& written);

// Marks code that was just compiled and is not yet used, and gives it the user's names; blocks get their function's.
void mark_lean(PyObject* code, PyObject* name, PyObject* qualname,
               const std::unordered_set<std::string_view>& made_names, const std::shared_ptr<LateSource>& late);

// late(which, number, value): what is staged of the statement `number` in Conversion::late[which] of the function that
// calls this, with the variables of that function.
extern uint64_t late_count;  // number of trees compiled late
PyObject* late(PyObject*, PyObject* const* args, Py_ssize_t count);

}  // namespace footlight::python::ag
