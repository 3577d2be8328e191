"""tensorflow.python.framework.sparse_tensor: whether a value is sparse."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish


def is_sparse(tensor: object) -> bool:
    """Whether it is a SparseTensor, or the value of one."""
    return isinstance(tensor, (tf.SparseTensor, tf.compat.v1.SparseTensorValue))


publish(globals())
