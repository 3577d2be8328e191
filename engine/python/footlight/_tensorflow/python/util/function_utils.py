"""tensorflow.python.util.function_utils: names, arguments and code of functions."""
from __future__ import annotations

import functools
import inspect

from footlight._tensorflow.publish import publish
from footlight._tensorflow.python.util.tf_inspect import _inner, getfullargspec
from footlight._typing import Any, Callable


def fn_args(fn):
    """The names of the positional arguments that a call may give."""
    if isinstance(fn, functools.partial):
        return tuple(name for name in fn_args(fn.func)[len(fn.args):] if name not in fn.keywords)
    if not (inspect.isfunction(fn) or inspect.ismethod(fn) or inspect.isclass(fn)) and (
            inspect.isroutine(fn) or not hasattr(fn, '__call__')):
        raise TypeError('unsupported callable')
    if not inspect.isfunction(getattr(fn, '__func__', fn)) and hasattr(fn, '__wrapped__'):
        return ()  # a wrapper takes any arguments
    target = fn if inspect.isroutine(fn) or inspect.isclass(fn) else fn.__call__
    names = getfullargspec(target).args
    return tuple(names[1:] if inspect.ismethod(target) and names else names)


def has_kwargs(fn: Callable[..., Any]) -> bool:
    """Whether a function takes any keyword."""
    if not callable(fn):
        raise TypeError(f'Argument `fn` should be a callable, not {fn!r}')
    return getfullargspec(fn.func if isinstance(fn, functools.partial) else fn).varkw is not None


def get_func_name(func: Callable[..., Any]) -> str:
    """The name of a function as source has it."""
    inner = _inner(func)
    if not callable(inner):
        raise ValueError(f'Argument `func` must be a callable, not {func!r}')
    if inspect.ismethod(inner):
        return f'{type(inner.__self__).__name__}.{inner.__func__.__name__}'
    return inner.__name__ if inspect.isfunction(inner) or inspect.isbuiltin(inner) else str(type(inner))


def get_func_code(func: Callable[..., Any]) -> Any:
    """The code of a function, of the method that an object is called by; None for a functools.partial."""
    inner = _inner(func)
    if not callable(inner):
        raise ValueError(f'Argument `func` must be a callable, not {func!r}')
    if inspect.isfunction(inner) or inspect.ismethod(inner):
        return inner.__code__
    return getattr(getattr(inner, '__call__', None), '__code__', None)


publish(globals())
