"""tensorflow.python.ops.ragged.ragged_tensor: whether a value is ragged."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any, TensorLike


def is_ragged(value: TensorLike) -> bool:
    """Whether it is a RaggedTensor, or the value of one."""
    kinds = (tf.RaggedTensor,) + ((tf.compat.v1.ragged.RaggedTensorValue,) if hasattr(tf.compat.v1, 'ragged') else ())
    return isinstance(value, kinds)


def convert_to_tensor_or_ragged_tensor(value: Any, dtype: Any = None, preferred_dtype: Any = None,
                                       name: str | None = None) -> tf.RaggedTensor:
    """A ragged tensor as it is, anything else as a tensor."""
    if not is_ragged(value):
        return tf.compat.v1.convert_to_tensor(value, dtype, name, preferred_dtype)
    if dtype is not None and not tf.as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(f'Tensor conversion requested dtype {tf.as_dtype(dtype).name} for RaggedTensor with dtype '
                         f'{tf.as_dtype(value.dtype).name}: {value}')
    return value if isinstance(value, tf.RaggedTensor) else tf.ragged.constant(value.to_list(), dtype=value.dtype)


publish(globals())
