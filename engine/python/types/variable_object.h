// tf.Variable as the rest of this folder sees it.
#pragma once

#include "engine/python/types/dtype_object.h"
#include "engine/python/types/objects.h"

#include <string>

namespace footlight::python {

extern PyTypeObject* variable_type;
inline bool is_variable(PyObject* o) { return Py_TYPE(o) == variable_type; }
// Whether it is an instance of a program's own subclass, which is a tensor only if a conversion is registered for it.
inline bool is_variable_subclass(PyObject* o) { return !is_variable(o) && PyObject_TypeCheck(o, variable_type); }
// Whether a variable was made in a tf.Graph of the program's: it is compared by identity, as that graph's tensors are.
bool is_graph_variable(PyObject*);
Tensor variable_handle(PyObject*);  // the resource tensor
Tensor variable_value(PyObject*);   // reads it: an op
DType variable_dtype(PyObject*);
const Shape& variable_shape(PyObject*);
bool variable_trainable(PyObject*);
std::string variable_name(PyObject*);  // "w:0"

// The Python object of a variable's handle: the user's own while it lives, else a new one. New reference;
// throws.
PyObject* variable_object(const Tensor& handle);

// The result of assign() and the like: the variable with its new value. New reference; throws.
PyObject* variable_updated(PyObject*);

// What a traced body gets for a variable argument: like `like`, but everything goes through the symbolic
// `handle`. New reference; throws.
PyObject* variable_with_handle(PyObject* like, const Tensor& handle);

void init_variable(PyObject* module);

}  // namespace footlight::python
