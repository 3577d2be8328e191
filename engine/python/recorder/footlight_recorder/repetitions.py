"""Repeats a call of another engine's function, op by op and compiled, and records how long each repetition took.

The rows are those that Footlight's own engine writes for `footlight compare`, so the same page explains them.
"""
from __future__ import annotations

import contextlib
import math
import os
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any, NamedTuple, TextIO

import footlight_recorder
from footlight_recorder import _recorder
from footlight_recorder.observed import kept_state

_WARM_UP = 3
_MIN_PAIRS, _MIN_PAIRS_WITH_MARKS = 10, 3  # before the spread may end it
_MAX_MARKS_OF_RUN, _MAX_MARKS = 100_000, 200_000
_KNOWN_WITHIN = 0.02
_MIN_SECONDS = 0.2
_MAX_WARM_UP = 0.2  # share of the time
_MIN_ROUNDS, _MAX_ROUNDS, _SECONDS_OF_ROUNDS = 8, 26, 1.5  # of measuring hooks on a call
NOT_REPEATED = 'the call cannot be repeated'


class Mark(NamedTuple):
    """The thread starts an activity. The other fields say what a kernel or a launch does."""
    start_ns: int
    activity: str
    op: int | None = None
    source: tuple[CodeType, int] | None = None
    graph: int | None = None
    node: int | None = None


class Work(NamedTuple):
    """A kernel that was seen to run, on whatever thread."""
    start_ns: int
    end_ns: int
    op: int
    source: tuple[CodeType, int] | None = None
    graph: int | None = None
    node: int | None = None


class Marks:
    """What the calling thread does in one repetition, moment by moment. Full, it counts what is lost."""

    def __init__(self, crossing_ns: int = 0) -> None:
        """`crossing_ns`: how long it takes to get from the engine into a hook, or out of it."""
        self.rows: list[tuple[Any, ...]] = []  # the fields of Mark; making a plain tuple is cheaper
        self.lost = 0
        self.first = 'python'  # what the thread does when the call begins
        self._crossing_ns = crossing_ns

    def begin(self, activity: str, op: int | None = None, source: tuple[CodeType, int] | None = None) -> None:
        """The thread starts this activity now; `op` and `source` say what a kernel or a launch does, and for which line."""
        if len(self.rows) < _MAX_MARKS_OF_RUN:
            self.rows.append((time.time_ns(), activity, op, source))
        else:
            self.lost += 1

    def enter(self) -> None:
        """The thread has entered a hook; getting into it was recording too."""
        start_ns = time.time_ns() - self._crossing_ns
        if self.rows:
            start_ns = max(start_ns, self.rows[-1][0])
        self._add((start_ns, 'recording'))

    def leave(self, activity: str) -> None:
        """The thread leaves a hook; it starts this activity once it is out of it."""
        now_ns = time.time_ns()
        self._add((now_ns, 'recording'))
        self._add((now_ns + self._crossing_ns, activity))

    def _add(self, mark: tuple[Any, ...]) -> None:
        if len(self.rows) < _MAX_MARKS_OF_RUN:
            self.rows.append(mark)
        else:
            self.lost += 1

    def add_work(self, activity: str, work: list[Work]) -> None:
        """Puts kernels in the place of what the thread did meanwhile. If kernels overlap, the time counts for the one that
        began first, until it ends."""
        rows, self.rows = [Mark(*row) for row in self.rows], []
        if not rows:
            return
        at, end = 0, rows[0].start_ns

        def go_to(time_ns: int) -> None:
            """Adds what the thread did until then, where no kernel ran."""
            nonlocal at
            while at < len(rows) and rows[at].start_ns <= end:
                at += 1
            if end < time_ns and at:
                self.rows.append(rows[at - 1]._replace(start_ns=end))
            while at < len(rows) and rows[at].start_ns < time_ns:
                self.rows.append(rows[at])
                at += 1
        for one in sorted(work):
            if one.end_ns < rows[0].start_ns:
                continue
            go_to(one.start_ns)
            start = max(one.start_ns, end)
            self.rows.append(Mark(start, activity, *one[2:]))
            end = max(end, one.end_ns)
        go_to(sys.maxsize)
        self.lost += max(0, len(self.rows) - _MAX_MARKS_OF_RUN)
        del self.rows[_MAX_MARKS_OF_RUN:]

    def records(self) -> list[dict[str, Any]]:
        """The rows of comparison_mark."""
        return [{name: value for name, value in zip(Mark._fields, row) if value is not None} for row in self.rows]


class RepeatedCall:
    """A call that is repeated. A subclass for each engine says how it runs, and what is put back before each repetition."""

    waits = True  # whether a device has to finish its work after the call

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Keeps the state before the program's own call, which is still to be made."""
        self.function, self.args, self.kwargs = function, args, kwargs
        self.ops: dict[str, int] = {}  # numbers of ops by name
        self.crossing_ns = 0           # the time to get into a hook, or out of it
        self.before = self.kept()

    # ---- what an engine provides ------------------------------------------------------------------------------------

    def run_eagerly(self) -> Any:
        """Makes the call op by op."""
        raise NotImplementedError

    def run_compiled(self) -> Any:
        """Makes the call by what was compiled."""
        raise NotImplementedError

    def eagerly(self) -> contextlib.AbstractContextManager[Any]:
        """In its scope `run_eagerly` compiles nothing."""
        return contextlib.nullcontext()

    def marking(self, compiled: bool, marks: Marks) -> contextlib.AbstractContextManager[Any]:
        """In its scope, what the call does is marked."""
        raise NotImplementedError

    def wait(self, result: Any) -> None:
        """Waits until devices have computed the results."""

    def kinds_of_state(self) -> list[kept_state.Kind]:
        """The engine's values that change in place."""
        return []

    def state(self) -> list[Any]:
        """The engine's objects whose state is put back, beside those that the function can reach."""
        return []

    def generators(self) -> list[kept_state.Generator]:
        """The engine's random number generators."""
        return []

    def family(self, op: str) -> str:
        """What kind of work an op is."""
        raise NotImplementedError

    def user_frame(self, frame: FrameType | None) -> FrameType | None:
        """The innermost frame of the program."""
        raise NotImplementedError

    def notes(self) -> list[str]:
        """What a reader of the comparison has to know."""
        return []

    # ---- the same for all -------------------------------------------------------------------------------------------

    def kept(self) -> kept_state.KeptState:
        """The state now."""
        with _unrecorded():
            return kept_state.KeptState(self.function, kept_state.named_arguments(self.named(), self.args, self.kwargs),
                                        self.state(), self.kinds_of_state(), self.generators())

    def named(self) -> Any:
        """The function whose parameters name the arguments."""
        return self.function

    def put_back(self) -> None:
        """Restores the program's state as it was before its own call."""
        self.before.put_back()

    @contextlib.contextmanager
    def ready(self, compiled: bool, marks: Marks | None) -> Iterator[Callable[[], None]]:
        """Gives a function that makes the call once more and waits for its results, and does nothing else that takes time."""
        run = self.run_compiled if compiled else self.run_eagerly

        def call() -> None:
            if marks is not None:
                marks.begin(marks.first)
            result = run()
            if marks is not None and self.waits:
                marks.begin('waiting')
            self.wait(result)
        with contextlib.nullcontext() if compiled else self.eagerly():
            if marks is None:
                yield call
                return
            with self.marking(compiled, marks):
                yield call

    def number(self, op: str) -> int:
        """The number of an op in the recording."""
        known = self.ops.get(op)
        if known is None:
            known = self.ops[op] = _recorder.new_id('op')
        return known

    def describe_ops(self) -> None:
        """Records the names of the ops that ran."""
        for name, number in self.ops.items():
            _recorder.add('op', {'id': number, 'name': name, 'family': self.family(name)})

    def measure_crossing(self, run_op: Callable[[], Any], num_crossings: int) -> None:
        """Measures how long it takes to get into a hook, or out of it, on an op that does next to nothing and crosses
        `num_crossings` times between the engine and hooks."""
        rounds, count = [], 50
        for _ in range(9):
            taken = []
            for marked in (False, True):
                marks = Marks()
                with self.marking(False, marks) if marked else contextlib.nullcontext():
                    start = time.perf_counter_ns()
                    for _ in range(count):
                        run_op()
                    taken.append(time.perf_counter_ns() - start)
            own = sum(after[0] - row[0] for row, after in zip(marks.rows, marks.rows[1:]) if row[1] == 'recording')
            rounds.append((taken[1] - taken[0] - own) // (count * num_crossings))
        self.crossing_ns = max(0, sorted(rounds)[4])

    def measure_crossing_in_call(self) -> None:
        """Measures the same on the call itself, where hooks find less in the caches. What a simple op gave stays if
        other programs disturb this, or the call takes too long to tell the difference."""
        bare: list[int] = []
        hooked: list[int] = []
        crossings = 0
        began = time.perf_counter()
        try:
            while len(hooked) < _MAX_ROUNDS and time.perf_counter() - began < _SECONDS_OF_ROUNDS:
                before = _interruptions()
                without, with_hooks = self.time_eagerly(None), self.time_eagerly(marks := Marks())
                if _interruptions() == before:
                    bare.append(without)
                    hooked.append(with_hooks)
                    crossings = sum(row[1] == 'recording' for row in marks.rows)  # one for each hook's begin and end
        except Exception:  # the repetitions report it
            return
        if len(bare) < _MIN_ROUNDS or not crossings:
            return
        # The first quarter: a round may be longer than it has to be, but never shorter.
        quarter = len(bare) // 4
        bare.sort()
        hooked.sort()
        difference = hooked[quarter] - bare[quarter]
        spread = max(times[2 * quarter] - times[0] for times in (bare, hooked))
        if spread < difference / 2:
            self.crossing_ns = max(self.crossing_ns, difference // crossings)

    def time_eagerly(self, marks: Marks | None) -> int:
        """How long an eager repetition takes, without what its marks call recording."""
        self.put_back()
        with _standard_output(_Sink()), self.ready(False, marks) as call:
            os.sched_yield()  # as before a repetition
            start = time.time_ns()
            call()
            end = time.time_ns()
        rows = marks.rows if marks is not None else []
        return end - start - sum(after[0] - row[0] for row, after in zip(rows, rows[1:]) if row[1] == 'recording')

    def time_of_mark(self) -> int:
        """Picoseconds that a mark takes."""
        return _time_of_mark()

    def measure(self) -> None:
        """Measures what hooks take, before the call is repeated."""


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
    def __init__(self, call: RepeatedCall, most_pairs: int, seconds: float) -> None:
        self.call, self.most_pairs, self.seconds = call, most_pairs, seconds
        self.order = random.Random()  # a generator of its own: the program's is part of the state
        self.runs: list[dict[str, Any]] = []
        self.error, self.stopped = '', ''
        self.sinks = {False: _Sink(), True: _Sink()}
        self.printed = {False: 0, True: 0}
        self.differences = _Differences()
        self.marks_kept = self.marks_of_pair = 0
        self.with_marks = self.without = 0  # pairs that nobody interrupted
        self.owes_marks = False  # the last pair with marks was interrupted

    def run(self) -> None:
        began = time.perf_counter()
        warm_up, pair = _WARM_UP, 0
        while not self.error and not self.stopped:
            warms = pair < warm_up
            # An interrupted pair with marks is followed by another one, after a pair without.
            is_due = pair == 0 or pair % 4 == warm_up % 4 or (self.owes_marks and pair % 2 == warm_up % 2)
            marked = is_due and self.marks_kept + self.marks_of_pair <= _MAX_MARKS
            interrupted = self.repeat(pair, warms, marked)
            if marked:
                self.owes_marks = interrupted
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
        for compiled in self.order.sample((False, True), 2):
            run = {'pair': pair, 'traced': compiled, 'warm_up': warms, 'with_events': marked}
            try:
                self.once(run, compiled, Marks(self.call.crossing_ns) if marked else None)
            except Exception as error:
                self.error = f'{"compiled" if compiled else "eagerly"}: {type(error).__name__}: {error}'
                return False
            runs[compiled] = run
        self.marks_of_pair = sum(len(run['comparison_mark']) for run in runs.values())
        self.runs += [runs[False], runs[True]]
        return any(run['interruptions'] for run in runs.values())

    def once(self, run: dict[str, Any], compiled: bool, marks: Marks | None) -> None:
        self.call.put_back()
        sink = self.sinks[compiled]
        sink.printed = 0
        with _standard_output(sink):
            with self.call.ready(compiled, marks) as call:
                os.sched_yield()  # whoever waits for the processor runs now, not in the middle of a short call
                before = _interruptions()
                run['start_ns'] = time.time_ns()
                call()
                run['end_ns'] = time.time_ns()
                run['interruptions'] = _interruptions() - before
        run['lost'] = marks.lost if marks else 0
        run['comparison_mark'] = marks.records() if marks else []
        self.printed[compiled] = max(self.printed[compiled], sink.printed)


def compare(call: RepeatedCall, what: Compared, most_pairs: int, seconds: float) -> None:
    """Repeats the call and records the comparison; nothing else is recorded meanwhile, and what repetitions print is dropped."""
    start_ns = time.time_ns()
    repetitions = _Repetitions(call, most_pairs, seconds)
    after = call.kept()
    refused = call.before.refused()
    if refused:
        repetitions.stopped, repetitions.error = NOT_REPEATED, refused
    else:
        with _unrecorded():
            try:
                call.measure()
                repetitions.run()
            finally:
                after.put_back()
    notes = call.notes() if repetitions.runs else []
    if repetitions.runs and call.before.note():
        notes.append(call.before.note())
    if any(repetitions.printed.values()):
        notes.append(f'Each eager repetition printed {repetitions.printed[False]} bytes, each compiled one '
                     f'{repetitions.printed[True]}; Footlight dropped that output')
    row: dict[str, Any] = {
        'function': what.function, 'trace': what.trace, 'call': what.call, 'source': what.source,
        'stopped': repetitions.stopped, 'error': repetitions.error[:500], 'start_ns': start_ns, 'end_ns': time.time_ns(),
        'mark_ps': call.time_of_mark(), 'comparison_run': repetitions.runs,
        'comparison_note': notes}
    _recorder.add('comparison', row)


class ChosenCall:
    """The call that `--compare NAME[:CALL]` names, as it arrives."""

    def __init__(self) -> None:
        wanted = footlight_recorder.wanted_comparison
        self.name, self.number, self.pairs, self.seconds = wanted if wanted else (None, 0, 0, 0.0)
        self._calls: dict[int, int] = {}
        self._over = wanted is None

    def is_wanted(self) -> bool:
        """Whether a call is still to be compared."""
        return not self._over

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


def call_and_compare(call: Callable[..., Any], chosen: ChosenCall, function: int, make: Callable[..., RepeatedCall],
                     frame: FrameType | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Makes the program's own call, then compares it. An error of ours is noted, and the program goes on.

    `make` is called before the program's call, which may take its arguments away or change what they refer to.
    """
    repeated = _quietly(lambda: make(args, kwargs))
    result = call(*args, **kwargs)
    if repeated is not None:
        _, called, trace = _recorder.finished_call()
        what = Compared(function, trace if called == function else None, chosen.number, caller(repeated.user_frame(frame)))
        _quietly(lambda: compare(repeated, what, chosen.pairs, chosen.seconds))
        _quietly(repeated.describe_ops)
    return result


def _quietly(body: Callable[[], Any]) -> Any:
    """Runs something of ours. An error is noted, and the result is None."""
    from footlight_recorder.adapters import note
    try:
        return body()
    except Exception as error:
        note('compare', error)
        return None
