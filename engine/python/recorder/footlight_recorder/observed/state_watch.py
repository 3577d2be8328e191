"""What a trace freezes and what happens only while it is made: outside state that its functions read, compared again at later
calls, changes of such state, numbers drawn, and symbolic tensors that outlive it. None of the program's code is run."""
from __future__ import annotations

import sys
import threading
import time
import types
import weakref
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, FunctionType
from typing import Any

from footlight_recorder import _recorder
from footlight_recorder.observed import names_outside
from footlight_recorder.observed.names_outside import CALL, MUTATION, READ, STORE, UPDATE, Access, Outside, Step
from footlight_recorder.observed.state_value import (ABSENT, MISSING, Chance, Seen, Spot, attribute, chance_of, item, see,
                                                     see_chance, text_of)

_MAX_FUNCTIONS, _MAX_PLACES, _MAX_CHANGES, _MAX_LINES, _MAX_FILES = 256, 512, 8, 6, 40
_INTERVAL_NS = 1_000_000
_CAME_BACK = 'came back'
_thread = threading.local()
_said: dict[tuple[int, str], int] = {}


def _weak(value: Any) -> Any:
    try:
        return weakref.ref(value)
    except TypeError:
        return None


class _Place:
    """One access of a function, and the object that its path begins at."""

    def __init__(self, function: FunctionType, body: Outside, access: Access, first: Any, top: bool) -> None:
        self.function, self.body, self.access, self.first, self.top = function, body, access, first, top
        self.cell = -1
        if access.path.parameter < 0:
            free = function.__code__.co_freevars
            self.cell = free.index(access.path.root) if access.path.root in free else -1
        self.before = ABSENT
        self.text_before = ''  # of what the function changes
        self.holder: object = None

    def start(self) -> Spot:
        """The value that the path begins at, and what holds it."""
        if self.access.path.parameter >= 0:
            value = self.first() if isinstance(self.first, weakref.ref) else self.first
            return Spot(MISSING if value is None else value, value)
        if self.cell >= 0:
            cells = self.function.__closure__ or ()
            cell = cells[self.cell] if self.cell < len(cells) else None
            try:
                return Spot(MISSING if cell is None else cell.cell_contents, cell)
            except ValueError:
                return Spot(MISSING, cell)
        return Spot(self.function.__globals__.get(self.access.path.root, MISSING), self.function.__globals__)

    def walk(self, count: int | None = None) -> Spot:
        """What the path leads to, along its first steps."""
        spot = self.start()
        for step in self.access.path.steps[:count]:
            if spot.value is MISSING:
                break
            spot = item(spot.value, step.key) if step.item else attribute(spot.value, str(step.key))
        return spot

    def text(self) -> str:
        """ "args[1].rate", "global RATE" """
        path = self.access.path
        if path.parameter >= 0:
            root = f'args[{path.parameter}]' if self.top and path.root != 'self' else path.root
            return path._replace(root=root).text()
        return ('closure ' if self.cell >= 0 else 'global ') + path.text()

    def name(self) -> tuple[str, str, Step | None]:
        """By what the rest of a file calls it: global, closure or attribute; the name; the item of it."""
        steps = list(self.access.path.steps)
        at = steps.pop() if steps and steps[-1].item else None
        while steps and steps[-1].item:
            steps.pop()
        if steps:
            return 'attribute', str(steps[-1].key), at
        return 'closure' if self.cell >= 0 else 'global', self.access.path.root, at

    def file(self) -> str:
        return self.function.__code__.co_filename

    def uses(self, without: list[tuple[str, int, int]]) -> list[names_outside.Use]:
        """Where the loaded files of the program use the same, but in these lines."""
        kind, name, at = self.name()
        files = [self.file()] if kind == 'closure' else _loaded_files(self.file())
        found: list[names_outside.Use] = []
        for path in files:
            ranges = [(first, last) for file, first, last in without if file == path]
            found.extend(names_outside.uses_of(path, kind, name, at, self.body, ranges))
        return found


def _loaded_files(first: str) -> list[str]:
    """The files of the program that are loaded."""
    files = [first]
    for module in list(sys.modules.values()):
        path = getattr(module, '__dict__', {}).get('__file__')
        if isinstance(path, str) and path.endswith('.py') and path not in files and '-packages/' not in path and \
                not path.startswith(sys.base_prefix) and '/footlight_recorder/' not in path:
            files.append(path)
    return files[:_MAX_FILES]


def _lines(uses: list[names_outside.Use], stores: bool, role: str) -> list[dict[str, Any]]:
    uses = [use for use in uses if '__autograph_generated_file' not in use.path]  # nobody has that file
    wanted = [use for use in uses if use.store == stores and not use.initial]
    if not stores:
        wanted += [use for use in uses if not use.store and use.initial]
    return [{'role': role, 'file': use.path, 'line': use.line} for use in wanted[:_MAX_LINES]]


def _said_enough(function: int, path: str) -> bool:
    count = _said[function, path] = _said.get((function, path), 0) + 1
    return count > 256


class _Read:
    """State that a finished trace has read."""

    def __init__(self, place: _Place, seen: Seen, text: str) -> None:
        self.function = weakref.ref(place.function)
        self.body, self.access, self.first, self.cell = place.body, place.access, place.first, place.cell
        self.path, self.read, self.value, self.text = place.text(), seen, seen, text
        self.changes = 0

    def place(self) -> _Place | None:
        """The place now; None: the function or its object is gone."""
        function = self.function()
        if function is None:
            return None
        return _Place(function, self.body, self.access, self.first, False)


class State:
    """What a finished trace has read."""

    def __init__(self, function: int, trace: int, reads: list[_Read], inner: list[State]) -> None:
        self.function, self.trace, self.reads, self.inner = function, trace, reads, inner
        self._calls = 0
        self._compared_ns = 0

    def note_call(self) -> None:
        """A call that the trace serves: compares the state now and then."""
        self._calls += 1
        now_ns = time.time_ns()
        if self._calls < 64 or now_ns - self._compared_ns > _INTERVAL_NS:
            self._compared_ns = now_ns
            self.compare(self.trace, now_ns)

    def compare(self, hit: int, now_ns: int, depth: int = 0) -> None:
        """Records what differs from what was seen last."""
        for read in self.reads:
            if read.changes >= _MAX_CHANGES:
                continue
            place = read.place()
            if place is None:
                continue
            value = place.walk().value
            seen = see(value)
            if seen == read.value or not seen.known() or seen.kind in ('absent', 'symbolic'):
                continue
            text = text_of(value)
            row = {'kind': 'state changed', 'function': self.function, 'trace': hit, 'time_ns': now_ns, 'path': read.path,
                   'file': place.file(), 'line': read.access.line, 'observation_value': [read.text, text]}
            if seen == read.read:
                row['note'] = _CAME_BACK
            if not read.changes:
                own = (place.file(), read.body.first, read.body.last)
                row['observation_line'] = _lines(place.uses([own]), True, 'change')
            _recorder.add('observation', row)
            read.changes += 1
            read.value, read.text = seen, text
        if depth < 16:
            for one in self.inner:
                one.compare(hit, now_ns, depth + 1)


class States:
    """What the traces of functions have read, where an engine does not tell which trace serves a call: all are compared."""

    def __init__(self) -> None:
        self._of: dict[int, list[State]] = {}

    def add(self, state: State) -> None:
        """A trace was made."""
        self._of.setdefault(state.function, []).append(state)
        _recorder.watch(state.function, self.compare)

    def compare(self, function: int) -> None:
        """The function is called."""
        now_ns = time.time_ns()
        for state in self._of.get(function, ()):
            state.compare(state.trace, now_ns)

    def forget(self, function: int) -> None:
        """The function is gone."""
        self._of.pop(function, None)


def innermost() -> Watch | None:
    """That of the trace that this thread makes."""
    watch: Watch | None = getattr(_thread, 'innermost', None)
    return watch


class Watch:
    """Lives while a trace is made. `original`: gives the user's function of a generated one, or None."""

    def __init__(self, function: int, original: Callable[[FunctionType], FunctionType | None] = lambda _: None) -> None:
        self.function, self.trace, self._original = function, 0, original
        self.places: list[_Place] = []
        self.bodies: list[tuple[str, Outside]] = []
        self.inner: list[State] = []
        self.codes: dict[tuple[str, str], list[CodeType]] = {}  # of the functions that ran, by file and name
        self._entered: set[tuple[int, int]] = set()
        self._drawn: list[tuple[Chance, Seen, _Place]] = []
        self._seeded: set[str] = set()
        self.outer = innermost()
        self._watches = bool(_recorder.watch_calls(self._called))
        _thread.innermost = self

    def contains(self, inner: State) -> None:
        """The trace contains a call of another one."""
        if inner not in self.inner:
            self.inner.append(inner)

    def _called(self, function: FunctionType, frame: FrameType) -> None:
        """A function of the program begins to run, the first time for its code."""
        generated = self._original(function)
        code = frame.f_code
        if '__autograph_generated_file' in code.co_filename and \
                (generated is None or code.co_name != 'tf__' + generated.__name__.replace('<lambda>', 'lam')):
            return  # what AutoGraph puts around the function
        own = (function if generated is None else generated).__code__
        self.codes.setdefault((own.co_filename, own.co_name), []).append(own)
        names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
        values = frame.f_locals if names else {}
        self.enter(generated if generated is not None else function, [values.get(name) for name in names])

    def enter(self, function: Any, values: list[Any], depth: int = 0) -> None:
        """Looks at what a function names outside of itself, before it runs."""
        body = names_outside.outside_of(function.__code__) if len(self.bodies) < _MAX_FUNCTIONS and depth <= 8 else None
        if body is None:
            return
        key = (id(function.__code__), id(values[0]) if values else id(function.__closure__))
        if key in self._entered:
            return
        self._entered.add(key)
        self.bodies.append((function.__code__.co_filename, body))
        top = len(self.bodies) == 1
        for access in body.accesses:
            if len(self.places) >= _MAX_PLACES:
                break
            first: Any = None
            if access.path.parameter >= 0:
                if access.path.parameter >= len(values) or values[access.path.parameter] is None:
                    continue
                first = _weak(values[access.path.parameter])
                if first is None:
                    first = values[access.path.parameter]
            place = _Place(function, body, access, first, top)
            if access.kind == CALL and not self._reads(place):
                continue
            spot = place.walk()
            if spot.getter is not None:
                if not _recorder.is_library_file(spot.getter.__code__.co_filename):
                    self.enter(spot.getter, [spot.holder], depth + 1)
                continue
            place.holder, place.before = spot.holder, see(spot.value)
            place.text_before = text_of(spot.value) if access.kind >= STORE else ''
            if place.before.kind != 'code' or access.kind > CALL:
                self.places.append(place)

    def source_of(self, path: str, line: int, name: str) -> tuple[CodeType, int] | None:
        """The code object that a line of a function belongs to, and the first instruction of the line."""
        for code in self.codes.get((path, name), ()):
            for start, _, of in code.co_lines():
                if of == line:
                    return code, start
        return None

    def _reads(self, place: _Place) -> bool:
        """Whether a call reads state. It may draw a number."""
        steps = place.access.path.steps
        called = place.walk().value
        owner = place.walk(len(steps) - 1).value if steps else MISSING
        name = str(steps[-1].key) if steps else place.access.path.root
        if name == 'seed' and (owner is MISSING or isinstance(owner, types.ModuleType)):
            self._seeded.add('random' if owner is sys.modules.get('random') else 'numpy.random')
            return False
        chance = chance_of(called, owner, name)
        if chance is not None:
            self._drawn.append((chance, see_chance(chance), place))
            return False
        return called is not MISSING

    def finish(self, trace: int | None) -> State | None:
        """The trace is made, or has failed: records what changed, and returns what is compared later. None: there was none."""
        if self._watches:
            _recorder.watch_calls(None)
        _thread.innermost = self.outer
        if trace is None:
            return None
        self.trace = trace
        self._record_drawn()
        self._record_changes()
        return self._keep()

    def _involved(self) -> Iterator[tuple[str, int, int]]:
        watch: Watch | None = self
        while watch is not None:
            yield from ((path, body.first, body.last) for path, body in watch.bodies)
            watch = watch.outer

    def _row(self, kind: str, place: _Place, path: str) -> dict[str, Any]:
        return {'kind': kind, 'function': self.function, 'trace': self.trace, 'time_ns': time.time_ns(), 'path': path,
                'file': place.file(), 'line': place.access.line}

    def _record_drawn(self) -> None:
        done = set()
        for chance, before, place in self._drawn:
            if chance.name in self._seeded:
                continue
            if chance.kind != 'clock':
                after = see_chance(chance)
                if after.kind == 'unknown' or after == before:
                    continue
            at = (place.file(), place.access.line)
            path = chance.name or place.text()
            if at in done or _said_enough(self.function, path):
                continue
            done.add(at)
            row = self._row('random read', place, path)
            row['note'] = 'clock' if chance.kind == 'clock' else ''
            _recorder.add('observation', row)

    def _record_changes(self) -> None:
        done = set()
        last = {place.text(): place.access for place in self.places if place.access.kind == STORE}
        for place in self.places:
            access = place.access
            if access.kind < STORE:
                continue
            spot = place.walk()
            after = see(spot.value)
            leaked = after.kind == 'symbolic' and after != place.before and self.outer is None
            if not leaked and (access.memo or after == place.before or after.kind != 'data'):
                continue
            if not leaked and place.body.makes_once and access.kind == STORE:
                continue
            _, name, at = place.name()
            if not leaked and names_outside.is_about_traces(name + (str(at.key) if at else '')):  # a counter of traces
                continue
            steps = access.path.steps
            whole = place if not steps or not steps[-1].item else \
                _Place(place.function, place.body, access._replace(path=access.path._replace(steps=steps[:-1])), place.first,
                       place.top)
            path = place.text() if not steps or not steps[-1].item else whole.text() + f'[{steps[-1].key!r}]'
            if path in done:
                continue
            done.add(path)
            uses = place.uses(list(self._involved()))
            if not leaked:
                uses = [use for use in uses if not use.of_traces]
            reads = [use for use in uses if not use.store]
            if leaked and access.kind == MUTATION and reads and all(use.size for use in reads):
                leaked = False  # a list of which only the length is read
            reset = any(use.store and not use.initial for use in uses)
            if not leaked and path in last and last[path].literal and not reset:
                continue
            row = self._row('tensor leak' if leaked else 'side effect', place, path)
            row['note'] = 'mutation' if access.kind == MUTATION else ''
            row['observation_value'] = [text_of(spot.value)] if leaked else [place.text_before, text_of(spot.value)]
            lines = _lines(uses, False, 'use' if leaked else 'read')
            if not lines and not leaked and access.kind != STORE:
                lines = [{'role': 'read', 'file': one.file(), 'line': one.access.line} for one in self.places
                         if one.access.kind == READ and one.holder is place.holder and one.name() == place.name()]
            if not lines and not leaked:
                continue
            row['observation_line'] = lines
            if not _said_enough(self.function, path):
                _recorder.add('observation', row)

    def _written(self, place: _Place) -> bool:
        """Whether the functions of the trace change the place, or what holds it."""
        path = place.access.path
        for one in self.places:
            if one.access.kind not in (STORE, UPDATE, MUTATION):
                continue
            wrote = one.access.path
            if one.holder is place.holder and one.name() == place.name():
                return True
            if wrote.root == path.root and len(wrote.steps) <= len(path.steps) and \
                    path.steps[:len(wrote.steps)] == wrote.steps and one.start().value is place.start().value:
                return True
        return False

    def _keep(self) -> State | None:
        done = set()
        reads = []
        for place in self.places:
            if place.access.kind > CALL or not place.before.known() or place.before.kind == 'symbolic':
                continue
            path = place.text()
            if path in done or self._written(place):
                continue
            value = place.walk().value
            seen = see(value)
            if seen != place.before or seen.kind == 'absent':
                continue
            if place.access.path.parameter >= 0 and not isinstance(place.first, weakref.ref):
                continue
            done.add(path)
            reads.append(_Read(place, seen, text_of(value)))
        return State(self.function, self.trace, reads, self.inner) if reads or self.inner else None
