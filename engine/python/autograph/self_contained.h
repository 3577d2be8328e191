// Calls of functions that meet Python's own values alone (engine/autograph/self_contained.h): they run as they were
// written, while a function is traced too.
#pragma once

#include "engine/autograph/self_contained.h"
#include "engine/python/types/objects.h"

#include <memory>
#include <vector>

namespace footlight::python::ag {

// Of a code object, or of a loop.
struct Contained {
  bool yes = false, raises = false;
  std::vector<Ref> globals, attributes, builtins;  // names
};
Contained contained_of(const autograph::Node* function);

// What is known of the code of a function that is called; null: nothing.
using FindContained = const Contained* (*)(PyObject* function);

// How much was looked at so far.
extern uint64_t looked_at;

// Says whether a function, called in a trace, meets no tensor: its arguments, its defaults and what it reads from
// outside are numbers, text, small containers of such, builtins that give such, functions like itself, classes of the
// program's whose methods are such functions, and objects of such classes. Remembers which functions and classes it can
// reach, and holds these, so that at the next call only what may have changed is looked at. Of a loop, the arguments
// are what its names are.
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
  const Contained* loop_ = nullptr;  // where it is of no function
  FindContained find_;
  std::unique_ptr<Reached> reached_;
  bool busy_ = false;
  int failures_ = 0;
  int64_t last_look_ = 0;  // when it last looked at more than a call's
};

// Python's own, under its own name if it is one that runs later what it is given.
bool is_harmless_builtin(PyObject* o, PyObject* name);

}  // namespace footlight::python::ag
