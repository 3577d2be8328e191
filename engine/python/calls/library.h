// The public functions that are written by hand, in addition to the table of public names.
#pragma once

#include "engine/python/interpreter/ref.h"

namespace footlight::python {

// tf.config.run_functions_eagerly
extern bool functions_run_eagerly;

void init_constant();          // tf.constant, tf.convert_to_tensor, tf.is_tensor, ...
void init_variable_updates();  // the methods of tf.Variable that change or read parts of it
void init_scopes(PyObject* module);  // tf.name_scope, tf.device, tf.init_scope, and entering a tf.Graph
void init_config();            // tf.config, tf.random.set_seed, ...
void init_print();             // tf.print
void init_py_function(PyObject* module);  // used by tf.py_function and tf.numpy_function
void init_raw_ops(PyObject* module);  // any op by its own name
void init_tensor_files(PyObject* module);  // reading and writing checkpoints

}  // namespace footlight::python
