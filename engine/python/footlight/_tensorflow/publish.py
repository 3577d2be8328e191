"""Gives modules of TensorFlow the names that files of this tree define."""
from __future__ import annotations

from footlight import _engine
from footlight._typing import Any


def publish(values: Any, names: Any, place: Any = None) -> None:
    """Sets names in the module at `place`, by default the one with the path of the file whose globals() `values` are.

    `names` are separated by spaces; `theirs=ours` publishes what the file calls `ours` as `theirs`. Example:
    `publish(globals(), 'cond_v2 indexed_case')` in _tensorflow/python/ops/cond_v2.py.
    """
    namespace = _engine.namespace(place or values['__name__'].removeprefix('footlight._tensorflow.'))
    for name in names.split():
        theirs, _, ours = name.partition('=')
        setattr(namespace, theirs, values[ours or theirs])
