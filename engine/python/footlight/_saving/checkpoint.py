"""tf.train.Checkpoint: saves a graph of objects and restores it, also into objects that are made later."""
from __future__ import annotations

import os
import weakref

import footlight as tf
from footlight._saving import checkpoint_files as files
from footlight import _engine
from footlight._public import publish
from footlight._saving import containers as _containers, object_graph as _object_graph
from footlight._saving import saveables as _saveables, trackable as _trackable
from footlight._saving.trackable import AutoTrackable, Trackable
from footlight._typing import Any, Callable


class CheckpointOptions:
    """How a checkpoint is written and read. Devices and layouts are taken and ignored: there is one machine."""

    def __init__(self, experimental_io_device: Any = None, experimental_enable_async_checkpoint: bool = False,
                 experimental_write_callbacks: Any = None, enable_async: bool = False,
                 experimental_skip_slot_variables: bool = False, experimental_sharding_callback: Any = None) -> None:
        self.experimental_io_device = experimental_io_device
        self.enable_async = experimental_enable_async_checkpoint or enable_async
        self.experimental_enable_async_checkpoint = self.enable_async
        for callback in experimental_write_callbacks or ():
            if not callable(callback):
                raise TypeError(f'experimental_write_callbacks must be functions, got {callback!r}')
            if _count_of_arguments(callback) > 1:
                raise AssertionError('experimental_write_callbacks must be functions of nothing or of the path; '
                                     f'{callback!r} takes {_count_of_arguments(callback)} arguments')
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_sharding_callback = experimental_sharding_callback
        self.experimental_skip_slot_variables = experimental_skip_slot_variables

    def __copy__(self) -> CheckpointOptions:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        if made.experimental_write_callbacks is not None:
            made.experimental_write_callbacks = list(made.experimental_write_callbacks)
        return made


def _count_of_arguments(function: Callable[..., Any]) -> int:
    """How many arguments a function takes, without `self`; 1 where it does not say."""
    import inspect
    try:
        return len(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return 1


def _after_writing(options: Any, path: Any) -> None:
    for callback in getattr(options, 'experimental_write_callbacks', None) or ():
        callback(path) if _count_of_arguments(callback) else callback()


def _shown(objects: list[Any]) -> str:
    return f'Showing {min(10, len(objects))} of {len(objects)} unmatched objects: {objects[:10]}'


class _Status:
    """The result of restore(): tells whether everything was matched."""

    def assert_consumed(self) -> Any:
        """Raises an AssertionError unless every value and every object has found the other."""
        raise NotImplementedError

    def assert_existing_objects_matched(self) -> Any:
        """Raises an AssertionError unless every object that exists got its values; the checkpoint may hold more."""
        raise NotImplementedError

    def assert_nontrivial_match(self) -> Any:
        """Raises an AssertionError if nothing but the root was matched."""
        raise NotImplementedError

    def expect_partial(self) -> Any:
        """Says that values may be left over: no warning about them."""
        return self

    def _objects(self) -> list[Any]:
        return []

    def _listing(self):
        return _object_graph.Listing(self._root, self._attached() if self._attached else None)

    def run_restore_ops(self, session: Any = None) -> None:
        """Gives a session the restored values of its graph's variables; other values are restored at once."""
        session = session or _default_session()
        if session is not None:
            session._push(_variables_of(self._restored()))

    def _restored(self) -> Any:
        """The objects that got values."""
        return self._objects()

    def initialize_or_restore(self, session: Any = None) -> None:
        """Like run_restore_ops(), but variables that the checkpoint lacks get their first values."""
        session = session or _default_session()
        if session is None:
            return
        restored = self._restored()
        session._push(_variables_of(restored))  # includes objects that restore through their own saveables
        known = set(map(id, restored))
        session.run([one.initializer for one in self._listing().with_slots().objects
                     if isinstance(one, tf.Variable) and id(one) not in known and session._handle(one) is not None])


def check_session(objects: Any, path: Any) -> None:
    """Refuses to save variables of the graph that is being built where no session has their values."""
    if not tf.executing_eagerly() and any(getattr(one, '_made_in', None) is tf.compat.v1.get_default_graph() for one in objects):
        raise RuntimeError(f'Unable to save checkpoint to "{path}" in graph mode without a default session. Please use `with '
                           'tf.compat.v1.Session():` to create a session.')


def _variables_of(objects: list[Any]) -> list[Any]:
    """The variables among objects; all of the graph, where a class of the program's own says what is saved of it."""
    if any(_saveables.is_own(found) for found in objects):
        return tf.compat.v1.global_variables()
    return [found for found in objects if isinstance(found, tf.Variable)]


def _default_session() -> Any:
    return None if tf.executing_eagerly() else tf.compat.v1.get_default_session()


class CheckpointLoadStatus(_Status):
    """The status of a restoration by objects."""

    def __init__(self, restoration: Any, root: Any, attached: Any) -> None:
        self._restoration, self._root, self._attached = restoration, root, attached
        self._watch = _Leftovers(restoration)

    def _objects(self) -> list[Any]:
        return self._listing().objects

    def _restored(self) -> list[Any]:
        return [found for found in (one() for one in self._restoration.objects.values()) if found is not None]

    def assert_consumed(self) -> CheckpointLoadStatus:
        self.assert_existing_objects_matched()
        restoration = self._restoration
        for number in restoration.unmatched():
            raise AssertionError(
                f'Unresolved object in checkpoint {restoration.path_to(number)}: {restoration.nodes[number]}. To '
                'silence this, use `status.expect_partial()`.')
        if restoration.unused:
            number, names = next(iter(restoration.unused.items()))
            raise AssertionError(f'Unused attributes in the object {restoration.path_to(number)}: {names}')
        return self

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        matched = {id(found()) for found in self._restoration.objects.values()}
        missing = []
        for found in self._objects():
            if isinstance(found, _containers.TrackableDataStructure) and not found._trackable_children():
                continue  # an empty container has no values to restore
            if id(found) not in matched and _object_graph.tensors_of(found):
                missing.append(found)
        if missing:
            raise AssertionError(f'Found {len(missing)} Python objects that were not bound to checkpointed values, '
                                 f'likely due to changes in the Python program. {_shown(missing)}')
        return self

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        objects = self._objects()
        matched = {id(found()) for found in self._restoration.objects.values()}
        missing = [found for found in objects[1:] if id(found) not in matched]
        if len(missing) == len(objects) - 1:
            raise AssertionError('Nothing except the root object matched a checkpointed value. Typically this means '
                                 'that the checkpoint does not match the Python program. The following objects have no '
                                 f'matching checkpointed value: {missing}')
        return self

    def expect_partial(self) -> CheckpointLoadStatus:
        self._watch.expected = True
        return self


class _Leftovers:
    """Warns of values that were not restored when the restoration ends: with the status and whatever waits for it."""

    def __init__(self, restoration: Any) -> None:
        self.restoration, self.expected = restoration, False
        restoration.watch = self  # a reference cycle on purpose, so that it is collected with the objects that wait

    def __del__(self) -> None:
        restoration = self.restoration
        left = [] if self.expected else restoration.unmatched()
        if not left:
            return
        try:
            log = tf.get_logger()
            log.warning('Detecting that an object or model or tf.train.Checkpoint is being deleted with unrestored '
                        'values. See the following logs for the specific values in question. To silence these '
                        'warnings, use `status.expect_partial()`.')
            for number in left:
                log.warning('Value in checkpoint could not be found in the restored object: %s',
                            restoration.path_to(number))
        except Exception:  # the interpreter is ending
            pass


class InitializationOnlyStatus(_Status):
    """The status of restore(None)."""

    def __init__(self, root: Any, attached: Any) -> None:
        self._root, self._attached = root, attached

    def initialize_or_restore(self, session: Any = None) -> None:
        """Runs the initializers in the session of a graph; in eager code there is nothing to do."""
        session = session or _default_session()
        if session is not None:
            session.run([one.initializer for one in self._listing().with_slots().objects
                         if getattr(one, '_made_in', None) is session.graph and one.initializer is not None])

    def _nothing(self) -> Any:
        raise AssertionError('No checkpoint specified (save_path=None); nothing is being restored.')

    assert_consumed = assert_existing_objects_matched = assert_nontrivial_match = _nothing


class NameBasedSaverStatus(_Status):
    """The status of a restoration by the names of variables."""

    def __init__(self, restoration: Any, root: Any, attached: Any) -> None:
        self._restoration, self._root, self._attached = restoration, root, attached

    def _restored(self) -> list[Any]:
        return [found for found in (one() for one in self._restoration.restored) if found is not None]

    def assert_consumed(self) -> NameBasedSaverStatus:
        self.assert_existing_objects_matched()
        left = sorted(set(self._restoration.tensors) - self._restoration.used)
        if left:
            raise AssertionError(f'Some values of the checkpoint were not restored: {left}')
        return self

    def assert_existing_objects_matched(self):
        missing = [v for v in self._listing().objects if isinstance(v, tf.Variable) and
                   v._shared_name not in self._restoration.used and v._shared_name != 'save_counter']
        if missing:
            raise AssertionError('Some objects had attributes which were not restored: ' + ''.join(
                f'\n    {v!r}: {[v._shared_name]}' for v in missing))
        return self

    def assert_nontrivial_match(self) -> Any:
        if not self._restoration.used:
            raise AssertionError('Nothing matched a checkpointed value. The checkpoint was written by a '
                                 'tf.compat.v1.train.Saver, by names of variables: '
                                 f'{sorted(self._restoration.tensors)}')
        return self


def _not_trackable(name: str, value: int) -> Any:
    return ValueError(f'`Checkpoint` was expecting {name} to be a trackable object (an object derived from '
                      f'`Trackable`), got {value!s}. If you believe this object should be trackable (i.e. it is part '
                      'of the TensorFlow Python API and manages state), please open an issue.')


class Checkpoint(AutoTrackable):
    """Saves and restores the objects given to it by name, and everything that they refer to."""

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        attached, present, counter = {}, {}, None
        is_weak = not isinstance(root, Trackable) and isinstance(root, weakref.ref)
        if is_weak:  # the object that owns this checkpoint
            weak_root, root = root, root()
            if root is None:
                raise ValueError('`Checkpoint` was given a weak reference to a root that is gone: keep the object alive')
        if root is not None:
            root = _containers.wrap(root)
            if not isinstance(root, Trackable):
                raise _not_trackable('root', root)
            present = _object_graph.children_of(root)
            counter = present.get('save_counter')
            kwargs['root'] = root
        for name, value in sorted(kwargs.items()):  # as TensorFlow: the order is that of the file
            value = _containers.wrap(value)
            if not isinstance(value, Trackable) and isinstance(value, weakref.ref):
                value = value()
            if not isinstance(value, Trackable):
                raise _not_trackable(name, value)
            if name in present and present[name] is not value:
                raise ValueError(f'Cannot create a Checkpoint with keyword argument {name} if root.{name} already '
                                 'exists.')
            setattr(self, name, weak_root if is_weak and value is root else value)
            if name not in present:
                attached[name] = weak_root if is_weak and value is root else value
        # These are not tracked as children: the counter is a child under its public name, the root is added below.
        object.__setattr__(self, '_self_counter', counter)
        object.__setattr__(self, '_self_saved', None if root is None else (weak_root if is_weak else lambda: root, attached))

    def _graph_of(self) -> tuple[Any, ...]:
        """The object that is saved, and a function for what is attached to it beside its own children."""
        if self._self_saved is None:
            return self, None
        root = self._self_saved[0]()
        attached = {name: value() if isinstance(value, weakref.ref) else value for name, value in self._self_saved[1].items()}
        if root is None:
            raise ValueError('the object that this `Checkpoint` has a weak reference to is gone: keep it alive')

        def all_attached():
            if self._self_counter is None or 'save_counter' in root._trackable_children():
                return attached
            return dict(attached, save_counter=self._self_counter)
        return root, all_attached

    @property
    def save_counter(self) -> tf.Variable:
        """How often save() was called, as a variable that is saved too."""
        self._make_counter()
        return self._self_counter

    def _make_counter(self):
        if self._self_counter is not None:
            return
        with tf._eager_scope():
            counter = tf.Variable(0, name='save_counter', dtype=tf.int64, trainable=False)
        object.__setattr__(self, '_self_counter', counter)
        self._track_trackable(counter, 'save_counter', overwrite=True)
        if self._self_saved is not None:
            self._graph_of()[0]._handle_deferred_dependencies('save_counter', counter)

    def write(self, file_prefix, options=None):
        """Writes the files of a checkpoint and returns their prefix; no counter, no file `checkpoint`."""
        if tf.inside_function():
            return self._write_when_run(file_prefix, options)
        path = files.path_of(file_prefix)
        root, attached = self._graph_of()
        listing = _object_graph.Listing(root, attached() if attached else None).with_slots()
        if (session := _default_session()) is not None:
            variables = _variables_of(listing.objects)
            session._pull([v for v in variables if v is not self._self_counter])
            session._pull([v for v in variables if v is self._self_counter], is_partial=True)
        else:
            check_session(listing.objects, path)
        with tf._eager_scope():
            names, values = _object_graph.serialized(root, listing=listing)
            files.make_folder(path)
            _engine.write_tensors(path, names, values)
        _after_writing(options, path)
        return path

    def _write_when_run(self, prefix: tf.Tensor, options: Any) -> tf.Tensor:
        """Inside of a function: its calls write the values of that moment, and give the path."""
        root, attached = self._graph_of()
        names, values = _object_graph.serialized(root, attached() if attached else None)
        if not isinstance(prefix, tf.Tensor):
            prefix = files.path_of(prefix)

        def write(path, *now):
            files.make_folder(files.path_of(path))
            _engine.write_tensors(files.path_of(path), names, list(now))
            _after_writing(options, files.path_of(path))
            return path
        written = tf.py_function(write, [tf.convert_to_tensor(prefix, tf.string), *values], tf.string)
        written.set_shape([])
        return written

    def save(self, file_prefix, options=None):
        """Writes the checkpoint PREFIX-NUMBER, says in the file `checkpoint` that it is the latest, returns its path."""
        if tf.inside_function():
            raise NotImplementedError('tf.train.Checkpoint.save counts in Python and cannot be called inside a tf.function. '
                                      'Call it outside, or use Checkpoint.write, which does not count.')
        prefix = files.path_of(file_prefix)
        with tf._eager_scope():
            number = self.save_counter.assign_add(1).numpy()
        path = self.write(f'{prefix}-{number}')
        files.update_checkpoint_state_internal(os.path.dirname(path), path, [path], save_relative_paths=True)
        _after_writing(options, path)
        return path

    def read(self, save_path, options=None):
        """Restores what write() wrote. Values for objects that are not there yet wait for them."""
        if save_path is None:
            return InitializationOnlyStatus(*self._graph_of())
        path = files.path_of(save_path)
        root, attached = self._graph_of()
        file = files.open_tensors(path)
        if (session := _default_session()) is not None:
            found = _object_graph.Listing(root, attached() if attached else None).objects
            if any(map(_saveables.is_own, found)):  # all variables are copied to the session, restored or not
                session._pull(tf.compat.v1.global_variables(), is_partial=True)
        if _object_graph.GRAPH_KEY not in _engine.tensors_in(file):
            restoration = _object_graph.NamedRestoration(file, path)
            for found in _object_graph.Listing(root, attached() if attached else None).with_slots().objects:
                restoration.restore(found)
            return NameBasedSaverStatus(restoration, root, attached)
        restoration = _object_graph.Restoration(file, path)
        status = CheckpointLoadStatus(restoration, root, attached)
        restoration.bind(0, root, attached() if attached else None)
        return status

    def restore(self, save_path, options=None):
        """Restores what save() wrote, with the counter. Values for objects that are not there yet wait for them."""
        try:
            status = self.read(save_path, options)
        except tf.errors.NotFoundError as error:
            if 'Failed to find any matching files' not in error.message:
                raise
            raise tf.errors.NotFoundError(
                None, None, f'Error when restoring from checkpoint or SavedModel at {save_path}: '
                            f'{error.message}\nPlease double-check that the path is correct. You may be missing the '
                            "checkpoint suffix (e.g. the '-1' in 'path/to/ckpt-1').") from None
        if save_path is not None:
            self._make_counter()
        return status

    def sync(self) -> None:
        """Does nothing: a checkpoint is written when save() returns."""


class TrackableView:
    """The objects below a trackable object, as a checkpoint of it would have them."""

    def __init__(self, root: Any) -> None:
        self._root = weakref.ref(root)

    @classmethod
    def children(cls, obj: Any, save_type: Any = _trackable.CHECKPOINT, **kwargs: Any) -> dict[Any, Any]:
        """{name: child} of one object."""
        return {name: _containers.wrap(child)
                for name, child in obj._trackable_children(save_type=save_type, **kwargs).items()}

    @property
    def root(self) -> Any:
        return self._root()

    def descendants(self) -> list[Any]:
        """All objects, breadth first, beginning with the root."""
        found, seen = [self.root], {id(self.root)}
        for one in found:
            for child in self.children(one).values():
                if id(child) not in seen:
                    seen.add(id(child))
                    found.append(child)
        return found


class CheckpointV1(Checkpoint):
    """tf.compat.v1.train.Checkpoint: without a root."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)


CheckpointV1.__name__ = CheckpointV1.__qualname__ = 'Checkpoint'
publish('tf.train', Checkpoint, CheckpointOptions, TrackableView)
publish('tf.compat.v1.train tf.contrib.eager', CheckpointV1)
