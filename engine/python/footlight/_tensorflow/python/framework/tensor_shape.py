"""tensorflow.python.framework.tensor_shape: shapes of other values."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import ShapeLike


def as_shape(shape: ShapeLike) -> tf.TensorShape:
    """A shape."""
    return shape if isinstance(shape, tf.TensorShape) else tf.TensorShape(shape)


def unknown_shape(rank=None, **kwargs):
    """A shape of which nothing is known, or only how many dimensions it has."""
    return tf.TensorShape(None if rank is None else [None] * rank)


publish(globals())
