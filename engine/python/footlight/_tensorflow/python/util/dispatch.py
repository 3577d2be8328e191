"""tensorflow.python.util.dispatch: dispatchers, which libraries ask for what functions do with their own types."""
from __future__ import annotations

import collections
import functools
import inspect
import types

import footlight as tf
from footlight import _engine
from footlight._tensorflow.publish import publish
from footlight._tensorflow.python.util import tf_decorator as _tf_decorator
from footlight._typing import Any, Callable


_everywhere: list[GlobalOpDispatcher] = []
_of_function: dict[Any, list[OpDispatcher]] = collections.defaultdict(list)
NOT_SUPPORTED = object()


class OpDispatcher:
    """Who may answer calls of one function that cannot do with its arguments: `handle` gives the result or NOT_SUPPORTED."""

    NOT_SUPPORTED = NOT_SUPPORTED

    def handle(self, args, kwargs):
        """The result of a call."""
        return self.NOT_SUPPORTED

    def register(self, op: Callable[..., Any]) -> None:
        """Asks it for calls of `op` that fail."""
        _listen()
        _of_function[_key(op)].append(self)


class GlobalOpDispatcher:
    """The same for calls of any function: handle(op, args, kwargs)."""

    NOT_SUPPORTED = NOT_SUPPORTED

    def handle(self, op, args, kwargs):
        """The result of a call."""
        return self.NOT_SUPPORTED

    def register(self) -> None:
        """Asks it for all calls that fail."""
        _listen()
        _everywhere.append(self)


def _key(op: Callable[..., Any]) -> Callable[..., Any]:
    op = getattr(op, '__func__', op)
    first = getattr(op, '__original_wrapped__', None)  # unchanged when AutoGraph replaces the inner function
    return getattr(op, '__wrapped__', op) if first is None else first


def _answer(op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
    for one in _of_function.get(_key(op), ()):
        found = one.handle(args, kwargs)
        if found is not NOT_SUPPORTED:
            return found
    for dispatcher in _everywhere:
        found = dispatcher.handle(op, args, kwargs)
        if found is not NOT_SUPPORTED:
            return found
    return NotImplemented


def dispatch(op, args, kwargs):
    """What the dispatchers of a program give for a call, or NOT_SUPPORTED."""
    found = _answer(op, args, kwargs)
    return NOT_SUPPORTED if found is NotImplemented else found


def _listen() -> None:
    from footlight._types import tensor_operators  # noqa: F401  (as functions that others' values can have)
    _engine.on_failures(_answer)
    members = {name: member for base in reversed(tf.RaggedTensor.__mro__) for name, member in vars(base).items()}
    for name, member in members.items():
        if name.startswith('from_') and isinstance(member, classmethod) and not hasattr(member.__func__, '__wrapped__'):
            setattr(tf.RaggedTensor, name, classmethod(_asking(member.__func__)))


def _asking(plain: Callable[..., Any]) -> Callable[..., Any]:
    """A constructor of ragged tensors whose failed calls the dispatchers may answer."""
    @functools.wraps(plain)
    def asked(*args, **kwargs):
        try:
            return plain(*args, **kwargs)
        except (TypeError, ValueError):
            found = _answer(asked, args, kwargs)
            if found is NotImplemented:
                raise
            return found
    return asked


class _TypeDispatcher(OpDispatcher):
    def __init__(self, op: Any, function: Any, kinds: Any) -> None:
        if isinstance(op, types.FunctionType) and not hasattr(op, '__wrapped__') and (op.__module__ or '').partition(
                '.')[0] not in ('footlight', 'tensorflow'):
            raise AssertionError(f'Dispatching not enabled for {op}: decorate it with add_dispatch_support')
        self._function, self._types = function, kinds
        self._of_op, self._own = _signature_of(op), _signature_of(function)
        if self._of_op and self._own and _required(self._of_op) != _required(self._own):
            raise AssertionError("The decorated function's non-default arguments must be identical to that of the overridden "
                                 f'op. {function} has the signature {self._own}, {op} has {self._of_op}.')

    def handle(self, args, kwargs):
        for value in [*args, *kwargs.values()]:
            for one in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(one, self._types):
                    return self._function(*args, **self._known(kwargs))
        return self.NOT_SUPPORTED

    def _known(self, kwargs: dict[Any, Any]) -> dict[Any, Any]:
        """The arguments by name that the function takes; the others must be what the op has without them."""
        if not self._of_op or not self._own or any(p.kind == p.VAR_KEYWORD for p in self._own.parameters.values()):
            return kwargs
        for name in set(kwargs) - set(self._own.parameters):
            if name in self._of_op.parameters and not _is_same(kwargs[name], self._of_op.parameters[name].default):
                raise AssertionError(f'Dispatched op is called with argument `{name}` set to a non-default value, which is '
                                     f'not supported by the decorated function {self._function}')
        return {name: value for name, value in kwargs.items() if name in self._own.parameters}


def _is_same(given: Any, default: Any) -> bool:
    """Whether an argument is the default: the same object or, among plain values of Python, an equal one."""
    if isinstance(given, (tuple, list)) and type(given) is type(default):
        return len(given) == len(default) and all(map(_is_same, given, default))
    plain = bool, int, float, complex, str, bytes
    return given is default or (type(given) in plain and type(default) in plain and given == default)


def _signature_of(function: Callable[..., Any]) -> Any:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # a C function without a signature
        return None


def _required(signature: Any) -> tuple[Any, ...]:
    """The names of the arguments that have no default: those that may be given in order, in that order, and the others."""
    needed = [p for p in signature.parameters.values() if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return [p.name for p in needed if p.kind != p.KEYWORD_ONLY], {p.name for p in needed if p.kind == p.KEYWORD_ONLY}


def dispatch_for_types(op: Callable[..., Any], *types: Any) -> Callable[..., Any]:
    """A decorator: what answers failed calls of `op` where an argument is of one of these types."""
    def decorate(function):
        _TypeDispatcher(op, function, types).register(op)
        return function
    return decorate


def add_dispatch_support(target: Callable[..., Any] | None = None,
                         iterable_parameters: Any = None) -> Callable[..., Any]:
    """A decorator: calls of the function that raise TypeError or ValueError ask the program's dispatchers."""
    def decorate(function):
        @functools.wraps(function)
        def asked(*args, **kwargs):
            if iterable_parameters and any(isinstance(value, collections.abc.Iterator) for value in [*args, *kwargs.values()]):
                bound = inspect.signature(function).bind(*args, **kwargs)
                for name in iterable_parameters:
                    if name in bound.arguments:
                        bound.arguments[name] = list(bound.arguments[name])
                args, kwargs = bound.args, bound.kwargs
            try:
                return function(*args, **kwargs)
            except (TypeError, ValueError):
                found = _answer(asked, args, kwargs)
                if found is NotImplemented:
                    raise
                return found
        return _tf_decorator.make_decorator(function, asked, 'add_dispatch_support')
    return decorate if target is None else decorate(target)


publish(globals())
publish(globals(), 'OpDispatcher GlobalOpDispatcher add_dispatch_support', '__internal__.dispatch')
