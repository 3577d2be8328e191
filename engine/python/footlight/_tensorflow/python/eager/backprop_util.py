"""tensorflow.python.eager.backprop_util: what gradients exist for, and gradients of rows as whole ones."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any


def IsTrainable(tensor_or_dtype: Any) -> bool:
    """Whether gradients flow through values of this type."""
    dtype = tf.as_dtype(getattr(tensor_or_dtype, 'dtype', tensor_or_dtype))
    return dtype.base_dtype.is_floating or dtype.base_dtype.is_complex or dtype.base_dtype in (tf.resource, tf.variant)


def FlattenNestedIndexedSlices(grad):
    """Rows of rows as rows."""
    return grad


publish(globals())
