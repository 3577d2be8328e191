"""Raw ops that count: SparseBincount and RaggedBincount, dense counts; Dense-, Sparse- and RaggedCountSparseOutput, sparse ones."""
from __future__ import annotations

import collections

import footlight as tf
from footlight._typing import Any


def _require(holds: tf.Tensor, words: str) -> Any:
    """A check that runs before what depends on it; an error at once where it is known not to hold."""
    known = tf.get_static_value(holds)
    if known is not None and not known:
        raise tf.errors.InvalidArgumentError(None, None, words)
    return tf.debugging.Assert(holds, [words]) if known is None else None


def _after(checks: list[Any], value: tf.Tensor) -> tf.Tensor:
    with tf.control_dependencies([check for check in checks if check is not None]):
        return tf.identity(value)


def _numbers(values: Any) -> tf.Tensor:
    values = tf.convert_to_tensor(values)
    if values.dtype not in (tf.int32, tf.int64):
        raise TypeError(f'values must be int32 or int64, not {values.dtype.name}')
    return values


def _weights(weights: Any, values: tf.Tensor) -> tuple[Any, ...]:
    """Weights as a tensor, or None for ones; and the dtype of the counts."""
    weights = tf.convert_to_tensor([] if weights is None else weights)
    if weights.dtype not in (tf.int32, tf.int64, tf.float32, tf.float64):
        raise TypeError(f'weights must be int32, int64, float32 or float64, not {weights.dtype.name}')
    dtype = weights.dtype
    if weights.shape.num_elements() == 0:
        return None, dtype, []
    same = _require(tf.reduce_all(tf.equal(tf.shape(weights)[:1], tf.shape(values)[:1])),
                    'Weights and values must have the same shape')
    return weights, dtype, [same]


# --- dense counts ---
def _counted(values, rows, height, size, weights, binary_output, checks):
    """Counts below `size`, of each row where there are rows."""
    weights, dtype, more = _weights(weights, values)
    size = tf.cast(size, tf.int64)
    if size.shape.rank not in (None, 0):
        raise ValueError(f'Shape must be rank 0 but is rank {size.shape.rank} [Op:Bincount]')
    checks = [*checks, *more, _require(tf.reduce_all(values >= 0), 'Input must be non-negative'),
              _require(size >= 0, 'size must be non-negative')]
    numbers = tf.cast(_after(checks, values), tf.int64)
    kept = numbers < size
    cells = tf.boolean_mask(numbers if rows is None else rows * size + numbers, kept)
    total = size if rows is None else size * height
    ones = tf.ones_like(cells, dtype) if weights is None or binary_output else tf.boolean_mask(weights, kept)
    combine = tf.math.unsorted_segment_max if binary_output else tf.math.unsorted_segment_sum
    counts = tf.maximum(combine(ones, cells, total), tf.zeros([], dtype)) if binary_output else combine(ones, cells, total)
    return counts if rows is None else tf.reshape(counts, tf.stack([height, size]))


def _sparse_rows(indices, values, dense_shape, checks):
    """The row of each value, and how many there are; None for a vector."""
    indices, dense_shape = tf.cast(indices, tf.int64), tf.cast(dense_shape, tf.int64)
    rank = dense_shape.shape[0]
    if indices.shape.rank not in (None, 2):
        raise tf.errors.InvalidArgumentError(None, None, 'Input indices must be a 2-dimensional tensor. Got: '
                                             f'{indices.shape.rank} dimensions')
    checks.append(_require(tf.equal(tf.shape(indices)[0], tf.shape(values)[0]),
                           'Number of values must match first dimension of indices'))
    inside = tf.reduce_all((indices >= 0) & (indices < dense_shape))
    checks.append(_require(inside, 'indices are out of bounds: need 0 <= index < dense_shape'))
    return (None, None) if rank == 1 else (indices[:, 0], dense_shape[0])


def SparseBincount(*, indices, values, dense_shape, size, weights, binary_output=False, name=None):
    """The op SparseBincount."""
    values, checks = _numbers(values), []
    rows, height = _sparse_rows(indices, values, dense_shape, checks)
    return _counted(values, rows, height, size, weights, binary_output, checks)


def _ragged_rows(splits: Any, values: Any, least: int, words: str) -> tuple[Any, ...]:
    splits = tf.cast(splits, tf.int64)
    if splits.shape.rank not in (None, 1):
        raise ValueError(f'Shape must be rank 1 but is rank {splits.shape.rank}')
    checks = [_require(tf.size(splits) >= least, words)]
    with tf.control_dependencies([check for check in checks if check is not None]):
        first, last = splits[0], splits[-1]
    checks += [_require(tf.equal(first, 0), 'Splits must start with 0'),
               _require(tf.equal(last, tf.size(values, out_type=tf.int64)), 'Splits must end with the number of values')]
    lengths = _after(checks, splits[1:] - splits[:-1])
    height = tf.size(lengths, out_type=tf.int64)
    return tf.repeat(tf.range(height), lengths), height, checks


def RaggedBincount(*, splits: Any, values: Any, size: Any, weights: Any, binary_output: bool = False,
                   name: str | None = None) -> tf.Tensor:
    """The op RaggedBincount."""
    values = _numbers(values)
    rows, height, checks = _ragged_rows(splits, values, 1, 'Splits must be non-empty')
    return _counted(values, rows, height, size, weights, binary_output, checks)


# --- sparse counts ---
def _made(op, values, rows, height, weights, binary_output, minlength, maxlength, checks):
    weights, dtype, more = _weights(weights, values)
    values = tf.cast(_after([*checks, *more, _require(tf.reduce_all(values >= 0), 'Input values must all be non-negative')],
                            values), tf.int64)
    if maxlength >= 0:
        kept = values < maxlength
        values, rows = tf.boolean_mask(values, kept), None if rows is None else tf.boolean_mask(rows, kept)
        weights = None if weights is None else tf.boolean_mask(weights, kept)
    width = tf.reduce_max(tf.concat([values, [tf.constant(0, tf.int64)]], 0)) + 1  # never empty
    width = tf.constant(maxlength, tf.int64) if maxlength >= 0 else tf.maximum(width, minlength)
    wide = tf.maximum(width, 1)
    cells = values if rows is None else rows * wide + values
    places, group = tf.unique(cells, tf.int64)
    ones = tf.ones_like(values, dtype) if weights is None or binary_output else weights
    combine = tf.math.unsorted_segment_max if binary_output else tf.math.unsorted_segment_sum
    counts = combine(ones, group, tf.size(places, out_type=tf.int64))
    order = tf.argsort(places)
    places, counts = tf.gather(places, order), tf.gather(counts, order)
    indices = places[:, tf.newaxis] if rows is None else tf.stack([places // wide, places % wide], 1)
    shape = width[tf.newaxis] if rows is None else tf.stack([height, width])
    return collections.namedtuple(op, ('output_indices', 'output_values', 'output_dense_shape'))(indices, counts, shape)


def DenseCountSparseOutput(*, values: Any, weights: Any, binary_output: Any, minlength: Any = -1, maxlength: Any = -1,
                           name: str | None = None) -> Any:
    """The op DenseCountSparseOutput."""
    values = _numbers(values)
    if values.shape.rank not in (1, 2):
        raise tf.errors.InvalidArgumentError(None, None, f'Input must be a 1 or 2-dimensional tensor. Got: {values.shape.rank}')
    weights = tf.convert_to_tensor(weights)
    if weights.shape.num_elements() != 0 and not weights.shape.is_compatible_with(values.shape):
        raise tf.errors.InvalidArgumentError(None, None, 'Weights and values must have the same shape. Weight shape: '
                                             f'{weights.shape}; values shape: {values.shape}')
    rows = height = None
    if values.shape.rank == 2:
        height = tf.shape(values, out_type=tf.int64)[0]
        rows = tf.repeat(tf.range(height), tf.shape(values)[1])
    return _made('DenseCountSparseOutput', tf.reshape(values, [-1]), rows, height, tf.reshape(weights, [-1]), binary_output,
                 minlength, maxlength, [])


def SparseCountSparseOutput(*, indices, values, dense_shape, weights=None, binary_output, minlength=-1, maxlength=-1, name=None):
    """The op SparseCountSparseOutput."""
    values, checks = _numbers(values), []
    rows, height = _sparse_rows(indices, values, dense_shape, checks)
    return _made('SparseCountSparseOutput', values, rows, height, weights, binary_output, minlength, maxlength, checks)


def RaggedCountSparseOutput(*, splits: Any, values: Any, weights: Any = None, binary_output: Any, minlength: Any = -1,
                            maxlength: Any = -1, name: str | None = None) -> Any:
    """The op RaggedCountSparseOutput."""
    values = _numbers(values)
    rows, height, checks = _ragged_rows(splits, values, 2, 'Must provide at least 2 elements for the splits argument')
    return _made('RaggedCountSparseOutput', values, rows, height, weights, binary_output, minlength, maxlength, checks)


RAW = {function.__name__: function for function in (SparseBincount, RaggedBincount, DenseCountSparseOutput,
                                                    SparseCountSparseOutput, RaggedCountSparseOutput)}
