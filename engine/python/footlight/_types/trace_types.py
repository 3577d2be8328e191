"""tf.types.experimental: the types by which traced functions know their arguments, and the kinds of functions."""
from __future__ import annotations

import abc

import footlight as tf
from footlight import _engine
from footlight._public import publish
from footlight._typing import Any

_home = tf.types.experimental


class TraceType(metaclass=abc.ABCMeta):
    """The type of an argument: calls with arguments of one type share a trace. A class that users derive from.

    An object says its type by a method __tf_tracing_type__(self, context).
    """

    @abc.abstractmethod
    def is_subtype_of(self, other: Any) -> None:
        """Whether a trace for `other` serves a value of this type."""

    @abc.abstractmethod
    def most_specific_common_supertype(self, others: Any) -> None:
        """A type that covers this one and all others, or None."""

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context: Any) -> None:
        """What the function gets while it is traced, in place of the value."""

    def to_tensors(self, value: Any) -> list[Any]:
        """The tensors that a value consists of, as many as flatten() has specs."""
        return []

    def from_tensors(self, tensors):
        """The value made of the next tensors of an iterator."""
        return self.placeholder_value(PlaceholderContext([]))

    def flatten(self) -> list[Any]:
        """The specs of the tensors that a value consists of."""
        return []

    def cast(self, value, cast_context):
        """The value converted to this type."""
        assert value == self.placeholder_value(PlaceholderContext([])), f'Can not cast {value!r} to type {self!r}'
        return value

    @abc.abstractmethod
    def __hash__(self) -> int:
        """Equal types have equal hashes."""

    @abc.abstractmethod
    def __eq__(self, other):
        """Whether calls with these types share a trace."""


class TracingContext:
    """Given to __tf_tracing_type__."""


tracing_context = TracingContext()


class CastContext:
    """Given to cast()."""


class PlaceholderContext:
    """Given to placeholder_value(): the placeholders of the tensors of one value, in the order of flatten()."""

    def __init__(self, placeholders: Any) -> None:
        self._rest = iter(placeholders)

    def placeholder(self, spec: Any) -> tf.Tensor:
        """The next one, which is for a tensor of this spec."""
        found = next(self._rest, None)
        if found is None:
            raise ValueError('placeholder_value() asked for more tensors than flatten() has')
        return found


class Callable(metaclass=abc.ABCMeta):
    """What can be called and says by which types."""

    @property
    @abc.abstractmethod
    def function_type(self) -> None:
        """Its parameters and results."""

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Calls it."""


class AtomicFunction(Callable):
    """One trace, called with what it captured."""

    def call_with_captures(self, args: Any, kwargs: Any, captures: Any) -> None:
        """Calls it with other tensors in place of those captured."""


publish('tf.types.experimental', TraceType, Callable, AtomicFunction)
Callable.register(_home.ConcreteFunction)
Callable.register(_home.PolymorphicFunction)
_home.GenericFunction = _home.PolymorphicFunction

TraceType.register(tf.TypeSpec)


def _tracing_type(self, context):
    """The type by which traces know it."""
    from footlight._tensorflow.core.function import trace_type as _trace_type
    return _trace_type.from_value(self, context)


for _kind in (tf.Tensor, tf.Variable, tf.TypeSpec):
    _engine.extend(_kind, '__tf_tracing_type__', _tracing_type)
# Their modules are loaded when something of them is asked for.
for _path in ('capture.capture_container', 'polymorphism.function_cache', 'polymorphism.function_type', 'polymorphism.type_dispatch',
              'trace_type.custom_nest_trace_type', 'trace_type.default_types', 'trace_type.serialization',
              'trace_type.trace_type_builder'):
    _engine.namespace('core.function.' + _path)

# These are made lazily: they need modules of Python that take long to import.
LATE = ('FunctionType', 'SupportsTracingProtocol', 'TensorLike')


def make(name):
    """One of them, which then stands in its place."""
    import inspect
    import typing

    if name == 'FunctionType':
        class FunctionType(inspect.Signature):
            """The parameters of a function and what it returns."""

            @classmethod
            def from_callable(cls, obj, *, follow_wrapped=True):
                """That of a Python function."""
                return super().from_callable(obj, follow_wrapped=follow_wrapped)
        made = FunctionType
    elif name == 'SupportsTracingProtocol':
        @typing.runtime_checkable
        class SupportsTracingProtocol(typing.Protocol):
            """An object that says its trace type."""

            def __tf_tracing_type__(self, context):
                """The type, a TraceType."""
        made = SupportsTracingProtocol
    else:
        import numpy as np
        made = typing.Union[tf.Tensor, tf.Variable, int, float, bool, str, bytes, complex, tuple, list, np.ndarray, np.generic]
    if name != 'TensorLike':
        made.__module__ = 'footlight.types.experimental'
    setattr(_home, name, made)
    return made
