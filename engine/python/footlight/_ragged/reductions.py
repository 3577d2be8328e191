"""Functions that reduce dimensions of ragged tensors."""
from __future__ import annotations

import collections

import footlight as tf
from footlight._ragged.tensor import RaggedTensor, _count
from footlight._ragged.dispatch import _rule, axes_of, expand_dims, is_ragged
from footlight._typing import Any, Callable

# The reduction along an axis of a dense tensor, and the one over elements with the same segment id.
_Kind = collections.namedtuple('_Kind', 'along segments')


def _kind_of(name: str) -> Any:
    return _Kind(getattr(tf, name), getattr(tf.math, name.replace('reduce', 'unsorted_segment')))


def _segments(kind, data, ids, count):
    """Each segment of the rows of `data`, reduced."""
    if not is_ragged(data):
        return kind.segments(data, ids, count)
    lengths = data.row_lengths()
    ids = tf.cast(ids, lengths.dtype)
    widest = tf.maximum(tf.math.unsorted_segment_max(lengths, ids, count), 0)
    splits = tf.concat([tf.zeros([1], lengths.dtype), tf.cumsum(widest)], 0)
    rows = data.value_rowids()
    within = tf.range(tf.cast(_count(data.values), rows.dtype)) - tf.gather(data.row_starts(), rows)
    places = tf.gather(splits, tf.gather(ids, rows)) + within
    return RaggedTensor(_segments(kind, data.values, places, splits[-1]), splits)


def _reduced(kind: Any, value: tf.RaggedTensor, axis: int, keepdims: bool) -> tf.RaggedTensor | tf.Tensor:
    """Reduces one dimension."""
    if axis == 0:
        rows = value.value_rowids()
        columns = tf.range(tf.cast(_count(value.values), rows.dtype)) - tf.gather(value.row_starts(), rows)
        width = tf.reduce_max(tf.concat([value.row_lengths(), tf.zeros([1], value.row_splits.dtype)], 0))
        found = _segments(kind, value.values, columns, width)
        return expand_dims(None, found, 0) if keepdims else found
    if axis == 1:
        found = _segments(kind, value.values, value.value_rowids(), value.nrows())
        return expand_dims(None, found, 1) if keepdims else found
    inner = value.values
    if is_ragged(inner):
        return value.with_values(_reduced(kind, inner, axis - 1, keepdims))
    return value.with_values(kind.along(inner, axis=axis - 1, keepdims=keepdims))


def _reduction(kind, value, axis, keepdims):
    kind = _kind_of(kind) if isinstance(kind, str) else kind
    if axis is None:
        found = kind.along(value.flat_values)
        return tf.reshape(found, [1] * value.shape.rank) if keepdims else found
    for a in sorted(axes_of(axis, value.shape.rank), reverse=True):
        value = _reduced(kind, value, a, keepdims) if is_ragged(value) else kind.along(value, axis=a, keepdims=keepdims)
    return value


@_rule('reduce_sum', 'reduce_prod', 'reduce_max', 'reduce_min')
def _reduce(function: Callable[..., Any], input_tensor: tf.RaggedTensor, axis: int | None = None,
            keepdims: bool = False, name: str | None = None) -> tf.RaggedTensor | tf.Tensor:
    return _reduction(function.__name__, input_tensor, axis, bool(keepdims))


@_rule('reduce_all', 'reduce_any')
def _reduce_flags(function: Callable[..., Any], input_tensor: Any, axis: Any = None, keepdims: bool = False,
                  name: str | None = None) -> Any:
    numbers = input_tensor.with_flat_values(tf.cast(input_tensor.flat_values, tf.int32))
    kind = 'reduce_prod' if function.__name__ == 'reduce_all' else 'reduce_max'
    found = _reduction(kind, numbers, axis, bool(keepdims))
    return tf.ragged.map_flat_values(lambda flat: flat > 0, found)


@_rule('reduce_mean')
def _reduce_mean(function: Callable[..., Any], input_tensor: Any, axis: Any = None, keepdims: bool = False,
                 name: str | None = None) -> Any:
    if axis is None:
        found = tf.reduce_mean(input_tensor.flat_values)
        return tf.reshape(found, [1] * input_tensor.shape.rank) if keepdims else found
    total = _reduction('reduce_sum', input_tensor, axis, bool(keepdims))
    count = _reduction('reduce_sum', input_tensor.with_flat_values(tf.ones_like(input_tensor.flat_values)), axis, bool(keepdims))
    if is_ragged(total):
        flat = total.flat_values
        return total.with_flat_values(flat / count.flat_values if flat.dtype.is_floating else flat // count.flat_values)
    return total / count if total.dtype.is_floating else total // count


@_rule('reduce_logsumexp')
def _reduce_logsumexp(function: Callable[..., Any], input_tensor: Any, axis: int | None = None, keepdims: bool = False,
                      name: str | None = None) -> Any:
    if axis is None:
        found = tf.reduce_logsumexp(input_tensor.flat_values)
        return tf.reshape(found, [1] * input_tensor.shape.rank) if keepdims else found
    for a in sorted(axes_of(axis, input_tensor.shape.rank), reverse=True):
        input_tensor = _logsumexp(input_tensor, a, bool(keepdims))
    return input_tensor


def _logsumexp(value: tf.RaggedTensor, axis: int, keepdims: bool) -> tf.Tensor:
    """Reduces one dimension. Subtracting the maximum before exp() avoids overflow."""
    if not is_ragged(value):
        return tf.reduce_logsumexp(value, axis=axis, keepdims=keepdims)
    if axis > 1:
        return value.with_values(_logsumexp(value.values, axis - 1, keepdims))
    flat, rows = value.flat_values, value.value_rowids()
    if is_ragged(value.values):
        largest = each = tf.reduce_max(flat)  # of all, as inner rows have no single index
    else:
        places, count = rows, value.nrows()
        if axis == 0:
            places = tf.range(tf.cast(_count(flat), rows.dtype)) - tf.gather(value.row_starts(), rows)
            count = tf.reduce_max(tf.concat([value.row_lengths(), tf.zeros([1], rows.dtype)], 0))
        largest = tf.math.unsorted_segment_max(flat, places, count)
        largest = tf.stop_gradient(tf.where(tf.math.is_finite(largest), largest, tf.zeros_like(largest)))
        largest = tf.where(tf.abs(largest) < flat.dtype.max, largest, tf.zeros_like(largest))  # rows without elements
        each = tf.gather(largest, places)
    total = _reduced(_kind_of('reduce_sum'), value.with_flat_values(tf.exp(flat - tf.stop_gradient(each))), axis, False)
    found = tf.math.log(total) + tf.stop_gradient(largest)
    return expand_dims(None, found, axis) if keepdims else found


@_rule('math.reduce_variance')
def _reduce_variance(function: Callable[..., Any], input_tensor: Any, axis: Any = None, keepdims: bool = False,
                     name: str | None = None) -> Any:
    if axis is None:
        found = tf.math.reduce_variance(input_tensor.flat_values)
        return tf.reshape(found, [1] * input_tensor.shape.rank) if keepdims else found
    squares = input_tensor.with_flat_values(tf.square(input_tensor.flat_values))
    mean = _reduce_mean(None, input_tensor, axis, keepdims)
    return tf.math.subtract(_reduce_mean(None, squares, axis, keepdims), tf.square(mean))


@_rule('math.reduce_std')
def _reduce_std(function: Callable[..., Any], input_tensor: Any, axis: Any = None, keepdims: bool = False,
                name: str | None = None) -> Any:
    return tf.sqrt(_reduce_variance(None, input_tensor, axis, keepdims))


@_rule('strings.reduce_join')
def _reduce_join(function: Callable[..., Any], inputs: Any, axis: Any = None, keepdims: bool = False,
                 separator: str = '', name: str | None = None) -> Any:
    def along(value, axis=None, keepdims=False):
        return tf.strings.reduce_join(value, axis=axis, keepdims=keepdims, separator=separator)

    def segments(data, ids, count):
        return tf.strings.unsorted_segment_join(data, ids, count, separator)
    return _reduction(_Kind(along, segments), inputs, axis, bool(keepdims))
