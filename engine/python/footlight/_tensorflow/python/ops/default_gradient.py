"""tensorflow.python.ops.default_gradient: gradients of what nothing was computed from."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any


def get_zeros_dtype(t: Any) -> tf.DType:
    """The type of zeros for the gradient of a tensor."""
    return t.dtype


def shape_and_dtype(t: Any) -> tuple[Any, ...]:
    """The shape and type of the default gradient of a tensor."""
    return t.shape, t.dtype


def zeros_like(t):
    """Zeros as the gradient of a tensor."""
    return tf.zeros_like(t)


def ones_like(t):
    """Ones as the gradient of a tensor."""
    return tf.ones_like(t)


def supports_default_grad(t: Any) -> bool:
    """Whether a gradient of ones can be made without being told more."""
    return t.dtype not in (tf.resource, tf.variant)


publish(globals())
