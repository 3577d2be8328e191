"""tensorflow.core.function.trace_type: the types of arguments by which traces are told apart, made from values.

Loaded lazily. tf.function itself uses the cache keys of engine/python/function/call/key.cpp.
"""
from __future__ import annotations

import collections.abc
import weakref

import footlight as tf
from footlight._data import structure as _structure
from footlight._public import alias, publish
from footlight._types import trace_types as _trace_types
from footlight._typing import Any

TraceType = tf.types.experimental.TraceType


class InternalTracingContext(_trace_types.TracingContext):
    """What the types of one call share: the numbers of its variables, and whether specs stand for values."""

    def __init__(self, is_legacy_signature=False):
        self.is_legacy_signature = is_legacy_signature
        self._numbers, self._placeholders = {}, {}

    def alias_global_id(self, global_id):
        """The number of an object: of the first one 0, of the next 1."""
        return self._numbers.setdefault(global_id, len(self._numbers))

    def add_placeholder(self, alias_id: Any, variable: Any) -> None:
        """Keeps the variable that has a number."""
        self._placeholders[alias_id] = variable

    def get_placeholder_mapping(self) -> Any:
        """Variables by their numbers."""
        return self._placeholders


class InternalPlaceholderContext(_trace_types.PlaceholderContext):
    """Makes placeholders in a graph."""

    def __init__(self, context_graph: Any = None, placeholder_mapping: Any = None, unnest_only: bool = False,
                 with_none_control_dependencies: bool = False, composite_device_name: Any = None) -> None:
        self.context_graph, self.unnest_only = context_graph, unnest_only
        self.with_none_control_dependencies = with_none_control_dependencies
        self.composite_device_name, self.naming_scope = composite_device_name, None
        self._by_number = dict(placeholder_mapping or {})

    def has_placeholder(self, alias_id: Any) -> bool:
        """Whether the variable of a number has one."""
        return alias_id in self._by_number

    def get_placeholder(self, alias_id):
        """That of the variable of a number."""
        if alias_id not in self._by_number:
            raise KeyError(f'alias_id: {alias_id} not found in this instance of placeholder context.')
        return self._by_number[alias_id]

    def add_placeholder(self, alias_id: Any, placeholder: Any) -> None:
        """Keeps the placeholder of a number."""
        if alias_id in self._by_number:
            raise KeyError(f'alias id: {alias_id} is already stored in this instance of placeholder context.')
        self._by_number[alias_id] = placeholder

    def update_naming_scope(self, naming_scope: Any) -> None:
        """Says for which parameter the next placeholders are."""
        self.naming_scope = naming_scope

    def placeholder(self, spec):
        """The placeholder for a tensor of a spec."""
        graph = tf.compat.v1.get_default_graph() if self.context_graph is None else self.context_graph
        with graph.as_default():
            return tf.compat.v1.placeholder(spec.dtype, spec.shape, name=spec.name or self.naming_scope)


class InternalCastContext(_trace_types.CastContext):
    """Whether specs of values may stand in their place."""

    def __init__(self, allow_specs: bool = False) -> None:
        self.allow_specs = allow_specs


def _cast_all(types: Any, values: Any, context: Any) -> tuple[Any, ...]:
    """The values cast, and whether that changed any."""
    done = [kind.cast(value, context) for kind, value in zip(types, values)]
    return done, any(a is not b for a, b in zip(done, values))


def _supertypes(of, others):
    """For each part the type that covers it in all, or None where a part has none."""
    found = [first.most_specific_common_supertype(list(rest)) for first, *rest in zip(of, *others)]
    return None if any(one is None for one in found) else found


class _Whole(TraceType):
    """A type without parts: only an equal type covers it."""

    def is_subtype_of(self, other):
        return self == other

    def most_specific_common_supertype(self, types):
        return self if all(self == other for other in types) else None

    def placeholder_value(self, placeholder_context):
        return self._held()

    def from_tensors(self, tensors):
        return self._held()

    def __eq__(self, other):
        if not isinstance(other, TraceType):
            return NotImplemented
        return isinstance(other, type(self)) and self._has_equal_value(other)

    def __hash__(self) -> int:
        return self._hash


class Literal(_Whole):
    """A Python value: only an equal one has the same type."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self._hash = 0 if value != value else hash(value)

    def _held(self) -> Any:
        return self.value

    def cast(self, value, casting_context):
        if self == Literal(value):
            return value
        raise ValueError(f'Can not cast {value!r} to {self!r}')

    def _has_equal_value(self, other):
        return self.value == other.value or (self.value != self.value and other.value != other.value)

    def __repr__(self) -> str:
        return f'Literal[{self.value!r}]'


class Weakref(_Whole):
    """An object that is held weakly: once it is gone, nothing has its type any more."""

    def __init__(self, ref: Any) -> None:
        self._ref = ref
        self._hash = hash(ref)

    def _held(self) -> Any:
        return self._ref()

    def cast(self, value, casting_context):
        own = self._ref()
        if value is own or value == own:
            return value
        raise ValueError(f'Can not cast {value!r} to {self!r}')

    def _has_equal_value(self, other):
        mine, theirs = self._ref(), other._ref()
        return mine is not None and theirs is not None and (mine is theirs or mine == theirs)

    def __repr__(self) -> str:
        return f'Weakref[{self._ref!r}]'


class _Parts(TraceType):
    """A structure: its type consists of those of its parts, in the order of _keys()."""

    def __init__(self, *components: Any) -> None:
        self.components = components

    def _shape(self) -> tuple[Any, ...]:
        """What besides the parts has to be equal."""
        return type(self), len(self.components)

    def _with(self, components):
        """The same structure of other parts."""
        return type(self)(*components)

    def _make(self, values):
        """A value of these parts."""
        raise NotImplementedError

    def _values(self, value):
        """The parts of a value; AssertionError where it is another structure."""
        raise NotImplementedError

    def is_subtype_of(self, other):
        return isinstance(other, _Parts) and self._shape() == other._shape() and all(
            mine.is_subtype_of(theirs) for mine, theirs in zip(self.components, other._like(self)))

    def _like(self, other):
        """The own parts in the order of the other's, which has the same structure."""
        return self.components

    def most_specific_common_supertype(self, others):
        if any(not isinstance(other, _Parts) or other._shape() != self._shape() for other in others):
            return None
        found = _supertypes(self.components, [other._like(self) for other in others])
        return None if found is None else self._with(found)

    def placeholder_value(self, placeholder_context):
        return self._make([part.placeholder_value(placeholder_context) for part in self.components])

    def to_tensors(self, value: Any) -> list[Any]:
        return [t for part, one in zip(self.components, self._values(value)) for t in part.to_tensors(one)]

    def from_tensors(self, tensors):
        return self._make([part.from_tensors(tensors) for part in self.components])

    def flatten(self) -> list[Any]:
        return [spec for part in self.components for spec in part.flatten()]

    def cast(self, value, casting_context):
        done, changed = _cast_all(self.components, self._values(value), casting_context)
        return self._make(done) if changed else value

    def __eq__(self, other):
        if not isinstance(other, TraceType):
            return NotImplemented
        return isinstance(other, _Parts) and self._shape() == other._shape() and all(
            mine == theirs for mine, theirs in zip(self.components, other._like(self)))

    def __hash__(self) -> int:
        return hash((self._shape(), self.components))

    def __repr__(self) -> str:
        return f"{type(self).__name__}[{', '.join(map(repr, self.components))}]"


class _InOrder(_Parts):
    def _make(self, values):
        return self._kind(values)

    def _values(self, value):
        assert isinstance(value, self._kind), f'Can not cast {value!r} to {self._kind.__name__} type.'
        assert len(value) == len(self.components), f'Expected {value!r} to have length of {len(self.components)}'
        return value


class Tuple(_InOrder):
    """A tuple."""
    _kind = tuple


class List(_InOrder):
    """A list."""
    _kind = list


class _Named(_Parts):
    """An object with attributes in an order, made from their values."""

    def __init__(self, type_name: str, attribute_names: Any, attributes: Any, placeholder_type: Any = None) -> None:
        super().__init__(*attributes)
        self.type_name, self.attribute_names = type_name, tuple(attribute_names)
        self._placeholder_type = placeholder_type

    @classmethod
    def from_type_and_attributes(cls, type_, attributes):
        """Makes the type from a class and the types of its attributes."""
        return cls(type_.__name__, cls._names_of(type_), tuple(attributes), type_)

    def _shape(self) -> tuple[Any, ...]:
        return type(self), self.type_name, self.attribute_names

    def _with(self, components):
        return type(self)(self.type_name, self.attribute_names, components, self._placeholder_type)

    def _make(self, values):
        if self._placeholder_type is None:
            raise ValueError(f'Packing serialized {type(self).__name__} is not supported.')
        return self._placeholder_type(*values)

    def _values(self, value: Any) -> list[Any]:
        kind = self._placeholder_type
        assert kind is None or isinstance(value, kind), f'Cannot cast {value!r} to type {kind!r}.'
        return [getattr(value, name) for name in self.attribute_names]

    def __repr__(self) -> str:
        pairs = ', '.join(f'[{name!r}, {part!r}]' for name, part in zip(self.attribute_names, self.components))
        return f'{self.type_name}[{pairs}]'


class NamedTuple(_Named):
    """A tuple with names."""

    @staticmethod
    def _names_of(kind: type[Any]) -> tuple[Any, ...]:
        return kind._fields


class Attrs(_Named):
    """An object of a class that attrs made."""

    @staticmethod
    def _names_of(kind):
        return tuple(attribute.name for attribute in kind.__attrs_attrs__)


class Dict(_Parts):
    """A mapping, whatever the order of its keys."""

    def __init__(self, mapping: Any, placeholder_type: Any = None) -> None:
        super().__init__(*mapping.values())
        self.mapping, self._placeholder_type = mapping, placeholder_type

    def _shape(self) -> tuple[Any, ...]:
        return Dict, frozenset(self.mapping)

    def _like(self, other):
        return tuple(self.mapping[key] for key in other.mapping)

    def _with(self, components):
        return Dict(dict(zip(self.mapping, components)), self._placeholder_type)

    def _make(self, values):
        if self._placeholder_type is None:
            raise ValueError('Packing serialized Dict is not supported.')
        if issubclass(self._placeholder_type, collections.defaultdict):
            return self._placeholder_type(None, zip(self.mapping, values))
        return self._placeholder_type(zip(self.mapping, values))

    def _values(self, value: Any) -> list[Any]:
        assert isinstance(value, collections.abc.Mapping), f'Can not cast {value!r} to a Dict type.'
        assert set(value) == set(self.mapping), f'{value!r} has different keys with the TraceType {self!r}.'
        return [value[key] for key in self.mapping]

    def __hash__(self) -> int:
        return hash(frozenset(self.mapping))

    def flatten(self) -> list[Any]:  # in the order of keys, as nests are
        return [spec for key in _structure.sorted_keys(self.mapping) for spec in self.mapping[key].flatten()]

    def to_tensors(self, value: Any) -> list[Any]:
        self._values(value)
        return [t for key in _structure.sorted_keys(self.mapping) for t in self.mapping[key].to_tensors(value[key])]

    def from_tensors(self, tensors):
        made = {key: self.mapping[key].from_tensors(tensors) for key in _structure.sorted_keys(self.mapping)}
        return self._make([made[key] for key in self.mapping])

    def placeholder_value(self, placeholder_context):
        made = {key: self.mapping[key].placeholder_value(placeholder_context) for key in _structure.sorted_keys(self.mapping)}
        return self._make([made[key] for key in self.mapping])

    def __repr__(self) -> str:
        return f"Dict[{', '.join(f'[{key!r}, {part!r}]' for key, part in self.mapping.items())}]"


class CustomNestTraceType(_Parts):
    """An object that takes itself apart: __tf_flatten__() and __tf_unflatten__()."""

    def __init__(self, value_type: Any, metadata: Any, components: Any) -> None:
        super().__init__(*components)
        self.value_type, self.metadata = value_type, metadata

    def _shape(self) -> tuple[Any, ...]:
        return self.value_type, self.metadata, len(self.components)

    def _with(self, components):
        return CustomNestTraceType(self.value_type, self.metadata, components)

    def _make(self, values):
        return self.value_type.__tf_unflatten__(self.metadata, tuple(values))

    def _values(self, value):
        if not isinstance(value, self.value_type):
            raise TypeError(f'[{value!r}] is not an instance of {self.value_type!r}.')
        metadata, parts = value.__tf_flatten__()
        if metadata != self.metadata:
            raise ValueError(f'Metadata mismatch: [{self.metadata!r}] != [{metadata!r}].')
        if len(parts) != len(self.components):
            raise ValueError(f'Lengths of components do not match: [{len(self.components)}] != [{len(parts)}].')
        return parts

    def __hash__(self) -> int:
        return hash((self.value_type, self.components))

    def __repr__(self) -> str:
        return (f'{type(self).__name__} [metadata={self.metadata!r}, value_type={self.value_type!r}, '
                f'components={self.components!r}]')


def _type_of_own(value, context):
    """The type of a tensor, a variable, a composite or a spec, or None."""
    if isinstance(value, tf.TypeSpec):
        return value
    if isinstance(value, tf.Variable):
        number = context.alias_global_id(id(value))
        context.add_placeholder(number, value)
        kind = tf.__internal__.VariableSpec
        return kind(value.shape, value.dtype, value.trainable, number)
    if isinstance(value, tf.Tensor):
        return tf.TensorSpec(value.shape, value.dtype)
    spec = getattr(value, '_type_spec', None)
    return spec if isinstance(spec, tf.TypeSpec) else None


def from_value(value, context=None):
    """The type of a value: calls with values of one type share a trace."""
    if not hasattr(context, 'alias_global_id'):
        context = InternalTracingContext()
    if isinstance(value, TraceType) and context.is_legacy_signature:
        return value
    own = None if isinstance(value, type) else _type_of_own(value, context)
    if own is not None:
        return own
    if hasattr(value, '__tf_tracing_type__') and not isinstance(value, type):
        made = value.__tf_tracing_type__(context)
        if not isinstance(made, TraceType):
            raise TypeError(f'Expected an instance of TraceType for Tracing Protocol call to {value!r} but got '
                            f'{made!r}')
        return made
    if isinstance(value, weakref.ref):
        raise TypeError(f'weakref input {value!r} not supported for tf.function.')
    if hasattr(value, '__wrapped__'):
        return from_value(value.__wrapped__, context)
    parts = lambda values: [from_value(one, context) for one in values]
    if isinstance(value, list):
        return List(*parts(value))
    if isinstance(value, tuple):
        if isinstance(getattr(value, '_fields', None), tuple):
            return NamedTuple.from_type_and_attributes(type(value), parts(value))
        return Tuple(*parts(value))
    if isinstance(value, collections.abc.Mapping):
        return Dict(dict(zip(value, parts(value.values()))), type(value))
    if hasattr(type(value), '__attrs_attrs__'):
        names = Attrs._names_of(type(value))
        return Attrs.from_type_and_attributes(type(value), parts(getattr(value, name) for name in names))
    if hasattr(value, '__array__') and not isinstance(value, type):
        array = value.__array__()
        return tf.TensorSpec(array.shape, array.dtype)
    if hasattr(value, '__tf_flatten__') and not isinstance(value, type):
        metadata, components = value.__tf_flatten__()
        return CustomNestTraceType(type(value), metadata, tuple(parts(components)))
    try:
        return Weakref(weakref.ref(value))
    except TypeError:
        pass
    try:
        return Literal(value)
    except Exception as error:
        raise _not_generic(value) from error


def _not_generic(value):
    return TypeError(f'Could not generate a generic TraceType for {value!r}. Please verify that it is '
                     'immutable/hashable. Otherwise, consider implementing the Tracing Protocol for it.')


publish('tf.core.function.trace_type.default_types', Literal, Weakref, Tuple, List, NamedTuple, Attrs, Dict)
alias('tf.core.function.trace_type.default_types', TENSOR=tf.TensorSpec)
alias('tf.core.function.trace_type.custom_nest_trace_type', CustomNestTraceType)
alias('tf.core.function.trace_type tf.core.function.trace_type.trace_type_builder', InternalTracingContext,
      InternalPlaceholderContext, InternalCastContext, from_value)
alias('tf.core.function.trace_type', Weakref)
