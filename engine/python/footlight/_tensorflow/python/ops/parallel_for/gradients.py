"""tensorflow.python.ops.parallel_for.gradients: Jacobians."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any, Callable, TensorLike


def _gradient_rows(flat: Callable[..., Any], count: int, x: tf.Tensor) -> tf.Tensor | None:
    """The gradients of so many tensors with respect to x, stacked; None where none of them depends on it."""
    if count is None:
        raise ValueError('the shape of the output must be known while tracing')
    rows = [tf.gradients(flat(i), x)[0] for i in range(count)]
    if all(row is None for row in rows) and rows:
        return None
    rows = [tf.zeros_like(x) if row is None else tf.convert_to_tensor(row) for row in rows]
    return tf.stack(rows) if rows else tf.zeros(tf.concat([[0], tf.shape(x)], 0), x.dtype)


def jacobian(output: TensorLike, inputs: TensorLike, use_pfor: bool = True, parallel_iterations: Any = None) -> Any:
    """The derivatives of each element of the output with respect to each of the inputs."""
    flat = tf.reshape(output, [-1])

    def one(x):
        rows = _gradient_rows(lambda i: flat[i], flat.shape[0], x)
        return None if rows is None else tf.reshape(rows, tf.concat([tf.shape(output), tf.shape(x)], 0))
    return tf.nest.map_structure(one, inputs)


def batch_jacobian(output: Any, inp: Any, use_pfor: bool = True, parallel_iterations: Any = None) -> Any:
    """For each row of the output its derivatives with respect to the same row of the input."""
    if output.shape.rank is None or inp.shape.rank is None or not output.shape.rank or not inp.shape.rank or (
            not output.shape[:1].is_compatible_with(inp.shape[:1])):
        raise ValueError(f'Need first dimension of `output` shape ({output.shape}) and `inp` shape ({inp.shape}) to '
                         'match.')
    flat = tf.reshape(output, [tf.shape(output)[0], output.shape[1:].num_elements()])
    rows = _gradient_rows(lambda i: flat[:, i], flat.shape[1], inp)
    if rows is None:
        return None
    rows = tf.transpose(rows, [1, 0, *range(2, inp.shape.rank + 1)])
    return tf.reshape(rows, tf.concat([tf.shape(output), tf.shape(inp)[1:]], 0))


publish(globals())
publish(globals(), 'jacobian batch_jacobian', 'python.ops.parallel_for')
