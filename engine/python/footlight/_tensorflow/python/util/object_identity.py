"""tensorflow.python.util.object_identity: sets and dictionaries by identity."""
import collections.abc
import weakref

from footlight._tensorflow.publish import publish


class Reference:
    """An object as a key: equal to itself alone."""

    def __init__(self, wrapped):
        self._wrapped = wrapped

    unwrapped = property(lambda self: self._wrapped)

    def deref(self):
        """The object."""
        return self._wrapped

    def __eq__(self, other):
        return isinstance(other, Reference) and self.unwrapped is other.unwrapped

    def __hash__(self):
        return id(self.unwrapped)

    def __repr__(self):
        return f'<{type(self).__name__} wrapping {self.unwrapped!r}>'


class WeakReference(Reference):
    """The same, which does not keep the object."""

    def __init__(self, wrapped):
        self._wrapped, self._id = weakref.ref(wrapped), id(wrapped)

    unwrapped = property(lambda self: self._wrapped())

    def deref(self):
        """The object, or None when it is gone."""
        return self._wrapped()

    def __hash__(self):
        return self._id


class ObjectIdentityDictionary(collections.abc.MutableMapping):
    """A dictionary whose keys are objects by their identity."""

    def __init__(self, *args, **kwargs):
        self._storage = {}
        self.update(dict(*args, **kwargs))

    def _wrap_key(self, key):
        return Reference(key)

    def __getitem__(self, key):
        return self._storage[self._wrap_key(key)]

    def __setitem__(self, key, value):
        self._storage[self._wrap_key(key)] = value

    def __delitem__(self, key):
        del self._storage[self._wrap_key(key)]

    def __len__(self):
        return len(self._storage)

    def __iter__(self):
        for key in list(self._storage):
            yield key.unwrapped

    def __repr__(self):
        return f"ObjectIdentityDictionary({', '.join(f'{key!r}: {value!r}' for key, value in self.items())})"


class _Weak:
    """What dictionaries and sets have in common that do not keep their objects."""

    def _wrap_key(self, key):
        return WeakReference(key)

    def __len__(self):
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

    def _forget(self, key):
        del self._storage[key]


class ObjectIdentitySet(collections.abc.MutableSet):
    """A set of objects by their identity."""

    def __init__(self, *args):
        self._storage = {self._wrap_key(one) for one in list(*args)}

    def _wrap_key(self, key):
        return Reference(key)

    def __contains__(self, key):
        return self._wrap_key(key) in self._storage

    def add(self, key):
        """Adds an object."""
        self._storage.add(self._wrap_key(key))

    def discard(self, key):
        """Takes it out, if it is there."""
        self._storage.discard(self._wrap_key(key))

    def update(self, items):
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

    def clear(self):
        """Takes all out."""
        self._storage.clear()

    def __len__(self):
        return len(self._storage)

    def __iter__(self):
        for key in list(self._storage):
            yield key.unwrapped


class ObjectIdentityWeakSet(_Weak, ObjectIdentitySet):
    """One that does not keep its objects."""

    def _forget(self, key):
        self._storage.discard(key)


publish(globals(), (
    'ObjectIdentityDictionary ObjectIdentitySet ObjectIdentityWeakKeyDictionary '
    'ObjectIdentityWeakSet Reference WeakReference'))
