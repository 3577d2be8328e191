"""What tf.function objects and their traces say of themselves: function_type, inference_fn."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._types import trace_types as _trace_types
from footlight._typing import Any

_home = tf.types.experimental


def _type_of(value):
    """The type in a signature of what a trace has there: of specs without their names, which calls need not know."""
    from footlight._tensorflow.core.function import trace_type as _trace_type

    context = _trace_type.InternalTracingContext(is_legacy_signature=True)
    plain = lambda one: tf.TensorSpec(one.shape, one.dtype) if type(one) is tf.TensorSpec else one
    return _trace_type.from_value(tf.nest.map_structure(plain, value), context)


def _concrete_type(self):
    """The types of parameters and results; prints as `(x: TensorSpec(...)) -> TensorSpec(...)`."""
    from footlight._tensorflow.core.function import polymorphism as types  # at first use: it needs Python's inspect

    kinds = (types.Parameter.POSITIONAL_ONLY, types.Parameter.POSITIONAL_OR_KEYWORD, types.Parameter.VAR_POSITIONAL,
             types.Parameter.KEYWORD_ONLY)
    parameters = [types.Parameter(name, kinds[kind], False, _type_of(value))
                  for name, kind, value, text in self._parameters if name.isidentifier()]
    captures = {value._id: tf.TensorSpec(value.shape, value.dtype) for value in self.captured_inputs}
    return types.FunctionType(parameters, captures, return_annotation=_type_of(self.structured_outputs))


def _function_type(self):
    """The parameters of the Python function; with an input_signature, their types."""
    from footlight._tensorflow.core.function import polymorphism as types

    own = types.FunctionType.from_callable(self.python_function)
    if self.input_signature is None:
        return own
    return types.add_type_constraints(own, self.input_signature, types.FunctionType.get_default_values(self.python_function))


class _Inference(_trace_types.AtomicFunction):
    """One trace, called with what it captured as an argument."""

    def __init__(self, concrete: Any) -> None:
        self._concrete = concrete

    name = property(lambda self: self._concrete.name)
    graph = property(lambda self: self._concrete.graph)
    function_type = property(lambda self: self._concrete.function_type)

    def __call__(self, *args, **kwargs):
        if self._concrete.captured_inputs:
            raise ValueError('the function has captured inputs: use call_with_captures')
        return self._concrete(*args, **kwargs)

    def call_with_captures(self, args, kwargs, captures):
        """The results with `captures` in place of what was captured, in the order of captured_inputs."""
        return self._concrete._call_with_captures(tuple(args), dict(kwargs), list(captures))

    definition = cached_definition = property(lambda self: self._concrete.function_def)
    attributes = property(lambda self: self.definition.attr)
    children = property(lambda self: [])

    def call_flat(self, *args: Any) -> list[Any]:
        """The results in a row, for the tensors of arguments and captures in a row."""
        own = len(self._concrete._arg_keywords)
        found = self._concrete._call_flat(list(args[:own]), list(args[own:]))
        return [t for t in tf.nest.flatten(found, expand_composites=True) if t is not None]

    def __repr__(self) -> str:
        return f'<AtomicFunction {self.name}>'


def _function_def(self):
    """The function as a FunctionDef."""
    library, names = tf.Graph._library([self.graph])
    return next(f for f in library.function if f.signature.name == names[0])


def _call_flat(self: Any, tensor_inputs: list[Any], captured_inputs: list[Any]) -> Any:
    """The results for the tensors in their order, with these in place of what was captured."""
    return self._call_with_captures((), dict(zip(self._arg_keywords, tensor_inputs, strict=True)), list(captured_inputs))


class FunctionSpec:
    """The parameters of a function, as tf.function looks at them."""

    def __init__(self, function: Any) -> None:
        self._function = function

    @property
    def fullargspec(self) -> Any:
        """What inspect.getfullargspec says of the Python function."""
        import inspect
        return inspect.getfullargspec(self._function.python_function)

    function_type = property(lambda self: self._function.function_type)
    input_signature = property(lambda self: self._function.input_signature)
    jit_compile = property(lambda self: self._function._jit_compile)
    is_pure = property(lambda self: False, doc='False: functions may change variables.')
    arg_names = property(lambda self: [name for name, p in self.function_type.parameters.items()
                                       if p.kind not in (p.KEYWORD_ONLY, p.VAR_POSITIONAL, p.VAR_KEYWORD)])

    @property
    def default_values(self) -> Any:
        """The defaults of parameters, by their names."""
        from footlight._tensorflow.core.function import polymorphism as types
        return types.FunctionType.get_default_values(self._function.python_function)

    @property
    def flat_input_signature(self) -> tuple[Any, ...] | None:
        """The specs of the signature in a row, or None."""
        return None if self.input_signature is None else tuple(tf.nest.flatten(self.input_signature, expand_composites=True))

    def signature_summary(self, default_values: bool = False) -> str:
        """The parameters in words."""
        return str(self.function_type)


def _add_to_graph(self: Any, g: Any = None, overwrite: bool = False) -> None:
    """Does nothing: a call puts the function, and its gradient where one is asked for, into the graph."""


_engine.extend(_home.ConcreteFunction, '_arg_keywords', property(
    lambda self: [t.op.name for t in self.inputs[:len(self.inputs) - len(self.captured_inputs)]],
    doc='The names of the tensors among the arguments.'))
_engine.extend(_home.ConcreteFunction, '_num_positional_args', property(lambda self: len(self._arg_keywords)))
_engine.extend(_home.ConcreteFunction, '_call_flat', _call_flat)
_engine.extend(_home.ConcreteFunction, 'add_to_graph', _add_to_graph)
_engine.extend(_home.ConcreteFunction, 'add_gradient_functions_to_graph', _add_to_graph)
_engine.extend(_home.PolymorphicFunction, 'function_spec', property(FunctionSpec))
_engine.extend(_home.PolymorphicFunction, '_function_spec', property(FunctionSpec))
_engine.extend(_home.ConcreteFunction, 'function_def', property(_function_def))
_engine.extend(_home.ConcreteFunction, 'function_type', property(_concrete_type))
_engine.extend(_home.ConcreteFunction, 'inference_fn',
               property(_Inference, doc='The trace as a function of its arguments and captures.'))
_engine.extend(_home.PolymorphicFunction, 'function_type', property(_function_type))
