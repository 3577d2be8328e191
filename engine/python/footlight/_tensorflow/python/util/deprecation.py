"""tensorflow.python.util.deprecation: functions that say that they, or some of their arguments, go away."""
from __future__ import annotations

import contextlib
import functools
import inspect
import re

from footlight import _engine
from footlight._tensorflow.publish import publish
from footlight._tensorflow.python.util import tf_decorator as _tf_decorator
from footlight._tensorflow.python.util.decorator_utils import (
    add_notice_to_docstring, get_qualified_name, validate_callable)
from footlight._typing import Any, Callable, Iterator

_said: set[Any] = set()
_is_silent = False


class DeprecatedNamesAlreadySetError(Exception):
    """A function whose deprecated names are given twice."""


@contextlib.contextmanager
def silence() -> Iterator[Any]:
    """A context in which nothing is said about what is deprecated."""
    global _is_silent
    before, _is_silent = _is_silent, True
    try:
        yield
    finally:
        _is_silent = before


def _check(date: str | None, instructions: str) -> None:
    if date is not None and not re.match(r'20\d\d-[01]\d-[0123]\d', date):
        raise ValueError(f'Date must be in format YYYY-MM-DD. Received: {date}')
    if not instructions:
        raise ValueError('Don\'t deprecate things without conversion instructions! Specify the `instructions` argument.')


def _say(key, once, words, *values):
    if _is_silent or once and key in _said:
        return
    _said.add(key)
    caller = inspect.currentframe().f_back.f_back
    _engine.namespace('python.platform.tf_logging').warning(
        'From %s: ' + words, f'{caller.f_code.co_filename}:{caller.f_lineno}', *values)


def _when(date: str | None) -> str:
    return 'in a future version' if date is None else f'after {date}'


def _doc_of(doc: str | None, what: str, subject: str, goes: str, date: str | None, instructions: str) -> str:
    """The docstring of what is deprecated."""
    return add_notice_to_docstring(
        doc, instructions, 'DEPRECATED FUNCTION' + what.upper(), f'(deprecated{what})',
        ['%s DEPRECATED%s It will be removed %s.'.replace('It', 'They' if what else 'It') % (
            subject, goes, _when(date)), 'Instructions for updating:'], 'Deprecated')


# --- what goes away ---
def deprecated(date: Any, instructions: Any, warn_once: bool = True) -> Callable[..., Any]:
    """A decorator: calls of the function, or making the class, say that it goes away, and what to use instead."""
    _check(date, instructions)

    def decorate(func_or_class):
        maker = None
        if isinstance(func_or_class, type):
            own = '__new__' in vars(func_or_class) or func_or_class.__init__ is object.__init__
            maker = '__new__' if own else '__init__'
            function = getattr(func_or_class, maker)
        else:
            validate_callable(func_or_class, 'deprecated')
            function = func_or_class

        @functools.wraps(function)
        def new_func(*args, **kwargs):
            _say(func_or_class, warn_once, '%s (from %s) is deprecated and will be removed %s.\nInstructions for updating:\n%s',
                 get_qualified_name(func_or_class), func_or_class.__module__, _when(date), instructions)
            return function(*args, **kwargs)
        doc = _doc_of(func_or_class.__doc__, '', f"THIS {'CLASS' if maker else 'FUNCTION'} IS", '.', date, instructions)
        if maker is None:
            return _tf_decorator.make_decorator(function, new_func, 'deprecated', doc)
        setattr(func_or_class, maker, new_func)
        with contextlib.suppress(AttributeError):
            func_or_class.__doc__ = doc
        return func_or_class
    return decorate


def deprecated_alias(deprecated_name, name, func_or_class, warn_once=True):
    """The function or class under a name that goes away."""
    words = 'The name %s is deprecated. Please use %s instead.\n'
    if isinstance(func_or_class, type):
        @functools.wraps(func_or_class.__init__)
        def init(self, *args, **kwargs):
            _say((func_or_class, deprecated_name), warn_once, words, deprecated_name, name)
            func_or_class.__init__(self, *args, **kwargs)
        return type(func_or_class.__name__, (func_or_class,), {
            '__init__': _tf_decorator.make_decorator(func_or_class.__init__, init, 'deprecated'),
            '__doc__': func_or_class.__doc__, '__module__': func_or_class.__module__})

    @functools.wraps(func_or_class)
    def new_func(*args, **kwargs):
        _say((func_or_class, deprecated_name), warn_once, words, deprecated_name, name)
        return func_or_class(*args, **kwargs)
    return _tf_decorator.make_decorator(func_or_class, new_func, 'deprecated')


def deprecated_endpoints(*args: Any) -> Callable[..., Any]:
    """A decorator: which of a function's public names go away."""
    def decorate(func):
        if '_tf_deprecated_api_names' in getattr(func, '__dict__', ()):
            raise DeprecatedNamesAlreadySetError(f'the deprecated names of {func.__name__} are set already')
        func._tf_deprecated_api_names = args
        return func
    return decorate


def _is_same(given: int | str | None, value: str | None) -> bool:
    return given is value or type(given) is type(value) and isinstance(value, (str, int, float, bool)) and given == value


def _warns_for(date: str | None, instructions: str, warn_once: bool, is_used: Callable[..., Any], what: str,
               shown_in_doc: list[Any], name: str) -> Callable[..., Any]:
    """A decorator that says something for those (argument, value) that `is_used` yields of a call's arguments."""
    _check(date, instructions)

    def decorate(func):
        validate_callable(func, name)
        signature = inspect.signature(_tf_decorator.unwrap(func)[1])
        is_used(signature, None)

        @functools.wraps(func)
        def new_func(*args, **kwargs):
            try:
                given = signature.bind(*args, **kwargs)
            except TypeError:
                return func(*args, **kwargs)  # which says what is wrong
            for argument, shown in is_used(signature, given):
                _say((func, argument), warn_once,
                     'calling %s (from %s) with %s is deprecated and will be removed %s.\nInstructions for updating:\n%s',
                     get_qualified_name(func), func.__module__, shown, _when(date), instructions)
            return func(*args, **kwargs)
        doc = _doc_of(func.__doc__, what, f'SOME{what.upper()} ARE', f": `({', '.join(shown_in_doc)})`.", date,
                      instructions)
        return _tf_decorator.make_decorator(func, new_func, name, doc)

    return decorate


def deprecated_args(date: Any, instructions: Any, *deprecated_arg_names_or_tuples: Any,
                    warn_once: bool = True) -> Callable[..., Any]:
    """A decorator: calls that give one of these arguments say that it goes away; (name, value): unless it is that value."""
    _check(date, instructions)
    if not deprecated_arg_names_or_tuples:
        raise ValueError('Specify which argument is deprecated.')
    fine = {one[0] if isinstance(one, tuple) else one: one[1:] if isinstance(one, tuple) else ()
            for one in deprecated_arg_names_or_tuples}

    def is_used(signature, given):
        if given is None:
            takes_any = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
            missing = [name for name in fine if name not in signature.parameters]
            if missing and not takes_any:
                raise ValueError('The following deprecated arguments are not present in the function signature: '
                                 f'{missing}. Expected arguments: {list(signature.parameters)}')
            return ()
        more = {}
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                more = given.arguments.get(parameter.name, {})
        values = {**more, **{key: value for key, value in given.arguments.items() if value is not more}}
        return [(name, name) for name, allowed in fine.items()
                if name in values and not any(_is_same(values[name], value) for value in allowed)]
    return _warns_for(date, instructions, warn_once, is_used, ' arguments', list(fine), 'deprecated_args')


def deprecated_arg_values(date: Any, instructions: Any, warn_once: bool = True,
                          **deprecated_kwargs: Any) -> Callable[..., Any]:
    """A decorator: calls in which an argument has this value, given or by default, say that it goes away."""
    _check(date, instructions)
    if not deprecated_kwargs:
        raise ValueError('Specify which argument values are deprecated.')

    def is_used(signature, given):
        if given is None:
            return ()
        given.apply_defaults()
        return [(name, f'{name}={value!s}') for name, value in deprecated_kwargs.items()
                if name in given.arguments and _is_same(given.arguments[name], value)]
    return _warns_for(date, instructions, warn_once, is_used, ' argument values',
                      [f'{name}={value!s}' for name, value in sorted(deprecated_kwargs.items())], 'deprecated_arg_values')


def deprecated_argument_lookup(new_name: Any, new_value: Any, old_name: Any, old_value: Any) -> int:
    """The value of an argument that has got another name."""
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old_value


def rewrite_argument_docstring(old_doc, old_argument, new_argument):
    """A docstring that calls an argument by its new name."""
    return old_doc.replace(f'`{old_argument}`', f'`{new_argument}`').replace(f'{old_argument}:', f'{new_argument}:')


publish(globals())
