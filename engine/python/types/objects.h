// tf.Tensor in C++: the Python object, the tensor in it, and conversions between them.
#pragma once

#include "engine/python/interpreter/exceptions.h"
#include "engine/tensor/tensor.h"

#include <span>
#include <string>

namespace footlight::python {

// tf.Tensor, eager and symbolic alike.
struct PyTensor {
  PyObject_HEAD
  Tensor tensor;
  PyObject* weakrefs;
  PyObject* dict;  // attributes of the user's, as libraries set them to pass a mask along; null until one is set
};
extern PyTypeObject* tensor_type;

inline bool is_tensor(PyObject* o) {
  return Py_TYPE(o) == tensor_type || PyType_IsSubtype(Py_TYPE(o), tensor_type);
}
inline const Tensor& tensor_of(PyObject* o) { return reinterpret_cast<PyTensor*>(o)->tensor; }
PyObject* wrap(Tensor);                       // new reference; throws
// The one of `given` that has just this tensor, as after an op that had nothing to do; else a new one. New reference.
PyObject* wrap_or_given(Tensor, std::span<PyObject* const> given);
PyObject* wrap_all(std::span<const Tensor>);  // a list
std::string symbolic_name(const Tensor&);     // "add_1:0"

// A tensor of a tf.Graph, which is not traced: a key of feed_dict, equal to itself alone.
bool is_graph_element(const Tensor&);

// Any Python value (number, list, array, tensor, variable) as a tensor; `dtype` kInvalid: inferred.
// Inside a trace a Python value becomes a Const node, a foreign tensor a capture.
Tensor to_tensor(PyObject*, DType dtype = DType::kInvalid, const char* argument = nullptr);

// Call after calls/operators.h has added the operators.
void init_tensor(PyObject* module);

}  // namespace footlight::python
