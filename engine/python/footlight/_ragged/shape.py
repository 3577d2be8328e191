"""tf.shape, tf.size and tf.rank of ragged tensors."""
import footlight as tf
from footlight._ragged.dispatch import _rule, axis_of, is_ragged


class RaggedShape:
    """What tf.shape gives of a ragged tensor: the sizes of its uniform dimensions."""

    def __init__(self, value, dtype):
        self._value, self.dtype = value, dtype

    rank = property(lambda self: self._value.shape.rank, doc='The number of dimensions.')
    static_shape = property(lambda self: self._value.shape, doc='What is known of the shape.')

    def is_uniform(self, axis):
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

    def __repr__(self):
        return f'<shape of a ragged tensor: {self.static_shape}>'


@_rule('shape')
def _shape(function, input, out_type=None, name=None):
    return RaggedShape(input, tf.as_dtype(out_type or input.row_splits.dtype))


@_rule('size')
def _size(function, input, out_type=tf.int32, name=None):
    return tf.size(input.flat_values, out_type=out_type)


@_rule('rank')
def _rank(function, input, name=None):
    known = input.shape.rank
    return input.ragged_rank + tf.rank(input.flat_values) if known is None else tf.constant(known, tf.int32)
