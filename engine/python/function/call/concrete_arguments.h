// The tensors for a call of a trace: arguments as its function takes them, or each tensor by itself.
#pragma once

#include "engine/python/function/function_object.h"

#include <string>
#include <vector>

namespace footlight::python {

struct ConcreteCall {
  FunctionCore& core;
  TraceEntry& entry;
};
// Binds by the function's own parameters or, if that fails, tensor by tensor. `other_shapes` is set, in place of an
// error, if tensors given singly have other shapes than the trace.
std::vector<Tensor> concrete_arguments(const ConcreteCall&, PyObject* const* args, Py_ssize_t nargs,
                                       PyObject* kwnames, bool* other_shapes = nullptr);
std::vector<Tensor> flat_arguments(const ConcreteCall&, PyObject* const* args, Py_ssize_t nargs,
                                   PyObject* kwnames, bool* other_shapes = nullptr);
// The name of each tensor among the arguments, where each is given by itself: "x", "x_1" of a list.
std::vector<std::string> flat_names(const TraceEntry&);
// The tensor for input `index`, checked against its placeholder. `converts`: a value of Python's becomes one
// too. `other_shape`: is set, in place of an error, where the shape does not fit.
Tensor checked_input(const ConcreteCall&, size_t index, PyObject* value, const std::string& parameter,
                     bool converts = true, bool* other_shape = nullptr);
// The value of a parameter in the trace, from structured_input_signature.
Ref declared(const TraceEntry&, size_t parameter, size_t& positional);

}  // namespace footlight::python
