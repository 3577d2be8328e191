"""tensorflow.python.ops.numpy_ops.np_dtypes: which dtypes NumPy functions prefer."""
from __future__ import annotations

from footlight._tensorflow.publish import publish
from footlight._typing import Any, DTypeLike, TensorLike


def _numpy() -> Any:
    from footlight._numpy import arrays
    return arrays


def is_allow_float64() -> bool:
    """Whether there are numbers of 64 bits: always."""
    return True


def set_allow_float64(b: TensorLike) -> None:
    """Says that there are numbers of 64 bits: without them nothing is computed here."""
    if not b:
        raise NotImplementedError('tf.experimental.numpy computes with numbers of 64 bits; convert where 32 are wanted')


def is_prefer_float32() -> Any:
    """Whether numbers without a dtype are of 32 bits."""
    return _numpy()._prefer_float32


def set_prefer_float32(b: TensorLike) -> None:
    """Says whether numbers without a dtype are of 32 bits."""
    _numpy()._prefer_float32 = bool(b)


def default_float_type() -> Any:
    """The dtype of numbers without one."""
    return _numpy()._float()


def canonicalize_dtype(dtype: DTypeLike) -> Any:
    """The dtype that stands for this one."""
    return dtype


publish(globals())
