"""tf.SparseTensor: indices, values, and the dense shape. Most functions of tf.sparse are in functions.py."""
from __future__ import annotations

import collections

import footlight as tf
from footlight import _engine
from footlight._public import alias, publish
from footlight._types.specs import TypeSpec
from footlight._typing import Any, Callable, ShapeLike


class Dispatched:
    """Base of values for which functions of tensors ask the rules of composite tensors."""


class Composite(Dispatched):
    """Base of sparse and ragged tensors: several tensors that functions of tensors take as one."""

    _is_several_tensors = True

    def _convert_variables_to_tensors(self) -> Any:
        """The same value: its parts are tensors already."""
        return self


def _known_sizes(tensor: tf.Tensor) -> list[Any] | None:
    """The numbers of a tensor of sizes, None for each that is not known; None where not even their number is."""
    value = tf.get_static_value(tensor)
    if value is not None:
        return [int(d) for d in value]
    if tensor.op.type == 'Cast':
        return _known_sizes(tensor.op.inputs[0])
    if tensor.op.type == 'Pack':
        return [None if d is None or d < 0 else int(d) for d in map(tf.get_static_value, tensor.op.inputs)]
    return None if tensor.shape[0] is None else [None] * tensor.shape[0]


SparseTensorValue = collections.namedtuple('SparseTensorValue', ('indices', 'values', 'dense_shape'))


class SparseTensor(Composite):
    """Values at some places of a tensor; everything else is zero."""

    _fields = ('indices', 'values', 'dense_shape')
    _Value = SparseTensorValue

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self._indices = tf.convert_to_tensor(indices, tf.int64, name='indices')
        self._values = tf.convert_to_tensor(values, name='values')
        self._dense_shape = tf.convert_to_tensor(dense_shape, tf.int64, name='dense_shape')
        rank = self._dense_shape.shape[:1]
        if not self._indices.shape.is_compatible_with(tf.TensorShape([None]) + rank):
            raise ValueError(f'indices of shape {self._indices.shape} do not go with a dense_shape of {rank[0]!s} '
                             'numbers')
        if not self._indices.shape[:1].is_compatible_with(self._values.shape[:1]):
            raise ValueError(f'as many indices as values are wanted: {self._indices.shape} and {self._values.shape}')

    indices = property(lambda self: self._indices)
    values = property(lambda self: self._values)
    dense_shape = property(lambda self: self._dense_shape)
    dtype = property(lambda self: self._values.dtype)

    graph = property(lambda self: self._values.graph)
    op = property(lambda self: self._values.op)

    def get_shape(self):
        """The known part of the dense shape."""
        said = getattr(self, '_said_shape', None)
        known = _known_sizes(self._dense_shape)
        if known is None:
            return said or tf.TensorShape(None)
        return tf.TensorShape(known).merge_with(said) if said and None in known else tf.TensorShape(known)

    shape = property(get_shape)

    def set_shape(self, shape: ShapeLike) -> None:
        """Says what else is known of the shape."""
        self._said_shape = self.shape.merge_with(shape)

    @property
    def _type_spec(self) -> SparseTensorSpec:
        return SparseTensorSpec(self.shape, self.dtype)

    def __neg__(self) -> Any:
        return self.with_values(-self._values)

    @classmethod
    def _make(cls, parts):
        return cls(*parts)

    def with_values(self, new_values):
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def __str__(self) -> str:
        return f'SparseTensor(indices={self._indices!s}, values={self._values!s}, dense_shape={self._dense_shape})'

    def _with_dense(self, other: float | tf.Tensor, function: Callable[..., Any]) -> tf.SparseTensor:
        """function(values, elements of a dense tensor at their places); its shape is broadcast to this one."""
        if isinstance(other, SparseTensor):
            raise TypeError('a sparse tensor is multiplied and divided by whole ones')
        other = tf.convert_to_tensor(other, None if tf.is_tensor(other) else self.dtype)
        if other.shape.rank == 0:
            return self.with_values(function(self._values, other))
        rank = other.shape.rank
        if rank is None or self.shape.rank is None or rank > self.shape.rank:
            raise tf.errors.InvalidArgumentError(None, None, 'SparseDenseBinaryOpShared broadcasts dense to sparse '
                                                             f'only; got incompatible shapes: [{self.shape}] vs. '
                                                             f'[{other.shape}]')
        size = tf.shape(other, out_type=tf.int64)
        fits = tf.reduce_all(tf.equal(size, 1) | tf.equal(size, self._dense_shape[-rank:]))
        check = tf.debugging.Assert(fits, ['SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes'])
        with tf.control_dependencies([check] if check is not None else []):
            places = self._indices[:, -rank:] * tf.cast(tf.not_equal(size, 1), tf.int64)
        return self.with_values(function(self._values, tf.gather_nd(other, places)))

    def __mul__(self, other: float | tf.Tensor) -> tf.SparseTensor:
        return self._with_dense(other, tf.multiply)

    def __rmul__(self, other):
        return self * other if tf.is_tensor(other) else NotImplemented

    def __truediv__(self, other):
        return self._with_dense(other, tf.truediv)

    def __div__(self, other):
        return self._with_dense(other, tf.divide)

    def eval(self, feed_dict=None, session=None):
        """The three parts as arrays: of a graph's, in a session."""
        if tf.is_symbolic_tensor(self._values):
            session = session or tf.compat.v1.get_default_session()
            if session is None:
                raise ValueError('Cannot evaluate a SparseTensor using `eval()`: no default session is registered. Use `with '
                                 'sess.as_default()` or pass an explicit session.')
            return session.run(self, feed_dict)
        return SparseTensor._Value(*(t.numpy() for t in (self._indices, self._values, self._dense_shape)))

    @classmethod
    def from_value(cls, sparse_tensor_value):
        """Makes a SparseTensor from another one, or from its components."""
        if not (isinstance(sparse_tensor_value, SparseTensor) or hasattr(sparse_tensor_value, 'dense_shape')):
            raise TypeError(f'Argument sparse_tensor_value={sparse_tensor_value!r} must be a SparseTensor or '
                            'SparseTensorValue')
        return cls(sparse_tensor_value.indices, sparse_tensor_value.values, sparse_tensor_value.dense_shape)

    def consumers(self) -> Any:
        """The ops that take a part of it, in a graph."""
        found = []
        for part in (self._indices, self._values, self._dense_shape):
            found += [op for op in part.consumers() if op not in found]
        return found

    def __repr__(self) -> str:
        return f'SparseTensor(indices={self._indices!r}, values={self._values!r}, dense_shape={self._dense_shape!r})'


def _of_rank(part: tf.Tensor, rank: int) -> tf.Tensor:
    """Sets the rank that a component of a sparse tensor must have, which a trace may not know."""
    return part if part.shape.rank is not None else tf.ensure_shape(part, [None] * rank)


class SparseTensorSpec(TypeSpec):
    """The type of a sparse tensor."""

    value_type = property(lambda self: SparseTensor)

    def __init__(self, shape: Any = None, dtype: Any = tf.float32) -> None:
        self._shape, self._dtype = tf.TensorShape(shape), tf.as_dtype(dtype)

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype

    @property
    def _component_specs(self) -> list[Any]:
        rank = self._shape.rank
        return [tf.TensorSpec([None, rank], tf.int64), tf.TensorSpec([None], self._dtype), tf.TensorSpec([rank], tf.int64)]

    def _to_components(self, value: tf.SparseTensor) -> list[Any]:
        return [_of_rank(value.indices, 2), _of_rank(value.values, 1), _of_rank(value.dense_shape, 1)]

    def _from_components(self, components):
        made = SparseTensor(*components)
        if made.shape.is_compatible_with(self._shape):  # in a loop that changes the shape, the components know better
            made.set_shape(self._shape)
        return made

    def _batch(self, size: Any) -> SparseTensorSpec:
        return SparseTensorSpec(tf.TensorShape([size]).concatenate(self._shape), self._dtype)

    def _unbatch(self) -> SparseTensorSpec:
        return SparseTensorSpec(self._shape[1:], self._dtype)

    def __repr__(self) -> str:
        return f'SparseTensorSpec({self._shape!r}, {self._dtype!r})'


# By this name libraries recognise the class without importing anything.
SparseTensor.__module__ = 'tensorflow.python.framework.sparse_tensor'


def from_dense(tensor: Any, name: str | None = None) -> Any:
    """The sparse form of a tensor: the elements that are not zero, false or empty."""
    tensor = tf.convert_to_tensor(tensor)
    there = tensor != '' if tensor.dtype == tf.string else tf.cast(tensor, tf.bool)
    indices = tf.where(there)
    return SparseTensor(indices, tf.gather_nd(tensor, indices), tf.shape(tensor, out_type=tf.int64))


def to_dense(sp_input: Any, default_value: Any = None, validate_indices: bool = True,
             name: str | None = None) -> tf.Tensor:
    """The dense tensor, with `default_value` for missing elements."""
    shape = sp_input.shape
    if validate_indices:
        strides = tf.math.cumprod(sp_input.dense_shape, exclusive=True, reverse=True)
        places = tf.reduce_sum(sp_input.indices * strides, axis=1)
        check = tf.debugging.Assert(tf.reduce_all(places[1:] > places[:-1]), [
            'indices are out of order or repeated. Many sparse ops require sorted indices. Use `tf.sparse.reorder` to create a '
            'correctly ordered copy.'])
        with tf.control_dependencies([check] if check is not None else []):
            sp_input = sp_input.with_values(tf.identity(sp_input.values))
    if default_value is None and not validate_indices:  # the last of repeated indices wins
        default_value = tf.zeros([], sp_input.dtype)
    if default_value is None:
        made = tf.scatter_nd(sp_input.indices, sp_input.values, sp_input.dense_shape, name=name)
        made.set_shape(shape)
        return made
    whole = tf.fill(sp_input.dense_shape, tf.cast(default_value, sp_input.dtype)
                    if sp_input.dtype != tf.string else default_value)
    made = tf.tensor_scatter_nd_update(whole, sp_input.indices, sp_input.values, name=name)
    made.set_shape(shape)
    return made


def edit_distance(hypothesis, truth, normalize=True, name='edit_distance'):
    """The edit distances from `hypothesis` to `truth`; if normalized, divided by the length of the latter."""
    for what, value in (('hypothesis', hypothesis), ('truth', truth)):
        if not isinstance(value, (SparseTensor, SparseTensor._Value)):
            raise TypeError(f'{what} must be a SparseTensor, not {type(value).__name__}')
    hypothesis, truth = SparseTensor.from_value(hypothesis), SparseTensor.from_value(truth)
    return tf.sparse._edit_distance(
        hypothesis.indices, hypothesis.values, hypothesis.dense_shape, truth.indices, truth.values, truth.dense_shape,
        normalize, name=name)


publish('tf', SparseTensorSpec)
alias('tf tf.sparse', SparseTensor)
alias('tf.sparse', from_dense, to_dense)
alias('tf', edit_distance)


def _dispatch(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
    from footlight._ragged import dispatch as _ragged_ops
    return _ragged_ops.dispatch(function, args, kwargs)


_engine.on_composites(Dispatched, _dispatch)
