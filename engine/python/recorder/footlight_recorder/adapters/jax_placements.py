"""Where the arguments of JAX's functions lie: an executable is made for each placement."""
from __future__ import annotations

from types import ModuleType
from typing import Any

from footlight_recorder import _recorder
from footlight_recorder.adapters import jax_keys

_SAID = {1: ('used again', '{count} executables: each was called again after the last was made'),
         3: ('steady', '{count} executables: each was called 3 times or more after the last was made')}


class Placements:
    """Describes where arguments lie."""

    def __init__(self, array: type, tracer: type, tree_util: ModuleType) -> None:
        self._array, self._tracer, self._tree_util = array, tracer, tree_util

    def of_call(self, parameters: jax_keys.Parameters, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, str]:
        """Where the arguments lie, by path."""
        found = {}
        for at, (_, value, static) in enumerate(parameters.bound(args, kwargs)):
            if static:
                continue
            for path, leaf in self._tree_util.tree_flatten_with_path(value)[0]:
                found[f'args[{at}]{self._tree_util.keystr(path)}'] = self._of(leaf)
        return found

    def _of(self, leaf: Any) -> str:
        """Where an argument was committed to, if it was."""
        is_array = isinstance(leaf, self._array) and not isinstance(leaf, self._tracer)
        if not is_array or not getattr(leaf, '_committed', False):
            return 'not committed to a device'
        devices = sorted(map(str, leaf.devices()))
        spec = getattr(leaf.sharding, 'spec', None)
        where = f'{spec} over {len(devices)} devices' if spec is not None else ', '.join(devices)
        return f'committed to {where}'


class Executables:
    """What XLA compiled of one trace. `function`: the row of its function."""

    def __init__(self, function: dict[str, Any]) -> None:
        self.placements: list[dict[str, str]] = []  # of the call for which each was made
        self._function = function
        self._uses: list[dict[str, Any]] = []  # rows that say which of them are in use

    def made(self, columns: dict[str, Any], now: dict[str, str]) -> None:
        """Notes one. After the first: what is placed elsewhere than for the nearest one. `columns`: of the trace."""
        self.placements.append(now)
        if len(self.placements) == 1:
            return
        differing = [{path: text for path, text in now.items() if other.get(path) != text}
                     for other in self.placements[:-1]]
        at = min(range(len(differing)), key=lambda i: len(differing[i]))
        misses = columns.setdefault('trace_miss', [])
        misses.extend({'existing': columns['id'], 'path': path + '.sharding', 'was': self.placements[at].get(path, ''),
                       'now': text} for path, text in differing[at].items())
        self._uses.clear()
        _recorder.count_executables(columns['id'], len(self.placements), self._used)

    def _used(self, trace: int, calls: int) -> None:
        """Each of them was called so often since the last one was made."""
        fate, note = _SAID[calls]
        self._uses.append({'trace': trace, 'file': self._function['file'], 'line': self._function['line'],
                           'kind': 'executables', 'fate': fate, 'note': note.format(count=len(self.placements))})
        _recorder.add('decision', self._uses[-1])

    def describe_again(self) -> None:
        """Adds what is known to a recording that begins later."""
        for use in self._uses:
            _recorder.add('decision', use)
