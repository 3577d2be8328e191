"""tf.shape, tf.size and tf.rank of ragged tensors."""
from __future__ import annotations

import footlight as tf
from footlight._ragged.dispatch import _rule, axis_of, is_ragged
from footlight._typing import Any, Callable, DTypeLike


class RaggedShape:
    """The result of tf.shape for a ragged tensor: the sizes of its uniform dimensions."""

    def __init__(self, value: Any, dtype: Any) -> None:
        self._value, self.dtype = value, dtype

    rank = property(lambda self: self._value.shape.rank, doc='The number of dimensions.')
    static_shape = property(lambda self: self._value.shape, doc='What is known of the shape.')

    def is_uniform(self, axis: Any) -> bool:
        """Whether all parts have the same size there."""
        return self._uniform(axis_of(axis, self.rank)) is not None

    def _uniform(self, axis):
        value, below = self._value, axis
        while is_ragged(value):
            if below == 0:
                return value.nrows(self.dtype) if axis == 0 else None
            if below == 1 and value._uniform is not None:
                return tf.constant(value._uniform, self.dtype)
            if below == 1:
                return None
            value, below = value.values, below - 1
        return tf.shape(value, out_type=self.dtype)[below]

    def __getitem__(self, axis):
        found = self._uniform(axis_of(axis, self.rank))
        if found is None:
            raise ValueError(f'Index {axis} is not uniform')
        return found

    def __repr__(self) -> str:
        return f'<shape of a ragged tensor: {self.static_shape}>'


@_rule('shape')
def _shape(function: Any, input: Any, out_type: Any = None, name: str | None = None) -> Any:
    return RaggedShape(input, tf.as_dtype(out_type or input.row_splits.dtype))


@_rule('size')
def _size(function: Callable[..., Any], input: Any, out_type: DTypeLike = tf.int32, name: str | None = None) -> Any:
    return tf.size(input.flat_values, out_type=out_type)


@_rule('rank')
def _rank(function: Callable[..., Any], input: Any, name: str | None = None) -> Any:
    known = input.shape.rank
    return input.ragged_rank + tf.rank(input.flat_values) if known is None else tf.constant(known, tf.int32)
