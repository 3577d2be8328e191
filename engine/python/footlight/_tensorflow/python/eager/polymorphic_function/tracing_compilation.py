"""tensorflow.python.eager.polymorphic_function.tracing_compilation: traces a function, with options."""
import dataclasses
import inspect
import typing

import footlight as tf
from footlight._tensorflow.core.function import polymorphism as _polymorphism
from footlight._tensorflow.publish import publish
from footlight._tensorflow.python.eager.polymorphic_function.attributes import IMPLEMENTS, TRACING_COMPILATION_ALLOWLIST
from footlight._tensorflow.python.eager.polymorphic_function.function_type_utils import (
    bind_function_inputs, to_input_signature)


class ScopeType:
    """Whose scope a function is traced in."""
    NO_SCOPE, VARIABLE_CREATION, NO_VARIABLE_CREATION = 1, 2, 3


@dataclasses.dataclass
class TracingOptions:
    """How a function is traced, and where its traces are kept."""
    python_function: typing.Callable = lambda *args, **kwargs: None
    name: str = 'fn'
    polymorphic_type: typing.Optional[typing.Any] = None
    default_values: typing.Optional[typing.Dict[str, typing.Any]] = None
    scope_type: int = ScopeType.NO_SCOPE
    attributes: typing.Optional[typing.Dict[str, typing.Any]] = None
    autograph: bool = True
    autograph_options: typing.Optional[typing.Tuple[typing.Any, ...]] = None
    reduce_retracing: bool = False
    bind_graph_to_function: bool = False
    function_cache: typing.Optional[typing.Any] = None
    function_captures: typing.Optional[typing.Any] = None
    lock: typing.Optional[typing.Any] = None

    def __post_init__(self):
        for key in self.attributes or ():
            if key not in TRACING_COMPILATION_ALLOWLIST:
                raise ValueError(f'Tracing compilation does not support `{key}` as an attribute.')
        own = self.polymorphic_type is None
        if own:
            self.polymorphic_type = _polymorphism.FunctionType.from_callable(self.python_function)
        if self.default_values is None:
            self.default_values = (_polymorphism.FunctionType.get_default_values(self.python_function) if own else
                                   {})
        self._input_signature = to_input_signature(self.polymorphic_type)
        function = self.python_function

        def traced(*args, **kwargs):
            return function(*args, **kwargs)
        traced.__name__ = traced.__qualname__ = self.name
        traced.__signature__ = inspect.signature(function)
        self._function = tf.function(function if self.name == getattr(function, '__name__', None) else traced,
                                     input_signature=self._input_signature, autograph=self.autograph,
                                     reduce_retracing=self.reduce_retracing,
                                     experimental_autograph_options=self.autograph_options,
                                     experimental_attributes=dict(self.attributes) if self.attributes else None)

    is_pure = property(lambda self: bool(self.attributes) and IMPLEMENTS in self.attributes)
    input_signature = property(lambda self: self._input_signature)


def trace_function(args=None, kwargs=None, tracing_options=None):
    """The concrete function for these arguments, tensors or specs; for none, that of the input signature."""
    options = tracing_options or TracingOptions()
    if options._input_signature is not None and (args or kwargs):
        bind_function_inputs(args or (), kwargs or {}, options.polymorphic_type, options.default_values)
    concrete = options._function.get_concrete_function(*(args or ()), **(kwargs or {}))
    if options.function_cache is not None:
        known = [one.function_type for one in options.function_cache.values()]
        if concrete.function_type not in known:
            options.function_cache.add(concrete)
    return concrete


def call_function(args=None, kwargs=None, tracing_options=None):
    """What the function returns for these arguments."""
    options = tracing_options or TracingOptions()
    if options.function_cache is not None:
        trace_function(args, kwargs, options)
    return options._function(*(args or ()), **(kwargs or {}))


publish(globals())
