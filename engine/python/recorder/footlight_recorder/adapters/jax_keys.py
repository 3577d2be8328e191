"""What JAX compares when it looks for a trace: shapes, dtypes, weak types, static values, the tree and its metadata."""
from __future__ import annotations

import functools
import inspect
import itertools
import os
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from footlight_recorder import keys

_PLAIN = (bool, int, float, complex, str, bytes)


class _Known(NamedTuple):
    """A numbered object. `held` gives it as long as it lives; None: only its hash is known, which equal ones share."""
    held: Callable[[], object] | None
    number: int
    name: str


class _Numbers:
    """Numbers of objects, classes and functions: equal ones of one class have the same. Keeps none of them alive."""

    def __init__(self) -> None:
        self._known: dict[object, list[_Known]] = {}  # by class and hash
        self._next = itertools.count(1)

    def of(self, value: object, name: str, numbered: bool = False) -> tuple[int, str]:
        """The number, and the name under which the object was first seen."""
        if isinstance(value, types.MethodType):  # a new one whenever it is taken from its object
            parts: object = ('method', self.of(value.__self__, name)[0], self.of(value.__func__, name)[0])
            return self._find(('', hash(parts)), parts, name, numbered)
        try:
            which = hash(value)
        except TypeError:
            which = id(value)
        return self._find((type(value).__module__, type(value).__qualname__, which), value, name, numbered)

    def _find(self, key: object, value: object, name: str, numbered: bool) -> tuple[int, str]:
        entries = self._known.setdefault(key, [])
        for known in entries:
            if known.held is None or _is_same(known.held(), value):
                return known.number, known.name
        number = next(self._next)
        held: Callable[[], object] | None = None
        try:
            by_value = type(value).__hash__ not in (object.__hash__, None)
            # One that is equal to a dead one has its number: JAX may have kept it.
            held = weakref.ref(value, None if by_value else lambda _: self._known.pop(key, None))
        except TypeError:
            pass
        entries.append(_Known(held, number, f'{name[:-1]} {number}>' if numbered else name))
        return number, entries[-1].name


def _is_same(known: object, value: object) -> bool:
    """Whether JAX takes an object, or None for one that is gone, for the same as another with its hash."""
    if known is None or known is value:
        return True
    try:
        return type(known) is type(value) and bool(known == value)
    except Exception:
        return False


def _field_names(value: object, parts: list[Any]) -> list[str]:
    """The attributes that hold the parts, or their positions."""
    if hasattr(value, '_fields'):
        return list(value._fields)
    attributes = dict(getattr(value, '__dict__', {}))
    for cls in type(value).__mro__:
        for name in getattr(cls, '__slots__', ()):
            if isinstance(name, str) and hasattr(value, name):
                attributes[name] = getattr(value, name)
    names = []
    for position, part in enumerate(parts):
        found = [name for name, held in attributes.items() if held is part]
        names.append(found[0] if found else str(position))
        if found:
            attributes.pop(found[0])
    return names


def function_under(function: Any) -> Any:
    """The user's function under what wraps it: jit, vmap, partial."""
    for _ in range(50):
        if hasattr(function, '__wrapped__'):
            function = function.__wrapped__
        elif isinstance(function, functools.partial):
            function = function.func
        else:
            break
    return function


def _held_by(function: Any, class_name: str, depth: int) -> Any:
    """What a function, or one that it wraps, closes over of a class."""
    for cell in getattr(function, '__closure__', None) or ():
        try:
            held = cell.cell_contents
        except ValueError:  # the variable has no value yet
            continue
        if type(held).__name__ == class_name:
            return held
    wrapped = getattr(function, '__wrapped__', None)
    return _held_by(wrapped, class_name, depth - 1) if wrapped is not None and depth else None


def jitted_of(jitted: Any) -> tuple[Any, Any]:
    """What was given to jit, and the options, which are None where JAX does not tell them."""
    info = getattr(jitted, '_jit_info', None)
    if info is None:  # before JAX 0.5
        info = _held_by(getattr(jitted, 'trace', None), 'PjitInfo', 3)
    return getattr(jitted, '_fun', None) or getattr(jitted, '__wrapped__', None), info


def code_of(function: Any) -> types.CodeType | None:
    """The code object of a function, a method or an object that is called."""
    function = getattr(function, '__func__', function)
    code = getattr(function, '__code__', None)
    if code is None:
        code = getattr(getattr(type(function), '__call__', None), '__code__', None)
    return code


class Keys:
    """Describes arguments, as `_recorder.key` takes them."""

    def __init__(self, flatten_one_level: Callable[[object], Any], abstract: Callable[[object], Any]) -> None:
        self._flatten_one_level, self._abstract = flatten_one_level, abstract
        self._numbers = _Numbers()

    def static(self, value: Any) -> object:
        """What is compared by value: static arguments, metadata of classes."""
        if value is None or type(value) in _PLAIN or value is Ellipsis:
            return value
        if type(value) is tuple or type(value) is list:
            return type(value)(self.static(item) for item in value)
        if type(value) is dict:
            return {self._entry(key): self.static(item) for key, item in value.items()}
        if isinstance(value, type) or isinstance(value, types.ModuleType):
            return self.named('type', value, getattr(value, '__name__', '?'))
        under = function_under(value)
        if callable(value) and (code := code_of(under)) is not None and not hasattr(value, '__dataclass_fields__') and \
                isinstance(under, (types.FunctionType, types.MethodType)):
            name = f'{under.__qualname__} ({os.path.basename(code.co_filename)}:{code.co_firstlineno})'
            identity = self.named('object', value, '<function>', numbered=True)
            return keys.Leaf('callable', number=self._numbers.of(code, name)[0], name=name, parts=(identity,))
        return self.named('object', value, f'<{type(value).__name__} object>', numbered=True)

    def named(self, kind: str, value: object, name: str, numbered: bool = False) -> keys.Leaf:
        """An object that stands in a key by its number."""
        number, first_name = self._numbers.of(value, name, numbered)
        return keys.Leaf(kind, number=number, name=first_name)

    def _mesh(self, aval: Any) -> tuple[int, str]:
        """Number and name of the mesh that the type of an array names."""
        name = _mesh_name(aval)
        return self._numbers.of(name, name) if name else (0, '')

    def _entry(self, key: object) -> object:
        return key if type(key) in _PLAIN else repr(key)

    def traced(self, value: Any) -> object:
        """What is compared by shape, dtype and weak type, in the tree that holds it."""
        if value is None:
            return None
        if type(value) is tuple or type(value) is list:
            return type(value)(self.traced(item) for item in value)
        if type(value) is dict:
            return {self._entry(key): self.traced(value[key]) for key in _sorted(value)}
        level = self._flatten_one_level(value) if not _is_leaf(value) else None
        if level is None:
            aval = self._abstract(value)
            return keys.tensor(str(getattr(aval, 'dtype', type(aval).__name__)), tuple(map(_size, getattr(aval, 'shape', ()))),
                               bool(getattr(aval, 'weak_type', False)), self._mesh(aval))
        children, metadata = list(level[0]), level[1]
        names, parts = _field_names(value, children), [self.traced(child) for child in children]
        if not hasattr(value, '_fields'):
            held = list(metadata) if type(metadata) is tuple else [] if metadata is None else [metadata]
            names += [name if not name.isdigit() else f'metadata{name}' for name in _field_names(value, held)]
            parts += [self.static(item) for item in held]
        cls = type(value)
        number = self._numbers.of(cls, cls.__name__)[0]
        return keys.Leaf('fields', number=number, name=f'{cls.__name__}({",".join(names)})', parts=tuple(parts))


def _mesh_name(aval: Any) -> str:
    """The mesh that the type of an array names: "mesh (data: 2)"; empty if it names none, as in JAX before 0.5."""
    sharding = getattr(aval, 'sharding', None)
    mesh = getattr(sharding, 'mesh', None)
    if mesh is None or getattr(mesh, 'empty', True):
        return ''
    axes = ', '.join(f'{name}: {size}' for name, size in dict(mesh.shape).items())
    spec = getattr(sharding, 'spec', None) or ()
    return f'{f"{spec} over " if any(one is not None for one in spec) else ""}mesh ({axes})'


def _is_leaf(value: object) -> bool:
    return isinstance(value, _PLAIN) or hasattr(value, 'dtype') and hasattr(value, 'shape')


def _size(size: object) -> int | None:
    return size if isinstance(size, int) else None


def _sorted(mapping: dict[Any, Any]) -> list[Any]:
    try:
        return sorted(mapping)
    except TypeError:
        return list(mapping)


class Parameters:
    """The parameters of a traced function, and which of them are static."""

    def __init__(self, function: Any, static_argnums: tuple[int, ...], static_argnames: tuple[str, ...]) -> None:
        try:
            self._signature: inspect.Signature | None = inspect.signature(function)
        except (TypeError, ValueError):
            self._signature = None
        self.static_argnums, self.static_argnames = static_argnums, static_argnames
        self.names = list(self._signature.parameters) if self._signature else []

    def _static(self, count: int) -> set[str]:
        positions = {at if at >= 0 else at + count for at in self.static_argnums}
        return {name for at, name in enumerate(self.names) if at in positions} | set(self.static_argnames)

    def bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, Any, bool]]:
        """(name, value, whether it is static) for each parameter; a starred one has a tuple or dict."""
        static = self._static(len(args))
        if self._signature is None:
            for at, value in enumerate(args):
                yield f'arg{at}', value, at in self.static_argnums
            for name, value in kwargs.items():
                yield name, value, name in static
            return
        given = self._signature.bind(*args, **kwargs).arguments
        for name, parameter in self._signature.parameters.items():
            if name in given:
                yield name, given[name], name in static
            elif parameter.kind is parameter.VAR_POSITIONAL:
                yield name, (), False
            elif parameter.kind is parameter.VAR_KEYWORD:
                yield name, {}, False
            else:  # an omitted default is a value of the program, as a static one is
                yield name, parameter.default, True

    def how_given(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        """How the arguments are given, where that is not by position: JAX tells calls apart by it."""
        if self._signature is None:
            return ''
        of_position = [name for name, p in self._signature.parameters.items()
                       if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        by_name = [name for name in of_position if name in kwargs]
        static = self._static(len(args))
        omitted = [name for name, p in self._signature.parameters.items()
                   if name in static and name not in kwargs and name not in of_position[:len(args)]]
        return '; '.join([f'by name: {", ".join(by_name)}'] * bool(by_name) +
                         [f'omitted: {", ".join(omitted)}'] * bool(omitted))
