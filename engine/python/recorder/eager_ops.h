// Ops of another engine that run one by one, outside of traced functions. Each is recorded with its time, the user's
// line, and what it ran on.
#pragma once

#include "engine/base/recording.h"
#include "engine/python/interpreter/ref.h"

namespace footlight::python {

// Describes a callable that runs ops: one, or several by its arguments.
struct EagerOps {
  // describe(arguments, result) -> (number of the op, inputs, outputs, bytes of the inputs, of the outputs, FLOPs), or
  // None for what is no op. Called once for each op with types and shapes.
  Ref describe;
  Ref arrays;  // a tuple of names: attributes of an array, or methods without arguments, that say its shape and dtype
  Ref result;  // the class of arrays: without one in the result nothing ran. Null: something always ran
  Py_ssize_t first = 0;  // the first argument that counts
  Py_ssize_t op_at = -1;  // the argument that is the op itself, if it is an object

  // Calls it, and records the op that ran, unless this happens in the call of a traced function. An op that runs
  // another one for it is recorded once if `result` is given.
  PyObject* call(PyObject* callable, PyObject* const* args, size_t count, PyObject* keywords) const;

 private:
  bool has_run(PyObject* result_of_call) const;
  bool describe_event(PyObject* const* args, size_t count, PyObject* result_of_call, OpEvent& event) const;
};

}  // namespace footlight::python
