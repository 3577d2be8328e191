"""Operators of tensors with NumPy's rules: what tf.experimental.numpy.experimental_enable_numpy_behavior() turns on."""
from __future__ import annotations

import numbers

import numpy as np

import footlight as tf
from footlight import _engine
from footlight._numpy import arrays as _numpy, math as _numpy_math
from footlight._typing import Any

_plain = tf.Tensor.__getitem__


def _dtype_of(x):
    """The value that decides the dtype, or None for one that is not converted."""
    if isinstance(x, (tf.Tensor, tf.Variable)):
        return x.dtype if x.dtype.is_numeric or x.dtype.is_bool else None
    return x if isinstance(x, (numbers.Number, np.ndarray, np.generic)) else None


def _promote(a: Any, b: Any) -> tuple[Any, ...]:
    kinds = _dtype_of(a), _dtype_of(b)
    if kinds[0] is None or kinds[1] is None or kinds[0] is kinds[1]:
        return a, b
    if isinstance(a, tf.Tensor) and isinstance(b, tf.Tensor) and a.dtype == b.dtype:
        return a, b
    dtype = _numpy.result_type(*kinds)
    return _numpy.asarray(a, dtype), _numpy.asarray(b, dtype)


def _rank(key: Any) -> int | None:
    """The rank of an index that is an array, or None."""
    if isinstance(key, (tf.Tensor, tf.Variable)):
        return key.shape.rank
    return np.ndim(key) if isinstance(key, (list, np.ndarray)) else None


def _getitem(x: tf.Tensor, key: Any) -> Any:
    """Indexing with arrays; NotImplemented where there is none."""
    keys = key if isinstance(key, tuple) else (key,)
    if not any(_rank(k) or isinstance(k, list) for k in keys):
        return NotImplemented
    x, whole = tf.convert_to_tensor(x), []
    for k in keys:
        if _rank(k) is None:
            whole.append(k)
            continue
        k = tf.convert_to_tensor(np.asarray(k, np.int64) if isinstance(k, list) and not k else k)
        whole += tf.unstack(tf.where(k), num=k.shape.rank, axis=1) if k.dtype.is_bool else [tf.cast(k, tf.int64)]
    taken = sum(k is not None and k is not Ellipsis for k in whole)
    if Ellipsis not in [k for k in whole if not tf.is_tensor(k)]:
        whole.append(Ellipsis)
    at = next(i for i, k in enumerate(whole) if k is Ellipsis)
    whole[at:at + 1] = [slice(None)] * (x.shape.rank - taken)
    if taken > x.shape.rank:
        raise IndexError(f'too many indices: a tensor of rank {x.shape.rank} got {taken}')
    arrays = {i: k for i, k in enumerate(whole) if k is not None and not isinstance(k, slice)}
    cut = _plain(x, tuple(slice(None) if i in arrays else k for i, k in enumerate(whole))) if whole else x
    axes = list(arrays)
    others = [i for i in range(cut.shape.rank) if i not in arrays]
    front = tf.transpose(cut, axes + others)
    sizes = tf.shape(front, tf.int64)
    places = [tf.cast(k, tf.int64) for k in arrays.values()]
    places = [tf.where(k < 0, k + sizes[i], k) for i, k in enumerate(places)]
    places = _numpy.broadcast_arrays(*places)
    found = tf.gather_nd(front, tf.stack(places, -1))
    rank, first = places[0].shape.rank, axes[0]
    if axes != list(range(first, first + len(axes))):
        return found  # index arrays that are not adjacent put their dimensions first
    return tf.transpose(found, [*range(rank, rank + first), *range(rank), *range(rank + first, found.shape.rank)])


def install(mode: Any) -> None:
    """Puts NumPy's rules in the place of the plain operators', with the promotion of a mode."""
    from footlight._numpy import weak_dtypes as _weak_dtypes
    _weak_dtypes.install(mode)
    promote = _weak_dtypes.promote if _weak_dtypes.is_on() else _promote if mode == 'legacy' else lambda a, b: (a, b)
    matmul = tf.linalg.matmul if _weak_dtypes.is_on() else _numpy_math.matmul
    _engine.numpy_operators(promote, matmul, _getitem)
