"""tf.IndexedSlices: some rows of a tensor with their indices, such as the gradient of a gather."""
from __future__ import annotations

import footlight as tf
from footlight._public import publish
from footlight._types.specs import TypeSpec
from footlight._typing import Any, DTypeLike


class IndexedSlices:
    """`values[k]` is the row `indices[k]` of a tensor of shape `dense_shape`."""

    __tensor_fields__ = ('_values', '_indices', '_dense_shape')  # component tensors, as traced functions see them
    _fields = ('values', 'indices', 'dense_shape')

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values, self._indices, self._dense_shape = values, indices, dense_shape

    values = property(lambda self: self._values, doc='The rows.')
    indices = property(lambda self: self._indices, doc='Where each row belongs.')
    dense_shape = property(lambda self: self._dense_shape, doc='The shape of the dense tensor, or None.')
    name = property(lambda self: self.values.name)
    device = property(lambda self: self.values.device)
    op = property(lambda self: self.values.op)
    dtype = property(lambda self: self.values.dtype)
    graph = property(lambda self: self.values.graph)

    @property
    def shape(self) -> tf.TensorShape:
        """The known part of the shape of the dense tensor."""
        if self._dense_shape is None:
            return tf.TensorShape(None)
        known = tf.get_static_value(self._dense_shape)
        if known is None:
            return tf.TensorShape([None] * self._dense_shape.shape[0])
        return tf.TensorShape([int(d) for d in known])

    @classmethod
    def _make(cls, parts):
        return cls(*parts)

    def consumers(self) -> list[Any]:
        return []

    def __str__(self) -> str:
        whole = '' if self._dense_shape is None else f', dense_shape={self._dense_shape}'
        return f'IndexedSlices(indices={self._indices!s}, values={self._values!s}{whole})'

    def __neg__(self) -> Any:
        return IndexedSlices(-self.values, self.indices, self.dense_shape)

    @property
    def _type_spec(self) -> IndexedSlicesSpec:
        whole = None if self._dense_shape is None else self._dense_shape.dtype
        shape = tf.TensorShape([None]).concatenate(self.values.shape[1:]).merge_with(self.shape)
        indices = self.indices.shape.merge_with(self.values.shape[:1])
        return IndexedSlicesSpec(shape, self.dtype, self.indices.dtype, whole, indices)


class IndexedSlicesSpec(TypeSpec):
    """The type of an IndexedSlices: the specs of its tensors."""

    value_type = property(lambda self: IndexedSlices)

    def __init__(self, shape: Any = None, dtype: Any = tf.float32, indices_dtype: Any = tf.int64,
                 dense_shape_dtype: Any = None, indices_shape: Any = None) -> None:
        self._shape = tf.TensorShape(shape)
        self._values_dtype, self._indices_dtype = tf.as_dtype(dtype), tf.as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else tf.as_dtype(dense_shape_dtype)
        self._indices_shape = tf.TensorShape(indices_shape).with_rank(1)

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._values_dtype)

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._values_dtype, self._indices_dtype, self._dense_shape_dtype, self._indices_shape

    @property
    def _component_specs(self) -> tuple[Any, ...]:
        rows = self._indices_shape.concatenate(self._shape[1:] if self._shape.rank is not None else None)
        specs = [tf.TensorSpec(rows, self._values_dtype), tf.TensorSpec(self._indices_shape, self._indices_dtype)]
        if self._dense_shape_dtype:
            specs.append(tf.TensorSpec([self._shape.rank], self._dense_shape_dtype))
        return tuple(specs)

    def _to_components(self, value: tf.IndexedSlices) -> tuple[Any, ...]:
        if value.dense_shape is None:
            return value.values, value.indices
        return value.values, value.indices, value.dense_shape

    def _from_components(self, components):
        return IndexedSlices(*components)


def _to_tensor(value: tf.IndexedSlices, dtype: DTypeLike | None = None, name: str | None = None,
               as_ref: bool = False) -> tf.Tensor:
    if dtype is not None and not tf.as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(f'Tensor conversion requested dtype {tf.as_dtype(dtype).name} for IndexedSlices with dtype '
                         f'{value.dtype.name}')
    if value.dense_shape is None:
        raise ValueError(f'Tensor conversion requested for IndexedSlices without dense_shape: {value!s}')
    return tf.math.unsorted_segment_sum(value.values, value.indices, value.dense_shape[0], name=name)


publish('tf', IndexedSlices, IndexedSlicesSpec)
tf.register_tensor_conversion_function(IndexedSlices, _to_tensor)
