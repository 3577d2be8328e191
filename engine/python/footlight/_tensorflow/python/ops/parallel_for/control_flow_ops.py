"""tensorflow.python.ops.parallel_for.control_flow_ops: loops whose iterations are independent."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any, Callable


def pfor(loop_fn: Any, iters: Any, fallback_to_while_loop: bool = True, parallel_iterations: Any = None,
         warn: bool = False) -> Any:
    """The stacked results of loop_fn for 0, 1, ... `iters` - 1, all at once."""
    if parallel_iterations is not None and parallel_iterations < 1:
        raise ValueError('Argument `parallel_iterations` must be None or a positive integer. Received: '
                         f'{parallel_iterations}.')
    if parallel_iterations == 1:
        raise ValueError('Found `parallel_iterations == 1`. Use `for_loop` instead.')
    iters = tf.convert_to_tensor(iters)
    if iters.shape.rank not in (None, 0):
        raise ValueError(f'pfor: `iters` must be a scalar, its shape is {iters.shape}')
    found = tf.vectorized_map(loop_fn, tf.range(iters), fallback_to_while_loop, warn)
    return found if found is not None or tf.executing_eagerly() else tf.no_op()


def for_loop(loop_fn: Callable[..., Any], loop_fn_dtypes: Any, iters: Any,
             parallel_iterations: Any = None) -> tf.Tensor:
    """The stacked results of loop_fn for 0, 1, ... `iters` - 1, one after the other."""
    return tf.map_fn(loop_fn, tf.range(iters), fn_output_signature=loop_fn_dtypes, parallel_iterations=parallel_iterations)


publish(globals())
publish(globals(), 'pfor for_loop', 'python.ops.parallel_for')
