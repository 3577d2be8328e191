"""Ragged tensors in partitions and segments: tf.ragged.stack_dynamic_partitions, tf.dynamic_partition,
tf.math.unsorted_segment_*, tf.cumsum."""
from __future__ import annotations

import footlight as tf
from footlight._public import publish
from footlight._ragged.dispatch import _rule, axis_of, is_ragged
from footlight._ragged.tensor import RaggedTensor, gather
from footlight._typing import Any, Callable


def _checked(check, value):
    """The value after a check that may only be known when it runs."""
    with tf.control_dependencies([check] if check is not None else []):
        return tf.nest.map_structure(tf.identity, value, expand_composites=True)


# --- partitions ---
def stack_dynamic_partitions(data: Any, partitions: Any, num_partitions: Any, name: str | None = None) -> Any:
    """The rows of data by their partition, as rows of a ragged tensor."""
    data, partitions = (x if is_ragged(x) else tf.convert_to_tensor(x) for x in (data, partitions))
    num_partitions = tf.convert_to_tensor(num_partitions)
    rank = partitions.shape.rank
    if rank is None:
        raise ValueError('partitions must have known rank.')
    count = tf.cast(num_partitions, partitions.dtype)
    if rank == 0:
        return RaggedTensor.from_value_rowids(tf.stack([data]), tf.stack([partitions]), nrows=count)
    if is_ragged(partitions):
        if not is_ragged(data):
            data = RaggedTensor.from_tensor(data, ragged_rank=partitions.ragged_rank, row_splits_dtype=partitions.row_splits.dtype)
        if data.ragged_rank < partitions.ragged_rank:
            raise ValueError('data and partitions have incompatible ragged shapes')
        data = data.with_row_splits_dtype(partitions.row_splits.dtype)
        for own, other in zip(partitions.nested_row_splits, data.nested_row_splits):
            same = tf.equal(tf.size(own), tf.size(other))
            check = tf.debugging.Assert(same, ['data and partitions have incompatible ragged shapes'])
            own, other = _checked(check, [own, other])
            check = tf.debugging.Assert(tf.reduce_all(tf.equal(own, other)), ['data and partitions have incompatible ragged shapes'])
            data = _checked(check, data)
        for _ in range(partitions.ragged_rank):
            data, partitions = data.values, partitions.values
        rank = partitions.shape.rank
    if rank > 1:  # one that is ragged inside was merged above as far as it has rows
        if not is_ragged(data):
            shape = data.shape[:rank]
            if not shape.is_compatible_with(partitions.shape):
                raise ValueError(f'Shapes {shape} and {partitions.shape} are incompatible')
        data = data.merge_dims(0, rank - 1) if is_ragged(data) else tf.reshape(
            data, tf.concat([[-1], tf.shape(data)[rank:]], 0))
        partitions = tf.reshape(partitions, [-1])
    else:
        rows = data.shape[:1]
        if not rows.is_compatible_with(partitions.shape):
            raise ValueError(f'Shapes {rows} and {partitions.shape} are incompatible')
    checks = [tf.debugging.Assert(tf.reduce_all(partitions >= 0), ['partitions must be non-negative']),
              tf.debugging.Assert(tf.reduce_all(partitions < count), ['partitions must be less than num_partitions'])]
    with tf.control_dependencies([check for check in checks if check is not None]):
        order = tf.argsort(partitions, stable=True)
    rows = gather(data, order) if is_ragged(data) else tf.gather(data, order)
    return RaggedTensor.from_value_rowids(rows, tf.gather(partitions, order), nrows=count, validate=False)


@_rule('dynamic_partition')
def _dynamic_partition(function: Callable[..., Any], data: Any, partitions: Any, num_partitions: Any,
                       name: str | None = None) -> list[Any]:
    if not isinstance(num_partitions, int) or num_partitions < 0:
        raise TypeError('num_partitions must be a non-negative integer')
    stacked = stack_dynamic_partitions(data, partitions, num_partitions)
    return [stacked[i] for i in range(num_partitions)]


# --- segments ---
def _segments(function, data, segment_ids, num_segments):
    if is_ragged(segment_ids):
        if not is_ragged(data):
            raise ValueError('data must be a ragged tensor where segment_ids is one')
        data = data.with_row_splits_dtype(segment_ids.row_splits.dtype)
        same = tf.equal(tf.size(data.row_splits), tf.size(segment_ids.row_splits))
        data = _checked(tf.debugging.Assert(same, ['segment_ids and data have different numbers of rows']), data)
        same = tf.reduce_all(tf.equal(data.row_splits, segment_ids.row_splits))
        values = _checked(tf.debugging.Assert(same, ['segment_ids and data have different rows']), data.values)
        return _segments(function, values, segment_ids.values, num_segments)
    if not is_ragged(data):
        return function(data, segment_ids, num_segments)
    ids = tf.cast(segment_ids, tf.int64)
    count = tf.cast(num_segments, tf.int64)
    lengths = tf.cast(data.row_lengths(), tf.int64)
    longest = tf.maximum(tf.math.unsorted_segment_max(lengths, ids, count), 0)
    splits = tf.concat([tf.zeros([1], tf.int64), tf.cumsum(longest)], 0)
    rows = tf.cast(data.value_rowids(), tf.int64)
    within = tf.range(tf.size(rows, out_type=tf.int64)) - tf.gather(tf.cast(data.row_starts(), tf.int64), rows)
    places = tf.gather(tf.gather(splits, ids), rows) + within
    values = _segments(function, data.values, places, splits[-1])
    return RaggedTensor(values, tf.cast(splits, data.row_splits.dtype))


def _segment_rule(name: str) -> Callable[..., Any]:
    @_rule(f'math.unsorted_segment_{name}')
    def rule(function, data, segment_ids, num_segments, name=None):
        return _segments(function, data, segment_ids, num_segments)
    return rule


def _mean_rule(name: str, divided_by: Callable[..., Any]) -> Callable[..., Any]:
    @_rule(f'math.unsorted_segment_{name}')
    def rule(function, data, segment_ids, num_segments, name=None):
        total = _segments(tf.math.unsorted_segment_sum, data, segment_ids, num_segments)
        counts = _segments(tf.math.unsorted_segment_sum, tf.ones_like(data), segment_ids, num_segments)
        return total / (tf.ragged.map_flat_values(divided_by, counts) if is_ragged(counts) else divided_by(counts))
    return rule


for _name in ('sum', 'prod', 'max', 'min'):
    _segment_rule(_name)
_mean_rule('mean', lambda count: count)
_mean_rule('sqrt_n', tf.sqrt)


# --- sums until each element ---
def _until_each(value, exclusive, reverse):
    """The sums of each row of a ragged tensor whose values are whole."""
    before = tf.cumsum(value.values, exclusive=True, reverse=reverse)
    rows = value.value_rowids()
    first = tf.gather(value.row_limits() - 1 if reverse else value.row_starts(), rows)
    sums = before - tf.gather(before, first)
    return value.with_values(sums if exclusive else sums + value.values)


@_rule('math.cumsum')
def _cumsum(function: Callable[..., Any], x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False,
            name: str | None = None) -> Any:
    axis = axis_of(axis, x.shape.rank)
    if axis < x.ragged_rank:
        sums = tf.cumsum(x.to_tensor(), axis, exclusive, reverse)
        return RaggedTensor.from_tensor(sums, lengths=x.nested_row_lengths() if x.ragged_rank > 1 else x.row_lengths())

    def inside(value, axis):
        if is_ragged(value.values):
            return value.with_values(inside(value.values, axis - 1))
        if axis == 1:
            return _until_each(value, exclusive, reverse)
        return value.with_values(tf.cumsum(value.values, axis - 1, exclusive, reverse))
    return inside(x, axis)


publish('tf.ragged', stack_dynamic_partitions)
