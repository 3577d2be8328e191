"""Recording some steps of a training loop: of any loop, of Keras and of Lightning."""
from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, TypeVar

from footlight_recorder import _recorder, in_program

Item = TypeVar('Item')


class steps:
    """Records the steps `first` to `last` of a loop, counted from 1, into a file. Each of them is a span on the timeline.

        for batch in footlight_recorder.steps(10, 20).over(batches):
            train_step(batch)

    Where the loop takes no iterable, step() stands at the top of its body:

        with footlight_recorder.steps(10, 20) as recorded:
            while not done:
                recorded.step()
                train_step(next(batches))

    Make it before the functions that the loop calls, or call footlight_recorder.prepare() early: of traces that
    another engine made before, graphs and times are missing.
    """

    def __init__(self, first: int, last: int, path: str | os.PathLike[str] = 'steps.footlight', level: str = 'ops',
                 engine: str = 'auto') -> None:
        if not (isinstance(first, int) and isinstance(last, int) and 1 <= first <= last):
            raise ValueError(f'steps count from 1, and the last one is no earlier than the first: not {first!r} to {last!r}')
        if level not in ('structure', 'ops'):
            raise ValueError(f"level must be 'structure' or 'ops', not {level!r}")
        self.first, self.last = first, last
        self.path = os.path.abspath(os.fspath(path))
        self.number = 0  # of the step that runs
        self._level, self._engine = level, engine
        self._span: Any = None
        self._records = self._has_recorded = self._is_closed = False
        in_program.prepare(engine)

    def step(self) -> None:
        """Begins a step; the one before it has ended."""
        self.end_step()
        self.number += 1
        if self.number == self.first and not self._is_closed:
            self.path = in_program.start(self.path, self._level, self._engine)  # a rank has its number in the name
            self._records = self._has_recorded = True
        if self._records:
            self._span = _recorder.span(f'step {self.number}', 'step')
            self._span.__enter__()

    def end_step(self) -> None:
        """Ends the step that runs, and after the last one the recording."""
        if self._span is not None:
            self._span.__exit__(None, None, None)
            self._span = None
        if self._records and self.number >= self.last:
            self._stop(f'step {self.number} ended')

    def over(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items, each of them a step."""
        try:
            for item in items:
                self.step()
                yield item
                self.end_step()
        finally:
            self.close()

    def close(self) -> None:
        """Ends the recording if the loop ended before its last step; warns if no step was recorded."""
        if self._is_closed:
            return
        self._is_closed = True
        self.end_step()
        if self._records:
            self._stop(f'the loop ended in step {self.number}')
        elif not self._has_recorded:
            warnings.warn(f'nothing was recorded: the loop ended after {self.number} steps, before step {self.first}',
                          stacklevel=3)

    def _stop(self, reason: str) -> None:
        self._records = False
        in_program.stop_if(self.path, reason)

    def __enter__(self) -> steps:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _class_of(*places: tuple[str, str]) -> type:
    """The first class (module that the program has imported, path in it) that there is, else object."""
    for module, path in places:
        found: Any = sys.modules.get(module)
        for part in path.split('.'):
            found = getattr(found, part, None)
        if isinstance(found, type):
            return found
    return object


def keras_callback(first: int, last: int, path: str | os.PathLike[str] = 'steps.footlight', level: str = 'ops',
                   engine: str = 'auto') -> Any:
    """A callback that records the batches `first` to `last` of training, counted from 1 over all epochs:

        model.fit(x, y, callbacks=[footlight_recorder.keras_callback(10, 20, 'fit.footlight')])
    """
    base = _class_of(('keras', 'callbacks.Callback'), ('tf_keras', 'callbacks.Callback'),
                     ('tensorflow', 'keras.callbacks.Callback'))
    recorded = steps(first, last, path, level, engine)

    class RecordSteps(base):  # type: ignore[valid-type, misc]

        def on_train_batch_begin(self, batch: int, logs: object = None) -> None:
            recorded.step()

        def on_train_batch_end(self, batch: int, logs: object = None) -> None:
            recorded.end_step()

        def on_train_end(self, logs: object = None) -> None:
            recorded.close()

        if base is object:
            def __getattr__(self, name: str) -> Any:
                return _nothing(self, name, ('on_', 'set_'))

    return RecordSteps()


def lightning_callback(first: int, last: int, path: str | os.PathLike[str] = 'steps.footlight', level: str = 'ops',
                       engine: str = 'auto') -> Any:
    """A callback that records the batches `first` to `last` of training, counted from 1 over all epochs:

        Trainer(callbacks=[footlight_recorder.lightning_callback(10, 20, 'fit.footlight')])
    """
    base = _class_of(('lightning.pytorch', 'callbacks.Callback'), ('pytorch_lightning', 'callbacks.Callback'))
    recorded = steps(first, last, path, level, engine)

    class RecordSteps(base):  # type: ignore[valid-type, misc]

        def on_train_batch_start(self, *_: object, **__: object) -> None:
            recorded.step()

        def on_train_batch_end(self, *_: object, **__: object) -> None:
            recorded.end_step()

        def on_train_end(self, *_: object, **__: object) -> None:
            recorded.close()

        def on_exception(self, *_: object, **__: object) -> None:
            recorded.close()

        if base is object:
            state_key = 'footlight_recorder.training_steps'

            def state_dict(self) -> dict[str, Any]:
                return {}

            def __getattr__(self, name: str) -> Any:
                return _nothing(self, name, ('on_', 'setup', 'teardown', 'load_state_dict'))

    return RecordSteps()


def _nothing(of: object, name: str, beginnings: tuple[str, ...]) -> Any:
    """Gives a hook of a callback that does nothing."""
    if not name.startswith(beginnings):
        raise AttributeError(f'{type(of).__name__!r} object has no attribute {name!r}')
    return lambda *_, **__: None
