"""Repeats a call of a jitted function: under `jax.disable_jit()`, and compiled."""
from __future__ import annotations

import contextlib
import functools
import sys
import types
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from footlight_recorder import repetitions
from footlight_recorder.adapters.jax_graphs import family


class Call(repetitions.RepeatedCall):
    """A call of a jitted function. Its arrays never change; only those that are donated are gone after a call."""

    def __init__(self, jax: Any, core: Any, user_frame: Callable[[FrameType | None], FrameType | None], jitted: Any,
                 donates: bool, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.jax, self.core, self.own_frame, self.jitted = jax, core, user_frame, jitted
        self.donates = donates
        args, kwargs = self.copied((args, kwargs)) if donates else (args, kwargs)
        self.now = (args, kwargs)
        super().__init__(getattr(jitted, '__wrapped__', None), args, kwargs)

    def run_eagerly(self) -> Any:
        return self.run_compiled()  # in the scope of eagerly()

    def run_compiled(self) -> Any:
        args, kwargs = self.now
        return self.jitted(*args, **kwargs)

    def eagerly(self) -> contextlib.AbstractContextManager[Any]:
        scope: contextlib.AbstractContextManager[Any] = self.jax.disable_jit()
        return scope

    def wait(self, result: Any) -> None:
        self.jax.block_until_ready(result)

    def put_back(self) -> None:
        super().put_back()
        if self.donates:
            self.now = self.copied((self.args, self.kwargs))

    def copied(self, values: Any) -> Any:
        """The values with copies of their arrays."""
        return self.jax.tree_util.tree_map(
            lambda leaf: self.jax.numpy.array(leaf, copy=True) if isinstance(leaf, self.jax.Array) else leaf, values)

    def family(self, op: str) -> str:
        return family(op)

    def user_frame(self, frame: FrameType | None) -> FrameType | None:
        return self.own_frame(frame)

    def notes(self) -> list[str]:
        return ['Python is the time of the program and of JAX itself',
                'JAX runs small kernels while it launches them: their time is part of the launches']

    @contextlib.contextmanager
    def marking(self, compiled: bool, marks: repetitions.Marks) -> Iterator[None]:
        """Compiled, all is the launch of an executable; eagerly, every primitive is a launch."""
        if compiled:
            marks.first = 'launch'
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
        return repetitions.call_and_compare(self._stand_in, self._chosen, self._function, self._make, sys._getframe(1), args,
                                            kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stand_in, name)
