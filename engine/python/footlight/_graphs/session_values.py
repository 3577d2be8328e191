"""Composite tensors in Session.run: sparse and ragged tensors and indexed slices, fetched and fed as values."""
from __future__ import annotations

import collections

import footlight as tf
from footlight._public import alias, publish
from footlight._sparse.tensor import Dispatched, SparseTensorValue
from footlight._typing import Any

IndexedSlicesValue = collections.namedtuple('IndexedSlicesValue', ('values', 'indices', 'dense_shape'))


class RaggedTensorValue(Dispatched):
    """A ragged tensor whose parts are arrays."""

    def __init__(self, values: Any, row_splits: Any) -> None:
        if getattr(row_splits, 'ndim', None) != 1 or row_splits.dtype.name not in ('int32', 'int64'):
            raise TypeError(f'row_splits must be a 1D int32 or int64 numpy array, got {row_splits!r}')
        self._values, self._row_splits = values, row_splits

    values = property(lambda self: self._values, doc='The rows behind one another: an array, or a RaggedTensorValue.')
    row_splits = property(lambda self: self._row_splits, doc='Where each row begins, and where the last one ends.')
    dtype = property(lambda self: self._values.dtype)

    def _inner(self) -> RaggedTensorValue | None:
        return self._values if isinstance(self._values, RaggedTensorValue) else None

    @property
    def flat_values(self):
        """The values of the innermost rows."""
        return self._inner().flat_values if self._inner() else self._values

    @property
    def nested_row_splits(self):
        """The row_splits of all levels, the outer ones first."""
        return (self._row_splits,) + (self._inner().nested_row_splits if self._inner() else ())

    @property
    def ragged_rank(self) -> int:
        """How many levels of rows there are."""
        return len(self.nested_row_splits)

    @property
    def shape(self) -> tuple[Any, ...]:
        """The sizes of the dimensions, None where rows may differ."""
        return (len(self._row_splits) - 1, None) + tuple(self._values.shape[1:])

    def to_list(self) -> list[Any]:
        """The rows as lists."""
        rows = self._values.to_list() if self._inner() else self._values.tolist()
        return [rows[a:b] for a, b in zip(self._row_splits[:-1], self._row_splits[1:])]

    def _as_tensor(self) -> tf.RaggedTensor:
        return tf.RaggedTensor.from_nested_row_splits(self.flat_values, self.nested_row_splits)

    def __str__(self) -> str:
        return f'<tf.RaggedTensorValue {self.to_list()}>'

    def __repr__(self) -> str:
        return f'tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})'


def _ragged_value(flat: Any, *splits: Any) -> RaggedTensorValue:
    for rows in reversed(splits):
        flat = RaggedTensorValue(flat, rows)
    return flat


def _kind(leaf: Any) -> tuple[Any, ...] | None:
    """Returns (component tensors, function that builds the value from theirs) of a composite, or None."""
    if isinstance(leaf, tf.SparseTensor):
        return [leaf.indices, leaf.values, leaf.dense_shape], SparseTensorValue
    if isinstance(leaf, tf.IndexedSlices):
        whole = [] if leaf.dense_shape is None else [leaf.dense_shape]
        return [leaf.values, leaf.indices, *whole], lambda *parts: IndexedSlicesValue(*parts, *[None] * (3 - len(parts)))
    if isinstance(leaf, tf.RaggedTensor):
        return [leaf.flat_values, *leaf.nested_row_splits], _ragged_value
    return None


def taken_apart(leaves: Any) -> tuple[Any, ...]:
    """What to fetch for these leaves, and a function that makes their values of those."""
    fetched, made = [], []
    for leaf in leaves:
        parts, make = _kind(leaf) or ([leaf], lambda value: value)
        made.append((len(parts), make))
        fetched += parts

    def together(values):
        values = iter(values)
        return [make(*[next(values) for _ in range(count)]) for count, make in made]
    return fetched, together


def fed(feed_dict: Any) -> list[Any]:
    """Expands feeds into pairs of a tensor and its value; a composite gives a pair for each component."""
    pairs = []
    for key, value in (feed_dict or {}).items():
        kind = _kind(key)
        if kind is None and isinstance(key, tuple):  # a structure of tensors; its values stand in one like it
            if not isinstance(value, (tuple, list)) or len(value) != len(key):
                raise ValueError(f'The value of a feed for a tuple of {len(key)} must have as many parts, got {value!r}')
            for one, its in zip(key, value):
                pairs += fed({one: its})
            continue
        if kind is None:
            pairs.append((key, value))
            continue
        if isinstance(value, RaggedTensorValue):
            value = [value.flat_values, *value.nested_row_splits]
        elif isinstance(value, IndexedSlicesValue) and value.dense_shape is None:
            value = value[:2]
        if not isinstance(value, (tuple, list)) or len(value) != len(kind[0]):
            raise ValueError(f'The value of a feed for {type(key).__name__} must have {len(kind[0])} parts, got '
                             f'{value!r}')
        pairs += zip(kind[0], value)
    return pairs


publish('tf.compat.v1.ragged', RaggedTensorValue)
alias('tf.compat.v1 tf.python.framework.sparse_tensor', SparseTensorValue)
alias('tf.python.framework.indexed_slices', IndexedSlicesValue)
