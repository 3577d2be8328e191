"""Trackable: named children and values of its own, for checkpoints; AutoTrackable makes children of its attributes."""
from __future__ import annotations

import contextlib
import functools

import footlight as tf
from footlight import _engine
from footlight._public import publish
from footlight._typing import Any, Callable, Iterator

_tracking = _engine.namespace('__internal__.tracking')
Trackable: Any = _tracking.Trackable

CHECKPOINT, SAVEDMODEL = 'checkpoint', 'savedmodel'
VARIABLE_VALUE = 'VARIABLE_VALUE'


class _State:
    """The checkpoint state of a trackable object, created at first use."""

    __slots__ = ('children', 'deferred', 'restored', '__weakref__')

    def __init__(self):
        self.children = {}   # name -> Trackable, in the order in which they came
        self.deferred = {}   # name -> restorations that wait for a child of that name
        self.restored = -1   # the number of the last restoration that wrote here

    def _after(self, number: int) -> bool:
        return self.restored >= number


def state_of(trackable: Any) -> _State:
    """The state of an object; a new one that nobody keeps for objects that cannot hold it."""
    state = getattr(trackable, '_self_tracking', None)
    if state is None:
        state = _State()
        try:
            object.__setattr__(trackable, '_self_tracking', state)
        except (AttributeError, TypeError):
            pass  # a concrete function: it has neither children nor values
    return state


class TrackableReference:
    """A child and its name."""

    __slots__ = ('name', 'ref')

    def __init__(self, name: str, ref: Any) -> None:
        self.name, self.ref = name, ref

    def __iter__(self) -> Any:
        return iter((self.name, self.ref))

    def __eq__(self, other):
        return isinstance(other, (tuple, TrackableReference)) and tuple(self) == tuple(other)

    def __repr__(self) -> str:
        return f'TrackableReference(name={self.name}, ref={self.ref!r})'


class NoDependency:
    """Wraps the value of an attribute that is not to be saved."""

    __slots__ = ('value',)

    def __init__(self, value: Any) -> None:
        self.value = value


def _method(f):
    _engine.extend(Trackable, f.__name__, f)
    return f


def _property(name: str, getter: Any, setter: Any = None) -> None:
    _engine.extend(Trackable, name, property(getter, setter))


@_method
def _maybe_initialize_trackable(self: Any) -> None:
    state_of(self)


@_method
def _track_trackable(self: Any, trackable: Any, name: str, overwrite: bool = False) -> Any:
    """Makes `trackable` a child; with `overwrite` also where another one has that name."""
    if not isinstance(trackable, Trackable):
        raise TypeError('Trackable._track_trackable() can only be used to track objects of type Trackable. Got type '
                        f'{type(trackable).__name__}.')
    if not getattr(self, '_manual_tracking', True):
        return trackable
    children = state_of(self).children
    known = children.get(name)
    if known is not None and known is not trackable and not overwrite:
        raise ValueError(f'Called Trackable._track_trackable() with name={name!r}, but a Trackable with this name is '
                         'already declared as a dependency. Names must be unique (or overwrite=True).')
    children[name] = trackable
    self._handle_deferred_dependencies(name, trackable)
    return trackable


@_method
def _handle_deferred_dependencies(self: Any, name: str, trackable: Any) -> None:
    """Gives a new child what restorations hold for it."""
    deferred = self._deferred_dependencies
    if deferred:
        for restoration in sorted(deferred.pop(name, ()), key=lambda r: r.number, reverse=True):
            restoration.restore(trackable)


@_method
def _add_variable_with_custom_getter(self: Any, name: str, shape: list[Any] | None = None, dtype: tf.DType = tf.float32,
                                     initializer: Any = None, getter: Callable[..., Any] | None = None,
                                     overwrite: bool = False, **kwargs_for_getter: Any) -> tf.Variable:
    """Makes a variable with a function and makes it a child, which gives it what restorations hold for it."""
    if getter is None:
        raise ValueError('_add_variable_with_custom_getter: give `getter`, the function that makes the variable')
    made = getter(name=name, shape=shape, dtype=dtype, initializer=initializer, **kwargs_for_getter)
    if overwrite and not isinstance(made, Trackable):
        return made  # a class of the program's own
    return self._track_trackable(made, name=name, overwrite=overwrite)


@_method
def _preload_simple_restoration(self: Any, name: str) -> None:
    """None: a variable takes a restored value when it becomes a child."""


@_method
def _lookup_dependency(self: Any, name: str, cached_dependencies: dict[Any, Any] | None = None) -> Any:
    """The child of that name, or None."""
    if cached_dependencies is not None:
        return cached_dependencies.get(name)
    return self._trackable_children().get(name)


@_method
def _trackable_children(self: Any, save_type: str = CHECKPOINT, cache: dict[Any, Any] | None = None,
                        **kwargs: Any) -> dict[Any, Any]:
    """The children by name."""
    return {name: child for name, child in self._checkpoint_dependencies}


@_method
def _add_trackable_child(self: Any, name: str, value: Any) -> None:
    self._track_trackable(value, name, overwrite=True)


@_method
def _deserialization_dependencies(self: Any, children: Any) -> dict[Any, Any]:
    return {}


@_method
def _no_dependency(self, value):
    return value


@_method
def _serialize_to_tensors(self):
    """The values of its own, by name."""
    raise NotImplementedError


@_method
def _restore_from_tensors(self, restored_tensors):
    """Takes what _serialize_to_tensors gave at another time."""
    raise NotImplementedError


@_method
def _gather_saveables_for_checkpoint(self: Any) -> dict[Any, Any]:
    return {}


@_method
def _checkpoint_adapter(self: Any, path: Any) -> None:
    return None


def _set_tracking(self: Any, value: Any) -> None:
    self._self_setattr_tracking = value


def _set_number(self: Any, value: Any) -> None:
    state_of(self).restored = value


_property('_checkpoint_dependencies',
          lambda self: [TrackableReference(name, ref) for name, ref in state_of(self).children.items()])
_property('_unconditional_checkpoint_dependencies',
          lambda self: [TrackableReference(name, ref) for name, ref in state_of(self).children.items()])
_property('_unconditional_dependency_names', lambda self: state_of(self).children)
_property('_self_unconditional_dependency_names', lambda self: state_of(self).children)
_property('_deferred_dependencies', lambda self: state_of(self).deferred)
_property('_object_identifier', lambda self: '_generic_user_object')
_property('_setattr_tracking', lambda self: getattr(self, '_self_setattr_tracking', True), _set_tracking)
_property('_update_uid', lambda self: state_of(self).restored, _set_number)


def _variable_tensors(self: tf.Variable) -> dict[Any, Any]:
    return {VARIABLE_VALUE: self.read_value()}


def _variable_restore(self: tf.Variable, restored_tensors: dict[Any, Any]) -> None:
    value = restored_tensors[VARIABLE_VALUE]
    if not self.shape.is_compatible_with(value.shape):
        raise ValueError(f'Received incompatible tensor with shape {value.shape} when attempting to restore variable '
                         f'with shape {self.shape} and name {self.name}.')
    self.assign(value)


_engine.extend(tf.Variable, '_serialize_to_tensors', _variable_tensors)
_engine.extend(tf.Variable, '_restore_from_tensors', _variable_restore)


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method in which assignments to attributes make no children."""
    @functools.wraps(method)
    def untracked(self, *args, **kwargs):
        before = getattr(self, '_self_setattr_tracking', True)
        self._self_setattr_tracking = False
        try:
            return method(self, *args, **kwargs)
        finally:
            self._self_setattr_tracking = before
    return untracked


@contextlib.contextmanager
def _off(obj: Any, switch: Any) -> Iterator[Any]:
    before = getattr(obj, switch, True)
    setattr(obj, switch, False)
    try:
        yield
    finally:
        setattr(obj, switch, before)


def no_automatic_dependency_tracking_scope(obj):
    """A context in which assignments to the object's attributes make no children."""
    return _off(obj, '_setattr_tracking')


def no_manual_dependency_tracking_scope(obj):
    """A context in which _track_trackable() adds nothing to the object."""
    return _off(obj, '_manual_tracking')


def sticky_attribute_assignment(trackable: Any, name: str, value: Any) -> Any:
    """Makes a child of the value of an attribute, and returns what to store: containers are stored as trackable ones."""
    from footlight._saving import containers as _containers
    if isinstance(value, NoDependency):
        return _containers.wrap(value)
    value = _containers.wrap(value)
    if isinstance(value, Trackable):
        trackable._track_trackable(value, name=name, overwrite=True)
    return value


_nothing = object()


class AutoTrackable(Trackable):
    """A trackable object whose trackable attributes are its children."""

    def __setattr__(self, name: str, value: Any) -> None:
        if getattr(self, name, _nothing) is value:
            return
        if getattr(self, '_self_setattr_tracking', True):
            value = sticky_attribute_assignment(trackable=self, value=value, name=name)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._delete_tracking(name)
        super().__delattr__(name)

    def _delete_tracking(self, name: str) -> None:
        state_of(self).children.pop(name, None)

    def _no_dependency(self, value: tf.Variable) -> NoDependency:
        return NoDependency(value)

    def _add_trackable_child(self, name: str, value: Any) -> None:
        setattr(self, name, value)

    def _trackable_children(self, save_type: str = CHECKPOINT, **kwargs: Any) -> dict[Any, Any]:
        children = super()._trackable_children(save_type, **kwargs)
        if save_type != SAVEDMODEL:
            return children
        kinds = (tf.types.experimental.PolymorphicFunction, tf.types.experimental.ConcreteFunction)
        children = {name: child for name, child in children.items() if not isinstance(child, kinds)}
        for name in dir(self):
            try:
                value = getattr(self, name, None)
            except Exception:  # a property of the program that raises is not a function to save
                continue
            if isinstance(value, kinds):
                children[name] = value
        return children


publish('tf.__internal__.tracking', AutoTrackable, TrackableReference, NoDependency, no_automatic_dependency_tracking,
        no_automatic_dependency_tracking_scope, no_manual_dependency_tracking_scope, sticky_attribute_assignment)
