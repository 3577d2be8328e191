"""tensorflow.python.eager.polymorphic_function.function_type_utils: types of functions, from and to signatures."""
from __future__ import annotations

import inspect

import footlight as tf
from footlight._tensorflow.core.function import polymorphism as _polymorphism
from footlight._tensorflow.publish import publish
from footlight._typing import Any, Callable


def to_fullargspec(function_type, default_values):
    """The parameters as inspect.getfullargspec has them."""
    P, plain, only, var, rest, defaults, only_defaults = _polymorphism.Parameter, [], [], None, None, [], {}
    for name, p in function_type.parameters.items():
        if p.kind in (P.POSITIONAL_ONLY, P.POSITIONAL_OR_KEYWORD):
            plain.append(name)
            if p.default is not P.empty:
                defaults.append(default_values[name])
        elif p.kind is P.KEYWORD_ONLY:
            only.append(name)
            if p.default is not P.empty:
                only_defaults[name] = default_values[name]
        elif p.kind is P.VAR_POSITIONAL:
            var = name
        else:
            rest = name
    return inspect.FullArgSpec(plain, var, rest, tuple(defaults) or None, only, only_defaults or None, {})


def to_input_signature(function_type):
    """The specs of positional parameters, or None where one has none."""
    P, found = _polymorphism.Parameter, []
    for p in function_type.parameters.values():
        if p.type_constraint is None or p.kind not in (P.POSITIONAL_ONLY, P.POSITIONAL_OR_KEYWORD):
            return tuple(found) or None if p.type_constraint is not None else None
        found.append(p.type_constraint)
    return tuple(_plain(one) for one in found)


def _plain(kind: tf.TensorSpec) -> tf.TensorSpec:
    return kind.placeholder_value(_polymorphism._AsSpecs(unnest_only=True)) if not isinstance(kind, tf.TypeSpec) else kind


class FunctionSpec:
    """The parameters of a function with their types and defaults, and how it is compiled."""

    def __init__(self, function_type: Any, default_values: Any, is_pure: bool = False, jit_compile: bool | None = None,
                 name: str | None = 'fullargspec') -> None:
        self._function_type, self._default_values = function_type, default_values
        self._is_pure, self._jit_compile, self._name = is_pure, jit_compile, name

    @classmethod
    def from_function_and_signature(cls, python_function: Callable[..., Any], input_signature: Any,
                                    is_pure: bool = False, jit_compile: Any = None) -> FunctionSpec:
        """That of a Python function with, if given, the specs of its arguments."""
        function_type, defaults = make_function_type(python_function, input_signature)
        while hasattr(python_function, 'func'):  # functools.partial
            python_function = python_function.func
        return cls(function_type, defaults, is_pure, jit_compile, getattr(python_function, '__name__', 'f'))

    function_type = property(lambda self: self._function_type)
    default_values = property(lambda self: self._default_values)
    is_pure = property(lambda self: self._is_pure)
    jit_compile = property(lambda self: self._jit_compile)
    fullargspec = property(lambda self: to_fullargspec(self._function_type, self._default_values))
    arg_names = property(lambda self: list(self.fullargspec.args))
    input_signature = property(lambda self: to_input_signature(self._function_type))

    @property
    def flat_input_signature(self) -> Any:
        """The specs of the signature in a row, or None."""
        signature = self.input_signature
        return None if signature is None else tuple(tf.nest.flatten(signature, expand_composites=True))

    def signature_summary(self, default_values: bool = False) -> Any:
        """The parameters in words."""
        summary = f'{self._name}{self._function_type!r}'
        for name, value in (self._default_values if default_values else {}).items():
            summary += f'\n  {name}: {value!r}'
        return summary


def make_function_type(python_function: Callable[..., Any], input_signature: Any) -> tuple[Any, ...]:
    """The parameters of a function, with the types of a signature, and their defaults."""
    kind = _polymorphism.FunctionType.from_callable(python_function)
    defaults = _polymorphism.FunctionType.get_default_values(python_function)
    if input_signature is not None:
        kind = _polymorphism.add_type_constraints(kind, tuple(input_signature), defaults)
    return kind, defaults


def make_canonicalized_monomorphic_type(args, kwargs, capture_types, polymorphic_type):
    """The types of one call, and what its placeholders need to know of each other."""
    return _polymorphism.canonicalize_to_monomorphic(args, {_polymorphism.sanitize_arg_name(k): v for k, v in kwargs.items()},
                                                      {}, capture_types, polymorphic_type)


def bind_function_inputs(args, kwargs, function_type, default_values=None):
    """Arguments by the names of parameters, with defaults."""
    kwargs = {_polymorphism.sanitize_arg_name(k): v for k, v in kwargs.items()}
    try:
        return function_type.bind_with_defaults(args, kwargs, default_values or {})
    except Exception as error:
        raise TypeError(f'Binding inputs to tf.function failed due to `{error}`. Received args: {args} and kwargs: '
                        f'{kwargs} for signature: {function_type}.') from error


def canonicalize_function_inputs(args: Any, kwargs: Any, function_type: Any, default_values: Any = None,
                                 is_pure: bool = False) -> Any:
    """Arguments by the names of parameters; of a pure function the values of variables."""
    default_values = default_values or {}
    bound = bind_function_inputs(args, kwargs, function_type, default_values)
    if is_pure:
        value = lambda v: tf.convert_to_tensor(v) if isinstance(v, tf.Variable) else v
        for name, given in bound.arguments.items():
            bound.arguments[name] = tf.nest.map_structure(value, given)
    return bound


def is_same_structure(structure1: Any, structure2: Any, check_values: bool = False) -> bool:
    """Whether two structures are alike, and hold the same if asked for."""
    try:
        tf.nest.assert_same_structure(structure1, structure2, expand_composites=True)
    except (TypeError, ValueError):
        return False
    if not check_values:
        return True
    flat = [tf.nest.flatten(one, expand_composites=True) for one in (structure1, structure2)]
    return all(type(a) is type(b) and (isinstance(a, tf.Tensor) or a == b) for a, b in zip(*flat))


def derive_from_graph(func_graph):
    """The types of the arguments, captures and results of a graph."""
    captures = {id(outer): tf.TensorSpec(inner.shape, inner.dtype) for outer, inner in func_graph.captures}
    return _polymorphism.from_structured_signature(func_graph.structured_input_signature, func_graph.structured_outputs,
                                                    captures)


publish(globals())
