"""tf.sparse.cross and cross_hashed: all combinations of the values that tensors have in each row."""
from __future__ import annotations

import collections
import functools

import footlight as tf
from footlight._public import publish
from footlight._typing import Any

_DEFAULT_KEY = 0xDECAFCAFFE
_FACTOR = 0xc6a4a7935bd1e995


def _checked(inputs):
    if not isinstance(inputs, (tuple, list)):
        raise TypeError('Inputs must be a list')
    inputs = [i._as_tensor() if hasattr(type(i), '_as_tensor') else i for i in inputs]  # a RaggedTensorValue
    if not all(isinstance(i, (tf.SparseTensor, tf.RaggedTensor)) or tf.is_tensor(i) for i in inputs):
        raise TypeError('All inputs must be Tensor or SparseTensor.')
    return inputs


def _rows(value):
    """The values of each row, as a ragged tensor."""
    if isinstance(value, tf.SparseTensor):
        return tf.RaggedTensor.from_value_rowids(value.values, value.indices[:, 0], nrows=value.dense_shape[0], validate=False)
    if isinstance(value, tf.RaggedTensor):
        return value.with_row_splits_dtype(tf.int64)
    return tf.RaggedTensor.from_tensor(value)


def _pairs(left, right, combine):
    """combine(a, b) of every value of a row on the left with every one on the right, which varies faster."""
    counts = right.row_lengths()
    check = tf.debugging.Assert(tf.equal(left.nrows(), right.nrows()), ['Expected batch size of all inputs to be the same'])
    with tf.control_dependencies([check] if check is not None else []):
        each = tf.gather(counts, left.value_rowids())
    a = tf.repeat(left.values, each)
    lengths = left.row_lengths() * counts
    splits = tf.concat([tf.zeros([1], tf.int64), tf.cumsum(lengths)], 0)
    rows = tf.repeat(tf.range(tf.size(lengths, out_type=tf.int64)), lengths)
    within = tf.range(splits[-1]) - tf.gather(splits, rows)
    places = tf.gather(right.row_starts(), rows) + within % tf.maximum(tf.gather(counts, rows), 1)
    return tf.RaggedTensor.from_row_splits(combine(a, tf.gather(right.values, places)), splits, validate=False)


def _as_sparse(rows):
    places = tf.range(tf.size(rows.values, out_type=tf.int64)) - tf.gather(rows.row_starts(), rows.value_rowids())
    return tf.SparseTensor(tf.stack([rows.value_rowids(), places], 1), rows.values, rows.bounding_shape(out_type=tf.int64))


def _words(value):
    rows = _rows(value)
    return rows if rows.dtype == tf.string else rows.with_values(tf.strings.as_string(rows.values))


def cross(inputs: Any, name: str | None = None, separator: Any = None) -> Any:
    """The combinations as strings, joined by `separator`, "_X_" if none is given."""
    separator = '_X_' if separator is None else separator
    parts = [_words(i) for i in _checked(inputs)]
    return _as_sparse(functools.reduce(lambda a, b: _pairs(a, b, lambda x, y: tf.strings.join([x, y], separator)), parts))


def _number(value):
    return tf.bitcast(tf.constant(value if value < 1 << 63 else value - (1 << 64), tf.int64), tf.uint64)


def _mixed(value):
    return tf.bitwise.bitwise_xor(value, tf.bitwise.right_shift(value, _number(47)))


def _joined(first, second):
    """The fingerprint of two fingerprints."""
    factor = _number(_FACTOR)
    found = tf.bitwise.bitwise_xor(tf.bitwise.bitwise_xor(first, factor), _mixed(second * factor) * factor)
    return _mixed(_mixed(found * factor) * factor)


def _prints(value):
    rows = _rows(value)
    values = rows.values
    if values.dtype == tf.string:
        return rows.with_values(tf.bitcast(tf.fingerprint(values), tf.uint64))
    return rows.with_values(tf.bitcast(tf.cast(values, tf.int64), tf.uint64))


def cross_hashed(inputs: Any, num_buckets: Any = 0, hash_key: Any = None, name: str | None = None) -> Any:
    """The combinations as hashes: below `num_buckets`, or of 63 bits if that is 0."""
    parts = [_prints(i) for i in _checked(inputs)]
    first = parts[0].with_values(_joined(_number(_DEFAULT_KEY if hash_key is None or hash_key == 0 else hash_key) +
                                         tf.zeros_like(parts[0].values), parts[0].values))
    rows = functools.reduce(lambda a, b: _pairs(a, b, _joined), [first, *parts[1:]])
    limit = num_buckets if num_buckets else (1 << 63) - 1
    return _as_sparse(rows.with_values(tf.bitcast(tf.math.floormod(rows.values, _number(limit)), tf.int64)))


def _cross_v2(*, indices: Any, values: Any, shapes: Any, dense_inputs: Any, sep: Any, name: str | None = None) -> Any:
    """The op SparseCrossV2: tf.sparse.cross of sparse tensors, taken apart, and of dense ones."""
    with tf.name_scope(name or 'SparseCrossV2'):
        for part in (values, shapes):
            if len(part) != len(indices):
                raise tf.errors.InvalidArgumentError(None, None, f'there are {len(indices)} indices, {len(values)} values and {len(shapes)} '
                                                                 'shapes: each sparse input has one of each')
        sparse = []
        for places, found, shape in zip(indices, values, shapes):
            places, found, shape = tf.cast(places, tf.int64), tf.convert_to_tensor(found), tf.cast(shape, tf.int64)
            if not places.shape[:1].is_compatible_with(found.shape[:1]):
                raise tf.errors.InvalidArgumentError(None, None, f'Expected size of values to be {places.shape[0]}, got '
                                                                 f'{found.shape[0]}')
            known = places[:, 0] < shape[0]
            sparse.append(tf.SparseTensor(tf.boolean_mask(places, known), tf.boolean_mask(found, known), shape))
        if not sparse and not len(dense_inputs):
            raise tf.errors.InvalidArgumentError(None, None, 'SparseCrossV2 needs an input')
        found = cross([*sparse, *map(tf.convert_to_tensor, dense_inputs)], separator=sep)
        return SparseCrossV2(found.indices, found.values, found.dense_shape)


_cross_v2.__name__ = _cross_v2.__qualname__ = 'SparseCrossV2'
SparseCrossV2 = collections.namedtuple('SparseCrossV2', 'output_indices output_values output_shape')
RAW = {'SparseCrossV2': _cross_v2}


def ragged_cross(inputs: Any, name: str | None = None) -> Any:
    """The combinations as strings, as a ragged tensor."""
    parts = [_words(i) for i in _checked(inputs)]
    return functools.reduce(lambda a, b: _pairs(a, b, lambda x, y: tf.strings.join([x, y], '_X_')), parts)


def ragged_cross_hashed(inputs: Any, num_buckets: Any = 0, hash_key: Any = None, name: str | None = None) -> Any:
    """The combinations as hashes, as a ragged tensor."""
    found = cross_hashed(inputs, num_buckets, hash_key)
    return tf.RaggedTensor.from_value_rowids(found.values, found.indices[:, 0], nrows=found.dense_shape[0], validate=False)


publish('tf.sparse', cross, cross_hashed)
publish('tf.ragged', cross=ragged_cross, cross_hashed=ragged_cross_hashed)
