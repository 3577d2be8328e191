// What help() says of tf.Variable.
#pragma once

namespace footlight::python {

constexpr char kVariableHelp[] =
    "Variable(initial_value=None, trainable=None, validate_shape=True, caching_device=None, name=None, "
    "variable_def=None, dtype=None, import_scope=None, constraint=None, synchronization=None, aggregation=None, "
    "shape=None, experimental_enable_variable_lifting=None)\n--\n\n"
    R"(A tensor that can be given another value; it keeps its dtype and, unless told otherwise, its shape.

  >>> counter = tf.Variable(1)
  >>> counter.assign_add(2)
  <tf.Variable 'UnreadVariable' shape=() dtype=int32, numpy=3>
  >>> print(counter + 1)
  tf.Tensor(4, shape=(), dtype=int32)

Args:
  initial_value: what tf.convert_to_tensor takes, or a function without parameters that returns it.
  trainable: whether a tape watches it and optimizers change it; by default all but ON_READ ones.
  validate_shape: has no effect; see shape.
  caching_device: has no effect.
  name: a str.
  variable_def: must be None.
  dtype: the dtype of the value.
  import_scope: has no effect.
  constraint: a function that gives the value to keep after an optimizer's step.
  synchronization: a tf.VariableSynchronization, for tf.distribute.
  aggregation: a tf.VariableAggregation, for tf.distribute.
  shape: the shape that all values fit; None stands for sizes that change.
  experimental_enable_variable_lifting: whether a traced function may make it before its first call runs.)";

}  // namespace footlight::python
