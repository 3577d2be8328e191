"""Sparse tensors, as far as tf.edit_distance needs them: indices, values, and the dense shape."""
import footlight as tf


class SparseTensor:
    """Values at some places of a tensor; everything else is zero."""

    __tensor_fields__ = ('_indices', '_values', '_dense_shape')  # the tensors that traced functions see
    _fields = ('indices', 'values', 'dense_shape')

    def __init__(self, indices, values, dense_shape):
        self._indices = tf.convert_to_tensor(indices, tf.int64, name='indices')
        self._values = tf.convert_to_tensor(values, name='values')
        self._dense_shape = tf.convert_to_tensor(dense_shape, tf.int64, name='dense_shape')
        rank = self._dense_shape.shape[:1]
        if not self._indices.shape.is_compatible_with(tf.TensorShape([None]) + rank):
            raise ValueError('indices of shape %s do not go with a dense_shape of %s numbers' % (
                self._indices.shape, rank[0]))
        if not self._indices.shape[:1].is_compatible_with(self._values.shape[:1]):
            raise ValueError('as many indices as values are wanted: %s and %s' % (
                self._indices.shape, self._values.shape))

    indices = property(lambda self: self._indices)
    values = property(lambda self: self._values)
    dense_shape = property(lambda self: self._dense_shape)
    dtype = property(lambda self: self._values.dtype)

    @property
    def shape(self):
        if tf.is_tensor(self._dense_shape) and hasattr(self._dense_shape, 'numpy'):
            return tf.TensorShape([int(d) for d in self._dense_shape])
        return tf.TensorShape([None] * self._dense_shape.shape[0])

    get_shape = shape.fget

    @classmethod
    def _make(cls, parts):
        return cls(*parts)

    def with_values(self, new_values):
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def __repr__(self):
        return 'SparseTensor(indices=%r, values=%r, dense_shape=%r)' % (self._indices, self._values, self._dense_shape)


SparseTensor.__module__ = 'footlight.sparse'


def from_dense(tensor, name=None):
    """The sparse form of a tensor: the elements that are not zero, false or empty."""
    tensor = tf.convert_to_tensor(tensor)
    there = tensor != '' if tensor.dtype == tf.string else tf.cast(tensor, tf.bool)
    indices = tf.where(there)
    return SparseTensor(indices, tf.gather_nd(tensor, indices), tf.shape(tensor, out_type=tf.int64))


def to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    """The dense tensor, with `default_value` for missing elements."""
    if default_value is None:
        return tf.scatter_nd(sp_input.indices, sp_input.values, sp_input.dense_shape, name=name)
    whole = tf.fill(sp_input.dense_shape, tf.cast(default_value, sp_input.dtype)
                    if sp_input.dtype != tf.string else default_value)
    return tf.tensor_scatter_nd_update(whole, sp_input.indices, sp_input.values, name=name)


def edit_distance(hypothesis, truth, normalize=True, name='edit_distance'):
    """The edit distances from `hypothesis` to `truth`; if normalized, divided by the length of the latter."""
    for what, value in (('hypothesis', hypothesis), ('truth', truth)):
        if not isinstance(value, SparseTensor):
            raise TypeError('%s must be a SparseTensor, not %s' % (what, type(value).__name__))
    return tf.sparse._edit_distance(
        hypothesis.indices, hypothesis.values, hypothesis.dense_shape, truth.indices, truth.values, truth.dense_shape,
        normalize, name=name)


tf.SparseTensor = tf.sparse.SparseTensor = SparseTensor
tf.sparse.from_dense, tf.sparse.to_dense, tf.edit_distance = from_dense, to_dense, edit_distance
