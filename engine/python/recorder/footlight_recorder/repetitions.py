"""Repeats a call of another engine's function, op by op and compiled, and records how long each repetition took.

The rows are those that Footlight's own engine writes for `footlight compare`, so the same page explains them.
"""
from __future__ import annotations

import contextlib
import math
import random
import resource
import sys
import time
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any, NamedTuple, Protocol, TextIO

import footlight_recorder
from footlight_recorder import _recorder

_WARM_UP = 3
_MIN_PAIRS, _MIN_PAIRS_WITH_MARKS = 10, 3  # before the spread may end it
_MAX_MARKS_OF_RUN, _MAX_MARKS = 100_000, 200_000
_KNOWN_WITHIN = 0.02
_MIN_SECONDS = 0.2
_MAX_WARM_UP = 0.2  # share of the time


class Marks:
    """What the calling thread does in one repetition, moment by moment. Full, it counts what is lost."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, str, int | None, tuple[CodeType, int] | None]] = []
        self.lost = 0

    def begin(self, activity: str, op: int | None = None, source: tuple[CodeType, int] | None = None) -> None:
        """The thread starts this activity now; `op` and `source` say what a kernel or a launch does, and for which line."""
        if len(self.rows) < _MAX_MARKS_OF_RUN:
            self.rows.append((time.time_ns(), activity, op, source))
        else:
            self.lost += 1

    def records(self) -> list[dict[str, Any]]:
        """The rows of comparison_mark."""
        records = []
        for start_ns, activity, op, source in self.rows:
            record: dict[str, Any] = {'start_ns': start_ns, 'activity': activity}
            if op is not None:
                record['op'] = op
            if source is not None:
                record['source'] = source
            records.append(record)
        return records


class Engine(Protocol):
    """How a call of this engine is repeated."""

    def call(self, compiled: bool, marks: Marks | None) -> Any:
        """Makes the call once more, on the same arguments, and waits for its results. With `marks` it marks what it does."""

    def put_back(self) -> None:
        """Restores the program's state as it was before the call."""

    def notes(self) -> list[str]:
        """What a reader of the comparison has to know."""


class Compared(NamedTuple):
    """The call whose repetitions are recorded."""
    function: int
    trace: int | None
    call: int  # from 1, among the calls of the function
    source: tuple[CodeType, int] | None


class _Sink:
    """Counts what repetitions print instead of printing it."""

    def __init__(self) -> None:
        self.printed = 0

    def write(self, text: str) -> int:
        self.printed += len(text.encode('utf-8', 'replace'))
        return len(text)

    def flush(self) -> None:
        """Does nothing: no output is kept."""


@contextlib.contextmanager
def _standard_output(sink: _Sink) -> Iterator[None]:
    kept: tuple[TextIO, TextIO] = (sys.stdout, sys.stderr)
    sys.stdout = sys.stderr = sink  # type: ignore[assignment]
    try:
        yield
    finally:
        sys.stdout, sys.stderr = kept


@contextlib.contextmanager
def _unrecorded() -> Iterator[None]:
    before = _recorder.set_level('off')
    try:
        yield
    finally:
        _recorder.set_level(before)


def _interruptions() -> int:
    """How often the processor was taken from this thread, which did not ask for it."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw


def _time_of_mark() -> int:
    """Picoseconds that a mark takes, measured in a small loop."""
    rounds = []
    for _ in range(9):
        marks = Marks()
        start = time.perf_counter_ns()
        for _ in range(200):
            marks.begin('python')
        rounds.append(time.perf_counter_ns() - start)
    return sorted(rounds)[4] * 1000 // 200


class _Differences:
    """Differences of pairs so far, and how well their mean is known."""

    def __init__(self) -> None:
        self.count, self.mean, self.squares = 0, 0.0, 0.0

    def add(self, value: float) -> None:
        self.count += 1
        step = value - self.mean
        self.mean += step / self.count
        self.squares += step * (value - self.mean)

    def known_within(self) -> float:
        """Half of the interval that holds the mean in 19 of 20 cases, as a share of it."""
        if self.count < 2 or not self.mean:
            return 1.0
        return 1.96 * math.sqrt(self.squares / (self.count - 1) / self.count) / abs(self.mean)


class _Repetitions:
    def __init__(self, engine: Engine, most_pairs: int, seconds: float) -> None:
        self.engine, self.most_pairs, self.seconds = engine, most_pairs, seconds
        self.runs: list[dict[str, Any]] = []
        self.error, self.stopped = '', ''
        self.sinks = {False: _Sink(), True: _Sink()}
        self.printed = {False: 0, True: 0}
        self.differences = _Differences()
        self.marks_kept = self.marks_of_pair = 0
        self.with_marks = self.without = 0  # pairs that nobody interrupted

    def run(self) -> None:
        began = time.perf_counter()
        warm_up, pair = _WARM_UP, 0
        while not self.error and not self.stopped:
            warms = pair < warm_up
            marked = (pair == 0 or pair % 4 == warm_up % 4) and self.marks_kept + self.marks_of_pair <= _MAX_MARKS
            interrupted = self.repeat(pair, warms, marked)
            passed = time.perf_counter() - began
            if self.error:
                break
            if warms:
                if pair == 0 and passed > self.seconds:
                    for run in self.runs:
                        run['warm_up'] = False
                    self.stopped = f'{self.seconds:g} s were over after one pair, which nothing had warmed up'
                    break
                if passed > self.seconds * _MAX_WARM_UP:
                    warm_up = pair + 1  # a call that is so long is warm after one
                for run in self.runs[-2:]:
                    run['comparison_mark'] = []
            else:
                self.count(marked, interrupted)
                self.stopped = self.why_enough(passed)
            pair += 1
            if not self.stopped and pair >= warm_up + self.most_pairs:
                self.stopped = 'all pairs were run'
        if self.error:
            self.stopped = 'a repetition failed'

    def count(self, marked: bool, interrupted: bool) -> None:
        if marked:
            self.marks_kept += self.marks_of_pair
        if interrupted:
            return
        if marked:
            self.with_marks += 1
            return
        self.without += 1
        taken = {run['traced']: run['end_ns'] - run['start_ns'] for run in self.runs[-2:]}
        self.differences.add(taken[True] - taken[False])

    def why_enough(self, passed: float) -> str:
        if self.without >= _MIN_PAIRS and self.with_marks >= _MIN_PAIRS_WITH_MARKS and passed > _MIN_SECONDS \
                and self.differences.known_within() < _KNOWN_WITHIN:
            return 'the difference is known within 2 %'
        return f'{self.seconds:g} s were over' if passed > self.seconds else ''

    def repeat(self, pair: int, warms: bool, marked: bool) -> bool:
        """Runs one pair in random order; whether another program took the processor meanwhile."""
        runs: dict[bool, dict[str, Any]] = {}
        for compiled in random.sample((False, True), 2):
            run = {'pair': pair, 'traced': compiled, 'warm_up': warms, 'with_events': marked}
            try:
                self.once(run, compiled, Marks() if marked else None)
            except Exception as error:
                self.error = f'{"compiled" if compiled else "eagerly"}: {type(error).__name__}: {error}'
                return False
            runs[compiled] = run
        self.marks_of_pair = sum(len(run['comparison_mark']) for run in runs.values())
        self.runs += [runs[False], runs[True]]
        return any(run['interruptions'] for run in runs.values())

    def once(self, run: dict[str, Any], compiled: bool, marks: Marks | None) -> None:
        self.engine.put_back()
        sink = self.sinks[compiled]
        sink.printed = 0
        with _standard_output(sink):
            before = _interruptions()
            run['start_ns'] = time.time_ns()
            self.engine.call(compiled, marks)
            run['end_ns'] = time.time_ns()
            run['interruptions'] = _interruptions() - before
        run['lost'] = marks.lost if marks else 0
        run['comparison_mark'] = marks.records() if marks else []
        self.printed[compiled] = max(self.printed[compiled], sink.printed)


def compare(engine: Engine, what: Compared, most_pairs: int, seconds: float) -> None:
    """Repeats the call and records the comparison; nothing else is recorded meanwhile, and what repetitions print is dropped."""
    state = random.getstate()
    start_ns = time.time_ns()
    repetitions = _Repetitions(engine, most_pairs, seconds)
    try:
        with _unrecorded():
            repetitions.run()
    finally:
        engine.put_back()
        random.setstate(state)
    notes = engine.notes()
    if any(repetitions.printed.values()):
        notes.append(f'Each eager repetition printed {repetitions.printed[False]} bytes, each compiled one '
                     f'{repetitions.printed[True]}; Footlight dropped that output')
    row: dict[str, Any] = {
        'function': what.function, 'trace': what.trace, 'call': what.call, 'source': what.source,
        'stopped': repetitions.stopped, 'error': repetitions.error[:500], 'start_ns': start_ns, 'end_ns': time.time_ns(),
        'mark_ps': _time_of_mark(), 'comparison_run': repetitions.runs, 'comparison_note': notes}
    _recorder.add('comparison', row)


class ChosenCall:
    """The call that `--compare NAME[:CALL]` names, as it arrives."""

    def __init__(self) -> None:
        wanted = footlight_recorder.wanted_comparison
        self.name, self.number, self.pairs, self.seconds = wanted if wanted else (None, 0, 0, 0.0)
        self._calls: dict[int, int] = {}
        self._over = wanted is None

    def is_of(self, qualified_name: str) -> bool:
        """Whether calls of that function may be meant; "step" names "Model.step" too, and no name every function."""
        return not self._over and (not self.name or qualified_name == self.name
                                   or qualified_name.rpartition('.')[2] == self.name)

    def arrives(self, function: int) -> bool:
        """Counts a call of the function; whether it is the one."""
        if self._over:
            return False
        count = self._calls[function] = self._calls.get(function, 0) + 1
        self._over = count == self.number
        return self._over


def caller(frame: FrameType | None) -> tuple[CodeType, int] | None:
    """The code and the instruction of a frame, as a source in a recording."""
    return None if frame is None else (frame.f_code, frame.f_lasti)


def call_of(engine: Engine, chosen: ChosenCall, what: Compared) -> None:
    """Compares the call after the program's own has returned; an error of ours is noted, and the program goes on."""
    from footlight_recorder.adapters import note
    try:
        compare(engine, what, chosen.pairs, chosen.seconds)
    except Exception as error:
        note('compare', error)
