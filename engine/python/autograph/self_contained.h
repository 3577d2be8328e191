// Calls of functions that meet Python's own values alone (engine/autograph/self_contained.h): they run as they were
// written, while a function is traced too.
#pragma once

#include "engine/autograph/self_contained.h"
#include "engine/python/types/objects.h"

#include <memory>
#include <vector>

namespace footlight::python::ag {

// The analysis of a code object, or of a loop.
struct Contained {
  bool yes = false, raises = false;
  std::vector<Ref> globals, attributes, builtins;  // names
};
Contained contained_of(const autograph::Node* function);

// Returns the analysis of a called function's code; null: unknown.
using FindContained = const Contained* (*)(PyObject* function);

// Number of objects examined so far.
extern uint64_t looked_at;

// Decides whether a function called in a trace meets no tensor: arguments, defaults and outside values are numbers,
// text, small containers of these, builtins that return these, functions like itself, classes of the program whose
// methods are such functions, and objects of such classes. Remembers (and holds) the functions and classes that it can
// reach, so that the next call only examines what may have changed. A loop's arguments are the values of its names.
class NoTensor {
 public:
  NoTensor(PyObject* function, FindContained find);
  NoTensor(const Contained& loop, FindContained find);
  ~NoTensor();
  bool met_by(PyObject* const* args, size_t count);
  // It is being asked: that may run code, which must not destroy it.
  bool is_busy() const { return busy_; }
  // It was searched for in vain so often that asking again costs more than it brings.
  bool is_hopeless() const { return failures_ > kMaxFailures; }

 private:
  static constexpr int kMaxFailures = 8;
  struct Reached;
  class Search;
  class LongLook;
  PyObject* function_ = nullptr;     // borrowed
  const Contained* loop_ = nullptr;  // set for a loop, which has no function
  FindContained find_;
  std::unique_ptr<Reached> reached_;
  bool busy_ = false;
  int failures_ = 0;
  int64_t last_look_ = 0;  // when it last examined more than a call's arguments
};

// Whether it is Python's own builtin; one that calls its argument later must have its own name.
bool is_harmless_builtin(PyObject* o, PyObject* name);

}  // namespace footlight::python::ag
