"""tensorflow.python.util.tf_export: names of a library's functions."""
from __future__ import annotations

import contextlib
import functools
import inspect

import footlight as tf
from footlight._public import find_public
from footlight._tensorflow.publish import publish
from footlight._tensorflow.python.util import tf_decorator as _tf_decorator
from footlight._typing import Any, Callable


_V1 = 'compat.v1.'
_symbols: dict[str, Any] = {}  # public name -> what a library has exported under it
_names: dict[int, tuple[Any, ...]] = {}  # id of that -> (it, the API, its names, those of v1)


class InvalidSymbolNameError(Exception):
    """A name that its API does not have, or has already."""


class api_export:  # a class, as functools.partial(api_export, api_name=...) and isinstance() take it
    """A decorator: the public names of a function or class; it stays what it is."""

    def __init__(self, *args: Any, api_name: str = 'tensorflow', v1: Any = None,
                 allow_multiple_exports: bool = True) -> None:
        self._names, self._api_name = args, api_name
        self._names_v1 = tuple(v1) if v1 is not None else args
        for name in (*self._names, *self._names_v1):
            if api_name == 'keras' and not name.startswith('keras.'):
                raise InvalidSymbolNameError(f'a name that Keras exports begins with `keras.`, which {name!r} does not')

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        inner = _tf_decorator.unwrap(func)[1]
        for name in self._names:
            _symbols[name] = func
        for name in self._names_v1:
            _symbols[_V1 + name] = func
        _names[id(inner)] = (inner, self._api_name, self._names, self._names_v1)
        names, names_v1 = (('_tf_api_names', '_tf_api_names_v1') if self._api_name == 'tensorflow' else
                           ('_keras_api_names', '_keras_api_names_v1'))
        for attribute, value in ((names, self._names), (names_v1, self._names_v1)):
            with contextlib.suppress(AttributeError, TypeError):
                setattr(inner, attribute, value)
        return func

    def export_constant(self, module_name: Any, name: str) -> None:
        """Exports a constant of a module."""
        import sys
        value = getattr(sys.modules[module_name], name)
        for public in self._names:
            _symbols[public] = value
        for public in self._names_v1:
            _symbols[_V1 + public] = value


tf_export = functools.partial(api_export, api_name='tensorflow')
keras_export = functools.partial(api_export, api_name='keras')


def _is_there(name: str, symbol: Callable[..., Any]) -> bool:
    return get_symbol_from_name(name) is symbol


def get_canonical_name_for_symbol(symbol: Callable[..., Any], api_name: str = 'tensorflow',
                                  add_prefix_to_v1_names: bool = False) -> str | None:
    """The first public name of a function or class, or None; with a prefix where only v1 has it."""
    found = _names.get(id(_tf_decorator.unwrap(symbol)[1]))
    if found is not None:
        _, api, names, names_v1 = found
        if api != api_name:
            return None
        if names:
            return names[0]
        return (_V1 if add_prefix_to_v1_names else '') + names_v1[0] if names_v1 else None
    if api_name != 'tensorflow':
        return None
    module, name = getattr(symbol, '__module__', None), getattr(symbol, '__name__', None)
    for full, known in (('RaggedTensor', tf.RaggedTensor), ('sparse.SparseTensor', tf.SparseTensor), ('data.Dataset', tf.data.Dataset)):
        if symbol is known:  # classes whose module is the one that libraries know them by
            return full
    if not isinstance(module, str) or not isinstance(name, str) or module.partition('.')[0] != 'footlight':
        return None
    full = (module + '.' + name).partition('.')[2]
    if not _is_there(full, symbol):
        return None
    if full.startswith(_V1) and not add_prefix_to_v1_names:
        return full[len(_V1):]
    return full


def get_symbol_from_name(name):
    """What has a public name, or None."""
    if name in _symbols:
        return _symbols[name]
    found = find_public(name)
    return None if inspect.ismodule(found) else found


publish(globals(), (
    'api_export tf_export keras_export get_canonical_name_for_symbol get_symbol_from_name '
    'InvalidSymbolNameError'))
