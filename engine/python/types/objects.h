// tf.Tensor as C++ sees it: the Python object, the tensor in it, and the way from one to the other.
#pragma once

#include "engine/python/interpreter/exceptions.h"
#include "engine/tensor/tensor.h"

#include <span>

namespace footlight::python {

// tf.Tensor, eager and symbolic alike.
struct PyTensor {
  PyObject_HEAD Tensor tensor;
  PyObject* weakrefs;
};
extern PyTypeObject* tensor_type;

inline bool is_tensor(PyObject* o) {
  return Py_TYPE(o) == tensor_type || PyType_IsSubtype(Py_TYPE(o), tensor_type);
}
inline const Tensor& tensor_of(PyObject* o) { return reinterpret_cast<PyTensor*>(o)->tensor; }
PyObject* wrap(Tensor);                       // new reference; throws
PyObject* wrap_all(std::span<const Tensor>);  // a list

// Installed by the tracing part: what `.op` and `.graph` of a symbolic tensor give. New references.
extern PyObject* (*operation_of)(const Tensor&);
extern PyObject* (*graph_of)(const Tensor&);

// Any Python value (number, list, array, tensor, variable) as a tensor; `dtype` kInvalid: inferred.
// Inside a trace a Python value becomes a Const node, a foreign tensor a capture.
Tensor to_tensor(PyObject*, DType dtype = DType::kInvalid, const char* argument = nullptr);

}  // namespace footlight::python
