"""tf.split of ragged tensors: parts with the same inner rows, along a dimension that is not ragged."""
from __future__ import annotations

import footlight as tf
from footlight._ragged.dispatch import _rule, axis_of, is_ragged
from footlight._ragged.tensor import RaggedTensor, _count
from footlight._typing import Any, Callable


@_rule('split')
def _split(function: Callable[..., Any], value: tf.RaggedTensor, num_or_size_splits: Any, axis: int = 0,
           num: int | None = None, name: str | None = None) -> list[Any]:
    """A list of parts."""
    if value.shape.rank is None:
        raise ValueError('tf.split: the rank of a ragged value must be known')
    axis = axis_of(axis, value.shape.rank)
    with tf.name_scope(name or 'RaggedSplit'):
        sizes = _sizes(num_or_size_splits, _length(value, axis), num)
        return _parts(value, sizes, axis)


def _length(value: tf.RaggedTensor, axis: int) -> tf.Tensor:
    """The length of a dimension; ValueError if its rows differ in length."""
    inner = value
    for _ in range(axis - 1):
        inner = inner.values if is_ragged(inner) else inner
    if axis and is_ragged(inner):
        if inner.uniform_row_length is None:
            raise ValueError(f'Cannot split a ragged dimension. Got `value` with shape {value.shape} and `axis` {axis}.')
        return tf.cast(inner.uniform_row_length, tf.int64)
    if axis == 0:
        return tf.cast(_count(value), tf.int64)
    depth = value.ragged_rank
    return tf.cast(tf.shape(value.flat_values)[axis - depth], tf.int64)


def _sizes(wanted: Any, length: tf.Tensor, num: int | None) -> list[Any]:
    """The length of each part, as a list of scalar tensors that add up to the dimension."""
    if isinstance(wanted, (list, tuple)) and any(isinstance(size, (list, tuple)) for size in wanted):
        raise TypeError(f'`num_or_size_splits` must be an `int` or 1-D list or `Tensor`. Received {wanted}.')
    if isinstance(wanted, int):
        if wanted < 1:
            raise ValueError(f'`num_or_size_splits` must be >=1 if it is an `int`.Received {wanted}.')
        size = length // wanted
        sizes = [size] * wanted
    else:
        wanted = tf.cast(tf.convert_to_tensor(wanted), tf.int64)
        if wanted.shape.rank != 1:
            raise TypeError(f'`num_or_size_splits` must be an `int` or 1-D list or `Tensor`. Received {wanted}.')
        count = wanted.shape[0] if wanted.shape[0] is not None else num
        if count is None:
            raise ValueError('`num` must be specified as an `int` when the size of `num_or_size_splits` is not statically '
                             f'known. Received `num`: {num} and `num_or_size_splits`: {wanted}.')
        if num is not None and num != count:
            raise ValueError(f'`num` does not match the number of parts in `num_or_size_splits`: {num} and {count}')
        sizes = tf.unstack(tf.ensure_shape(wanted, [count]))
    checks = [tf.debugging.assert_greater_equal(size, tf.zeros([], tf.int64), '`num_or_size_splits` must be non-negative.')
              for size in sizes[:1 if isinstance(wanted, int) else None]]
    checks.append(tf.debugging.assert_equal(
        length, tf.add_n(sizes) if sizes else tf.zeros([], tf.int64),
        'Cannot exactly split the `axis` dimension of `value` with the given `num_or_size_split`.'))
    with tf.control_dependencies([check for check in checks if check is not None]):
        return [tf.identity(size) for size in sizes]


def _parts(value: Any, sizes: Any, axis: int) -> Any:
    if not is_ragged(value):
        return tf.split(value, tf.stack(sizes), axis, num=len(sizes))
    if axis == 0:
        parts, first = [], tf.zeros([], tf.int64)
        for size in sizes:
            parts.append(value[first:first + size])
            first = first + size
        return parts
    if axis > 1:
        return [value.with_values(part) for part in _parts(value.values, sizes, axis - 1)]
    # Rows of one length: the values as a matrix, of which each part has some columns.
    length, dtype = tf.cast(value.uniform_row_length, tf.int64), value.row_splits.dtype
    rows, parts, first = tf.cast(value.nrows(), tf.int64), [], tf.zeros([], tf.int64)
    for size in sizes:
        places = tf.range(rows)[:, tf.newaxis] * length + first + tf.range(size)[tf.newaxis]
        known = tf.get_static_value(size)
        parts.append(RaggedTensor.from_uniform_row_length(
            tf.gather(value.values, tf.reshape(places, [-1])), tf.cast(size, dtype) if known is None else int(known),
            nrows=value.nrows(), validate=False))
        first = first + size
    return parts
