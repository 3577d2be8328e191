"""tensorflow.python.framework.tensor_spec: specs of tensors besides tf.TensorSpec."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.publish import publish
from footlight._typing import Any


class BoundedTensorSpec(tf.TypeSpec):
    """The spec of tensors whose elements lie between two values."""

    def __init__(self, shape: Any, dtype: Any, minimum: Any, maximum: Any, name: str | None = None) -> None:
        import numpy as np
        self._spec = tf.TensorSpec(shape, dtype, name)
        for which, value in (('minimum', minimum), ('maximum', maximum)):
            if value is None:
                raise ValueError(f'`{which}` can not be None.')
            try:
                within = np.shape(value)
                if tf.broadcast_static_shape(tf.TensorShape(within), self.shape) != self.shape:
                    raise ValueError(f'it has the shape {within}')
            except ValueError as error:
                raise ValueError(f'`{which}` is not compatible with `shape`: {error}.') from None
        self._minimum, self._maximum = (np.array(value, dtype=self.dtype.as_numpy_dtype) for value in (minimum, maximum))
        self._minimum.setflags(write=False)
        self._maximum.setflags(write=False)

    shape = property(lambda self: self._spec.shape)
    dtype = property(lambda self: self._spec.dtype)
    name = property(lambda self: self._spec.name)
    value_type = property(lambda self: tf.Tensor)
    _component_specs = property(lambda self: self._spec)
    minimum = property(lambda self: self._minimum, doc='The least values.')
    maximum = property(lambda self: self._maximum, doc='The largest values.')

    @classmethod
    def from_spec(cls, spec: Any) -> BoundedTensorSpec:
        """The spec with the bounds of another one, or of its type."""
        dtype = tf.as_dtype(spec.dtype)
        return cls(spec.shape, spec.dtype, getattr(spec, 'minimum', dtype.min), getattr(spec, 'maximum', dtype.max), spec.name)

    def _to_components(self, value):
        return tf.convert_to_tensor(value, self.dtype)

    def _from_components(self, components):
        return components

    def _serialize(self) -> tuple[Any, ...]:
        return self.shape, self.dtype, self._minimum, self._maximum, self.name

    def is_compatible_with(self, spec_or_value):
        """Whether a tensor has this shape and type; the bounds are not looked at."""
        return self._spec.is_compatible_with(spec_or_value)

    def __repr__(self) -> str:
        return (f'BoundedTensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r}, '
                f'minimum={self._minimum!r}, maximum={self._maximum!r})')

    def __eq__(self, other):
        return (isinstance(other, BoundedTensorSpec) and self._spec == other._spec and
                (self._minimum == other._minimum).all() and (self._maximum == other._maximum).all())

    def __ne__(self, other: Any) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __reduce__(self) -> tuple[Any, ...]:
        return BoundedTensorSpec, (self.shape, self.dtype, self._minimum, self._maximum, self.name)


# --- tensorflow.python.framework.type_spec ---
class DenseSpec(tf.TypeSpec):
    """The spec of values that have a shape, a dtype and a name, for classes of a program's own."""

    _component_specs = property(lambda self: self)

    def __init__(self, shape: Any, dtype: Any = tf.float32, name: str | None = None) -> None:
        self._shape, self._dtype, self._name = tf.TensorShape(shape), tf.as_dtype(dtype), name

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    name = property(lambda self: self._name)

    def is_compatible_with(self, spec_or_value):
        """Whether a spec or value of this kind can have this shape and dtype."""
        return (isinstance(spec_or_value, (DenseSpec, self.value_type)) and self._dtype.is_compatible_with(spec_or_value.dtype)
                and self._shape.is_compatible_with(spec_or_value.shape))

    def __repr__(self) -> str:
        return f'{type(self).__name__}(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})'

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __eq__(self, other):
        return type(self) is type(other) and self._serialize() == other._serialize()

    def __ne__(self, other: Any) -> bool:
        return not self == other

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._name


publish(globals())
publish(globals(), 'DenseSpec', 'python.framework.tensor')
