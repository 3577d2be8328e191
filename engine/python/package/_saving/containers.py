"""Lists, dicts and tuples that are trackable: what an attribute of a trackable object holds in place of a plain one."""
import collections
import copy

from footlight._saving import trackable as _trackable
from footlight._saving.trackable import NoDependency, Trackable, state_of


class TrackableDataStructure(Trackable):
    """A container whose trackable items are its children."""

    def _track_value(self, value, name):
        return _trackable.sticky_attribute_assignment(trackable=self, name=name, value=value)

    def _items_of(self):
        return list(self)

    @property
    def trainable(self):
        return getattr(self, '_self_trainable', True)

    @trainable.setter
    def trainable(self, value):
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


_WHY = ('Unable to save the object %s (a %s made trackable when it was assigned to an attribute). %s, and a restored '
        'value could belong to either item.\n\nIf it need not be saved, assign it to an object that is not trackable.')


class ListWrapper(TrackableDataStructure, list):
    """A list whose trackable items are children named by position. Only what was appended can be restored."""

    _values = property(lambda self: self, doc='Its items.')

    def __init__(self, items=()):
        list.__init__(self)
        self._changed = False
        for item in items:
            self.append(item)

    def _trackable_children(self, save_type=_trackable.CHECKPOINT, **kwargs):
        if self._changed:
            raise ValueError(_WHY % (self, 'list', 'An item was replaced, moved or deleted'))
        return super()._trackable_children(save_type, **kwargs)

    def _has_trackable(self):
        return any(isinstance(item, Trackable) for item in self)

    def _about_to_change(self, new=()):
        if self._has_trackable() or any(isinstance(item, Trackable) for item in new):
            self._changed = True

    def append(self, value):
        # First into the list: a restoration that waits for it may look at the list.
        name = '%d' % len(self)
        from_wrap = wrap(value)
        list.append(self, from_wrap)
        if not isinstance(value, NoDependency) and isinstance(from_wrap, Trackable):
            self._track_trackable(from_wrap, name, overwrite=True)

    def extend(self, values):
        for value in list(values):
            self.append(value)

    def __iadd__(self, values):
        self.extend(values)
        return self

    def insert(self, index, value):
        if index >= len(self):
            return self.append(value)
        value = wrap(value)
        self._about_to_change((value,))
        list.insert(self, index, value)

    def __setitem__(self, key, value):
        if isinstance(key, slice):
            values = [wrap(item) for item in value]
            self._about_to_change(values if self[key] else ())
            list.__setitem__(self, key, values)
            return
        old = self[key]
        if isinstance(old, Trackable) and old is not value:
            self._changed = True
        if key < 0:
            key += len(self)
        list.__setitem__(self, key, self._track_value(value, '%d' % key))

    def __delitem__(self, key):
        self._about_to_change()
        list.__delitem__(self, key)

    def pop(self, index=-1):
        self._about_to_change()
        return list.pop(self, index)

    def remove(self, value):
        self._about_to_change()
        list.remove(self, value)

    def clear(self):
        self._about_to_change()
        list.clear(self)

    def sort(self, *, key=None, reverse=False):
        self._about_to_change()
        list.sort(self, key=key, reverse=reverse)

    def reverse(self):
        self._about_to_change()
        list.reverse(self)

    def __imul__(self, n):
        if n <= 0:
            self.clear()
            return self
        self.extend(list(self) * (n - 1))
        return self

    def copy(self):
        return copy.copy(self)

    def __copy__(self):
        other = ListWrapper(self)
        other._changed = self._changed
        return other

    def __deepcopy__(self, memo):
        other = memo[id(self)] = ListWrapper(copy.deepcopy(list(self), memo))
        other._changed = self._changed
        return other

    def __reduce_ex__(self, protocol):
        return ListWrapper, (list(self),)

    def __repr__(self):
        return 'ListWrapper(%s)' % list.__repr__(self)


class _DictWrapper(TrackableDataStructure, dict):
    """A dict whose trackable values are children named by their keys."""

    _values = property(lambda self: [self[key] for key in sorted(self)], doc='Its values, in the order of the keys.')

    def __init__(self, *args, **kwargs):
        dict.__init__(self)
        self._other_key = False
        self.update(*args, **kwargs)

    def _items_of(self):
        try:
            return [self[key] for key in sorted(self)]
        except TypeError:
            return list(self.values())

    def _trackable_children(self, save_type=_trackable.CHECKPOINT, **kwargs):
        if self._other_key:
            raise ValueError(_WHY % (self, 'dict', 'A key that is not a str maps to a trackable object'))
        return super()._trackable_children(save_type, **kwargs)

    def __setitem__(self, key, value):
        stored = wrap(value)
        dict.__setitem__(self, key, stored)
        children = state_of(self).children
        if isinstance(value, NoDependency) or not isinstance(stored, Trackable):
            children.pop(key, None)
        elif isinstance(key, str):
            self._track_trackable(stored, key, overwrite=True)
        else:
            self._other_key = True

    def __delitem__(self, key):
        dict.__delitem__(self, key)
        state_of(self).children.pop(key, None)

    def pop(self, key, *otherwise):
        if key in self:
            state_of(self).children.pop(key, None)
        return dict.pop(self, key, *otherwise)

    def popitem(self):
        key, value = dict.popitem(self)
        state_of(self).children.pop(key, None)
        return key, value

    def clear(self):
        state_of(self).children.clear()
        dict.clear(self)

    def update(self, *args, **kwargs):
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def __ior__(self, other):
        self.update(other)
        return self

    def copy(self):
        return copy.copy(self)

    def __copy__(self):
        return type(self)(self)

    def __deepcopy__(self, memo):
        other = memo[id(self)] = type(self)()
        other.update(copy.deepcopy(dict(self), memo))
        return other

    def __reduce_ex__(self, protocol):
        return type(self), (dict(self),)

    def __repr__(self):
        return 'DictWrapper(%s)' % dict.__repr__(self)


class OrderedDictWrapper(_DictWrapper, collections.OrderedDict):
    """The same for a collections.OrderedDict."""

    def __init__(self, *args, **kwargs):
        collections.OrderedDict.__init__(self)
        _DictWrapper.__init__(self, *args, **kwargs)

    def __setitem__(self, key, value):
        if key not in self:
            collections.OrderedDict.__setitem__(self, key, None)
        _DictWrapper.__setitem__(self, key, value)

    def __delitem__(self, key):
        collections.OrderedDict.__delitem__(self, key)
        state_of(self).children.pop(key, None)

    pop = collections.OrderedDict.pop
    popitem = collections.OrderedDict.popitem
    clear = collections.OrderedDict.clear

    def __reduce_ex__(self, protocol):
        return type(self), (list(self.items()),)

    def __repr__(self):
        return 'DictWrapper(OrderedDict(%s))' % dict.__repr__(dict(self))


class _TupleMembers(TrackableDataStructure):
    """What a trackable tuple adds to the class that it derives from."""

    def _track_items(self, untracked):
        names = getattr(self, '_fields', ())
        for i, item in enumerate(self):
            if i in untracked or not isinstance(item, Trackable):
                continue
            if names:
                self._track_trackable(item, names[i], overwrite=True)
        for i, item in enumerate(self):
            if i not in untracked and isinstance(item, Trackable):
                self._track_trackable(item, '%d' % i, overwrite=True)
        return self

    def __reduce_ex__(self, protocol):
        return wrap, (self._self_plain(self),)

    def __copy__(self):
        return wrap(self._self_plain(self))

    def __deepcopy__(self, memo):
        return wrap(copy.deepcopy(self._self_plain(self), memo))

    def __repr__(self):
        return '_TupleWrapper(%r)' % (self._self_plain(self),)


_tuple_classes = {}


def _tuple_class(kind):
    """The trackable class for a class of tuples; None if it has a constructor of its own."""
    if kind not in _tuple_classes:
        named = hasattr(kind, '_make') and hasattr(kind, '_fields')
        if kind is not tuple and not named:
            _tuple_classes[kind] = None
        else:
            plain = kind._make if named else kind
            _tuple_classes[kind] = type('_TupleWrapper' if kind is tuple else kind.__name__, (_TupleMembers, kind),
                                        {'_self_plain': staticmethod(lambda items: plain(tuple.__iter__(items))),
                                         '__module__': kind.__module__})
    return _tuple_classes[kind]


def _holds_trackables(items):
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


for _object in (TrackableDataStructure, wrap):
    _object.__module__ = 'footlight.__internal__.tracking'
    setattr(_trackable._tracking, _object.__name__, _object)
