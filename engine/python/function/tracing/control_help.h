// What help() says of tf.cond and tf.while_loop.
#pragma once

namespace footlight::python {

constexpr char kCondHelp[] =
    "cond(pred, true_fn=None, false_fn=None, name=None)\n--\n\n"
    R"(true_fn() if pred else false_fn(); in a graph both are traced, and one runs.

  >>> x, y = tf.constant(2), tf.constant(5)
  >>> print(tf.cond(x < y, lambda: x + y, lambda: y * y))
  tf.Tensor(7, shape=(), dtype=int32)

Args:
  pred: a scalar of bools.
  true_fn: a function without parameters.
  false_fn: another one, whose results have the same structure and dtypes.
  name: a str, the name of the operation in a graph.)";

constexpr char kWhileLoopHelp[] =
    "while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, "
    "swap_memory=False, maximum_iterations=None, name=None)\n--\n\n"
    R"(loop_vars = body(*loop_vars) as long as cond(*loop_vars) holds; in a graph both are traced once.

  >>> def step(i, total):
  ...     return i + 1, total + i
  >>> i, total = tf.while_loop(lambda i, total: i < 5, step, [tf.constant(0), tf.constant(0)])
  >>> print(total)
  tf.Tensor(10, shape=(), dtype=int32)

Args:
  cond: a function of the loop's variables that returns a scalar of bools.
  body: a function of the loop's variables that returns their next values.
  loop_vars: their first values, a list or tuple; the values after the loop have the same structure.
  shape_invariants: a tf.TensorShape for each variable whose shape changes from one iteration to the next.
  parallel_iterations: has no effect on the values.
  back_prop: False leaves out the gradient of the loop.
  swap_memory: has no effect.
  maximum_iterations: the number of iterations after which the loop ends in any case.
  name: a str, the name of the operation in a graph.)";

}  // namespace footlight::python
