"""Checks of row partitions: of what is known statically at once, of the rest by an assertion in the graph. Old graphs compare
tensors by identity, so `==` is tf.equal here."""
from __future__ import annotations

import footlight as tf
from footlight._typing import Any


def _known(value):
    return tf.get_static_value(value) if tf.is_tensor(value) else value


def checked(prefix: Any, tensor: Any, conditions: Any) -> tf.Tensor:
    """`tensor`, where all of (words, function that gives a bool, as a tensor or not) hold; what is known is asked first."""
    asserts = []
    for words, holds in conditions:
        held = holds()
        known = _known(held)
        if known is None:
            asserts.append(tf.debugging.Assert(held, [prefix + words]))
        elif not known:
            raise tf.errors.InvalidArgumentError(None, None, prefix + words)
    asserts = [op for op in asserts if op is not None]
    if not asserts:
        return tensor
    with tf.control_dependencies(asserts):
        return tf.identity(tensor)


def equal_vectors(words: Any, a: Any, b: Any) -> list[Any]:
    """The conditions, for checked(), that two vectors of any sizes are equal."""
    return [(words, lambda: tf.equal(tf.size(a), tf.size(b))),
            (words, lambda: tf.reduce_all(tf.equal(a[:tf.size(b)], b[:tf.size(a)])))]


def _never_decreases(numbers):
    known = None if tf.executing_eagerly() else _known(numbers)  # eagerly the tensor is compared as a whole
    if known is not None:
        return all(a <= b for a, b in zip(known, known[1:]))
    return tf.reduce_all(numbers[1:] >= numbers[:-1])


def _begins_with_zero(numbers: tf.Tensor) -> Any:
    known = _known(numbers)
    return tf.reduce_all(tf.equal(numbers[:1], 0)) if known is None else known[0] == 0


def _ends_with(numbers: tf.Tensor, last: tf.Tensor) -> Any:
    known, wanted = _known(numbers), _known(last)
    return tf.reduce_all(tf.equal(numbers[-1:], last)) if known is None or wanted is None else known[-1] == wanted


def splits(how: Any, row_splits: Any, count: Any) -> tf.Tensor:
    """The row_splits of `count` values."""
    if row_splits.shape[0] == 0:
        raise ValueError(f'Arguments to {how} do not form a valid RaggedTensor: row_splits tensor may not be empty.')
    count = tf.cast(count, row_splits.dtype)
    return checked(f'Arguments to {how} do not form a valid RaggedTensor: ', row_splits, [
        ('row_splits must not be empty', lambda: row_splits.shape[0] is not None or tf.size(row_splits) > 0),
        ('row_splits must begin with zero', lambda: _begins_with_zero(row_splits)),
        ('row_splits must not decrease', lambda: _never_decreases(row_splits)),
        (f'row_splits must end with the number of values{_number(count)}', lambda: _ends_with(row_splits, count))])


def _number(count: tf.Tensor) -> str:
    known = _known(count)
    return '' if known is None else f', {int(known)}'


def rowids(how, ids, count, nrows):
    """The rows of `count` values, of `nrows` rows unless that is None."""
    known, known_ids = _known(nrows), _known(ids)
    if known is not None and known < 0:
        raise ValueError(f'Expected nrows >= 0; got {known}')
    if known is not None and known_ids is not None and len(known_ids) and known <= known_ids[-1]:
        raise ValueError(f'Expected nrows >= value_rowids[-1] + 1; got nrows={known}, value_rowids[-1]={known_ids[-1]}')
    size, wanted = ids.shape[0], _known(count)
    if size is not None and wanted is not None and size != wanted:
        raise ValueError(f'Arguments to {how} do not form a valid RaggedTensor: there are {size} value_rowids for {int(wanted)} values')
    count = tf.cast(count, tf.int64)
    conditions = [
        ('each value must have a row', lambda: size is not None and size == wanted or tf.equal(tf.size(ids, tf.int64), count)),
        ('value_rowids must not be negative', lambda: tf.reduce_all(ids[:1] >= 0) if known_ids is None else not len(known_ids) or known_ids[0] >= 0),
        ('value_rowids must not decrease', lambda: _never_decreases(ids))]
    if nrows is not None and (known is None or known_ids is None):
        conditions.append(('value_rowids must be less than nrows', lambda: tf.reduce_all(ids[-1:] < tf.cast(nrows, ids.dtype))))
    return checked(f'Arguments to {how} do not form a valid RaggedTensor: ', ids, conditions)


def uniform(count: Any, length: Any, nrows: Any) -> None:
    """Refuses a number of values that rows of one length do not divide. Unknown sizes are left to the check of row_splits."""
    count, nrows = _known(count), _known(nrows)
    if count is not None and length is not None and (
            count != nrows * length if nrows is not None else count % length if length else count):
        rows = '' if nrows is None else f'{int(nrows)} '
        raise ValueError(f'Arguments to from_uniform_row_length do not form a valid RaggedTensor: {int(count)} values '
                         f'cannot be divided into {rows}rows of {length}')


def of_same_rows(ragged):
    """The first of ragged tensors that all have the same rows, at all levels."""
    first = ragged[0]
    for other in ragged[1:]:
        if other.ragged_rank != first.ragged_rank:
            raise ValueError('All ragged inputs must have the same ragged_rank.')
        if other.row_splits.dtype != first.row_splits.dtype:
            raise ValueError('Input RaggedTensors have mismatched row partition dtypes; use RaggedTensor.with_row_splits_dtype() to '
                             f'convert them: {first.row_splits.dtype.name}, {other.row_splits.dtype.name}')
        first = _with_rows_of(first, other)
    return first


def _with_rows_of(value, other):
    """`value`, where `other` has the same rows."""
    if not hasattr(value, 'row_splits'):
        return value
    mine, theirs = value.row_splits, other.row_splits
    if mine is not theirs:
        if not mine.shape.is_compatible_with(theirs.shape):
            raise ValueError('partitions have incompatible row_splits')
        mine = checked('', mine, equal_vectors('partitions have incompatible row_splits', mine, theirs))
    uniform = other._uniform if value._uniform is None else value._uniform
    return type(value)(_with_rows_of(value.values, other.values), mine, uniform)
