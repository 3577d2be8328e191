"""Repeats a call of a tf.function: with functions run eagerly, and by its graph."""
from __future__ import annotations

import contextlib
import gc
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType, ModuleType
from typing import Any

from footlight_recorder import _recorder, repetitions
from footlight_recorder.adapters.tensorflow_graphs import Graphs, family_of
from footlight_recorder.adapters.tensorflow_profile import Kernel, Profile
from footlight_recorder.observed import kept_state

# What runs ops, and the place of the op's name among its arguments.
_OPS = {'TFE_Py_FastPathExecute': 1, 'TFE_Py_Execute': 2, 'TFE_Py_ExecuteCancelable': 2}


class Comparison:
    """Waits for the call that is to be compared."""

    def __init__(self, tensorflow: ModuleType, chosen: repetitions.ChosenCall,
                 user_frame: Callable[[FrameType | None], FrameType | None], name_of: Callable[[int], str], graphs: Graphs,
                 graph_of: Callable[[int], int | None]) -> None:
        self.tensorflow, self.chosen, self.user_frame = tensorflow, chosen, user_frame
        self.name_of, self.graphs, self.graph_of = name_of, graphs, graph_of
        graphs.names = {}  # the names of nodes are kept from now on: the profiler tells them

    def stand_in(self, recorded: Any, original: Any) -> Any:
        """Stands in for `Function.__call__`. `recorded` records the calls."""
        from tensorflow.python.eager import context

        def __call__(function: Any, *args: Any, **kwargs: Any) -> Any:
            number = getattr(function, '_footlight_function', None)
            if number is None or not self.chosen.is_of(self.name_of(number)) or not context.executing_eagerly() or \
                    getattr(function, '_run_functions_eagerly', False) or not self.chosen.arrives(number):
                return recorded(function, *args, **kwargs)

            def run(*args: Any, **kwargs: Any) -> Any:
                return recorded(function, *args, **kwargs)

            def make(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
                return Call(self, function, original, args, kwargs)
            return repetitions.call_and_compare(run, self.chosen, number, make, sys._getframe(1), args, kwargs)
        return __call__


class Call(repetitions.RepeatedCall):
    """A call of a tf.function."""

    def __init__(self, comparison: Comparison, function: Any, original: Any, args: tuple[Any, ...],
                 kwargs: dict[str, Any]) -> None:
        from tensorflow.python.eager import context
        self.comparison, self.traced, self.original = comparison, function, original
        self.context = context.context()
        self.on_device = any(name.partition('device:')[2][:3] not in ('CPU', '') for name in self.context.devices())
        self.waits = self.on_device
        self.profiles = True
        super().__init__(getattr(function, 'python_function', None) or function._python_function, args, kwargs)

    def run_eagerly(self) -> Any:
        return self.run_compiled()  # in the scope of eagerly()

    def run_compiled(self) -> Any:
        return self.original(self.traced, *self.args, **self.kwargs)

    @contextlib.contextmanager
    def eagerly(self) -> Iterator[None]:
        config = self.comparison.tensorflow.config
        config.run_functions_eagerly(True)
        try:
            yield
        finally:
            config.run_functions_eagerly(False)

    def wait(self, result: Any) -> None:
        if self.on_device:
            self.context.sync_executors()
            for one in result if isinstance(result, (list, tuple)) else [result]:
                if hasattr(one, 'numpy'):
                    one.numpy()

    def user_frame(self, frame: FrameType | None) -> FrameType | None:
        return self.comparison.user_frame(frame)

    def family(self, op: str) -> str:
        return family_of(op)

    def notes(self) -> list[str]:
        found = ["Python is the program and the Python part of TensorFlow; guards are all that comes before the graph's run"]
        if not self.profiles:
            found.append('TensorFlow runs kernels while it launches them: their time is part of the launches')
        if self.on_device:
            found.append('Kernels of the device are not told apart: their time is part of waiting for it')
        return found

    # ---- state ------------------------------------------------------------------------------------------------------

    def state(self) -> list[Any]:
        """All variables: those of models, the slots of optimizers, the states of generators."""
        from tensorflow.python.ops import resource_variable_ops
        self.variables: type = resource_variable_ops.BaseResourceVariable
        return [one for one in gc.get_objects() if self.variables in type(one).__mro__ and self.is_eager(one)]

    def is_eager(self, variable: Any) -> bool:
        """Whether it has a value now: it is no part of a graph."""
        return hasattr(variable.handle, 'numpy')

    def kinds_of_state(self) -> list[kept_state.Kind]:
        from tensorflow.python.data.ops import iterator_ops
        return [kept_state.Kind((self.variables,), lambda one: one.read_value() if self.is_eager(one) else None,
                                _put_variable_back, 'the variable'),
                kept_state.Kind((iterator_ops.OwnedIterator,), lambda one: one._serialize_to_tensors(),
                                lambda one, kept: one._restore_from_tensors(kept), "the dataset's iterator")]

    def generators(self) -> list[kept_state.Generator]:
        """What draws the seeds of ops; the numbers themselves are drawn by kernels, whose states nobody can read."""
        draws = getattr(self.context, '_rng', None)
        return [] if draws is None else [kept_state.Generator(draws.getstate, draws.setstate)]

    # ---- marks ------------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def marking(self, compiled: bool, marks: repetitions.Marks) -> Iterator[None]:
        """Marks what runs ops. The profiler says when kernels ran; without it their time counts as launches."""
        from tensorflow.python import pywrap_tfe
        marks.first = 'guards' if compiled else 'python'
        ran: list[tuple[int, int, int, Any]] = []  # start, end, op and line of what ran eagerly
        kept = {name: getattr(pywrap_tfe, name) for name in _OPS if hasattr(pywrap_tfe, name)}
        profile = self.profile()
        for name, run in kept.items():
            setattr(pywrap_tfe, name, self.marked(run, _OPS[name], compiled, marks, None if profile is None else ran))
        try:
            yield
        finally:
            for name, run in kept.items():
                setattr(pywrap_tfe, name, run)
            if profile is not None:
                self.add_kernels(marks, profile.kernels(), compiled, ran)

    def profile(self) -> Profile | None:
        """The profiler, running; None: this TensorFlow has another one, or the program uses it."""
        if not self.profiles:
            return None
        try:
            return Profile()
        except Exception:
            self.profiles = False
            return None

    def marked(self, run: Callable[..., Any], at: int, compiled: bool, marks: repetitions.Marks,
               ran: list[tuple[int, int, int, Any]] | None) -> Callable[..., Any]:
        """Stands in for what runs an op. With `ran`, kernels are seen by the profiler, and this is dispatch."""
        def run_marked(*args: Any) -> Any:
            marks.enter()
            if compiled:
                op, source = None, None
            else:
                name = args[at]
                op = self.number(name.decode() if isinstance(name, bytes) else str(name))
                source = repetitions.caller(self.user_frame(sys._getframe(1)))
            if ran is not None:
                marks.begin('dispatch')
            else:
                marks.begin('launch', op, source)
            start = time.time_ns()
            try:
                return run(*args)
            finally:
                marks.leave('python')
                if ran is not None and op is not None:
                    ran.append((start, time.time_ns(), op, source))
        return run_marked

    def add_kernels(self, marks: repetitions.Marks, kernels: list[Kernel], compiled: bool,
                    ran: list[tuple[int, int, int, Any]]) -> None:
        """Puts kernels among the marks."""
        rows = []
        at = 0
        for kernel in kernels:
            if kernel.node:
                graph, node = self.comparison.graphs.node_named(self.graph, kernel.node) if compiled else (None, None)
                op = self.number(kernel.op)
                rows.append(repetitions.Work(kernel.start_ns, kernel.end_ns, op, None, graph, node))
                continue
            while at < len(ran) and ran[at][1] < kernel.start_ns:
                at += 1
            if not compiled and at < len(ran) and ran[at][0] <= kernel.start_ns:
                op = self.number(kernel.op) if kernel.op else ran[at][2]
                rows.append(repetitions.Work(kernel.start_ns, kernel.end_ns, op, ran[at][3]))
        marks.add_work('launch' if self.on_device else 'kernel', rows)

    @property
    def graph(self) -> int | None:
        """The graph that the call ran."""
        _, _, trace = _recorder.finished_call()
        return None if trace is None else self.comparison.graph_of(trace)

    def measure(self) -> None:
        from tensorflow.python.framework import constant_op
        from tensorflow.python.ops import gen_array_ops
        value = constant_op.constant(1.0)
        self.measure_crossing(lambda: gen_array_ops.identity(value), 2)


def _put_variable_back(variable: Any, kept: Any) -> None:
    if kept is not None:
        variable.assign(kept, read_value=False)
