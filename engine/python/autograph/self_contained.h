// Calls of functions that meet Python's own values alone (engine/autograph/self_contained.h): they run as they were
// written, while a function is traced too.
#pragma once

#include "engine/autograph/self_contained.h"
#include "engine/python/types/objects.h"

#include <vector>

namespace footlight::python::ag {

// Of a code object.
struct Contained {
  bool yes = false, raises = false;
  std::vector<Ref> globals, attributes;  // names
};
Contained contained_of(const autograph::Node* function);

// What is known of the code of a function that is called; null: nothing.
using FindContained = const Contained* (*)(PyObject* function);

// Whether `function`, called in a trace with these arguments, meets no tensor: they, its defaults and what it reads
// from outside are numbers, text, small containers of such, builtins that give such, functions like itself, and classes
// of the program's whose methods are such functions.
bool meets_no_tensor(PyObject* function, PyObject* const* args, size_t count, FindContained find);

}  // namespace footlight::python::ag
