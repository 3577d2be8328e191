"""tf.gather and tf.gather_nd of ragged tensors, with ragged or whole indices."""
from __future__ import annotations

import footlight as tf
from footlight._ragged import partition_checks
from footlight._ragged.dispatch import _deepened, _rule, axis_of, is_ragged
from footlight._ragged.tensor import RaggedTensor, gather as _gather_rows
from footlight._typing import Any, Callable


@_rule('gather')
def gather(function, params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    """Slices along an axis by their numbers, the first `batch_dims` dimensions of both belonging together."""
    with tf.name_scope(name or 'RaggedGather'):
        params, indices = (v if is_ragged(v) else tf.convert_to_tensor(v) for v in (params, indices))
        if batch_dims < 0:
            if indices.shape.rank is None:
                raise ValueError('batch_dims may only be negative if the rank of indices is known')
            batch_dims += indices.shape.rank
        axis = axis_of(batch_dims if axis is None else axis, params.shape.rank)
        if axis < batch_dims:
            raise ValueError(f'axis {axis} must not be less than batch_dims {batch_dims}')
        if params.shape.rank is not None and batch_dims >= params.shape.rank:
            raise ValueError('batch_dims must be less than rank(params)')
        if batch_dims:
            return _in_batches(params, indices, axis, batch_dims)
        return _along(params, indices, axis) if axis else _rows(params, indices)


def _rows(params, indices):
    """Gathers along the first dimension."""
    if is_ragged(indices):
        return indices.with_values(_rows(params, indices.values))
    if not is_ragged(params):
        return tf.gather(params, indices)
    if indices.shape.rank == 0:
        return params[indices]
    if indices.shape.rank > 1:
        flat = _gather_rows(params, tf.reshape(indices, [-1]))
        outer = RaggedTensor.from_tensor(indices, ragged_rank=indices.shape.rank - 1)
        return _without_uniform(outer, flat)
    return _gather_rows(params, indices)


def _without_uniform(rows, flat):
    """Replaces the flat values of `rows` by `flat` and forgets which dimensions are uniform."""
    return RaggedTensor(_without_uniform(rows.values, flat) if is_ragged(rows.values) else flat, rows.row_splits)


def _along(params, indices, axis):
    """Gathers the same indices from each slice along an axis other than the first."""
    if not is_ragged(params):
        return _ragged_places(params, indices, axis) if is_ragged(indices) else tf.gather(params, indices, axis=axis)
    if axis > 1:
        return params.with_values(_along(params.values, indices, axis - 1))
    starts = params.row_starts()
    if not is_ragged(indices):
        return _rows(params.values, _like_first(starts, indices.shape.rank) + tf.cast(indices, starts.dtype)[tf.newaxis])
    places = starts[:, tf.newaxis] + tf.cast(tf.reshape(indices.flat_values, [1, -1]), starts.dtype)
    taken, count = _rows(params.values, tf.reshape(places, [-1])), tf.cast(params.nrows(), tf.int64)
    inner = tf.shape(indices.flat_values, tf.int64)[1:]
    for d in reversed(range(indices.flat_values.shape.rank - 1)):
        taken = RaggedTensor.from_uniform_row_length(taken, inner[d], validate=False)
    return _repeated_rows(taken, indices, count)


def _like_first(starts, rank):
    """Reshapes row numbers so that they broadcast against a tensor of this rank."""
    return tf.reshape(starts, tf.concat([tf.shape(starts), tf.ones([rank], tf.int32)], 0))


def _repeated_rows(taken, indices, count):
    """Repeats the rows of `indices` `count` times around the values `taken`."""
    for lengths in reversed(indices.nested_row_lengths()):
        taken = RaggedTensor.from_row_lengths(taken, tf.tile(lengths, [count]), validate=False)
    return RaggedTensor.from_uniform_row_length(taken, indices.nrows(), count, validate=False)


def _ragged_places(params, indices, axis):
    """Ragged rows of indices along an axis of a dense tensor, repeated for each position before that axis."""
    sizes = tf.shape(params, tf.int64)
    count = tf.reduce_prod(sizes[:axis])
    flat = tf.gather(tf.reshape(params, tf.concat([[count], sizes[axis:]], 0)), indices.flat_values, axis=1)
    rows = _repeated_rows(tf.reshape(flat, tf.concat([[-1], tf.shape(flat)[2:]], 0)), indices, count)
    for d in range(axis - 1, 0, -1):
        rows = RaggedTensor.from_uniform_row_length(rows, sizes[d], tf.reduce_prod(sizes[:d]), validate=False)
    return rows


def _in_batches(params, indices, axis, batch_dims):
    if not is_ragged(params) and not is_ragged(indices):
        return tf.gather(params, indices, axis=axis, batch_dims=batch_dims)
    if not is_ragged(indices) and indices.shape.rank is not None and indices.shape.rank < batch_dims:
        raise ValueError(f'batch_dims {batch_dims} must not be more than the rank of indices, {indices.shape.rank}')
    params = _deepened(params, 1)
    params.shape[:1].assert_is_compatible_with(indices.shape[:1])
    if batch_dims > 1:
        indices = _deepened(indices, 1)
        inner = _in_batches(params.values, indices.values, axis - 1, batch_dims - 1)
        return partition_checks.of_same_rows([_outer(indices), _outer(params)]).with_values(inner)
    count = indices.nrows() if is_ragged(indices) else tf.shape(indices)[0]
    indices_ok = [tf.debugging.Assert(tf.equal(tf.cast(count, tf.int64), tf.cast(params.nrows(), tf.int64)), [
        'tf.gather: params and indices have batch dimensions of different sizes: ', params.nrows(), count])]
    with tf.control_dependencies([check for check in indices_ok if check is not None]):
        starts = tf.identity(params.row_starts())
    if axis > 1:  # each inner row gets the indices of its outer one
        each = _gather_rows(indices, params.value_rowids()) if is_ragged(indices) else tf.gather(indices, params.value_rowids())
        return params.with_values(_in_batches(params.values, each, axis - 1, 1))
    if not is_ragged(indices):
        return _rows(params.values, tf.cast(indices, starts.dtype) + _like_first(starts, indices.shape.rank - 1))
    ids, level = indices.value_rowids(), indices.values
    while is_ragged(level):
        ids, level = tf.gather(ids, level.value_rowids()), level.values
    starts = tf.cast(tf.gather(starts, ids), starts.dtype)
    return _rows(params.values, indices.with_flat_values(tf.cast(level, starts.dtype) + _like_first(starts, level.shape.rank - 1)))


def _outer(rows):
    """The outermost rows only, with row numbers as values."""
    return RaggedTensor(tf.range(rows.row_splits[-1]), tf.cast(rows.row_splits, tf.int64), rows._uniform)


def _repeated_whole(params, indices):
    """Repeats all of params for each position of indices whose last dimension is empty."""
    if not is_ragged(params):
        return tf.gather_nd(params, indices)
    places = tf.shape(indices, params.row_splits.dtype)[:-1]
    each = tf.tile(params, tf.concat([[tf.reduce_prod(places)], tf.ones([params.shape.rank - 1], places.dtype)], 0))
    rows = RaggedTensor.from_uniform_row_length(each, params.nrows(), nrows=tf.reduce_prod(places))
    for axis in range(indices.shape.rank - 2, 0, -1):
        rows = RaggedTensor.from_uniform_row_length(rows, places[axis], nrows=tf.reduce_prod(places[:axis]))
    return rows


@_rule('gather_nd')
def gather_nd(function: Callable[..., Any], params: Any, indices: Any, batch_dims: Any = 0, name: str | None = None,
              bad_indices_policy: str = '') -> Any:
    """Elements by their indices."""
    if batch_dims:
        raise ValueError('batch_dims is not supported for ragged gather yet.')
    if is_ragged(indices):
        if indices.shape.rank is not None and indices.shape.rank > 2:
            return indices.with_values(gather_nd(function, params, indices.values))
        return gather_nd(function, params, indices.to_tensor())
    params = params if is_ragged(params) else tf.convert_to_tensor(params)
    indices = tf.convert_to_tensor(indices)
    if indices.shape.rank == 0:
        raise ValueError('indices.rank must be at least 1.')
    if indices.shape.rank is None or indices.shape[-1] is None:
        raise ValueError('tf.gather_nd of a ragged tensor: the rank and the last dimension of indices must be known')
    depth = indices.shape[-1]
    if depth == 0:
        if indices.shape.rank == 1:
            return params
        return _repeated_whole(params, indices)
    if indices.shape.rank == 1:
        return gather_nd(function, params, indices[tf.newaxis])[0]
    if indices.shape.rank > 2:
        flat = gather_nd(function, params, tf.reshape(indices, [-1, depth]))
        if is_ragged(flat):
            return RaggedTensor.from_tensor(indices[..., 0], ragged_rank=indices.shape.rank - 2).with_flat_values(flat)
        return tf.reshape(flat, tf.concat([tf.shape(indices)[:-1], tf.shape(flat)[1:]], 0))
    if not is_ragged(params):
        return tf.gather_nd(params, indices)
    column, at = 0, tf.cast(indices[:, 0], tf.int64)
    while is_ragged(params) and column + 1 < depth:
        column += 1
        at = tf.cast(tf.gather(params.row_starts(), at), tf.int64) + tf.cast(indices[:, column], tf.int64)
        params = params.values
    if is_ragged(params):
        return _gather_rows(params, at)
    if column + 1 == depth:
        return tf.gather(params, at)
    return tf.gather_nd(params, tf.concat([at[:, tf.newaxis], tf.cast(indices[:, column + 1:], tf.int64)], 1))
