"""The graph of trackable objects in a checkpoint: written from objects, and matched with objects when it is restored."""
from __future__ import annotations

import itertools
import weakref

import footlight as tf
from footlight import _engine, _proto
from footlight._saving import containers as _containers, saveables as _saveables, trackable as _trackable
from footlight._saving.trackable import Trackable, state_of
from footlight._typing import Any, Iterator

GRAPH_KEY = '_CHECKPOINTABLE_OBJECT_GRAPH'
_numbers = itertools.count()


def escaped(name: str) -> str:
    """A name as part of a key, in which / and . mean something."""
    return name.replace('.', '..').replace('/', '.S')


def short(dtype: Any) -> str:
    """A dtype as errors of ops name it."""
    if dtype is None:
        return 'one that is not supported'
    return {'float32': 'float', 'float64': 'double', 'float16': 'half'}.get(dtype.name, dtype.name)


def children_of(trackable: Any, attached: Any = None) -> dict[Any, Any]:
    """The children by name; `attached` has those of the root beside its own."""
    children = dict(trackable._trackable_children(save_type=_trackable.CHECKPOINT))
    for name, child in (attached or {}).items():
        children[name] = child
    return {name: _converted(child) for name, child in children.items()}


def _converted(child):
    child = _containers.wrap(child)
    if not isinstance(child, Trackable):
        raise ValueError(f'Cannot save {child!r}: it is a child of a trackable object but not trackable itself')
    return child


class ByIdentity(dict):
    """Values by objects, which are told apart by what they are, not by what they equal."""

    def __init__(self, pairs: Any) -> None:
        super().__init__((id(one), value) for one, value in pairs)

    def __getitem__(self, one: Any) -> tuple[Any, ...]:
        return super().__getitem__(id(one))

    def __contains__(self, one: Any) -> bool:
        return super().__contains__(id(one))


class Listing:
    """All objects below a root, breadth first, with the path by which each was found."""

    def __init__(self, root, attached=None, children=children_of):
        self.objects, self.paths, self.children = [root], [()], []
        self.numbers = {id(root): 0}
        self.slots, self.slot_keys = {}, {}  # number of an optimizer -> its slots; number of a slot -> its key
        for at in itertools.count():
            if at == len(self.objects):
                break
            found = children(self.objects[at], attached if at == 0 else None)
            for name, child in found.items():
                if id(child) not in self.numbers:
                    self.numbers[id(child)] = len(self.objects)
                    self.objects.append(child)
                    self.paths.append(self.paths[at] + (name,))
            self.children.append(found)

    def key(self, number: Any) -> str:
        return '/'.join(escaped(part) for part in self.paths[number])

    def with_slots(self) -> Listing:
        """The listing, with the variables that optimizers keep for others, which are nobody's children."""
        for optimizer, original, name, slot in _slots(self):
            if id(slot) in self.numbers:
                continue
            number = self.numbers[id(slot)] = len(self.objects)
            self.objects.append(slot)
            self.children.append({})
            self.slot_keys[number] = '/'.join(part for part in (
                self.key(original), '.OPTIMIZER_SLOT', self.key(optimizer), escaped(name)) if part)
            self.slots.setdefault(optimizer, []).append((original, name, number))
        return self


def tensors_of(trackable: Any, saveables: Any = None) -> dict[Any, Any]:
    """The values of an object's own by the names of their attributes; callables and mappings are not resolved."""
    try:
        found = trackable._serialize_to_tensors()
    except NotImplementedError:
        saveables = _saveables.parts_of(trackable) if saveables is None else saveables
        found = {name: value for _, parts in saveables for name, value in parts.values().items()}
    return {_written(name): value for name, value in found.items()}


def _common_attribute(trackable: Any, saveables: list[Any], name: str) -> str | None:
    """The attribute whose key several keys begin with, that of this value among them; None: the value has one of its own."""
    if not _saveables.is_own(trackable):
        return getattr(trackable, '_saveable_name', None)
    return next((attribute for attribute, parts in saveables
                 if name in map(_written, parts.names) and parts.names != [attribute]), None)


def _written(name: str) -> str:
    return escaped(name) if name != _trackable.VARIABLE_VALUE else name


def _slots(listing: Listing) -> Iterator[Any]:
    """(number of the optimizer, number of the variable, name, variable that the optimizer keeps for it) of each."""
    for number, trackable in enumerate(list(listing.objects)):
        names = getattr(trackable, 'get_slot_names', None)
        if not callable(names) or not callable(getattr(trackable, 'get_slot', None)):
            continue
        for name in names():
            for original, variable in enumerate(list(listing.objects)):
                if isinstance(variable, tf.Variable):
                    slot = trackable.get_slot(variable, name)
                    if slot is not None:
                        yield number, original, name, slot


def serialized(root: Any, attached: Any = None, listing: Any = None) -> tuple[Any, ...]:
    """(names of tensors, their values) of everything below `root`; the last one is the graph. Slots join the listing."""
    listing = (listing or Listing(root, attached)).with_slots()
    graph = _proto.TrackableObjectGraph()
    names, values = [], []
    references, keys = listing.slots, listing.slot_keys
    has_values = [False] * len(listing.objects)
    for number, trackable in enumerate(listing.objects):
        node = graph.nodes.add()
        for name, child in listing.children[number].items():
            node.children.add(node_id=listing.numbers[id(child)], local_name=name)
        key = keys.get(number, None)
        key = listing.key(number) if key is None else key
        saveables = _saveables.parts_of(trackable)
        for name, value in tensors_of(trackable, saveables).items():
            full = f'{key}/.ATTRIBUTES/{_written(name)}'
            full = full.lstrip('/') if not key else full
            whole = _common_attribute(trackable, saveables, name)
            if whole is None:
                node.attributes.add(name=name, full_name=getattr(trackable, '_shared_name', ''), checkpoint_key=full)
            elif not any(known.name == whole for known in node.attributes):
                node.attributes.add(name=whole, checkpoint_key=full[:len(full) - len(name) + len(whole)])
            names.append(full)
            values.append(value)
            has_values[number] = True
        for original, name, slot in references.get(number, ()):
            node.slot_variables.add(original_variable_node_id=original, slot_name=name, slot_variable_node_id=slot)
    _spread(listing, has_values)
    for node, has in zip(graph.nodes, has_values):
        node.has_checkpoint_values.value = has
    names.append(GRAPH_KEY)
    values.append(tf.constant(graph.SerializeToString(deterministic=True)))
    return names, values


def _spread(listing, has_values):
    """An object has values too if one below it has."""
    parents = [[] for _ in listing.objects]
    for number, children in enumerate(listing.children):
        for child in children.values():
            parents[listing.numbers[id(child)]].append(number)
    todo = [number for number, has in enumerate(has_values) if has]
    while todo:
        for parent in parents[todo.pop()]:
            if not has_values[parent]:
                has_values[parent] = True
                todo.append(parent)


class Restoration:
    """The state of one restore() call: which object of the checkpoint matched which of the program."""

    def __init__(self, file, path):
        self.file, self.path = file, path
        self.tensors = _engine.tensors_in(file)
        self.number = next(_numbers)
        graph = _proto.TrackableObjectGraph()
        graph.ParseFromString(_engine.read_tensor(file, GRAPH_KEY).numpy())
        self.nodes = list(graph.nodes)
        if not self.nodes:
            raise tf.errors.DataLossError(None, None, f'the checkpoint {path} has no objects')
        self.children = [{child.local_name: self._checked(child.node_id) for child in node.children}
                         for node in self.nodes]
        self.attributes = [{a.name: a.checkpoint_key for a in node.attributes} for node in self.nodes]
        self.has_values = [bool(attributes) for attributes in self.attributes]
        self.objects = {}   # number -> a weak reference to the object
        self.unused = {}    # number -> names of attributes that the object did not take
        self.slots = {}     # number of an optimizer or of a variable -> slots that wait for both
        for number, node in enumerate(self.nodes):
            for slot in node.slot_variables:
                waiting = (number, self._checked(slot.original_variable_node_id), slot.slot_name,
                           self._checked(slot.slot_variable_node_id))
                self.slots.setdefault(waiting[0], []).append(waiting)
                self.slots.setdefault(waiting[1], []).append(waiting)

    def _checked(self, number: int) -> int:
        if not 0 <= number < len(self.nodes):
            raise tf.errors.DataLossError(None, None, f'the checkpoint {self.path} refers to the object {number}, of '
                                                      f'{len(self.nodes)}')
        return number

    def object_of(self, number):
        found = self.objects.get(number)
        return None if found is None else found()

    def bind(self, number: Any, trackable: Any, attached: Any = None) -> None:
        """Restores an object and everything below it; what is not there yet is restored when it comes."""
        todo = [(number, trackable, attached)]
        while todo:
            number, trackable, attached = todo.pop(0)
            known = self.object_of(number)
            if known is not None:
                if known is not trackable:
                    tf.get_logger().warning('Inconsistent references when loading the checkpoint into this object '
                                            'graph. For example, in the saved checkpoint object, `model.layer.weight` '
                                            'and `model.layer_copy.weight` reference the same variable, while in the '
                                            'current object these are two different variables. The referenced '
                                            f'variables are:({known!r} and {trackable!r}).')
                continue
            self.objects[number] = _reference(trackable)
            self._restore_values(number, trackable)
            self._restore_slots(number)
            present = children_of(trackable, attached)
            for name, child_number in self.children[number].items():
                child = present.get(name)
                if child is None:
                    child = trackable._lookup_dependency(name, present)
                if child is not None:
                    todo.append((child_number, child, None))
                elif self._is_worth_keeping(child_number):
                    trackable._deferred_dependencies.setdefault(name, []).append(_Waiting(self, child_number))

    def _is_worth_keeping(self, number: int) -> bool:
        """Whether an object, or one below it, has values; old files do not say so."""
        node = self.nodes[number]
        return not node.HasField('has_checkpoint_values') or node.has_checkpoint_values.value

    def _restore_values(self, number, trackable):
        keys = self.attributes[number]
        if not keys or state_of(trackable)._after(self.number):
            return
        wanted, saveables = _wanted_names(trackable, keys), []
        if not wanted:
            saveables = _saveables.parts_of(trackable)
            wanted = [name for _, parts in saveables for name in parts.names]
            keys = {name: keys[attribute] + name[len(attribute):] for attribute, parts in saveables if attribute in keys
                    for name in parts.names}
        if not wanted:
            self.unused[number] = sorted(keys)
            return
        whole = getattr(trackable, '_saveable_name', None)
        if whole in keys:
            keys = {name: keys[whole] + name[len(whole):] for name in wanted}
        found = {}
        for name in wanted:
            written = escaped(name) if name not in keys else name
            if written not in keys:
                continue
            found[name] = self._read(keys[written], trackable)
        missed = set(keys) - {n if n in keys else escaped(n) for n in wanted}
        if missed:
            self.unused[number] = sorted(missed)
        state_of(trackable).restored = self.number
        with tf._eager_scope():
            for attribute, parts in saveables:
                if all(name in found for name in parts.names):
                    parts.restore(found)
            if not saveables:
                trackable._restore_from_tensors(found)

    def _read(self, key: str, trackable: Any) -> tf.Tensor:
        entry = self.tensors.get(key)
        if entry is not None and isinstance(trackable, tf.Variable) and entry[0] != trackable.dtype:
            raise tf.errors.InvalidArgumentError(
                None, None, f'tensor_name = {key}; expected dtype {short(trackable.dtype)} does not equal original '
                            f'dtype {short(entry[0])}')
        if isinstance(trackable, tf.data.Iterator) and (entry is None or entry[0] != tf.string):
            raise tf.errors.UnimplementedError(
                None, None, f'the checkpoint {self.path} holds at {key} the state of an iterator that TensorFlow wrote '
                            'for its own pipelines: it cannot be read here. Restore the other objects and make a new '
                            'iterator.')
        return _engine.read_tensor(self.file, key)

    def _restore_slots(self, number: int) -> None:
        for optimizer, original, name, slot in self.slots.get(number, ()):
            owner, variable = self.object_of(optimizer), self.object_of(original)
            if owner is None or variable is None or not callable(getattr(owner, 'get_slot', None)):
                continue
            found = owner.get_slot(variable, name)
            if found is not None:
                self.bind(slot, found)
            elif callable(getattr(owner, '_create_or_restore_slot_variable', None)):
                owner._create_or_restore_slot_variable(slot_variable_position=_Waiting(self, slot), slot_name=name,
                                                       variable=variable)

    def unmatched(self) -> list[Any]:
        """Numbers of objects with values that no object of the program has taken."""
        return [number for number, has in enumerate(self.has_values) if has and number not in self.objects]

    def path_to(self, number: Any) -> str:
        """The names that lead to an object: "(root).model.w"."""
        if not hasattr(self, '_paths'):
            self._paths, todo = {0: '(root)'}, [0]
            while todo:
                at = todo.pop(0)
                for name, child in self.children[at].items():
                    if child not in self._paths:
                        self._paths[child] = f'{self._paths[at]}.{name}'
                        todo.append(child)
            for at, node in enumerate(self.nodes):
                for slot in node.slot_variables:
                    variable = self._paths.get(slot.original_variable_node_id)
                    self._paths.setdefault(slot.slot_variable_node_id,
                                           f"{self._paths.get(at)}'s state {slot.slot_name!r} for {variable}")
        return self._paths.get(number, f'(object {number})')


def _wanted_names(trackable: Any, keys: dict[Any, Any]) -> list[Any]:
    """The names of values that an object takes, as it calls them."""
    if isinstance(trackable, tf.Variable):
        return [_trackable.VARIABLE_VALUE]
    names = getattr(type(trackable), '_value_names', None)
    if names is not None:
        return list(names)
    try:
        return list(trackable._serialize_to_tensors())
    except NotImplementedError:
        return []


def _reference(trackable):
    try:
        return weakref.ref(trackable)
    except TypeError:  # a tuple, whose owner stores it
        return lambda: trackable


class _Waiting:
    """Values that a restoration holds for an object that does not exist yet."""

    def __init__(self, restoration: Any, node: int) -> None:
        self.restoration, self.node, self.number = restoration, node, restoration.number

    def restore(self, trackable: Any) -> None:
        self.restoration.bind(self.node, trackable)

    @property
    def restore_uid(self) -> Any:
        return self.number


class NamedRestoration:
    """A restoration by names of variables, from a checkpoint of tf.compat.v1.train.Saver; for new children too."""

    def __init__(self, file, path):
        self.file, self.path, self.number = file, path, next(_numbers)
        self.tensors = _engine.tensors_in(file)
        self.used, self.restored = set(), []  # the names, and weak references to the variables

    def restore(self, trackable):
        if not isinstance(trackable, tf.Variable) or trackable._shared_name not in self.tensors:
            return
        self.used.add(trackable._shared_name)
        self.restored.append(weakref.ref(trackable))
        with tf._eager_scope():
            trackable._restore_from_tensors({_trackable.VARIABLE_VALUE: _engine.read_tensor(
                self.file, trackable._shared_name)})
