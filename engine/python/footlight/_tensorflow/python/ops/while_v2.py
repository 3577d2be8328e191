"""tensorflow.python.ops.while_v2: loops."""
import footlight as tf
from footlight._tensorflow.publish import publish


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, maximum_iterations=None, name=None,
               return_same_structure=True, back_prop=True):
    """What the loop variables are when the condition is false."""
    results = tf.while_loop(cond, body, loop_vars, shape_invariants, parallel_iterations, back_prop,
                            maximum_iterations=maximum_iterations, name=name)
    return results if return_same_structure or len(results) != 1 else results[0]


publish(globals(), 'while_loop')
