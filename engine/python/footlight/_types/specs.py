"""Specs: tf.TypeSpec for users to subclass, the tracing members of shapes and dtypes, tf.type_spec_from_value."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight import _proto
from footlight._public import publish
from footlight._typing import Any, Callable, TensorLike

TypeSpec = tf.TypeSpec  # modules that derive from it import it from here, so that it already has these members
_plain_spec = tf.type_spec_from_value


def _add(kind: Any, **members: Any) -> None:
    for name, member in members.items():
        _engine.extend(kind, name, member)


# --- tf.TypeSpec: everything follows from _serialize, _component_specs, _to_components and _from_components ---
def _abstract(name: str) -> Callable[..., Any]:
    def missing(self, *args):
        raise NotImplementedError(f'{type(self).__name__}.{name}()')
    missing.__name__ = name
    return missing


def _parts(value):
    """A serialization as nested tuples that can be compared and hashed."""
    if isinstance(value, (list, tuple)):
        return tuple(_parts(v) for v in value)
    if isinstance(value, dict):
        return tuple((k, _parts(value[k])) for k in sorted(value))
    if isinstance(value, tf.TensorShape):
        return ('TensorShape', None if value.rank is None else tuple(value.as_list()))
    return value


def _each(first: Any, others: list[Any], combine: Callable[..., Any]) -> Any:
    """`combine(a, others)` for every leaf of serializations of the same structure; ValueError if they differ."""
    if isinstance(first, (list, tuple)):
        if any(type(o) is not type(first) or len(o) != len(first) for o in others):
            raise ValueError('the serializations differ')
        return type(first)(_each(a, [o[i] for o in others], combine) for i, a in enumerate(first))
    if isinstance(first, dict):
        if any(not isinstance(o, dict) or set(o) != set(first) for o in others):
            raise ValueError('the serializations differ')
        return {k: _each(a, [o[k] for o in others], combine) for k, a in first.items()}
    return combine(first, others)


def _is_type(value: Any) -> bool:
    return hasattr(value, 'is_subtype_of') and hasattr(value, 'most_specific_common_supertype')


def _key(self: Any) -> tuple[Any, ...]:
    return (type(self), _parts(self._serialize()))


def _eq(self: Any, other: Any) -> bool:
    return type(other) is type(self) and _key(self) == _key(other)


def _fits(a: Any, others: list[Any]) -> Any:
    for b in others:
        if hasattr(a, 'is_compatible_with'):
            if not a.is_compatible_with(b):
                raise ValueError('not compatible')
        elif a != b:
            raise ValueError('not equal')
    return a


def is_compatible_with(self: Any, spec_or_value: Any) -> bool:
    """Whether some value fits both."""
    if not isinstance(spec_or_value, tf.TypeSpec):
        spec_or_value = tf.type_spec_from_value(spec_or_value)
    if type(self) is not type(spec_or_value):
        return False
    try:
        _each(self._serialize(), [spec_or_value._serialize()], _fits)
    except (ValueError, TypeError):
        return False
    return True


def is_subtype_of(self: Any, other: Any) -> bool:
    """Whether every value that fits this spec fits the other."""
    if type(self) is not type(other):
        return False

    def below(a, others):
        if not (a.is_subtype_of(others[0]) if _is_type(a) else a == others[0]):
            raise ValueError('no subtype')
        return a
    try:
        _each(self._serialize(), [other._serialize()], below)
    except (ValueError, TypeError):
        return False
    return True


def most_specific_common_supertype(self, others):
    """The most specific spec that covers all, or None."""
    if any(type(o) is not type(self) for o in others):
        return None

    def above(a, rest):
        if not _is_type(a):
            if any(a != o for o in rest):
                raise ValueError('no supertype')
            return a
        found = a.most_specific_common_supertype(rest)
        if found is None:
            raise ValueError('no supertype')
        return found
    try:
        return self._deserialize(_each(self._serialize(), [o._serialize() for o in others], above))
    except (ValueError, TypeError):
        return None


def most_specific_compatible_type(self, other):
    """The most specific spec that covers both; ValueError if there is none."""
    found = self.most_specific_common_supertype([other])
    if found is None:
        raise ValueError(f'No TypeSpec is compatible with both {self} and {other}')
    return found


def flatten(self: Any) -> list[Any]:
    """The specs of the tensors that a value consists of."""
    return [leaf for spec in tf.nest.flatten(self._component_specs) for leaf in spec.flatten()]


def to_tensors(self: Any, value: Any) -> list[Any]:
    """The tensors that a value consists of."""
    specs = tf.nest.flatten(self._component_specs)
    parts = tf.nest.flatten(self._to_components(value))
    return [t for spec, part in zip(specs, parts) for t in spec.to_tensors(part)]


def from_tensors(self, tensors):
    """Builds the value from the next tensors of an iterator."""
    parts = [spec.from_tensors(tensors) for spec in tf.nest.flatten(self._component_specs)]
    return self._from_components(tf.nest.pack_sequence_as(self._component_specs, parts))


def cast(self, value, casting_context):
    """The value converted to this spec; TypeError if it does not fit."""
    if isinstance(value, tf.TypeSpec) and getattr(casting_context, 'allow_specs', False):
        if not value.is_subtype_of(self):
            raise TypeError(f'Can not cast {value!s} to {self}')
        return value
    specs = tf.nest.flatten(self._component_specs)
    parts = tf.nest.flatten(self._to_components(value))
    done = [spec.cast(part, casting_context) for spec, part in zip(specs, parts)]
    if all(a is b for a, b in zip(done, parts)):
        return value
    return self._from_components(tf.nest.pack_sequence_as(self._component_specs, done))


def placeholder_value(self, placeholder_context):
    """The placeholder of a value while a function is traced: made of the placeholders of its parts."""
    parts = [spec.placeholder_value(placeholder_context) for spec in tf.nest.flatten(self._component_specs)]
    return self._from_components(tf.nest.pack_sequence_as(self._component_specs, parts))


def _with_tensor_ranks_only(self):
    """The spec of values of any sizes whose tensors have as many dimensions."""
    def relaxed(part, _):
        if isinstance(part, tf.TypeSpec):
            return part._with_tensor_ranks_only()
        if isinstance(part, tf.TensorShape) and part.rank is not None:
            return tf.TensorShape([None] * part.rank)
        return part
    return self._deserialize(_each(self._serialize(), [], relaxed))


def _no_proto(self):
    raise NotImplementedError(f'No encoder for object {self} of type {type(self)}.')


_add(tf.TypeSpec, _holds_tensors=True, __eq__=_eq, __ne__=lambda self, other: not _eq(self, other), __hash__=lambda self: hash(_key(self)),
     __repr__=lambda self: f'{type(self).__name__}{self._serialize()}',
     __reduce__=lambda self: (type(self), self._serialize()),
     value_type=property(_abstract('value_type')), _serialize=_abstract('_serialize'),
     _component_specs=property(_abstract('_component_specs')), _to_components=_abstract('_to_components'),
     _from_components=_abstract('_from_components'),
     _deserialize=classmethod(lambda cls, parts: cls(*parts)), _is_compatible_with=is_compatible_with,
     is_compatible_with=is_compatible_with, is_subtype_of=is_subtype_of,
     most_specific_common_supertype=most_specific_common_supertype,
     most_specific_compatible_type=most_specific_compatible_type, flatten=flatten, to_tensors=to_tensors,
     from_tensors=from_tensors, cast=cast, placeholder_value=placeholder_value,
     _with_tensor_ranks_only=_with_tensor_ranks_only, experimental_as_proto=_no_proto,
     experimental_from_proto=classmethod(lambda cls, proto: _no_proto(cls)),
     experimental_type_proto=classmethod(lambda cls: _no_proto(cls)))


# --- tf.TensorSpec ---
def _spec_cast(self: tf.TensorSpec, value: tf.Tensor, casting_context: Any) -> tf.Tensor:
    """The value converted to a tensor of this spec; TypeError if it does not fit."""
    if isinstance(value, tf.TypeSpec) and getattr(casting_context, 'allow_specs', False):
        if not value.is_subtype_of(self):
            raise TypeError(f'Can not cast {value!s} to {self}')
        return self
    if not isinstance(value, (tf.Tensor, tf.Variable)):
        value = tf.convert_to_tensor(value, dtype_hint=self.dtype)
    if value.dtype != self.dtype or not value.shape.is_subtype_of(self.shape):
        raise TypeError(f'Can not cast {tf.TensorSpec(value.shape, value.dtype, self.name)} to {self}')
    return tf.convert_to_tensor(value)


def _placeholder(self: tf.TensorSpec, placeholder_context: Any) -> tf.Tensor:
    """The placeholder of the next tensor of an object with a trace type of its own, while a function is traced."""
    try:
        return placeholder_context.placeholder(self)
    except AttributeError:
        raise NotImplementedError(f'placeholders are made by tf.function itself: pass {self} to '
                                  'get_concrete_function()') from None


_add(tf.TensorSpec, cast=_spec_cast, flatten=lambda self: [self],
     to_tensors=lambda self, value: [_spec_cast(self, value, None)], from_tensors=lambda self, tensors: next(tensors),
     placeholder_value=_placeholder,
     experimental_as_proto=lambda self: _proto.TensorSpecProto(name=self.name or '', shape=_proto.shape_proto(self.shape),
                                                        dtype=self.dtype.as_datatype_enum),
     experimental_type_proto=classmethod(lambda cls: _proto.TensorSpecProto),
     experimental_from_proto=classmethod(lambda cls, proto: cls(tf.TensorShape.experimental_from_proto(proto.shape),
                                                                tf.as_dtype(proto.dtype), proto.name or None)),
     _dtype=property(lambda self: self.dtype),
     _serialize=lambda self: (self.shape, self.dtype, self.name), _component_specs=property(lambda self: self),
     _to_components=lambda self, value: value, _from_components=lambda self, value: value)


# --- tf.TensorShape and tf.DType as types of traces: they hold no tensors ---
def _constant_cast(self, value, cast_context):
    if value is None or value == self:
        return value
    raise AssertionError(f'Can not cast {value!s} to type {self!r}')


for _kind in (tf.TensorShape, tf.DType):
    _add(_kind, cast=_constant_cast, flatten=lambda self: [], to_tensors=lambda self, value: [],
         from_tensors=lambda self, tensors: None, placeholder_value=lambda self, placeholder_context: None)


def _shape_from(cls: type[Any], proto: Any) -> tf.TensorShape:
    return cls(None if proto.unknown_rank else [None if d.size == -1 else d.size for d in proto.dim])


_add(tf.TensorShape, as_proto=lambda self: _proto.shape_proto(self), experimental_as_proto=lambda self: _proto.shape_proto(self),
     experimental_type_proto=classmethod(lambda cls: _proto.TensorShapeProto), experimental_from_proto=classmethod(_shape_from),
     __concat__=lambda self, other: self.concatenate(other))
_add(tf.DType, experimental_as_proto=lambda self: _proto.SerializedDType(datatype=self.as_datatype_enum),
     experimental_type_proto=classmethod(lambda cls: _proto.SerializedDType),
     experimental_from_proto=classmethod(lambda cls, proto: tf.as_dtype(proto.datatype)))


# --- specs of values ---
class VariableSpec(tf.TypeSpec):
    """The type of a variable: its dtype and shape."""

    value_type = property(lambda self: tf.Variable)
    _holds_tensors = False  # a variable is a separate entry in keys
    _is_leaf_of_nest = True  # as a variable is

    def __init__(self, shape: Any, dtype: Any = tf.float32, trainable: bool = True,
                 alias_id: int | None = None) -> None:
        self.shape, self.dtype, self.trainable, self.alias_id = tf.TensorShape(shape), tf.as_dtype(dtype), trainable, alias_id

    @classmethod
    def from_value(cls, value: Any) -> VariableSpec:
        """The spec of a variable."""
        return cls(value.shape, value.dtype, value.trainable)

    def _serialize(self) -> tuple[Any, ...]:
        return self.shape, self.dtype, self.trainable, self.alias_id

    @property
    def _component_specs(self) -> tf.TensorSpec:
        return tf.TensorSpec([], tf.resource)

    def _to_components(self, value):
        return value.handle

    def __repr__(self) -> str:
        return (f'VariableSpec(shape={self.shape}, dtype={self.dtype!r}, trainable={self.trainable}, '
                f'alias_id={self.alias_id})')


VariableSpec.__module__ = 'footlight'
_engine.namespace('__internal__').VariableSpec = VariableSpec


def type_spec_from_value(value: TensorLike) -> Any:
    """The spec of a tensor, a variable, an IndexedSlices, or of a value that converts to a tensor."""
    if isinstance(value, tf.Variable):
        return VariableSpec.from_value(value)
    if not isinstance(value, tf.Tensor) and hasattr(value, '_type_spec'):
        return value._type_spec
    if isinstance(value, (tf.TypeSpec, tf.DType, tf.TensorShape)) or value is None:
        raise TypeError(f'Could not build a TypeSpec for {value!r} of unsupported type {type(value)}.')
    if not isinstance(value, tf.Tensor) and not hasattr(value, '__array__'):
        try:
            value = tf.convert_to_tensor(value)
        except (ValueError, TypeError):
            raise TypeError(f'Could not build a TypeSpec for {value!r} of unsupported type {type(value)}.') from None
    return _plain_spec(value)


publish('tf', type_spec_from_value)

_engine.extend(tf.Variable, '_type_spec', property(
    lambda self: VariableSpec(self.shape, self.dtype, self.trainable), doc='The spec of such variables.'))


def _dims(self: tf.TensorShape) -> list[Any] | None:
    from footlight._tensorflow.compat.v1.check_ops import Dimension
    return None if self.rank is None else [Dimension(size) for size in self.as_list()]


_engine.extend(tf.TensorShape, 'dims', property(_dims, doc='The dimensions as a list of Dimension; None if the rank is unknown.'))
# Where Keras's serialization looks whether the rank is known.
_engine.extend(tf.TensorShape, '_dims', property(lambda self: None if self.rank is None else tuple(self.as_list())))
