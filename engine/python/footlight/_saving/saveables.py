"""SaveableObject: how a program's own class says which values of it are saved, and what to do with restored ones."""
from __future__ import annotations

import footlight as tf
from footlight._public import alias
from footlight._saving.trackable import Trackable
from footlight._typing import Any, Callable, Iterator


class SaveSpec:
    """One tensor that is saved: the tensor, or a function that gives it, and its name."""

    def __init__(self, tensor: Any, slice_spec: str, name: str, dtype: Any = None, device: Any = None) -> None:
        if callable(tensor) and dtype is None:
            raise AssertionError('SaveSpec: a tensor that a function gives needs dtype=')
        self._tensor, self.slice_spec, self.name = tensor, slice_spec, name
        self.dtype = dtype if dtype is not None else tensor.dtype
        self.device = device if device is not None or callable(tensor) else getattr(tensor, 'device', None)

    tensor = property(lambda self: self._tensor() if callable(self._tensor) else self._tensor, doc='The value that is saved.')

    def __repr__(self) -> str:
        return f'SaveSpec(name={self.name!r}, dtype={self.dtype!r}, slice_spec={self.slice_spec!r})'


class SaveableObject:
    """Values that are saved together: subclasses say in restore() what becomes of restored ones."""

    def __init__(self, op: Any, specs: Any, name: str) -> None:
        self.op, self.specs, self.name = op, specs, name

    device = property(lambda self: self.specs[0].device, doc='The device of the first value.')

    @property
    def optional_restore(self) -> bool:
        return False

    def restore(self, restored_tensors, restored_shapes):
        """Takes restored tensors, one for each of `specs`; returns the op that does it, in a graph."""
        raise ValueError('Calling an abstract method.')

    def __repr__(self) -> str:
        return f'{type(self).__name__}(name={self.name!r}, specs={self.specs!r})'


class Whole(SaveableObject):
    """All values of an object that gives and takes them by name."""

    def __init__(self, trackable: Any, name: Any = '') -> None:
        self._names = list(values := trackable._serialize_to_tensors())
        super().__init__(trackable, [SaveSpec(value, '', name + key) for key, value in values.items()], name)

    def restore(self, restored_tensors, restored_shapes):
        """Takes the values, in the order of `specs`."""
        return self.op._restore_from_tensors(dict(zip(self._names, restored_tensors)))


class BaseSaverBuilder:
    """The classes that say what a Saver saves; Saver itself writes the files."""

    SaveSpec, SaveableObject = SaveSpec, SaveableObject


def _made(factory: Callable[..., Any], name: str | None) -> Any:
    """Calls a factory with the name of an attribute, or else a name of its own."""
    if not callable(factory):
        return factory
    return factory() if name is None else factory(name=name)


def is_own(trackable: Any) -> bool:
    """Whether the class itself says by saveables what is saved of it."""
    kind = type(trackable)
    return (kind._gather_saveables_for_checkpoint is not Trackable._gather_saveables_for_checkpoint and
            kind._serialize_to_tensors is Trackable._serialize_to_tensors)


def factories_of(trackable: Any) -> dict[Any, Any]:
    """{attribute: what makes its SaveableObject, or a variable} of an object whose class says so."""
    return trackable._gather_saveables_for_checkpoint() if is_own(trackable) else {}


class Parts:
    """The values of a saveable, by their names: of a SaveableObject, a variable or a tensor."""

    def __init__(self, saveable: Any, name: str, factory: Any = None) -> None:
        self.name, self._factory = getattr(saveable, 'name', name), factory  # the factory reads the current values
        self._set(saveable)
        is_many = isinstance(saveable, SaveableObject)
        self.names = [spec.name for spec in saveable.specs] if is_many else [name]
        self._read = None  # the tensors of a graph, by name
        self._restoring = None  # the op of a graph and the placeholders that it takes values from

    def _set(self, saveable: Any) -> None:
        self.saveable = saveable
        self._whole = None if isinstance(saveable, SaveableObject) else saveable

    def _tensors(self) -> list[Any]:
        whole = self._whole
        if whole is None:
            return [spec.tensor for spec in self.saveable.specs]
        return [whole.read_value() if isinstance(whole, tf.Variable) else tf.convert_to_tensor(whole)]

    def values(self, session=None):
        """The values by name: those of a session where they are tensors of its graph."""
        if isinstance(session, tf.compat.v1.Session):
            if self._read is None:
                with session.graph.as_default():
                    self._read = dict(zip(self.names, self._tensors()))
            return session.run(self._read)
        if self._factory is not None:
            self._set(_made(self._factory, None))
        return dict(zip(self.names, self._tensors()))

    def restore(self, values, session=None):
        """Takes restored values by name; in a session by an op, which its graph gets once."""
        values = [values[name] for name in self.names]
        if not isinstance(session, tf.compat.v1.Session):
            self._take(values)
            return
        if self._restoring is None:
            with session.graph.as_default():
                places = [tf.compat.v1.placeholder(value.dtype, value.shape) for value in values]
                self._restoring = self._take(places), places
        op, places = self._restoring
        session.run(op, {place: value.numpy() for place, value in zip(places, values)})

    def _take(self, values):
        whole = self._whole
        if whole is None:
            return self.saveable.restore(values, None)
        if not hasattr(whole, 'assign'):
            raise ValueError(f'{self.name}: a tensor can be saved but not restored: give a variable or a SaveableObject')
        return whole.assign(values[0])


def parts_of(trackable: Any) -> list[Any]:
    """[(attribute, its values)] of an object whose class says what is saved of it."""
    found = [(name, Parts(_made(factory, name), name)) for name, factory in factories_of(trackable).items()]
    for name, parts in found:
        other = next((one for one in parts.names if not one.startswith(name)), None)
        if other is not None:
            raise ValueError(f'{type(trackable).__name__}: the name of each SaveSpec must begin with the name that its factory '
                             f'was given, which is {name!r}, got {other!r}')
    return found


def saver_parts_of(trackable: Any) -> Iterator[Any]:
    """The variables and values that a Saver has of such an object, with names of their own."""
    for name, factory in factories_of(trackable).items():
        made = _made(factory, None)
        yield made if isinstance(made, tf.Variable) else Parts(made, name, factory if callable(factory) else None)


for _class in (SaveSpec, SaveableObject, BaseSaverBuilder):
    _class.__module__ = 'footlight.train'
alias('tf.python.training.saving.saveable_object', SaveSpec, SaveableObject)
alias('tf.python.training.saver', BaseSaverBuilder)
