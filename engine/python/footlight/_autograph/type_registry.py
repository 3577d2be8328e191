"""Handlers that programs register with AutoGraph for their own types: for loops over them and builtins."""
from __future__ import annotations

from footlight._typing import Any


class TypeRegistry:
    """Maps types to values. If an object is an instance of several types, the first one registered wins."""

    def __init__(self):
        self._values = {}

    def register(self, obj: Any, value: Any) -> None:
        if obj in self._values:
            raise KeyError(f'{obj!s} is registered already')
        self._values[obj] = value

    def lookup(self, obj):
        for value in self._of(obj):
            return value
        raise LookupError(f'no value for objects of type {type(obj).__name__}')

    def find(self, objects):
        """The value of the first object that has one, or None."""
        return next((value for one in objects for value in self._of(one)), None)

    def _of(self, obj):
        return (value for kind, value in self._values.items() if isinstance(obj, kind))


# Registries of the program's own handlers, by builtin or 'for_loop'.
REGISTRIES = {name: TypeRegistry() for name in (
    'abs', 'all', 'any', 'enumerate', 'filter', 'for_loop', 'len', 'map', 'next', 'print', 'sorted', 'zip')}
