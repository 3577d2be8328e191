"""Lists, dicts and tuples that are trackable: what an attribute of a trackable object holds in place of a plain one."""
from __future__ import annotations

import collections
import copy
import operator

from footlight._public import publish
from footlight._saving import trackable as _trackable
from footlight._saving.trackable import NoDependency, Trackable, state_of
from footlight._typing import Any, Callable


class TrackableDataStructure(Trackable):
    """A container whose trackable items are its children."""

    def _track_value(self, value: Any, name: str) -> Any:
        return _trackable.sticky_attribute_assignment(trackable=self, name=name, value=value)

    def _items_of(self) -> list[Any]:
        return list(self)

    @property
    def trainable(self) -> Any:
        return getattr(self, '_self_trainable', True)

    @trainable.setter
    def trainable(self, value: Any) -> None:
        self._self_trainable = value

    def _collected(self, member):
        import footlight as tf
        found = []
        for item in self._items_of():
            if isinstance(item, tf.Variable):
                if member == 'variables' or item.trainable == (member == 'trainable_variables'):
                    found.append(item)
            elif isinstance(item, Trackable):
                found += getattr(item, member, ())
        return found

    variables = weights = property(lambda self: self._collected('variables'))
    trainable_variables = trainable_weights = property(
        lambda self: self._collected('trainable_variables') if self.trainable else [])
    non_trainable_variables = non_trainable_weights = property(
        lambda self: self._collected('non_trainable_variables') if self.trainable else self._collected('variables'))

    @property
    def layers(self):
        """The layers among the items, and those in containers among them, each once."""
        found = {}
        for item in self._items_of():
            is_layer = hasattr(item, '_is_layer') and not isinstance(item, type)
            for layer in [item] if is_layer else item.layers if isinstance(item, TrackableDataStructure) else ():
                found.setdefault(id(layer), layer)
        return list(found.values())

    losses = property(lambda self: [loss for layer in self.layers for loss in layer.losses])
    updates = property(lambda self: [update for layer in self.layers for update in layer.updates])


_WHY = ('Unable to save the object %s (a %s made trackable when it was assigned to an attribute). %s, and a restored '
        'value could belong to either item.\n\nIf it need not be saved, assign it to an object that is not trackable.')


_REPLACED = ('A list element was replaced (__setitem__, __setslice__), moved (sort) or deleted (__delitem__, '
             '__delslice__)')
_OUTSIDE = ('Unable to save the object %s (a %s made trackable when it was assigned to an attribute). The wrapped %s was '
            'modified directly, not through the attribute, so that a restored value could belong to another item. '
            'Change the attribute instead, or if it need not be saved, assign it to an object that is not trackable.')


def _read(name: str) -> Callable[..., Any]:
    """A method of list or dict that reads: it looks at what is shared with the program."""
    def read(self, *args):
        return getattr(self._after_count(), name)(
            *(a._after_count() if isinstance(a, (ListWrapper, _DictWrapper)) else a for a in args))
    read.__name__ = read.__qualname__ = name
    return read


class ListWrapper(TrackableDataStructure, list):
    """A list whose trackable items are children named by position. Only what was appended can be restored.

    It shares its items with the list that it was made of, whose changes it shows. It also
    keeps a copy of the items as a list, for code in C that reads lists directly.
    """

    _values = property(lambda self: self, doc='Its items.')

    def __init__(self, items: Any = ()) -> None:
        self._shared = items if type(items) is list else list(items)
        self._changed = self._changed_outside = False
        list.__init__(self)
        for at, item in enumerate(self._shared):
            self._shared[at] = stored = wrap(item)
            list.append(self, stored)
            if not isinstance(item, NoDependency) and isinstance(stored, Trackable):
                self._track_trackable(stored, f'{at}', overwrite=True)

    def _synchronized(self) -> list[Any]:
        """The items, all compared with the copy; notes whether the program has changed its list."""
        shared = self._shared
        if list.__len__(self) != len(shared) or not all(map(operator.is_, list.__iter__(self), shared)):
            self._changed_outside = self._changed_outside or not self._changed
            list.__init__(self, shared)
        return shared

    def _after_count(self) -> list[Any]:
        """The items, compared by their number only, so that reading one item of a long list stays cheap."""
        return self._shared if list.__len__(self) == len(self._shared) else self._synchronized()

    def _as_shared(self) -> None:
        list.__init__(self, self._shared)

    def _trackable_children(self, save_type: str = _trackable.CHECKPOINT, **kwargs: Any) -> dict[Any, Any]:
        self._synchronized()
        if self._changed:
            raise ValueError(_WHY % (self, 'list', _REPLACED))
        if self._changed_outside:
            raise ValueError(_OUTSIDE % (self, 'list', 'list'))
        return super()._trackable_children(save_type, **kwargs)

    def _has_trackable(self) -> bool:
        return any(isinstance(item, Trackable) for item in self._shared)

    def _about_to_change(self, new: tuple[Any, ...] = ()) -> None:
        self._synchronized()
        if self._has_trackable() or any(isinstance(item, Trackable) for item in new):
            self._changed = True

    def append(self, value):
        # Append first, because a pending restoration of the item may look at the list.
        name = f'{len(self._after_count())}'
        from_wrap = wrap(value)
        self._shared.append(from_wrap)
        list.append(self, from_wrap)
        if not isinstance(value, NoDependency) and isinstance(from_wrap, Trackable):
            self._track_trackable(from_wrap, name, overwrite=True)

    def extend(self, values: Any) -> None:
        for value in list(values):
            self.append(value)

    def __iadd__(self, values):  # type: ignore[misc]  # as typeshed has it for list
        self.extend(values)
        return self

    def insert(self, index, value):
        if index >= len(self):
            return self.append(value)
        value = wrap(value)
        self._about_to_change((value,))
        self._shared.insert(index, value)
        self._as_shared()

    def __setitem__(self, key, value):
        shared = self._after_count()
        if isinstance(key, slice):
            values = [wrap(item) for item in value]
            self._about_to_change(values if shared[key] else ())
            shared[key] = values
            self._as_shared()
            return
        old = shared[key]
        if list.__getitem__(self, key) is not old:
            self._synchronized()  # which notes that the program has changed it
        if isinstance(old, Trackable) and old is not value:
            self._changed = True
        if key < 0:
            key += len(shared)
        shared[key] = stored = self._track_value(value, f'{key}')
        list.__setitem__(self, key, stored)

    def __delitem__(self, key):
        self._about_to_change()
        del self._shared[key]
        self._as_shared()

    def pop(self, index=-1):
        self._about_to_change()
        value = self._shared.pop(index)
        self._as_shared()
        return value

    def remove(self, value: Any) -> None:
        self._about_to_change()
        self._shared.remove(value)
        self._as_shared()

    def clear(self) -> None:
        self._about_to_change()
        self._shared.clear()
        self._as_shared()

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        self._about_to_change()
        self._shared.sort(key=key, reverse=reverse)
        self._as_shared()

    def reverse(self) -> None:
        self._about_to_change()
        self._shared.reverse()
        self._as_shared()

    def __imul__(self, n):  # type: ignore[misc]
        if n <= 0:
            self.clear()
            return self
        self.extend(list(self) * (n - 1))
        return self

    def copy(self) -> Any:
        return copy.copy(self)

    def __copy__(self) -> ListWrapper:
        return self._copied(list(self))

    def __deepcopy__(self, memo: dict[Any, Any]) -> ListWrapper:
        made = memo[id(self)] = self._copied([])
        made.extend(copy.deepcopy(list(self), memo))
        return made

    def _copied(self, items: list[Any]) -> ListWrapper:
        other = ListWrapper(items)
        other._changed, other._changed_outside = self._changed, self._changed_outside
        return other

    def __reduce_ex__(self, protocol):
        return ListWrapper, (list(self),)

    def __repr__(self) -> str:
        return f'ListWrapper({list.__repr__(self._synchronized())})'

    __getitem__, __len__, __iter__ = _read('__getitem__'), _read('__len__'), _read('__iter__')
    __reversed__, __contains__, __eq__ = _read('__reversed__'), _read('__contains__'), _read('__eq__')
    __ne__, __lt__, __le__, __gt__ = _read('__ne__'), _read('__lt__'), _read('__le__'), _read('__gt__')
    __ge__, __add__, __mul__, __rmul__ = _read('__ge__'), _read('__add__'), _read('__mul__'), _read('__rmul__')
    index, count = _read('index'), _read('count')
    __hash__ = None


class _DictWrapper(TrackableDataStructure, dict):
    """A dict whose trackable values are children named by their keys; as a list, it shares what it was made of."""

    _values = property(lambda self: [self[key] for key in sorted(self)], doc='Its values, in the order of the keys.')
    _kind = dict

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kind = self._kind
        kind.__init__(self)
        self._other_key = self._changed_outside = False
        self._shared = args[0] if len(args) == 1 and not kwargs and type(args[0]) is kind else kind(*args, **kwargs)
        for key, value in list(self._shared.items()):
            self[key] = value

    def _synchronized(self) -> Any:
        """The items, all compared with the copy; notes whether the program has changed its dict."""
        shared = self._shared
        if dict.__len__(self) != len(shared) or any(
                dict.get(self, key, NoDependency) is not value for key, value in shared.items()):
            self._changed_outside = True
            self._kind.clear(self)
            for key, value in shared.items():
                self._kind.__setitem__(self, key, value)
        return shared

    def _after_count(self) -> Any:
        """The items, compared by their number only."""
        return self._shared if dict.__len__(self) == len(self._shared) else self._synchronized()

    def _shared_with(self, key: str) -> Any:
        """The items, before that of a key is taken out."""
        return self._after_count() if dict.__contains__(self, key) else self._synchronized()

    def _items_of(self) -> list[Any]:
        try:
            return [self[key] for key in sorted(self)]
        except TypeError:
            return list(self.values())

    def _trackable_children(self, save_type: str = _trackable.CHECKPOINT, **kwargs: Any) -> dict[Any, Any]:
        self._synchronized()
        if self._changed_outside:
            raise ValueError(_OUTSIDE % (self, 'dict', 'dict'))
        if self._other_key:
            raise ValueError(_WHY % (self, 'dict', 'A key that is not a str maps to a trackable object'))
        return super()._trackable_children(save_type, **kwargs)

    def __setitem__(self, key: int | str, value: Any) -> None:
        stored = wrap(value)
        self._shared[key] = stored
        self._kind.__setitem__(self, key, stored)
        children = state_of(self).children
        if isinstance(value, NoDependency) or not isinstance(stored, Trackable):
            children.pop(key, None)
        elif isinstance(key, str):
            self._track_trackable(stored, key, overwrite=True)
        else:
            self._other_key = True

    def __delitem__(self, key: str) -> None:
        del self._shared_with(key)[key]
        self._kind.__delitem__(self, key)
        state_of(self).children.pop(key, None)

    def pop(self, key: str, *otherwise: Any) -> Any:
        if key in self._shared_with(key):
            state_of(self).children.pop(key, None)
            self._kind.__delitem__(self, key)
        return self._shared.pop(key, *otherwise)

    def popitem(self) -> tuple[Any, ...]:
        if not self._shared:
            raise KeyError('popitem(): dictionary is empty')
        key = next(reversed(self._shared))
        return key, self.pop(key)

    def clear(self) -> None:
        state_of(self).children.clear()
        self._shared.clear()
        self._kind.clear(self)

    def update(self, *args: Any, **kwargs: Any) -> None:
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def setdefault(self, key: str, default: int | None = None) -> int:
        if key not in self:
            self[key] = default
        return self[key]

    def __ior__(self, other):  # type: ignore[misc]
        self.update(other)
        return self

    def copy(self) -> Any:
        return copy.copy(self)

    def __copy__(self) -> _DictWrapper:
        return type(self)(self)

    def __deepcopy__(self, memo: dict[Any, Any]) -> _DictWrapper:
        other = memo[id(self)] = type(self)()
        other.update(copy.deepcopy(dict(self), memo))
        return other

    def __reduce_ex__(self, protocol):
        return type(self), (dict(self),)

    def __repr__(self) -> str:
        return f'DictWrapper({self._synchronized()!r})'

    def __getitem__(self, key: str) -> Any:
        return self._shared[key]

    def __contains__(self, key):
        return key in self._shared

    def __len__(self) -> int:
        return len(self._shared)

    def get(self, key: str, default: Any = None) -> int:
        return self._shared.get(key, default)

    __iter__, __reversed__, __eq__, __ne__ = _read('__iter__'), _read('__reversed__'), _read('__eq__'), _read('__ne__')
    __or__, __ror__, keys, values = _read('__or__'), _read('__ror__'), _read('keys'), _read('values')
    items = _read('items')
    __hash__ = None


class OrderedDictWrapper(_DictWrapper, collections.OrderedDict):
    """Like _DictWrapper, for a collections.OrderedDict."""

    _kind = collections.OrderedDict

    def popitem(self, last: bool = True) -> tuple[Any, ...]:
        if last or not self._shared:
            return super().popitem()
        key = next(iter(self._shared))
        return key, self.pop(key)

    def move_to_end(self, key: Any, last: bool = True) -> None:
        self._synchronized().move_to_end(key, last)
        collections.OrderedDict.move_to_end(self, key, last)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return type(self), (list(self.items()),)


class _TupleMembers(TrackableDataStructure):
    """Mixin that makes a class of tuples trackable."""

    _values = property(lambda self: self, doc='Its items.')

    def _track_items(self, untracked: set[Any]) -> Any:
        names = getattr(self, '_fields', ())
        for i, item in enumerate(self):
            if i in untracked or not isinstance(item, Trackable):
                continue
            if names:
                self._track_trackable(item, names[i], overwrite=True)
        for i, item in enumerate(self):
            if i not in untracked and isinstance(item, Trackable):
                self._track_trackable(item, f'{i}', overwrite=True)
        return self

    def __reduce_ex__(self, protocol):
        return wrap, (self._self_plain(self),)

    def __copy__(self) -> Any:
        return wrap(self._self_plain(self))

    def __deepcopy__(self, memo: dict[Any, Any]) -> Any:
        return wrap(copy.deepcopy(self._self_plain(self), memo))

    def __repr__(self) -> str:
        return f'_TupleWrapper({self._self_plain(self)!r})'


_tuple_classes: dict[Any, Any] = {}


def _tuple_class(kind: type[Any]) -> type[Any]:
    """The trackable class for a class of tuples; None if it has a constructor of its own."""
    if kind not in _tuple_classes:
        named = hasattr(kind, '_make') and hasattr(kind, '_fields')
        if kind is not tuple and not named:
            _tuple_classes[kind] = None
        else:
            plain = kind._make if named else kind
            members = {'_self_plain': staticmethod(lambda items: plain(tuple.__iter__(items))), '__module__': kind.__module__}
            for field in getattr(kind, '_fields', ()):
                members[field] = getattr(kind, field)  # also one that is called `weights` or `variables`
            _tuple_classes[kind] = type('_TupleWrapper' if kind is tuple else kind.__name__, (_TupleMembers, kind), members)
    return _tuple_classes[kind]


def _holds_trackables(items: Any) -> bool:
    return any(isinstance(item, (NoDependency, Trackable)) or type(item) in (dict, collections.OrderedDict, list) or
               isinstance(item, tuple) and _holds_trackables(item) for item in items)


def wrap(value):
    """A list, dict or tuple as a trackable one; anything else as it is."""
    if isinstance(value, NoDependency):
        return value.value
    if isinstance(value, Trackable):
        return value
    kind = type(value)
    if kind is list:
        return ListWrapper(value)
    if kind is dict:
        return _DictWrapper(value)
    if kind is collections.OrderedDict:
        return OrderedDictWrapper(value)
    if isinstance(value, tuple) and _holds_trackables(value):
        made = _tuple_class(kind)
        if made is not None:
            untracked = {i for i, item in enumerate(value) if isinstance(item, NoDependency)}
            items = [wrap(item) for item in value]
            return (tuple.__new__(made, items))._track_items(untracked)
    return value


publish('tf.__internal__.tracking', TrackableDataStructure, wrap)
