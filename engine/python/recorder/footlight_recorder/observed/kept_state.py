"""Keeps the state that a function can reach and puts it back later, so that a call can be repeated."""
from __future__ import annotations

import collections
import functools
import inspect
import io
import random
import socket
import sys
import sysconfig
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

_MAX_VALUES = 100_000  # values that are looked at; those beyond are not put back
_STANDARD = sysconfig.get_path('stdlib') + '/'
_PLAIN = (int, float, complex, str, bytes, bool, type(None), type, types.ModuleType, types.BuiltinFunctionType, range)


class Kind(NamedTuple):
    """Values of an engine that change in place. `keep` gives what `put_back` restores a value from."""
    classes: tuple[type, ...]
    keep: Callable[[Any], Any] | None        # raises if the state cannot be kept; None: only attributes change
    put_back: Callable[[Any, Any], None] | None
    words: str                               # "the variable"
    attributes: bool = False                 # what its attributes hold is state too


class Generator(NamedTuple):
    """A random number generator."""
    keep: Callable[[], Any]
    put_back: Callable[[Any], None]


def common_generators() -> list[Generator]:
    """Python's generator, and NumPy's where the program uses it."""
    found = [Generator(random.getstate, random.setstate)]
    numpy = sys.modules.get('numpy')
    if numpy is not None and hasattr(numpy, 'random'):
        found.append(Generator(numpy.random.get_state, numpy.random.set_state))
    return found


class KeptState:
    """What can be reached from a function and its arguments, as it is now."""

    def __init__(self, function: Any, arguments: dict[str, Any], more: list[Any], kinds: list[Kind],
                 generators: list[Generator]) -> None:
        self._kinds = [*kinds, *_common_kinds()]
        self._generators = [(one, one.keep()) for one in [*common_generators(), *generators]]
        self._undo: list[Callable[[], None]] = []
        self._seen: dict[int, Any] = {}
        self._names: set[str] = set()           # that the functions use
        self._used_up: list[tuple[str, str]] = []  # what a repetition would use up or write to: name, description
        self._failed = ''
        self._work: collections.deque[tuple[Any, str]] = collections.deque()
        for name, value in arguments.items():
            self._names.add(name)
            self._work.append((value, name))
        self._work.append((function, ''))
        self._work.extend((value, '') for value in more)
        while self._work and len(self._seen) < _MAX_VALUES:
            self._look(*self._work.popleft())

    def refused(self) -> str:
        """Why a call from this state cannot be repeated; empty if it can."""
        for name, what in self._used_up:
            if name in self._names:
                return f'it uses {name}, {what}'
        return self._failed

    def note(self) -> str:
        """What is not put back, although the call may change it; empty if all is."""
        if all(self._needs_no_look(value) for value, _ in self._work):
            return ''
        return f'The call can reach more than {_MAX_VALUES:,} values; the others are not put back before a repetition'

    def put_back(self) -> None:
        """Makes everything what it was."""
        for undo in self._undo:
            undo()
        for generator, state in self._generators:
            generator.put_back(state)

    # ---- one value --------------------------------------------------------------------------------------------------

    def _needs_no_look(self, value: Any) -> bool:
        return issubclass(type(value), _PLAIN) or id(value) in self._seen

    def _look(self, value: Any, name: str) -> None:
        if self._needs_no_look(value):
            return
        kind = type(value)
        self._seen[id(value)] = value
        known = next((one for one in self._kinds if issubclass(kind, one.classes)), None)
        if known is not None:
            self._keep(known, value, name)
        elif issubclass(kind, (tuple, frozenset)):
            self._work.extend((one, name) for one in value)
        elif issubclass(kind, dict):
            self._keep_dict(value)
            self._work.extend((one, key if isinstance(key, str) else name) for key, one in list(dict.items(value)))
        elif issubclass(kind, (list, set, bytearray, collections.deque)):
            self._keep_items(value)
            self._work.extend((one, name) for one in value if kind is not bytearray)
        elif issubclass(kind, types.FunctionType):
            self._look_into(value)
        elif issubclass(kind, types.MethodType):
            self._work.extend(((value.__func__, ''), (value.__self__, '')))
        elif issubclass(kind, functools.partial):
            self._work.extend(((value.func, ''), (value.args, name), (value.keywords, name)))
        elif issubclass(kind, io.IOBase):
            if not value.closed and value.writable() and value not in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
                self._used_up.append((name, 'a file that it may write to: every repetition would write again'))
        elif issubclass(kind, socket.socket):
            self._used_up.append((name, 'a connection: every repetition would send again'))
        elif _is_of_program(kind):
            self._keep_attributes(value)
            self._work.extend((method, '') for method in _methods(kind))
        elif hasattr(kind, '__next__'):
            words = 'a generator' if issubclass(kind, types.GeneratorType) else 'an iterator'
            self._used_up.append((name, f'{words}, whose elements every repetition would use up'))
        elif hasattr(value, '__dict__') and '__wrapped__' in vars(value):
            self._work.append((vars(value)['__wrapped__'], ''))

    def _keep(self, kind: Kind, value: Any, name: str) -> None:
        if kind.keep is not None and kind.put_back is not None:
            try:
                kept = kind.keep(value)
            except Exception as error:
                where = f' {name}' if name else ''
                said = (str(error).splitlines() or [''])[0][:200]
                self._failed = self._failed or f'{kind.words}{where} cannot be put back: {type(error).__name__}: {said}'
                return
            self._undo.append(functools.partial(kind.put_back, value, kept))
        if kind.attributes:
            self._keep_attributes(value)
            self._work.extend((method, '') for method in _methods(type(value)))

    def _keep_attributes(self, value: Any) -> None:
        held = getattr(value, '__dict__', None)
        if type(held) is dict:
            self._keep_dict(held)
            self._work.extend((one, str(key)) for key, one in list(held.items()))
        for name in _slots(type(value)):
            one = getattr(value, name, None)
            self._undo.append(functools.partial(_put_slot_back, value, name, one))
            self._work.append((one, name))

    def _keep_dict(self, value: Any) -> None:
        self._undo.append(functools.partial(_put_dict_back, value, dict(dict.items(value))))

    def _keep_items(self, value: Any) -> None:
        self._undo.append(functools.partial(_put_items_back, value, type(value) is set, list(value)))

    def _look_into(self, function: types.FunctionType) -> None:
        """Keeps what a function of the program names: globals, cells, defaults."""
        code = function.__code__
        inner = function.__dict__.get('__wrapped__')
        if inner is not None:
            self._work.append((inner, ''))
        if _is_library(code.co_filename):
            return
        names = set(_names_of(code))
        self._names |= names
        for name, cell in zip(code.co_freevars, function.__closure__ or ()):
            try:
                held = cell.cell_contents
            except ValueError:
                continue
            self._names.add(name)
            self._undo.append(functools.partial(_put_cell_back, cell, held))
            self._work.append((held, name))
        for name in names & function.__globals__.keys():
            held = function.__globals__[name]
            self._undo.append(functools.partial(_put_global_back, function.__globals__, name, held))
            self._work.append((held, name))
        self._work.extend((one, '') for one in [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()])


def named_arguments(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by the names of the function's parameters."""
    try:
        return dict(inspect.signature(function).bind(*args, **kwargs).arguments)
    except (TypeError, ValueError):
        return {f'argument {at + 1}': value for at, value in enumerate(args)} | kwargs


def _names_of(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_of(constant)


def _is_of_program(kind: type) -> bool:
    """Whether the program defines the class."""
    module = sys.modules.get(kind.__module__)
    path = getattr(module, '__file__', None)
    if path is None:
        return kind.__module__ == '__main__'
    return not _is_library(path)


def _is_library(path: str) -> bool:
    """Whether a path is that of a file of Python or of an installed package, or of no file."""
    return '-packages/' in path or path.startswith((_STANDARD, '<')) or '/footlight_recorder/' in path


def _methods(kind: type) -> Iterator[Any]:
    for base in kind.__mro__:
        if _is_of_program(base):
            for one in vars(base).values():
                if isinstance(one, (staticmethod, classmethod)):
                    one = one.__func__
                yield one.fget if isinstance(one, property) else one


def _slots(kind: type) -> Iterator[str]:
    for base in kind.__mro__:
        named = vars(base).get('__slots__', ())
        if _is_of_program(base):
            for name in (named,) if isinstance(named, str) else named:
                if not name.startswith('__'):
                    yield name


def _common_kinds() -> list[Kind]:
    found = [Kind((random.Random,), lambda one: one.getstate(), lambda one, kept: one.setstate(kept), 'the generator')]
    numpy = sys.modules.get('numpy')
    if numpy is not None and hasattr(numpy, 'ndarray'):
        found.append(Kind((numpy.ndarray,), lambda one: one.copy(), _put_array_back, 'the array'))
        if hasattr(numpy, 'random') and hasattr(numpy.random, 'Generator'):
            found.append(Kind((numpy.random.Generator,), lambda one: one.bit_generator.state, _put_generator_back,
                              'the generator'))
    return found


# What has not changed is left alone: an engine may watch it.

def _put_array_back(array: Any, kept: Any) -> None:
    if array.flags.writeable:
        array[...] = kept


def _put_generator_back(generator: Any, kept: Any) -> None:
    generator.bit_generator.state = kept


def _put_dict_back(held: Any, kept: dict[Any, Any]) -> None:
    if list(dict.keys(held)) != list(kept):
        dict.clear(held)
        dict.update(held, kept)
        return
    for key, value in kept.items():
        if dict.__getitem__(held, key) is not value:
            dict.__setitem__(held, key, value)


def _put_items_back(held: Any, is_set: bool, kept: list[Any]) -> None:
    if len(held) == len(kept) and all(one is other for one, other in zip(held, kept)):
        return
    held.clear()
    if is_set:
        held.update(kept)
    else:
        held.extend(kept)


def _put_slot_back(value: Any, name: str, kept: Any) -> None:
    if getattr(value, name, None) is not kept:
        object.__setattr__(value, name, kept)


def _put_cell_back(cell: Any, kept: Any) -> None:
    cell.cell_contents = kept


def _put_global_back(names: dict[str, Any], name: str, kept: Any) -> None:
    if names.get(name) is not kept:
        names[name] = kept
