"""Parts of ragged tensors that a subscript names, and functions of tf.ragged on where rows begin."""
from __future__ import annotations

import builtins

import footlight as tf
from footlight._public import publish
from footlight._ragged.tensor import RaggedTensor, gather
from footlight._typing import Any, DTypeLike, TensorLike


# --- parts ---
def item(value, keys):
    """value[keys], `keys` a tuple."""
    if not keys:
        return value
    if not isinstance(value, RaggedTensor):
        return value[keys]
    first, rest = keys[0], keys[1:]
    if first is Ellipsis:
        return item(value, _filled(value, rest))
    if first is None:
        inner = item(value, rest)
        return tf.expand_dims(inner, 0)
    if isinstance(first, slice):
        rows = value if first == slice(None) else gather(value, tf.range(value.nrows())[first])
        return _inner(rows, rest)
    known = first if isinstance(first, int) else None
    if known is None and not (tf.is_tensor(first) or hasattr(first, '__index__')):
        raise TypeError('Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar '
                        f'tf.int32/tf.int64 tensors are valid indices, got {first!r}')
    if known is not None and value.shape[0] is not None and not -value.shape[0] <= known < value.shape[0]:
        raise IndexError(f'Row key {known} out of bounds')
    begin = value.row_starts()[first]
    row = value.values[begin:value.row_limits()[first]]
    return item(row, rest)


def _filled(value, rest):
    """Replaces an ellipsis in the keys by full slices."""
    if Ellipsis in [k for k in rest if k is Ellipsis]:
        raise ValueError('Only one ellipsis is allowed')
    return (slice(None),) * builtins.max(0, value.shape.rank - builtins.len([k for k in rest if k is not None])) + rest


def _inner(value, keys):
    """The keys applied to the dimensions below the rows."""
    if not keys:
        return value
    first, rest = keys[0], keys[1:]
    if first is Ellipsis:
        count = value.shape.rank - 1 - builtins.len([k for k in rest if k is not None])
        return _inner(value, (slice(None),) * builtins.max(0, count) + rest)
    if first is None:
        return RaggedTensor.from_uniform_row_length(_inner(value, rest), 1, nrows=value.nrows(), validate=False)
    if not isinstance(first, slice):
        if value._uniform is not None:
            count = value._uniform
            if isinstance(first, int) and not -count <= first < count:
                raise tf.errors.InvalidArgumentError(None, None, f'slice index {first} out of bounds')
            column = value.row_starts() + tf.cast(first if not isinstance(first, int) else first % count, value.row_splits.dtype)
            return item(gather(value.values, column) if isinstance(value.values, RaggedTensor) else tf.gather(
                value.values, column), (slice(None), *rest))
        raise ValueError('Cannot index into an inner ragged dimension.')
    part = value if first == slice(None) else _cut(value, first)
    if not rest:
        return part
    values = part.values
    return part.with_values(_inner(values, rest) if isinstance(values, RaggedTensor) else values[(slice(None), *rest)])


def _cut(value, part):
    """part of each row."""
    step = 1 if part.step is None else part.step
    known = tf.get_static_value(step) if tf.is_tensor(step) else step
    if known is None:
        raise ValueError('the step of a slice of a ragged dimension must be known')
    step = int(known)
    if step == 0:
        raise ValueError('slice step cannot be zero')
    lengths = value.row_lengths()
    low, high = (tf.zeros_like(lengths), lengths) if step > 0 else (tf.zeros_like(lengths) - 1, lengths - 1)

    def place(given, otherwise):
        if given is None:
            return otherwise
        given = tf.cast(given, lengths.dtype)
        return tf.clip_by_value(tf.where(given < 0, lengths + given, given + tf.zeros_like(lengths)), low, high)
    begin = place(part.start, low if step > 0 else high)
    end = place(part.stop, high if step > 0 else low)
    counts = tf.maximum((end - begin + (step - 1 if step > 0 else step + 1)) // step, 0)
    splits = tf.concat([tf.zeros([1], lengths.dtype), tf.cumsum(counts)], 0)
    rows = tf.repeat(tf.range(tf.size(counts)), counts)
    within = tf.range(splits[-1]) - tf.gather(splits, rows)
    places = tf.gather(value.row_starts() + begin, rows) + within * step
    inner = value.values
    return RaggedTensor(gather(inner, places) if isinstance(inner, RaggedTensor) else tf.gather(inner, places), splits)


# --- tf.ragged ---
def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: DTypeLike | None = None) -> Any:
    """The row of each value, of where rows begin."""
    splits = tf.convert_to_tensor(splits, None if tf.is_tensor(splits) else tf.int64)
    if splits.dtype not in (tf.int32, tf.int64):
        raise ValueError(f'splits must have dtype int32 or int64, received {splits.dtype}.')
    if splits.shape.rank is not None:
        splits.shape.assert_has_rank(1)
    if splits.shape[0] == 0:
        raise ValueError('Invalid row_splits: []')
    out_type = splits.dtype if out_type is None else tf.as_dtype(out_type)
    return tf.repeat(tf.range(tf.cast(tf.size(splits) - 1, out_type)), splits[1:] - splits[:-1])


def segment_ids_to_row_splits(segment_ids: Any, num_segments: Any = None, out_type: DTypeLike | None = None,
                              name: str | None = None) -> Any:
    """Where rows begin, of the row of each value."""
    ids = tf.convert_to_tensor(segment_ids, dtype_hint=tf.int64)
    if ids.dtype not in (tf.int32, tf.int64):
        raise TypeError(f'Argument `tensor` (name: segment_ids) must be of type integer (int32 or int64), not {ids.dtype.name}')
    if ids.shape.rank not in (None, 1):
        raise ValueError(f'Shape {ids.shape} must have rank 1')
    out_type = ids.dtype if out_type is None else tf.as_dtype(out_type)
    if num_segments is None:
        num_segments = tf.reduce_max(tf.concat([ids, tf.constant([-1], ids.dtype)], 0)) + 1
    lengths = tf.math.unsorted_segment_sum(tf.ones_like(ids, out_type), ids, num_segments)
    return tf.concat([tf.zeros([1], out_type), tf.cumsum(lengths)], 0)


publish('tf.ragged', row_splits_to_segment_ids, segment_ids_to_row_splits)


def printed(value: TensorLike, summarize: Any) -> list[Any] | None:
    """The texts and tensors that tf.print shows for a ragged or sparse tensor; None for other values."""
    if isinstance(value, tf.SparseTensor):
        return ["'SparseTensor(indices=", value.indices, ', values=', value.values, ', shape=', value.dense_shape, ")'"]
    if not isinstance(value, tf.RaggedTensor):
        return None
    from footlight._ragged.formatting import ragged_tensor_to_string
    return [ragged_tensor_to_string(value, summarize)]
