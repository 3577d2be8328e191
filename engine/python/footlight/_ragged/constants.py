"""tf.ragged.constant and tf.compat.v1.ragged.constant_value: ragged tensors, or their arrays, of nested lists."""
from __future__ import annotations

import itertools
import sys

import footlight as tf
from footlight._public import publish
from footlight._ragged.tensor import RaggedTensor
from footlight._typing import Any, Callable, DTypeLike


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _depths(value: Any) -> tuple[Any, ...]:
    """(how deep numbers lie, or None where there are none; how deep lists are nested)."""
    if not _is_list(value):
        return 0, 0
    below = [_depths(item) for item in value]
    depths = {depth for depth, _ in below if depth is not None}
    if len(depths) > 1:
        raise ValueError('all scalar values must have the same nesting depth')
    return depths.pop() + 1 if depths else None, 1 + max((deepest for _, deepest in below), default=0)


def _uniform_shape(rows: list[Any]) -> tuple[Any, ...]:
    """The shape that the items of these rows have in common."""
    items = list(itertools.chain.from_iterable(rows))
    if not items or not all(map(_is_list, items)):
        if any(map(_is_list, items)):
            raise ValueError('inner values have inconsistent shape')
        return ()
    lengths = {len(item) for item in items}
    if len(lengths) > 1:
        raise ValueError('inner values have inconsistent shape')
    return (*lengths, *_uniform_shape(items))


def _plain(value, numpy):
    """Nested lists of numbers, without arrays."""
    if numpy and isinstance(value, (numpy.ndarray, numpy.generic)):
        return value.tolist() if value.dtype != object else _plain(list(value) if value.ndim else value.item(), numpy)
    return [_plain(item, numpy) for item in value] if _is_list(value) else value


def _first_number(value):
    while _is_list(value):
        value = next(iter(value), None)
    return value


def _made(rows_of: Callable[..., Any], values_of: Callable[..., Any], pylist: list[Any], dtype: Any,
          ragged_rank: int | None, inner_shape: Any) -> Any:
    """Builds a value of nested lists by `rows_of(values, row splits)` and `values_of(list, dtype, shape)`."""
    if isinstance(pylist, RaggedTensor) or type(pylist).__name__ == 'RaggedTensorValue':
        raise TypeError('pylist may not be a RaggedTensor or RaggedTensorValue.')
    numpy = sys.modules.get('numpy')
    if dtype is None:
        dtype = getattr(_first_number(pylist), 'dtype', None)
    pylist = _plain(pylist, numpy)
    inner_shape = None if inner_shape is None else tuple(inner_shape)
    if not _is_list(pylist):
        if ragged_rank:
            raise ValueError(f'Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}')
        if inner_shape:
            raise ValueError(f'Invalid pylist={pylist!r}: incompatible with dim(inner_shape)={len(inner_shape)}')
        return values_of(pylist, dtype, ())
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f'Invalid ragged_rank={ragged_rank!r}: must be nonnegative')
    depth, deepest = _depths(pylist)
    if depth is not None and deepest > depth:
        raise ValueError(f'Invalid pylist={pylist!r}: empty list nesting is greater than scalar value nesting')
    if depth is not None and ragged_rank is not None and deepest <= ragged_rank:
        raise ValueError(f'Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}, max depth smaller than '
                         f'ragged_rank={ragged_rank}')
    if inner_shape is not None and ragged_rank is not None:
        wanted = ragged_rank + len(inner_shape) + 1
        if wanted < deepest if depth is None else wanted != depth:
            raise ValueError(f'Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank} and '
                             f'dim(inner_shape)={len(inner_shape)}')
    if ragged_rank is None and deepest - len(inner_shape or ()) < 2 or ragged_rank == 0:
        return values_of(pylist, dtype, inner_shape)
    if ragged_rank is None:
        inner_shape = inner_shape or ()
        ragged_rank = max(1, deepest - 1 if depth is None else depth - 1 - len(inner_shape))
    nested, values = [], pylist
    for _ in range(ragged_rank):
        nested.append([0, *itertools.accumulate(map(len, values))])
        values = list(itertools.chain.from_iterable(values))
    if inner_shape is None:
        inner_shape = _uniform_shape([values])
    found = values_of(values, dtype, (len(values), *inner_shape))
    for splits in reversed(nested):
        found = rows_of(found, splits)
    return found


def constant(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None, row_splits_dtype=tf.int64):
    """A ragged tensor of nested lists whose lengths may differ."""
    def values_of(values, dtype, shape):
        return tf.constant(values, tf.float32 if dtype is None and not values and values == [] else dtype, shape)
    return _made(lambda values, splits: RaggedTensor(values, tf.constant(splits, row_splits_dtype)), values_of, pylist, dtype,
                 ragged_rank, inner_shape)


def constant_value(pylist: Any, dtype: DTypeLike | None = None, ragged_rank: Any = None, inner_shape: Any = None,
                   row_splits_dtype: str = 'int64') -> Any:
    """Like constant(), as arrays: a RaggedTensorValue, or one array if nothing is ragged."""
    import numpy as np
    splits_dtype = tf.as_dtype(row_splits_dtype).as_numpy_dtype

    def values_of(values, dtype, shape):
        made = np.array(values, dtype=dtype.as_numpy_dtype if isinstance(dtype, tf.DType) else dtype)
        return made if shape is None else made.reshape(shape)
    return _made(lambda values, splits: tf.compat.v1.ragged.RaggedTensorValue(values, np.array(splits, splits_dtype)), values_of,
                 pylist, dtype, ragged_rank, inner_shape)


def placeholder(dtype: DTypeLike, ragged_rank: Any, value_shape: Any = None,
                name: str | None = None) -> tf.RaggedTensor | tf.Tensor:
    """A ragged tensor of a graph whose values and row splits Session.run is given."""
    v1 = tf.compat.v1
    if ragged_rank < 0:
        raise ValueError(f'ragged_rank must not be negative, got {ragged_rank}')
    if ragged_rank == 0:
        return v1.placeholder(dtype, value_shape, name)
    with tf.name_scope(name or 'RaggedPlaceholder'):
        made = v1.placeholder(dtype, tf.TensorShape([None]).concatenate(tf.TensorShape(value_shape)), 'flat_values')
        for number in reversed(range(ragged_rank)):
            splits = v1.placeholder(tf.int64, [None], f'row_splits_{number}')
            made = RaggedTensor.from_row_splits(made, splits, validate=False)
    return made


publish('tf.compat.v1.ragged', placeholder)
publish('tf.ragged', constant)
publish('tf.compat.v1.ragged', constant_value)
