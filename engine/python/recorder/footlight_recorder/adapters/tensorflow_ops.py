"""TensorFlow's eager ops: what Python hands to the runtime one by one, outside of traced functions."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from footlight_recorder.adapters import Hook, eager_ops
from footlight_recorder.adapters.tensorflow_graphs import family_of

# Functions that run an op: which of their arguments is its name.
_RUNNERS = {'TFE_Py_FastPathExecute': 1, 'TFE_Py_Execute': 2, 'TFE_Py_ExecuteCancelable': 2}


@functools.lru_cache(maxsize=1)
def _ops() -> eager_ops.Ops:
    return eager_ops.Ops(family_of, ('_shape_tuple', '_datatype_enum'))


def describe_again() -> None:
    """Adds the names of ops to a recording that begins later."""
    _ops().describe_again()


def hooks() -> list[Hook]:
    """The hooks of the functions that run ops."""
    if not eager_ops.are_recorded():
        return []

    def stand_in(at: int) -> Callable[[Any], Any]:
        def describe(arguments: Any, result: Any) -> eager_ops.Described | None:
            name = arguments[at]
            text = name.decode() if isinstance(name, bytes) else str(name)
            if text.startswith('__'):
                return None  # the graph of a traced function
            return _ops().described(text, arguments[at + 1:], result)
        return lambda original: _ops().stand_in(original, describe, first=at)

    return [Hook('tensorflow.python.pywrap_tfe', name, stand_in(at), 'ops outside of traced functions', needed=at < 2)
            for name, at in _RUNNERS.items()]
