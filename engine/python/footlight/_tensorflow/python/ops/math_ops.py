"""tensorflow.python.ops.math_ops: comparisons."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any, TensorLike


def is_nan(x: TensorLike, name: str | None = None) -> Any:
    """Where elements are not numbers."""
    return tf.math.is_nan(x, name=name)


def approximate_equal(x: TensorLike, y: TensorLike, tolerance: Any = 1e-05, name: str | None = None) -> tf.Tensor:
    """Where two tensors of one shape differ by less than `tolerance`."""
    x, y = tf.convert_to_tensor(x), tf.convert_to_tensor(y)
    if not x.shape.is_compatible_with(y.shape):
        if x.shape.rank != y.shape.rank:
            raise ValueError(f'Shapes must be equal rank, but are {x.shape.rank} and {y.shape.rank}: x has the shape '
                             f'{x.shape}, y {y.shape}')
        raise ValueError(f'Shapes must be the same: x has the shape {x.shape}, y {y.shape}')
    return tf.less(tf.abs(tf.subtract(x, y)), tf.cast(tolerance, x.dtype.real_dtype), name=name)


def tensor_equals(self, other):
    """The operator == of tensors."""
    return tf.convert_to_tensor(self) == other


def tensor_not_equals(self, other):
    """The operator != of tensors."""
    return tf.convert_to_tensor(self) != other


publish(globals())
