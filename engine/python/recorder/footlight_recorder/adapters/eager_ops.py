"""Ops that an engine runs one by one, outside of traced functions: their names, and the types and shapes they ran on."""
from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any

import footlight_recorder
from footlight_recorder import _recorder

# Above the numbers of Footlight's own ops. An event has 16 bits for the number.
_numbers = itertools.count(1 << 15)
_MAX_NUMBER = 0xfffe
_MAX_SHOWN = 16  # arrays of one op

Described = tuple[int, str, str, int, int, int]  # as EagerOps in eager_ops.h reads it


def are_recorded() -> bool:
    """Whether ops are hooked. Where a call is compared they are not: the hooks would be measured with it."""
    return footlight_recorder.wanted_comparison is None


class Ops:
    """The ops of one engine."""

    def __init__(self, family: Callable[[str], str], arrays: tuple[str, ...], result: type | None = None) -> None:
        self._family, self._arrays, self._result = family, arrays, result
        self._known: dict[str, int] = {}
        self._named: dict[str, Callable[..., Any]] = {}

    def stand_in(self, callable_: Any, describe: Callable[[Any, Any], Described | None], first: int = 0,
                 op_at: int = -1) -> Any:
        """Wrap a callable that runs ops. `first`: its first argument that counts; `op_at`: the argument that is the op."""
        return _recorder.eager_op(callable_, describe, self._arrays, self._result, first, op_at)

    def stand_in_for(self, name: str, callable_: Any) -> Any:
        """Wrap a callable that runs one op."""
        describe = self._named.get(name)
        if describe is None:  # kept: the recorder knows ops by it
            describe = self._named[name] = functools.partial(self._describe_named, name)
        return self.stand_in(callable_, describe)

    def _describe_named(self, name: str, arguments: Any, result: Any) -> Described | None:
        return self.described(name, arguments, result)

    def described(self, name: str, arguments: Any, result: Any) -> Described | None:
        """Describe an op for the recorder; None: there are too many ops."""
        number = self._known.get(name)
        if number is None:
            number = next(_numbers)
            if number > _MAX_NUMBER:
                return None
            self._known[name] = number
            self._add(name, number)
        inputs, outputs = list(_arrays_in(arguments)), list(_arrays_in(result))
        return number, _text(inputs), _text(outputs), _bytes(inputs), _bytes(outputs), 0

    def _add(self, name: str, number: int) -> None:
        _recorder.add('op', {'id': number, 'name': name, 'family': self._family(name)})

    def describe_again(self) -> None:
        """Adds the names of ops to a recording that begins later."""
        for name, number in self._known.items():
            self._add(name, number)


def _arrays_in(value: Any) -> Iterable[Any]:
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from _arrays_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _arrays_in(item)
    elif hasattr(value, 'dtype') and hasattr(value, 'shape') and not isinstance(value, type):
        yield value


def _sizes(array: Any) -> tuple[int, ...] | None:
    try:
        return tuple(int(size) for size in array.shape)
    except (TypeError, ValueError):
        return None


def _text(arrays: list[Any]) -> str:
    """"float32[32,784], float32[784,128]"."""
    shown = []
    for array in arrays[:_MAX_SHOWN]:
        sizes = _sizes(array)
        dtype = getattr(array.dtype, 'name', None) or str(array.dtype)
        shown.append(f'{dtype}[{"?" if sizes is None else ",".join(map(str, sizes))}]')
    more = len(arrays) - len(shown)
    return ', '.join(shown) + (f' and {more} more' if more > 0 else '')


def _bytes(arrays: list[Any]) -> int:
    total = 0
    for array in arrays:
        size = getattr(array.dtype, 'itemsize', None) or getattr(array.dtype, 'size', None)
        if isinstance(size, int):
            total += size * math.prod(_sizes(array) or ())
    return total
