"""Sparse tensors of features: what stands in a dense one, and how long the sequences are."""
from __future__ import annotations

import footlight as tf
from footlight._typing import Any, DTypeLike


def to_sparse(values, ignored=None):
    """The elements of a dense tensor as a sparse one, without those that say "nothing": '' and -1, or `ignored`."""
    if isinstance(values, tf.SparseTensor):
        return values
    if isinstance(values, tf.RaggedTensor):
        return values.to_sparse()
    values = tf.convert_to_tensor(values)
    if ignored is None:
        ignored = '' if values.dtype == tf.string else -1 if values.dtype.is_integer else 0
    places = tf.where(tf.not_equal(values, tf.cast(ignored, values.dtype)))
    return tf.SparseTensor(places, tf.gather_nd(values, places), tf.shape(values, out_type=tf.int64))


def with_values(sparse, values):
    """The same places with other values."""
    return tf.SparseTensor(sparse.indices, values, sparse.dense_shape)


def checked_ids(key: Any, sparse: Any, dtype: DTypeLike) -> Any:
    """Raises for a feature whose dtype does not fit the column, which is for strings or for integers."""
    if sparse.dtype != tf.string and not sparse.dtype.is_integer:
        raise ValueError(f'input tensors dtype must be string or integer. key: {key}, dtype: {sparse.dtype}.')
    if (dtype == tf.string) != (sparse.dtype == tf.string):
        raise ValueError(f'Column dtype and SparseTensors dtype must be compatible. key: {key}, column dtype: {dtype}, '
                         f'tensor dtype: {sparse.dtype}')
    return sparse


def sequence_lengths(sparse, elements=1):
    """How many steps each example has, where `elements` values make a step."""
    rows, last = sparse.indices[:, 0], sparse.indices[:, 1] + 1
    lengths = tf.math.segment_max(last, rows)
    if elements > 1:
        lengths = -(-lengths // elements)
    missing = sparse.dense_shape[:1] - tf.shape(lengths, out_type=tf.int64)
    lengths = tf.concat([lengths, tf.zeros(missing, tf.int64)], 0)
    lengths.set_shape(sparse.shape[:1])
    return lengths
