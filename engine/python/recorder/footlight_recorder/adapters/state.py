"""State around the functions that are traced: what a trace read and what changed later, what only tracing changed, and
random numbers and times that a trace keeps. Looks at sources and values; runs none of the program's code."""
from __future__ import annotations

import ast
import functools
import random
import sys
import time
import types
import weakref
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from footlight_recorder import _recorder
from footlight_recorder.adapters.value_lines import tree_of

_MAX_BODIES, _MAX_DEPTH = 24, 4      # functions that a traced one calls
_MAX_PLACES = 200
_MAX_ITEMS, _MAX_TEXT = 32, 60       # of a value
_MAX_BYTES = 1 << 20                 # of an array that is compared by content
_MAX_LINES, _MAX_SAID = 6, 64
_CAME_BACK = 'came back'
_MUTATORS = {'append', 'extend', 'insert', 'add', 'update', 'pop', 'remove', 'clear', 'setdefault', 'discard', 'popitem',
             'appendleft', 'popleft', 'reverse', 'sort'}
_CLOCKS = {'time.time', 'time.time_ns', 'time.perf_counter', 'time.perf_counter_ns', 'time.monotonic', 'time.process_time',
           'datetime.now', 'datetime.utcnow', 'datetime.today', 'datetime.datetime.now', 'uuid.uuid4', 'uuid.uuid1',
           'os.urandom'}
_Path = tuple[str, ...]              # a name, then attributes (".rate") and items ("['rate']")


class _Place(NamedTuple):
    path: _Path
    line: int


class _Body(NamedTuple):
    """What a function's source says of the state around it."""
    reads: list[_Place]
    writes: list[_Place]
    calls: list[_Place]     # of names that are not its own
    first: int
    last: int


def _path_of(node: ast.expr) -> _Path | None:
    steps: list[str] = []
    while True:
        if isinstance(node, ast.Attribute):
            steps.append('.' + node.attr)
            node = node.value
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            steps.append(f'[{node.slice.value!r}]')
            node = node.value
        elif isinstance(node, ast.Name):
            return (node.id, *reversed(steps))
        else:
            return None


def _locals_of(function: ast.AST) -> set[str]:
    """The names that a function, or one inside of it, has for itself."""
    names: set[str] = set()
    outside: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            outside.update(node.names)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node is not function:
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update((alias.asname or alias.name).partition('.')[0] for alias in node.names)
    return names - outside


@functools.lru_cache(256)
def _body_of(code: types.CodeType) -> _Body | None:
    tree = tree_of(code.co_filename)
    if tree is None:
        return None
    function: ast.AST | None = None
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            first = min([node.lineno, *(d.lineno for d in getattr(node, 'decorator_list', ()))])
            if first == code.co_firstlineno and getattr(node, 'name', '<lambda>') == code.co_name:
                function = node
    if function is None:
        return None
    own = _locals_of(function) - {'self'}
    decorators = {n for d in getattr(function, 'decorator_list', ()) for n in ast.walk(d)}
    body = _Body([], [], [], getattr(function, 'lineno', 0), getattr(function, 'end_lineno', 0) or 0)
    heads: set[ast.AST] = set()   # inner parts of longer paths
    for node in ast.walk(function):
        if node in decorators or not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
            continue
        if isinstance(node, ast.Call):
            path = _path_of(node.func)
            if path is None or path[0] in own:
                continue
            body.calls.append(_Place(path, node.lineno))
            if len(path) > 1 and path[-1][1:] in _MUTATORS:
                body.writes.append(_Place(path[:-1], node.lineno))
            continue
        path = _path_of(node)
        is_load = isinstance(node.ctx, ast.Load)
        if isinstance(node, ast.Subscript) and path is None and not is_load:
            path = _path_of(node.value)  # an item that the source does not name
        if path is None or path[0] in own:
            continue
        if not is_load:
            body.writes.append(_Place(path, node.lineno))
        elif node not in heads:
            body.reads.append(_Place(path, node.lineno))
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            heads.add(node.value)
    return body


class _Seen(NamedTuple):
    """A value: equal ones have the same mark."""
    mark: object
    text: str


class _Function:
    """A function that runs while a trace is made, and the object whose method it is. Keeps neither alive."""

    def __init__(self, function: types.FunctionType, owner: object, body: _Body) -> None:
        self.reference, self.body, self.file = weakref.ref(function), body, function.__code__.co_filename
        self.code = function.__code__
        try:
            self.owner: Callable[[], object] = weakref.ref(owner)
        except TypeError:
            self.owner = lambda: None

    def root(self, name: str) -> tuple[bool, str, object]:
        """Whether the name has a value, how it is known, and the value."""
        function = self.reference()
        if function is None:
            return False, '', None
        if name in function.__code__.co_freevars:
            cell = (function.__closure__ or ())[function.__code__.co_freevars.index(name)]
            try:
                return True, name if name == 'self' else f'closure {name}', cell.cell_contents
            except ValueError:
                return False, '', None
        if name == 'self':
            owner = self.owner()
            return owner is not None, 'self', owner
        if name in function.__globals__:
            return True, f'global {name}', function.__globals__[name]
        return False, '', None

    def value(self, path: _Path) -> tuple[bool, str, object]:
        """The same at the end of a path."""
        known, text, value = self.root(path[0])
        for step in path[1:]:
            if not known:
                break
            if step.startswith('.'):
                held = getattr(type(value), '__dict__', {}).get(step[1:]) if not isinstance(value, types.ModuleType) else None
                attributes = value.__dict__ if hasattr(type(value), '__dict__') and _has_dict(value) else {}
                known = step[1:] in attributes or held is not None and not hasattr(type(held), '__get__')
                value = attributes.get(step[1:], held)
            else:
                key = ast.literal_eval(step[1:-1])
                known = type(value) in (dict, list, tuple)
                try:
                    value = value[key] if known else None  # type: ignore[index]
                except (KeyError, IndexError, TypeError):
                    known = False
            text += step
        return known, text, value


def _has_dict(value: object) -> bool:
    try:
        return type(object.__getattribute__(value, '__dict__')) in (dict, types.MappingProxyType)
    except AttributeError:
        return False


class _Watched(NamedTuple):
    """A place that a trace has read."""
    of: _Function
    place: _Place
    name: str
    seen: _Seen


class Before:
    """The state before a trace."""

    def __init__(self) -> None:
        self.functions: list[_Function] = []
        self.writes: list[tuple[_Function, _Place, str, _Seen | None]] = []
        self.generators: dict[str, object] = {}


class State:
    """Watches the state around traced functions. `is_symbolic` tells what stands for a value while a trace is made."""

    def __init__(self, is_symbolic: Callable[[object], bool], is_array: Callable[[object], bool]) -> None:
        self._is_symbolic, self._is_array = is_symbolic, is_array
        self._watched: dict[int, dict[int, list[_Watched]]] = {}        # by function and trace
        self._now: dict[tuple[int, int], _Seen] = {}                    # the value seen last, by trace and position
        self._said: dict[tuple[int, str], int] = {}

    # ---- values -----------------------------------------------------------------------------------------------------

    def _seen(self, value: object, depth: int = 0) -> _Seen | None:
        """None: what is compared by nobody, as a function or a module is."""
        if self._is_symbolic(value):
            return _Seen(('symbolic', id(value)), 'a symbolic tensor')
        kind = type(value)
        if value is None or kind in (bool, int, float, complex, str, bytes):
            text = repr(value)
            return _Seen((kind, text), text if len(text) <= _MAX_TEXT else text[:_MAX_TEXT] + '...')
        if isinstance(value, (types.FunctionType, types.ModuleType, type, types.BuiltinFunctionType, types.MethodType)):
            return None
        if kind in (list, tuple, set, dict):
            return self._contents(value, depth)
        if self._is_array(value):  # never changes
            return _Seen(('array', id(value)), _array_text(value))
        numpy = sys.modules.get('numpy')
        if numpy is not None and kind is numpy.ndarray and not value.dtype.hasobject and value.nbytes <= _MAX_BYTES:  # type: ignore[attr-defined]
            content = zlib.crc32(numpy.ascontiguousarray(value).tobytes())
            small = value.size <= 4  # type: ignore[attr-defined]
            return _Seen(('array', content, value.shape),  # type: ignore[attr-defined]
                         repr(value.tolist()) if small else _array_text(value))  # type: ignore[attr-defined]
        if numpy is not None and isinstance(value, numpy.generic):
            return _Seen((kind, repr(value)), repr(value.item()))
        return _Seen((kind.__name__, id(value)), f'<{kind.__name__} object>')

    def _contents(self, value: Any, depth: int) -> _Seen:
        items = list(value.items() if type(value) is dict else value)
        if depth >= 2:
            return _Seen((type(value).__name__, id(value), len(items)), f'{type(value).__name__} of {len(items)}')
        parts = [self._seen(item, depth + 1) for item in items[:_MAX_ITEMS]]
        marks = tuple(part.mark if part else None for part in parts)
        texts = [part.text if part else '...' for part in parts[:4]] + ['...'] * (len(items) > 4)
        braces = '[]' if type(value) is list else '()' if type(value) is tuple else '{}'
        return _Seen((type(value).__name__, len(items), marks), f'{braces[0]}{", ".join(texts)}{braces[1]}')

    # ---- around a trace ---------------------------------------------------------------------------------------------

    def begin(self, function: Any, owner: object) -> Before:
        """Call it before a trace of the function is made."""
        before = Before()
        self._collect(function, owner, before.functions, set(), 0)
        for one in before.functions:
            for place in one.body.writes[:_MAX_PLACES]:
                known, name, value = one.value(place.path)
                before.writes.append((one, place, name or _name_of(one, place.path), self._seen(value) if known else None))
        before.generators = self._generators(before.functions)
        return before

    def end(self, before: Before, function: int, trace: int) -> None:
        """Call it after the trace was made."""
        written = set()
        for one, place, name, was in before.writes:
            known, name_now, value = one.value(place.path)
            now = self._seen(value) if known else None
            if now is None or was is not None and now.mark == was.mark:
                continue
            written.add(name_now)
            self._side_effect(function, trace, one, place, name_now or name, was, now)
        self._random_reads(before, function, trace)
        watched: list[_Watched] = []
        for one in before.functions:
            for place in one.body.reads[:_MAX_PLACES]:
                known, name, value = one.value(place.path)
                seen = self._seen(value) if known else None
                if seen is None or any(name == w or w.startswith(name) or name.startswith(w) for w in written):
                    continue
                if all(name != other.name for other in watched):
                    watched.append(_Watched(one, place, name, seen))
        if watched:
            self._watched.setdefault(function, {})[trace] = watched

    def watches(self, function: int) -> bool:
        """Whether its traces have read anything that may change."""
        return function in self._watched

    def _collect(self, function: Any, owner: object, to: list[_Function], seen: set[types.CodeType], depth: int) -> None:
        if isinstance(function, types.MethodType):
            function, owner = function.__func__, function.__self__
        if not isinstance(function, types.FunctionType) or function.__code__ in seen or len(to) >= _MAX_BODIES:
            return
        seen.add(function.__code__)
        file = function.__code__.co_filename
        if '-packages/' in file or file.startswith('<') or '/lib/python' in file or (body := _body_of(function.__code__)) is None:
            return
        found = _Function(function, owner, body)
        to.append(found)
        if depth >= _MAX_DEPTH:
            return
        for place in body.calls:
            known, _, value = found.value(place.path)
            if not known and len(place.path) == 2 and place.path[0] == 'self':
                value, known = getattr(type(owner), '__dict__', {}).get(place.path[1][1:]), True
            if known:
                value = getattr(value, '__wrapped__', value) if not isinstance(value, types.FunctionType) else value
                self._collect(value, owner if place.path[0] == 'self' else None, to, seen, depth + 1)

    # ---- what is recorded -------------------------------------------------------------------------------------------

    def _say(self, kind: str, function: int, trace: int, one: _Function, line: int, name: str, **more: Any) -> None:
        said = self._said[function, name] = self._said.get((function, name), 0) + 1
        if said <= _MAX_SAID:
            _recorder.add('observation', {'kind': kind, 'function': function, 'trace': trace, 'time_ns': time.time_ns(),
                                          'path': name, 'file': one.file, 'line': line, **more})

    def _side_effect(self, function: int, trace: int, one: _Function, place: _Place, name: str, was: _Seen | None,
                     now: _Seen) -> None:
        reads = list(_uses(one, place.path, stores=False))
        if not reads:
            return  # nobody reads what tracing changed
        self._say('side effect', function, trace, one, place.line, name,
                  observation_value=[was.text if was else 'nothing', now.text],
                  observation_line=[{'role': 'read', 'file': one.file, 'line': line} for line in reads[:_MAX_LINES]])

    def _generators(self, functions: list[_Function]) -> dict[str, object]:
        """The states of the generators of random numbers that the functions may use."""
        states: dict[str, object] = {'random': random.getstate()}
        numpy = sys.modules.get('numpy')
        if numpy is not None and hasattr(numpy, 'random'):
            states['numpy.random'] = [str(part) for part in numpy.random.get_state()]
            for one in functions:
                for place in one.body.calls:
                    known, name, value = one.value(place.path[:-1]) if len(place.path) > 1 else (False, '', None)
                    if known and isinstance(value, (numpy.random.Generator, numpy.random.RandomState)):
                        bits = getattr(value, 'bit_generator', None)
                        states[name] = repr(bits.state if bits is not None else value.get_state())
                    elif known and isinstance(value, random.Random):
                        states[name] = value.getstate()
        return states

    def _random_reads(self, before: Before, function: int, trace: int) -> None:
        now = self._generators(before.functions)
        drawn = {name for name, state in now.items() if name in before.generators and before.generators[name] != state}
        for one in before.functions:
            for place in one.body.calls:
                dotted = self._dotted(one, place.path)
                known, name, _ = one.value(place.path[:-1]) if len(place.path) > 1 else (False, '', None)
                if dotted in _CLOCKS:
                    self._say('random read', function, trace, one, place.line, dotted, note='clock')
                elif known and name in drawn:
                    self._say('random read', function, trace, one, place.line, name)
                elif (module := dotted.rpartition('.')[0]) in drawn and module in ('random', 'numpy.random'):
                    self._say('random read', function, trace, one, place.line, module)

    def _dotted(self, one: _Function, path: _Path) -> str:
        """"numpy.random.normal": what is called, by the modules that it is in."""
        known, _, value = one.root(path[0])
        if not known:
            return ''
        if isinstance(value, types.ModuleType):
            return value.__name__ + ''.join(path[1:])
        if isinstance(value, type):
            return value.__name__ + ''.join(path[1:])
        owner = getattr(value, '__self__', None) if isinstance(value, (types.BuiltinMethodType, types.MethodType)) else None
        module = getattr(value, '__module__', None) or getattr(owner, '__name__', '')
        if isinstance(owner, random.Random) and owner is getattr(random.random, '__self__', None):
            module = 'random'
        if type(owner).__name__ == 'RandomState':
            module = 'numpy.random'
        return f'{module}.{getattr(value, "__name__", "")}' if len(path) == 1 else ''

    # ---- later calls ------------------------------------------------------------------------------------------------

    def check(self, function: int) -> None:
        """Compares what the traces of a function have read with what is there now: call it where a trace serves a call."""
        for trace, watched in self._watched.get(function, {}).items():
            for at, entry in enumerate(watched):
                known, _, value = entry.of.value(entry.place.path)
                seen = self._seen(value) if known else None
                last = self._now.get((trace, at), entry.seen)
                if seen is None or seen.mark == last.mark:
                    continue
                self._now[trace, at] = seen
                stores = list(_uses(entry.of, entry.place.path, stores=True))
                self._say('state changed', function, trace, entry.of, entry.place.line, entry.name,
                          note=_CAME_BACK if seen.mark == entry.seen.mark else '',
                          observation_value=[entry.seen.text, seen.text],
                          observation_line=[{'role': 'change', 'file': entry.of.file, 'line': line}
                                            for line in stores[:_MAX_LINES]])

    def forget(self, function: int) -> None:
        """The function is gone."""
        for trace in self._watched.pop(function, {}):
            for key in [key for key in self._now if key[0] == trace]:
                del self._now[key]


def _array_text(value: Any) -> str:
    return f'{value.dtype} ({", ".join(map(str, value.shape))})'


def _name_of(one: _Function, path: _Path) -> str:
    """How a path is known that has no value yet."""
    return one.root(path[0])[1] + ''.join(path[1:])


def _uses(one: _Function, path: _Path, stores: bool) -> Iterator[int]:
    """The lines of the file, outside of the function, that read or change what is at the path."""
    tree = tree_of(one.file)
    if tree is None:
        return
    steps = list(path)
    while len(steps) > 1 and steps[-1].startswith('['):
        steps.pop()
    attribute = steps[-1][1:] if len(steps) > 1 else ''
    found = set()
    for node in ast.walk(tree):
        line = getattr(node, 'lineno', 0)
        if one.body.first <= line <= one.body.last:
            continue
        if attribute and isinstance(node, ast.Attribute) and node.attr == attribute or \
                not attribute and isinstance(node, ast.Name) and node.id == path[0]:
            if isinstance(node.ctx, ast.Load) != stores:
                found.add(line)
        if stores and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and \
                node.func.attr in _MUTATORS and _path_of(node.func.value) == tuple(steps):
            found.add(line)
        if stores and isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load) and \
                _path_of(node.value) == tuple(steps):
            found.add(line)
    first = [line for line in sorted(found) if not stores or not _is_initial(tree, line)]
    yield from first or sorted(found)


def _is_initial(tree: ast.Module, line: int) -> bool:
    """Whether a statement of the module itself, as that which makes a global, is on the line."""
    return any(isinstance(s, (ast.Assign, ast.AnnAssign)) and s.lineno == line for s in tree.body)
