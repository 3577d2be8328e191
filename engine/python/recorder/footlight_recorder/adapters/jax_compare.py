"""Repeats a call of a jitted function: under `jax.disable_jit()`, and compiled."""
from __future__ import annotations

import contextlib
import functools
import sys
import types
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from footlight_recorder import _recorder, repetitions
from footlight_recorder.adapters.jax_graphs import family


class Call:
    """A call of a jitted function, with its arguments; repetitions.Engine says what its methods are for."""

    def __init__(self, jax: Any, core: Any, user_frame: Callable[[FrameType | None], FrameType | None], jitted: Any,
                 donates: bool, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.jax, self.core, self.user_frame, self.jitted = jax, core, user_frame, jitted
        self.donates = donates
        self.args, self.kwargs = self.copied((args, kwargs)) if donates else (args, kwargs)
        self.now = (self.args, self.kwargs)
        self.ops: dict[str, int] = {}  # numbers of primitives

    def call(self, compiled: bool, marks: repetitions.Marks | None) -> Any:
        args, kwargs = self.now
        if compiled:
            if marks is not None:
                marks.begin('launch')
            result = self.jitted(*args, **kwargs)
        else:
            with self.jax.disable_jit(), self.marked(marks):
                result = self.jitted(*args, **kwargs)
        if marks is not None:
            marks.begin('waiting')
        self.jax.block_until_ready(result)
        return result

    def put_back(self) -> None:
        """Arrays never change; only those that are donated are gone after a call."""
        if self.donates:
            self.now = self.copied((self.args, self.kwargs))

    def copied(self, values: Any) -> Any:
        """The values with copies of their arrays."""
        return self.jax.tree_util.tree_map(
            lambda leaf: self.jax.numpy.array(leaf, copy=True) if isinstance(leaf, self.jax.Array) else leaf, values)

    def notes(self) -> list[str]:
        return ['Python is the time of the program and of JAX itself',
                'JAX runs small kernels while it launches them: their time is part of the launches']

    @contextlib.contextmanager
    def marked(self, marks: repetitions.Marks | None) -> Iterator[None]:
        """In its scope every primitive that runs eagerly is marked as a launch."""
        if marks is None:
            yield
            return
        trace = self.core.EvalTrace
        original = trace.process_primitive

        def process_primitive(self_: Any, primitive: Any, *args: Any, **kwargs: Any) -> Any:
            marks.begin('recording')
            op, source = self.number(primitive.name), repetitions.caller(self.user_frame(sys._getframe(1)))
            marks.begin('launch', op, source)
            try:
                return original(self_, primitive, *args, **kwargs)
            finally:
                marks.begin('python')
        trace.process_primitive = process_primitive
        try:
            yield
        finally:
            trace.process_primitive = original

    def number(self, primitive: str) -> int:
        known = self.ops.get(primitive)
        if known is None:
            known = self.ops[primitive] = _recorder.new_id('op')
        return known

    def describe_ops(self) -> None:
        """Records the names of the primitives that ran."""
        for name, number in self.ops.items():
            _recorder.add('op', {'id': number, 'name': name, 'family': family(name)})


class Compared:
    """Stands in for a jitted function one of whose calls is compared."""

    def __init__(self, stand_in: Any, function: int, chosen: repetitions.ChosenCall, make: Callable[..., Call],
                 is_traced: Callable[[Any, Any], bool]) -> None:
        self._stand_in, self._function, self._chosen, self._make = stand_in, function, chosen, make
        self._is_traced = is_traced
        functools.update_wrapper(self, stand_in)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._is_traced(args, kwargs) or not self._chosen.arrives(self._function):
            return self._stand_in(*args, **kwargs)
        call = self._make(args, kwargs)  # before the program's own, which may take donated arguments away
        source = repetitions.caller(call.user_frame(sys._getframe(1)))
        result = self._stand_in(*args, **kwargs)
        _, _, trace = _recorder.finished_call()
        what = repetitions.Compared(self._function, trace, self._chosen.number, source)
        repetitions.call_of(call, self._chosen, what)
        call.describe_ops()
        return result

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stand_in, name)
