"""Gives modules of TensorFlow the names that files of this tree define."""
from __future__ import annotations

from footlight import _engine
from footlight._typing import Any


def publish(values: dict[str, Any], names: str | None = None, place: str | None = None) -> None:
    """Sets names in the module at `place`, by default the one with the path of the file whose globals() `values` are.

    `names` are separated by spaces, by default all public functions and classes that the file defines; `theirs=ours`
    publishes what the file calls `ours` as `theirs`. Example: `publish(globals())` in _tensorflow/python/ops/cond_v2.py.
    """
    file = values['__name__']
    namespace = _engine.namespace(place or file.removeprefix('footlight._tensorflow.'))
    if names is None:
        names = ' '.join(name for name, value in values.items()
                         if not name.startswith('_') and getattr(value, '__module__', None) == file)
    for name in names.split():
        theirs, _, ours = name.partition('=')
        setattr(namespace, theirs, values[ours or theirs])
