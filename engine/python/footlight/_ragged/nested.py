"""Methods of tf.RaggedTensor about several ragged dimensions at once: made of their rows, taken apart, merged."""
from __future__ import annotations

import builtins

import footlight as tf
from footlight._typing import Any, Callable


def _nested(make: Callable[..., Any], flat_values: Any, parts: tuple[Any, ...], counts: Any = None,
            validate: bool = True) -> tf.RaggedTensor:
    if isinstance(flat_values, tf.RaggedTensor):
        raise ValueError('Argument `flat_values` must not be a RaggedTensor')
    found = flat_values
    for at, part in reversed(list(enumerate(parts))):
        found = make(found, part, validate=validate) if counts is None else make(found, part, counts[at], validate=validate)
    return found


def _merged(value, outer, inner):
    if outer == inner:
        return value
    if not isinstance(value, tf.RaggedTensor):
        shape = tf.shape(value)
        return tf.reshape(value, tf.concat([shape[:outer], [-1], shape[inner + 1:]], 0))
    if outer == 0:
        return _merged(value.values, 0, inner - 1)
    if outer > 1:
        return value.with_values(_merged(value.values, outer - 1, inner - 1))
    # The rows of rows become one.
    below = value.values
    if isinstance(below, tf.RaggedTensor):
        merged = tf.RaggedTensor(below.values, tf.gather(below.row_splits, value.row_splits))
    else:
        width = tf.cast(tf.shape(below, out_type=tf.int64)[1], value.row_splits.dtype)
        shape = tf.shape(below)
        merged = tf.RaggedTensor(tf.reshape(below, tf.concat([[shape[0] * shape[1]], shape[2:]], 0)), value.row_splits * width)
    return _merged(merged, 1, inner - 1)


class Nested:
    """Mixin of tf.RaggedTensor: methods about several ragged dimensions."""

    @classmethod
    def from_nested_row_splits(cls, flat_values, nested_row_splits, name=None, validate=True):
        """Makes a ragged tensor from the row splits of each ragged dimension."""
        return _nested(cls.from_row_splits, flat_values, nested_row_splits, None, validate)

    @classmethod
    def from_nested_row_lengths(cls, flat_values, nested_row_lengths, name=None, validate=True):
        """Makes a ragged tensor from the row lengths of each ragged dimension."""
        return _nested(cls.from_row_lengths, flat_values, nested_row_lengths, None, validate)

    @classmethod
    def from_nested_value_rowids(cls, flat_values, nested_value_rowids, nested_nrows=None, name=None, validate=True):
        """Makes a ragged tensor from the row of each value, for each ragged dimension."""
        counts = [None] * builtins.len(nested_value_rowids) if nested_nrows is None else list(nested_nrows)
        if builtins.len(counts) != builtins.len(nested_value_rowids):
            raise ValueError('Argument `nested_nrows` must have the same length as argument `nested_value_rowids`. '
                             f'len(nested_nrows) = {builtins.len(counts)} vs. len(nested_values_rowids) = '
                             f'{builtins.len(nested_value_rowids)}.')
        return _nested(cls.from_value_rowids, flat_values, nested_value_rowids, counts, validate)

    @classmethod
    def from_row_limits(cls, values, row_limits, name=None, validate=True):
        """Makes a ragged tensor from the end of each row."""
        limits = tf.convert_to_tensor(row_limits, tf.int64 if not tf.is_tensor(row_limits) else None)
        return cls.from_row_splits(values, tf.concat([tf.zeros([1], limits.dtype), limits], 0), name, validate)

    @classmethod
    def from_sparse(cls, st_input, name=None, row_splits_dtype=tf.int64):
        """Makes a ragged tensor from a sparse matrix whose rows have their values at the beginning."""
        if not isinstance(st_input, tf.SparseTensor):
            raise TypeError(f'Argument `st_input` must be of type SparseTensor, but is of type {type(st_input).__name__}.')
        if not st_input.dense_shape.shape.is_compatible_with([2]) or not st_input.indices.shape.is_compatible_with([None, 2]):
            raise ValueError('rank(st_input) must be 2.')
        rows, columns = st_input.indices[:, 0], st_input.indices[:, 1]
        first = tf.concat([tf.ones([1], tf.bool), tf.not_equal(rows[1:], rows[:-1])], 0)[:tf.size(rows)]
        before = tf.concat([tf.zeros([1], columns.dtype) - 1, columns[:-1]], 0)[:tf.size(columns)]
        fits = tf.reduce_all(tf.equal(columns, tf.where(first, tf.zeros_like(columns), before + 1)))
        check = tf.debugging.Assert(fits, ['SparseTensor is not right-ragged'])
        with tf.control_dependencies([check] if check is not None else []):
            rows = tf.cast(tf.identity(rows), row_splits_dtype)
        nrows = tf.cast(st_input.dense_shape[0], row_splits_dtype)
        return cls.from_value_rowids(st_input.values, rows, nrows=nrows, validate=False)

    def nested_row_lengths(self, name=None):
        """How many values rows have, for each ragged dimension."""
        inner = self.values.nested_row_lengths() if isinstance(self.values, tf.RaggedTensor) else ()
        return (self.row_lengths(), *inner)

    def nested_value_rowids(self, name=None):
        """The rows of values, for each ragged dimension."""
        inner = self.values.nested_value_rowids() if isinstance(self.values, tf.RaggedTensor) else ()
        return (self.value_rowids(), *inner)

    def merge_dims(self, outer_axis, inner_axis):
        """With the dimensions from `outer_axis` to `inner_axis` as one."""
        from footlight._ragged.dispatch import axis_of
        outer, inner = axis_of(outer_axis, self.shape.rank, 'outer_axis'), axis_of(inner_axis, self.shape.rank, 'inner_axis')
        if not outer <= inner:
            raise ValueError(f'Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis ({inner_axis})')
        return _merged(self, outer, inner)

    def consumers(self):
        """The ops that take a part of it, in a graph."""
        found = []
        for part in (self.flat_values, *self.nested_row_splits):
            found += [op for op in part.consumers() if op not in found]
        return found
