"""tf.__internal__: what tf_keras and libraries like it register, ask and take apart besides what Keras does (for_keras.py)."""
from __future__ import annotations

import contextlib
import functools

import footlight as tf
from footlight import _engine
from footlight._features import base  # noqa: F401  (these add their names too)
from footlight._saving import load as _load, saveables as _saveables
from footlight._tensorflow.internal import for_keras  # noqa: F401
from footlight._tensorflow.publish import publish
from footlight._tensorflow.python import all_modules  # noqa: F401
from footlight._tensorflow.python.autograph.impl import api as _autograph
from footlight._tensorflow.python.eager import context as _context
from footlight._tensorflow.python.eager.polymorphic_function.polymorphic_function import Function
from footlight._tensorflow.python.saved_model import nested_structure_coder as _coder
from footlight._types import tensor_operators  # noqa: F401
from footlight._typing import Any, Callable, Iterator


# --- functions that a library registers, by what they are for; the last one counts ---
_registered: dict[Any, Any] = {}


def _register(what: str) -> Callable[..., Any]:
    def register(function):
        _registered[what] = function
    register.__name__ = register.__qualname__ = f'register_{what}_function'
    register.__doc__ = f"Says which function does it: {what.replace('_', ' ')}."
    return register


def registered(what):
    """The function that a library has registered, or None."""
    return _registered.get(what)


def register_session_provider(session_provider: Any) -> None:
    """Says who gives the session of v1 code."""
    _registered.setdefault('get_session', session_provider)


def register_loss_scale_wrapper(optimizer_cls: Any, wrapper_fn: Any, wrapper_cls: Any = None) -> None:
    """Says which function puts an optimizer of this class into one that scales losses."""
    _registered['loss_scale', optimizer_cls] = wrapper_fn


_load_options: list[Any] = []


@contextlib.contextmanager
def load_context(load_options: Any) -> Iterator[Any]:
    """A context of loading with options, which nested loads see."""
    _load_options.append(load_options)
    try:
        yield
    finally:
        _load_options.pop()


def variable_sync_on_read_context() -> Any:
    """A context in which variables of several replicas are read as one: with one replica they are."""
    return contextlib.nullcontext()


class ShardedVariable:
    """A variable in parts on several servers: there is none."""

    def __init__(self, variables: Any, name: str | None = 'ShardedVariable') -> None:
        raise NotImplementedError('ShardedVariable: there are no parameter servers here; use one tf.Variable')


def execute_fn_for_device(device_branch_fns: Any, default_fn: Callable[..., Any],
                          name: str | None = 'execute_fn') -> int:
    """The branch for the kind of device that ops run on here, or the default one."""
    kind = 'GPU' if tf.config.list_logical_devices('GPU') else 'CPU'
    branches = {key.upper(): branch for key, branch in device_branch_fns.items()}
    return branches.get(kind, default_fn)()


def get_enclosing_xla_context() -> None:
    """The XLA context of the graph: there is none here."""
    return None


def is_tfrt_enabled() -> bool:
    """Whether TensorFlow's own new runtime is used: never."""
    return False


def get_device_name() -> Any:
    """The name of the device that ops run on now."""
    return _context.context().device_name


def get_config():
    """How devices are set up, as a message."""
    return tf.compat.v1.ConfigProto()


def _delegate(name: str) -> Callable[..., Any]:
    def call(self, *args, **kwargs):
        return getattr(self._trackable, name)(*args, **kwargs)
    call.__name__ = name
    return call


class DelegatingTrackableMixin:
    """Saves and restores as the object does that it wraps."""

    def __init__(self, trackable_obj: Any) -> None:
        self._trackable = trackable_obj

    _setattr_tracking = property(lambda self: self._trackable._setattr_tracking,
                                 lambda self, value: setattr(self._trackable, '_setattr_tracking', value))
    _object_identifier = property(lambda self: self._trackable._object_identifier)
    _lookup_dependency = _delegate('_lookup_dependency')
    _track_trackable = _delegate('_track_trackable')
    _handle_deferred_dependencies = _delegate('_handle_deferred_dependencies')
    _trackable_children = _delegate('_trackable_children')
    _gather_saveables_for_checkpoint = _delegate('_gather_saveables_for_checkpoint')
    _serialize_to_tensors = _delegate('_serialize_to_tensors')
    _restore_from_tensors = _delegate('_restore_from_tensors')
    _export_to_saved_model_graph = _delegate('_export_to_saved_model_graph')
    _maybe_initialize_trackable = _delegate('_maybe_initialize_trackable')
    _no_dependency = _delegate('_no_dependency')
    _preload_simple_restoration = _delegate('_preload_simple_restoration')
    _deserialization_dependencies = _delegate('_deserialization_dependencies')


def saveable_objects_from_trackable(obj: Any, tf1_saver: bool = False) -> dict[Any, Any]:
    """What saves the values of an object, by name."""
    found = obj._gather_saveables_for_checkpoint()
    if found or not isinstance(found, dict):
        return dict(found) if isinstance(found, dict) else {}
    try:
        obj._serialize_to_tensors()
    except NotImplementedError:
        return {}
    return {'_serialized_tensors': functools.partial(_saveables.Whole, obj)}


def update_checkpoint_state(save_dir: Any, model_checkpoint_path: Any, all_model_checkpoint_paths: Any = None,
                            latest_filename: Any = None, save_relative_paths: bool = False,
                            all_model_checkpoint_timestamps: Any = None, last_preserved_timestamp: Any = None) -> None:
    """Writes the file that says which checkpoint of a folder is the last one."""
    import os
    paths = list(all_model_checkpoint_paths or [])
    if model_checkpoint_path not in paths:
        paths.append(model_checkpoint_path)
    if save_relative_paths:
        model_checkpoint_path, paths = (os.path.relpath(model_checkpoint_path, save_dir),
                                        [os.path.relpath(one, save_dir) for one in paths])
    quoted = [f'model_checkpoint_path: "{model_checkpoint_path}"'] + ['all_model_checkpoint_paths: '
                                                                        f'"{p}"' for p in paths]
    with open(os.path.join(save_dir, latest_filename or 'checkpoint'), 'w', encoding='utf-8') as out:
        out.write('\n'.join(quoted) + '\n')


_policy = [False]


def set_using_mixed_precision_policy(is_using_mixed_precision_policy: Any) -> None:
    """Says whether layers compute in another precision than their variables have."""
    _policy[0] = bool(is_using_mixed_precision_policy)


def is_mixed_precision_graph_rewrite_enabled() -> bool:
    """Whether graphs are rewritten for mixed precision: never."""
    return False


# --- saved_model.load: classes that files name ---
_revived: dict[str, Any] = {}


class VersionedTypeRegistration:
    """How objects of a class are made again from a file, for versions of the file."""

    def __init__(self, object_factory: Any, version: Any, min_producer_version: Any, min_consumer_version: Any,
                 bad_consumers: Any = None, setter: Any = setattr) -> None:
        self.setter, self.identifier = setter, None
        self._factory, self.version = object_factory, version
        self._min_producer, self._min_consumer, self._bad = min_producer_version, min_consumer_version, bad_consumers or []

    def to_proto(self) -> Any:
        """What a file says of an object of the class."""
        from footlight import _proto
        return _proto.SavedUserObject(identifier=self.identifier, version=_proto.VersionDef(
            producer=self.version, min_consumer=self._min_consumer, bad_consumers=self._bad))

    def from_proto(self, proto):
        """The object again."""
        return self._factory(proto)

    def should_load(self, proto):
        """Whether the file's version is one of these."""
        return (proto.identifier == self.identifier and self.version >= proto.version.min_consumer and
                proto.version.producer >= self._min_producer and self.version not in proto.version.bad_consumers)


def register_revived_type(identifier: Any, predicate: Callable[..., Any], versions: Any) -> None:
    """Says which objects (`predicate`) files know by a name, and how they are made again."""
    versions.sort(key=lambda one: one.version, reverse=True)
    if not versions:
        raise AssertionError('Need at least one version of a registered type.')
    for one in versions:
        one.identifier = identifier
    if len({one.version for one in versions}) != len(versions):
        raise AssertionError(f'Got multiple registrations with version for type {identifier}.')
    if identifier in _revived:
        raise AssertionError(f"Duplicate registrations for type '{identifier}'")
    _revived[identifier] = (predicate, versions)


def registered_identifiers() -> Any:
    """The names of registered classes."""
    return _revived.keys()


def get_setter(proto):
    """How attributes of an object are set again, or None where its class is not known."""
    _, versions = _revived.get(proto.identifier, (None, ()))
    return next((one.setter for one in versions if one.should_load(proto)), None)


class BoolGauge:
    """A value of a program that is watched."""

    def __init__(self, name, description, *labels):
        self._cells = {}

    def get_cell(self, *labels):
        """The value for these labels."""
        return self._cells.setdefault(labels, _Cell())


class _Cell:
    _value = False

    def set(self, value: Any) -> None:
        """Sets it."""
        self._value = value

    def value(self) -> Any:
        """The value."""
        return self._value


class _Symbolic(type):
    def __instancecheck__(cls, value):
        return tf.is_symbolic_tensor(value)


class SymbolicTensor(metaclass=_Symbolic):
    """A tensor of a graph: only for isinstance()."""


publish(globals(), (
    'SymbolicTensor execute_fn_for_device get_enclosing_xla_context is_tfrt_enabled load_context'), '__internal__')
publish(globals(), 'ShardedVariable variable_sync_on_read_context', '__internal__.distribute')
publish(globals(), 'get_config get_device_name', '__internal__.eager_context')
publish(globals(), 'register_loss_scale_wrapper', '__internal__.mixed_precision')
publish(globals(), 'BoolGauge', '__internal__.monitoring')
publish(globals(), (
    'VersionedTypeRegistration get_setter register_revived_type registered_identifiers'), '__internal__.saved_model.load')
publish(globals(), (
    'DelegatingTrackableMixin register_session_provider saveable_objects_from_trackable'), '__internal__.tracking')
publish(globals(), (
    'is_mixed_precision_graph_rewrite_enabled set_using_mixed_precision_policy '
    'update_checkpoint_state'), '__internal__.train')
publish(globals(), 'SymbolicTensor', 'python.framework.ops')
publish(globals(), 'get_config get_device_name is_tfrt_enabled', 'python.eager.context')
publish(globals(), 'get_enclosing_xla_context', 'python.ops.control_flow_ops')
for _what in 'call_context clear_session get_session load_model'.split():
    setattr(_engine.namespace('__internal__'), f'register_{_what}_function', _register(_what))
for _where, _name, _object in (
        ('.autograph', 'control_status_ctx', _autograph.control_status_ctx),
        ('.autograph', 'tf_convert', _autograph.tf_convert),
        ('', 'get_name_scope', tf.get_current_name_scope), ('.function', 'Function', Function),
        ('.saved_model', 'parse_saved_model', _load.parse_saved_model), ('.saved_model', 'load_partial', _load.load_partial),
        ('.saved_model', 'decode_proto', _coder.decode_proto), ('.saved_model', 'encode_structure', _coder.encode_structure)):
    setattr(_engine.namespace('__internal__' + _where), _name, _object)
