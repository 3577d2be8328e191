"""tensorflow.python.ops.ragged.ragged_conversion_ops: ragged tensors from others, and back."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._tensorflow.python.ops.ragged.ragged_tensor import is_ragged
from footlight._typing import Any, ShapeLike, TensorLike


def from_tensor(tensor: TensorLike, lengths: Any = None, padding: Any = None, ragged_rank: Any = 1,
                row_splits_dtype: Any = tf.int64, name: str | None = None) -> Any:
    """A ragged tensor of a whole one; a ragged one as it is."""
    if is_ragged(tensor):
        return tensor
    return tf.RaggedTensor.from_tensor(tensor, lengths, padding, ragged_rank, name, row_splits_dtype)


def to_tensor(rt_input: Any, default_value: Any = None, name: str | None = None) -> Any:
    """A whole tensor of a ragged one; a whole one as it is."""
    return rt_input.to_tensor(default_value, name) if is_ragged(rt_input) else rt_input


def ragged_to_dense(rt_input: Any, default_value: Any = None, shape: ShapeLike | None = None) -> tf.Tensor:
    """A whole tensor of a ragged one."""
    return rt_input.to_tensor(default_value=default_value, shape=shape)


def to_sparse(rt_input: Any, name: str | None = None) -> tf.SparseTensor:
    """A sparse tensor of a ragged one."""
    return rt_input.to_sparse(name)


def from_sparse(st_input: TensorLike, name: str | None = None) -> tf.RaggedTensor:
    """A ragged tensor of a sparse matrix."""
    return tf.RaggedTensor.from_sparse(st_input, name)


publish(globals())
