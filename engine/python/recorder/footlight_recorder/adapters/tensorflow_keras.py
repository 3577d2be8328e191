"""Keras on TensorFlow: its step functions by the method that the program called, their data, and where models are made."""
from __future__ import annotations

import importlib.metadata
import sys
import weakref
from types import CodeType, FrameType, ModuleType
from typing import Any, NamedTuple

from footlight_recorder import _recorder
from footlight_recorder.adapters import Adapter, Hook, guarded, places
from footlight_recorder.adapters.tensorflow_keys import Described

_PUBLIC = ('fit', 'evaluate', 'predict', 'train_on_batch', 'test_on_batch', 'predict_on_batch')
_TRAINERS = ('/trainer.py', '/training.py')  # of Keras 3 and 2
_PARTS = ['x', 'y', 'sample_weight']

# Models of this process: where they were made and compiled.
_made: weakref.WeakKeyDictionary[Any, tuple[str, int]] = weakref.WeakKeyDictionary()


def _is_keras(path: str) -> bool:
    return '-packages/keras/' in path or '-packages/tf_keras/' in path


class Step(NamedTuple):
    """A step function."""
    name: str
    names: list[str]
    made: tuple[str, int] | None  # where its model was compiled or made, which decides about XLA


class Keras:
    """What the adapter of TensorFlow asks about Keras."""

    @staticmethod
    def is_own(path: str) -> bool:
        """Whether a file is Keras's."""
        return _is_keras(path)

    def step_of(self, function: Any, code: CodeType) -> Step | None:
        """The step function that Keras makes of this one; None: it is no such function."""
        if not _is_keras(code.co_filename) or not code.co_filename.endswith(_TRAINERS):
            return None
        frame: FrameType | None = sys._getframe(1)
        name = ''
        while frame is not None:
            if frame.f_code.co_name in _PUBLIC and _is_keras(frame.f_code.co_filename):
                name = frame.f_code.co_name
            frame = frame.f_back
        if not name:
            return None
        closure = dict(zip(code.co_freevars, getattr(function, '__closure__', None) or ()))
        model = closure.get('self') or closure.get('model')
        try:
            made = _made.get(model.cell_contents) if model is not None else None
        except (TypeError, ValueError):
            made = None
        parts = _PARTS[:1] if name.startswith('predict') else list(_PARTS)
        # A function of its own, which the step function calls; for one batch it is the step function.
        if code.co_name == 'one_step_on_data' and not name.endswith('_on_batch'):
            name = getattr(function, '__qualname__', name)
        return Step(name, parts, made)

    @staticmethod
    def name_items(made: Described, names: list[str]) -> None:
        """Replaces the iterator or the data of a step by what it holds: x, y, sample_weight."""
        held: Any = made.items[len(names)] if len(made.items) > len(names) else made.items[-1]
        if isinstance(held, tuple) and held and getattr(held[0], 'kind', '') == 'custom':
            held = held[1:]
        while isinstance(held, (tuple, list)) and len(held) == 1 and isinstance(held[0], (tuple, list)):
            held = held[0]
        parts = list(held) if isinstance(held, (tuple, list)) else [held]
        made.names = list(names)
        made.items = (parts + [None] * len(names))[:len(names)]


@guarded
def _note(_: Any, result: Any, error: Any, model: Any, *more: Any, **named: Any) -> None:
    """A model was made or compiled: the line that did it last says how its steps are compiled."""
    frame = places.innermost(sys._getframe(1), lambda path: '-packages/' in path)
    if frame is not None and error is None:
        _made[model] = frame.f_code.co_filename, frame.f_lineno


def adapter(module: ModuleType) -> Adapter:
    """The hooks for this Keras, whose module of models was imported."""
    def noted(original: Any) -> Any:
        return _recorder.hooked(original, None, _note)

    name = module.__name__.partition('.')[0]
    of_two = module.__name__.endswith('.engine.training')
    compiles = (module.__name__, 'Model.compile') if of_two else (f'{name}.src.trainers.trainer', 'Trainer.compile')
    places = [compiles, (module.__name__, 'Model.__init__')]
    hooks = [Hook(place, attribute, noted, 'where models are made') for place, attribute in places]
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        version = 'of an unknown version'
    return Adapter(name, version, hooks, part_of='tensorflow')
