// Walks over containers of the user's, whose own code may change them meanwhile, and which may contain themselves.
#pragma once

#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/thread_context.h"

namespace footlight::python {

// The items of a sequence as they are at the first look, held: what becomes of it meanwhile changes nothing here.
class Items {
 public:
  Items() = default;
  // Lists, tuples and whatever else can be iterated over; of a class derived from list or tuple what its own iterator
  // gives. `expected`: the words of the TypeError for anything else, null for Python's.
  explicit Items(PyObject* sequence, const char* expected = nullptr);
  // What a list or tuple holds, though its class may be derived and iterate over something else.
  static Items stored(PyObject* list_or_tuple);

  Py_ssize_t size() const { return PyTuple_GET_SIZE(tuple_.get()); }
  PyObject* operator[](Py_ssize_t i) const { return PyTuple_GET_ITEM(tuple_.get(), i); }
  PyObject* const* begin() const { return &PyTuple_GET_ITEM(tuple_.get(), 0); }
  PyObject* const* end() const { return begin() + size(); }

 private:
  Ref tuple_;
};

// One level of a walk that calls itself: a RecursionError rather than the end of the stack. All walks of a thread count
// together, because a container's own code may begin another one.
class Level {
 public:
  static constexpr int kMax = 500;
  explicit Level(const char* walk) {
    if (++python_thread.walk_levels > kMax) too_deep(walk);
  }
  ~Level() { --python_thread.walk_levels; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  [[noreturn]] static void too_deep(const char* walk);
};

// A container that is not the one any more that a walk began with: Python's RuntimeError.
[[noreturn]] void changed_meanwhile();

}  // namespace footlight::python
