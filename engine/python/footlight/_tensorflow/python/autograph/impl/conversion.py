"""tensorflow.python.autograph.core.config and impl.conversion: which functions are converted, by rules for the modules that they are in.

The rules are those of converted_call; a function that is traced goes by where the files of its code lie.
"""
from __future__ import annotations

import enum
import functools
import inspect
import sys
import unittest
import weakref

from footlight import _engine
from footlight._tensorflow.python.autograph.pyct import inspect_utils as _inspect
from footlight._typing import Any

_config = _engine.namespace('python.autograph.core.config')
_allowlisted: Any = weakref.WeakKeyDictionary()  # functions that run unconverted -> conversion options


class Action(enum.Enum):
    NONE = 0
    CONVERT = 1
    DO_NOT_CONVERT = 2


class Rule:
    """What holds for a module and those inside of it."""
    _action = Action.NONE

    def __init__(self, module_prefix: str) -> None:
        self._prefix = module_prefix

    def matches(self, module_name):
        return module_name == self._prefix or module_name.startswith(self._prefix + '.')

    def get_action(self, module):
        return self._action if self.matches(module.__name__) else Action.NONE

    def __str__(self) -> str:
        return f'{type(self).__name__} rule for {self._prefix}'
    __repr__ = __str__


class Convert(Rule):
    _action = Action.CONVERT


class DoNotConvert(Rule):
    _action = Action.DO_NOT_CONVERT


def is_unsupported(o):
    """Whether an object is no function with a source, or one that looks at the code that calls it."""
    if inspect.isfunction(o) or inspect.ismethod(o) or isinstance(o, functools.partial):
        return _module_name(o) in ('collections', 'copy', 'inspect', 'pdb', 're')
    return inspect.ismodule(o) or inspect.isclass(o) or not callable(o) or isinstance(o, functools._lru_cache_wrapper)


def _module_name(o):
    module = o if inspect.ismodule(o) else getattr(o, '__module__', None) or inspect.getmodule(o)
    return module if isinstance(module, str) else getattr(module, '__name__', '')


def is_allowlisted(o, check_call_override=True, allow_namedtuple_subclass=False):
    """Whether code runs as it is: a rule for its module says so, or one for the class that it is a method of."""
    if isinstance(o, functools.partial):
        return is_allowlisted(o.func)
    name = _module_name(o)
    for rule in (*_config.CONVERSION_RULES, *_OURS):
        if rule.matches(name):
            return rule._action == Action.DO_NOT_CONVERT
    if inspect.isgeneratorfunction(o):
        return True
    if check_call_override and not (inspect.isclass(o) or inspect.isroutine(o)) and callable(o):
        if is_allowlisted(type(o).__call__):
            return True
    if inspect.ismethod(o):
        owner = _inspect.getmethodclass(o)
        if issubclass(owner, unittest.TestCase):
            return True
        if issubclass(owner, TfMethodTarget):
            owner = o.__self__.target_class
        if is_allowlisted(_inspect.getdefiningclass(o, owner), False, True):
            return True
    if not _inspect.isnamedtuple(o):
        return False
    return not (allow_namedtuple_subclass and any(_inspect.isnamedtuple(base) for base in o.__bases__))


class TfMethodTarget:
    """Stands for the object of a method of which it does not keep the object alive."""

    def __init__(self, target: Any, original_python_function: Any) -> None:
        self.weakrefself_target__ = target
        self.weakrefself_func__ = weakref.ref(original_python_function)

    @property
    def target(self) -> Any:
        return self.weakrefself_target__()

    @property
    def target_class(self) -> Any:
        made = self.target
        return made if inspect.isclass(made) else type(made)

    def call(self, args, kwargs):
        function = self.weakrefself_func__()
        if inspect.ismethod(function):
            function = function.__func__
        return function(self.target, *args, **kwargs)


def cache_allowlisted(entity: Any, options: Any) -> None:
    """Keeps that a function runs as it is, with these options."""
    try:
        _allowlisted.setdefault(entity, set()).add(options)
    except TypeError:  # the object cannot be a weak key
        pass


def is_in_allowlist_cache(entity: Any, options: Any) -> bool:
    """Whether that was kept."""
    try:
        return options in _allowlisted.get(entity, ())
    except TypeError:
        return False


# Modules of which programs' own classes and functions say that they are from there.
_MAKE_FOR_PROGRAMS = {'abc', 'builtins', 'dataclasses', 'enum', 'functools', 'types', 'typing'}
_OURS = DoNotConvert('footlight'), DoNotConvert('tensorflow')
_config.CONVERSION_RULES = (*_OURS, *(DoNotConvert(name) for name in (
    'keras', 'numpy', *sorted(sys.stdlib_module_names - _MAKE_FOR_PROGRAMS))))
