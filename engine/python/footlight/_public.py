"""Puts what the package defines into public namespaces: publish('tf.strings', split) makes tf.strings.split."""
from __future__ import annotations

from footlight import _engine
from footlight._typing import Any


def publish(places: str, *objects: Any, **renamed: Any) -> None:
    """Makes functions and classes public, under their own names or, given as keywords, under these.

    `places` are namespaces separated by spaces. The first one is the module that help() and pickle see; the others,
    older places of the same names, only get them too. Example: `publish('tf.io tf.compat.v1', read_file)`.
    """
    home = _namespace(places.split()[0]).__name__
    for value in objects:
        value.__module__ = home
    for name, value in renamed.items():
        value.__module__, value.__name__, value.__qualname__ = home, name, name
    alias(places, *objects, **renamed)


def alias(places: str, *objects: Any, **renamed: Any) -> None:
    """Adds names to namespaces and leaves the objects as they are: what is public elsewhere, and constants."""
    for place in places.split():
        namespace = _namespace(place)
        for value in objects:
            setattr(namespace, value.__name__, value)
        for name, value in renamed.items():
            setattr(namespace, name, value)


def find_public(name: str) -> Any:
    """The object with a public name such as 'strings.split', or None."""
    found = _engine.namespace('')
    for part in name.split('.'):
        found = getattr(found, part, None)
        if found is None:
            return None
    return found


def _namespace(place: str) -> Any:
    return _engine.namespace(place.removeprefix('tf').removeprefix('.'))
