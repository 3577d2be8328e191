"""tensorflow.python.util.object_identity: sets and dictionaries by identity."""
from __future__ import annotations

import collections.abc
import weakref

from footlight._tensorflow.publish import publish
from footlight._typing import Any, Iterator


class Reference:
    """An object as a key: equal to itself alone."""

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    unwrapped = property(lambda self: self._wrapped)

    def deref(self) -> Any:
        """The object."""
        return self._wrapped

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Reference) and self.unwrapped is other.unwrapped

    def __hash__(self) -> int:
        return id(self.unwrapped)

    def __repr__(self) -> str:
        return f'<{type(self).__name__} wrapping {self.unwrapped!r}>'


class WeakReference(Reference):
    """The same, which does not keep the object."""

    def __init__(self, wrapped: Any) -> None:
        self._wrapped, self._id = weakref.ref(wrapped), id(wrapped)

    unwrapped = property(lambda self: self._wrapped())

    def deref(self) -> Any:
        """The object, or None when it is gone."""
        return self._wrapped()

    def __hash__(self) -> int:
        return self._id


class ObjectIdentityDictionary(collections.abc.MutableMapping):
    """A dictionary whose keys are objects by their identity."""

    def __init__(self, *args, **kwargs):
        self._storage = {}
        self.update(dict(*args, **kwargs))

    def _wrap_key(self, key: Any) -> Reference:
        return Reference(key)

    def __getitem__(self, key):
        return self._storage[self._wrap_key(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._storage[self._wrap_key(key)] = value

    def __delitem__(self, key: Any) -> None:
        del self._storage[self._wrap_key(key)]

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[Any]:
        for key in list(self._storage):
            yield key.unwrapped

    def __repr__(self) -> str:
        return f"ObjectIdentityDictionary({', '.join(f'{key!r}: {value!r}' for key, value in self.items())})"


class _Weak:
    """What dictionaries and sets have in common that do not keep their objects."""

    def _wrap_key(self, key):
        return WeakReference(key)

    def __len__(self) -> int:
        return len(list(self))

    def __iter__(self):
        for key in list(self._storage):
            found = key.unwrapped
            if found is None:
                self._forget(key)
            else:
                yield found


class ObjectIdentityWeakKeyDictionary(_Weak, ObjectIdentityDictionary):
    """One that does not keep its keys."""

    def _forget(self, key: Any) -> None:
        del self._storage[key]


class ObjectIdentitySet(collections.abc.MutableSet):
    """A set of objects by their identity."""

    def __init__(self, *args):
        self._storage = {self._wrap_key(one) for one in list(*args)}

    def _wrap_key(self, key: list[Any]) -> Reference:
        return Reference(key)

    def __contains__(self, key: Any) -> bool:
        return self._wrap_key(key) in self._storage

    def add(self, key: Any) -> None:
        """Adds an object."""
        self._storage.add(self._wrap_key(key))

    def discard(self, key: Any) -> None:
        """Takes it out, if it is there."""
        self._storage.discard(self._wrap_key(key))

    def update(self, items: Any) -> None:
        """Adds objects."""
        for one in items:
            self.add(one)

    def intersection(self, items):
        """Those that are also among these."""
        return type(self)(one for one in items if one in self)

    def difference(self, items):
        """Those that are not among these."""
        others = type(self)(items)
        return type(self)(one for one in self if one not in others)

    def clear(self) -> None:
        """Takes all out."""
        self._storage.clear()

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[Any]:
        for key in list(self._storage):
            yield key.unwrapped


class ObjectIdentityWeakSet(_Weak, ObjectIdentitySet):
    """One that does not keep its objects."""

    def _forget(self, key: Any) -> None:
        self._storage.discard(key)


publish(globals())
