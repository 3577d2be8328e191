"""tf.__internal__: what tf_keras and libraries like it register, ask and take apart there besides what Keras does (internal.py)."""
import contextlib
import functools

import footlight as tf
from footlight import _engine, _lookup
from footlight._tensorflow.python.autograph.impl import api as _autograph
from footlight._tensorflow.python import all_modules  # noqa: F401  (these add their names too)
from footlight._tensorflow.python.eager import context as _context
from footlight._tensorflow.python.eager.polymorphic_function.polymorphic_function import Function
from footlight._tensorflow.python.saved_model import nested_structure_coder as _coder
from footlight._features import base as _features  # noqa: F401
from footlight._tensorflow.python.util import deprecation, tf_export, nest  # noqa: F401
from footlight._tensorflow.internal import for_keras  # noqa: F401
from footlight._types import tensor_operators  # noqa: F401
from footlight._saving import load as _load, loaded_functions as _loaded_functions, object_graph as _object_graph
from footlight._saving import saveables as _saveables, trackable as _trackable

# --- functions that a library registers, by what they are for; the last one counts ---
_registered = {}


def _register(what):
    def register(function):
        _registered[what] = function
    register.__name__ = register.__qualname__ = 'register_%s_function' % what
    register.__doc__ = 'Says which function does it: %s.' % what.replace('_', ' ')
    return register


def registered(what):
    """The function that a library has registered, or None."""
    return _registered.get(what)


def register_session_provider(session_provider):
    """Says who gives the session of v1 code."""
    _registered.setdefault('get_session', session_provider)


def register_loss_scale_wrapper(optimizer_cls, wrapper_fn, wrapper_cls=None):
    """Says which function puts an optimizer of this class into one that scales losses."""
    _registered['loss_scale', optimizer_cls] = wrapper_fn


_load_options = []


@contextlib.contextmanager
def load_context(load_options):
    """A context of loading with options, which nested loads see."""
    _load_options.append(load_options)
    try:
        yield
    finally:
        _load_options.pop()


# --- ops ---
def broadcast_weights(weights, values):
    """Weights in the shape of values: scalars, or as many dimensions as values of which each is 1 or the same."""
    values, weights = tf.convert_to_tensor(values), tf.convert_to_tensor(weights)
    if weights.dtype != values.dtype and weights.dtype.base_dtype != values.dtype.base_dtype:
        weights = tf.cast(weights, values.dtype)
    ours, theirs = weights.shape, values.shape
    if ours.is_fully_defined() and theirs.is_fully_defined():
        if ours == theirs:
            return weights
        if ours.rank and (ours.rank != theirs.rank or any(a not in (1, b) for a, b in zip(ours, theirs))):
            raise ValueError('weights can not be broadcast to values: weights have the shape %s, values %s' % (ours, theirs))
        return tf.multiply(weights, tf.ones_like(values))
    shape = tf.shape(values)
    fits = tf.cond(tf.equal(tf.rank(weights), 0), lambda: True, lambda: tf.cond(
        tf.equal(tf.rank(weights), tf.rank(values)),
        lambda: tf.reduce_all(tf.equal(tf.shape(weights), 1) | tf.equal(tf.shape(weights), shape)), lambda: False))
    with tf.control_dependencies([tf.debugging.Assert(fits, [
            'weights can not be broadcast to values. weights.shape=', tf.shape(weights), 'values.shape=', shape])]):
        return tf.multiply(weights, tf.ones_like(values))


def assert_splits_match(nested_splits_lists):
    """What asserts that the splits of several ragged tensors are those of the first; ValueError if there are fewer or more."""
    words, first = 'Inputs must have identical ragged splits', nested_splits_lists[0]
    if any(len(splits) != len(first) for splits in nested_splits_lists):
        raise ValueError(words)
    return [tf.debugging.assert_equal(ours, theirs, message=words)
            for splits in nested_splits_lists[1:] for ours, theirs in zip(first, splits)]


def variable_sync_on_read_context():
    """A context in which variables of several replicas are read as one: with one replica they are."""
    return contextlib.nullcontext()


class ShardedVariable:
    """A variable in parts on several servers: there is none."""

    def __init__(self, variables, name='ShardedVariable'):
        raise NotImplementedError('ShardedVariable: there are no parameter servers here; use one tf.Variable')


def add_variable(trackable, name, shape=None, dtype=tf.float32, initializer=None, trainable=True):
    """Makes a variable a child of an object; without an initializer it has zeros."""
    def make(name, shape, dtype, initializer, trainable):
        first = tf.zeros if initializer is None else initializer() if isinstance(initializer, type) else initializer
        if shape is not None and not callable(first):
            raise ValueError('add_variable: if initializer is a constant, do not specify shape, which is that of the constant')
        value = (lambda: first(shape=shape, dtype=dtype)) if callable(first) and shape is not None else first
        return tf.Variable(value, name=name, dtype=dtype, trainable=trainable)
    return trackable._add_variable_with_custom_getter(name, shape=shape, dtype=dtype, initializer=initializer, getter=make,
                                                      trainable=trainable)


def gather_initializers(root_trackable):
    """What initializes the variables, and others with an initializer, below an object; for a session to run."""
    return [one.initializer for one in list_objects(root_trackable) if getattr(one, 'initializer', None) is not None]


def list_objects(root_trackable):
    """All objects that a checkpoint of an object has, with the variables that optimizers keep."""
    return _object_graph.Listing(root_trackable).with_slots().objects


def is_resource_variable(var):
    """Whether it is a variable: all of them are resources."""
    return isinstance(var, tf.Variable) or hasattr(var, '_should_act_as_resource_variable')


def assign_moving_average(variable, value, decay, zero_debias=True, name=None):
    """variable * decay + value * (1 - decay); with `zero_debias` the first values count as much as later ones."""
    value, decay = tf.convert_to_tensor(value, variable.dtype), tf.cast(decay, variable.dtype)
    if not zero_debias:
        return variable.assign_sub((variable - value) * (1 - decay), name=name)
    state = variable.__dict__ if hasattr(variable, '__dict__') else None
    kept = _averages.get(id(variable)) if state is None else state.get('_moving_average')
    if kept is None:
        with tf._eager_scope():
            kept = (tf.Variable(tf.zeros_like(variable), trainable=False, name='biased'),
                    tf.Variable(0, dtype=variable.dtype, trainable=False, name='local_step'))
        if state is None:
            _averages[id(variable)] = kept
        else:
            state['_moving_average'] = kept
    biased, step = kept
    biased_now, step_now = biased.assign_sub((biased - value) * (1 - decay)), step.assign_add(1)
    return variable.assign(biased_now / (1 - tf.pow(decay, step_now)), name=name)


_averages = {}


def execute_fn_for_device(device_branch_fns, default_fn, name='execute_fn'):
    """The branch for the kind of device that ops run on here, or the default one."""
    kind = 'GPU' if tf.config.list_logical_devices('GPU') else 'CPU'
    branches = {key.upper(): branch for key, branch in device_branch_fns.items()}
    return branches.get(kind, default_fn)()


def get_enclosing_xla_context():
    """The XLA context of the graph: there is none here."""
    return None


def is_tfrt_enabled():
    """Whether TensorFlow's own new runtime is used: never."""
    return False


def get_device_name():
    """The name of the device that ops run on now."""
    return _context.context().device_name


def get_config():
    """How devices are set up, as a message."""
    return tf.compat.v1.ConfigProto()


# --- what is trackable ---
class CheckpointInitialValue:
    """The value of a variable that a checkpoint holds, before the variable is made."""

    def __init__(self, checkpoint_position, shape=None, shard_info=None):
        self.wrapped_value = checkpoint_position.value_tensors()['VARIABLE_VALUE']
        if shape is not None:
            self.wrapped_value.set_shape(shape)
        self._checkpoint_position = checkpoint_position

    checkpoint_position = property(lambda self: self._checkpoint_position)


class CheckpointInitialValueCallable:
    """The same as a function to give to a variable as its first value."""

    def __init__(self, checkpoint_position):
        self._checkpoint_position = checkpoint_position

    checkpoint_position = property(lambda self: self._checkpoint_position)

    def __call__(self, shape=None, dtype=None, shard_info=None):
        return CheckpointInitialValue(self._checkpoint_position, shape, shard_info)


class DelegatingTrackableMixin:
    """Of an object that saves and restores as another one does, the one that it wraps."""

    def __init__(self, trackable_obj):
        self._trackable = trackable_obj

    _setattr_tracking = property(lambda self: self._trackable._setattr_tracking,
                                 lambda self, value: setattr(self._trackable, '_setattr_tracking', value))
    _object_identifier = property(lambda self: self._trackable._object_identifier)


def _delegate(name):
    def call(self, *args, **kwargs):
        return getattr(self._trackable, name)(*args, **kwargs)
    call.__name__ = name
    return call


for _name in ('_lookup_dependency _track_trackable _handle_deferred_dependencies _trackable_children '
              '_gather_saveables_for_checkpoint _serialize_to_tensors _restore_from_tensors _export_to_saved_model_graph '
              '_maybe_initialize_trackable _no_dependency _preload_simple_restoration _deserialization_dependencies').split():
    setattr(DelegatingTrackableMixin, _name, _delegate(_name))


class ObjectGraphView:
    """The graph of objects below a root, as checkpoints see it."""

    def __init__(self, root, attached_dependencies=None):
        self.root, self._more = root, attached_dependencies or []

    def children(self, obj, save_type='checkpoint', **kwargs):
        """The children of an object by name."""
        found = dict(obj._trackable_children(save_type, **kwargs))
        if obj is self.root:
            found.update({one.name: one.ref for one in self._more})
        return found

    def list_children(self, obj, save_type='checkpoint', **kwargs):
        """The same as references."""
        return [_trackable.TrackableReference(name, child) for name, child in self.children(obj, save_type, **kwargs).items()]

    def breadth_first_traversal(self):
        """All objects, the root first, and the path of each."""
        paths, row, at = {id(self.root): ()}, [self.root], 0
        while at < len(row):
            for name, child in self.children(row[at]).items():
                if id(child) not in paths:
                    paths[id(child)] = paths[id(row[at])] + (_trackable.TrackableReference(name, child),)
                    row.append(child)
            at += 1
        return row, _object_graph.ByIdentity((one, paths[id(one)]) for one in row)


def saveable_objects_from_trackable(obj, tf1_saver=False):
    """What saves the values of an object, by name."""
    found = obj._gather_saveables_for_checkpoint()
    if found or not isinstance(found, dict):
        return dict(found) if isinstance(found, dict) else {}
    try:
        obj._serialize_to_tensors()
    except NotImplementedError:
        return {}
    return {'_serialized_tensors': functools.partial(_saveables.Whole, obj)}


def update_checkpoint_state(save_dir, model_checkpoint_path, all_model_checkpoint_paths=None, latest_filename=None,
                            save_relative_paths=False, all_model_checkpoint_timestamps=None, last_preserved_timestamp=None):
    """Writes the file that says which checkpoint of a folder is the last one."""
    import os
    paths = list(all_model_checkpoint_paths or [])
    if model_checkpoint_path not in paths:
        paths.append(model_checkpoint_path)
    if save_relative_paths:
        model_checkpoint_path, paths = (os.path.relpath(model_checkpoint_path, save_dir),
                                        [os.path.relpath(one, save_dir) for one in paths])
    quoted = ['model_checkpoint_path: "%s"' % model_checkpoint_path] + ['all_model_checkpoint_paths: "%s"' % p for p in paths]
    with open(os.path.join(save_dir, latest_filename or 'checkpoint'), 'w', encoding='utf-8') as out:
        out.write('\n'.join(quoted) + '\n')


_policy = [False]


def set_using_mixed_precision_policy(is_using_mixed_precision_policy):
    """Says whether layers compute in another precision than their variables have."""
    _policy[0] = bool(is_using_mixed_precision_policy)


def is_mixed_precision_graph_rewrite_enabled():
    """Whether graphs are rewritten for mixed precision: never."""
    return False


# --- saved_model.load: classes that files name ---
_revived = {}


class VersionedTypeRegistration:
    """How objects of a class are made again from a file, for versions of the file."""

    def __init__(self, object_factory, version, min_producer_version, min_consumer_version, bad_consumers=None, setter=setattr):
        self.setter, self.identifier = setter, None
        self._factory, self.version = object_factory, version
        self._min_producer, self._min_consumer, self._bad = min_producer_version, min_consumer_version, bad_consumers or []

    def to_proto(self):
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


def register_revived_type(identifier, predicate, versions):
    """Says which objects (`predicate`) files know by a name, and how they are made again."""
    versions.sort(key=lambda one: one.version, reverse=True)
    if not versions:
        raise AssertionError('Need at least one version of a registered type.')
    for one in versions:
        one.identifier = identifier
    if len({one.version for one in versions}) != len(versions):
        raise AssertionError('Got multiple registrations with version for type %s.' % identifier)
    if identifier in _revived:
        raise AssertionError("Duplicate registrations for type '%s'" % identifier)
    _revived[identifier] = (predicate, versions)


def registered_identifiers():
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

    def set(self, value):
        """Sets it."""
        self._value = value

    def value(self):
        """The value."""
        return self._value


class _Symbolic(type):
    def __instancecheck__(cls, value):
        return tf.is_symbolic_tensor(value)


class SymbolicTensor(metaclass=_Symbolic):
    """A tensor of a graph: only for isinstance()."""


class _ByDatasetName(type):
    def __instancecheck__(cls, value):
        return isinstance(value, tf.data.Dataset) and type(value).__name__ == cls.__name__


def _dataset_kind(name):
    return _ByDatasetName(name, (), {'__doc__': 'Datasets of this source: only for isinstance().'})


class KerasModeKeys:
    """What a model of Keras is used for."""

    TRAIN, TEST, PREDICT = 'train', 'test', 'predict'


class EstimatorModeKeys:
    """The same in the words of Estimators."""

    TRAIN, EVAL, PREDICT = 'train', 'eval', 'infer'


def is_train(mode):
    """Whether it is training."""
    return mode in (KerasModeKeys.TRAIN, EstimatorModeKeys.TRAIN)


def is_eval(mode):
    """Whether it is a test."""
    return mode in (KerasModeKeys.TEST, EstimatorModeKeys.EVAL)


def is_predict(mode):
    """Whether results are asked for."""
    return mode in (KerasModeKeys.PREDICT, EstimatorModeKeys.PREDICT)


_HOME = {
    '': 'SymbolicTensor execute_fn_for_device get_enclosing_xla_context is_tfrt_enabled load_context',
    'distribute': 'ShardedVariable variable_sync_on_read_context',
    'eager_context': 'get_config get_device_name', 'mixed_precision': 'register_loss_scale_wrapper',
    'monitoring': 'BoolGauge', 'ops': 'broadcast_weights is_resource_variable',
    'saved_model.load': 'VersionedTypeRegistration get_setter register_revived_type registered_identifiers',
    'tracking': 'CheckpointInitialValue CheckpointInitialValueCallable DelegatingTrackableMixin ObjectGraphView '
                'register_session_provider saveable_objects_from_trackable',
    'train': 'assign_moving_average is_mixed_precision_graph_rewrite_enabled set_using_mixed_precision_policy '
             'update_checkpoint_state'}
for _where, _names in _HOME.items():
    _namespace = _engine.namespace('__internal__.' + _where if _where else '__internal__')
    for _name in _names.split():
        setattr(_namespace, _name, globals()[_name])
for _what in 'call_context clear_session get_session load_model'.split():
    setattr(_engine.namespace('__internal__'), 'register_%s_function' % _what, _register(_what))
for _where, _name, _object in (
        ('autograph', 'control_status_ctx', _autograph.control_status_ctx), ('autograph', 'tf_convert', _autograph.tf_convert),
        ('', 'get_name_scope', tf.get_current_name_scope), ('function', 'Function', Function),
        ('saved_model', 'parse_saved_model', _load.parse_saved_model), ('saved_model', 'load_partial', _load.load_partial),
        ('saved_model', 'decode_proto', _coder.decode_proto), ('saved_model', 'encode_structure', _coder.encode_structure)):
    setattr(_engine.namespace('__internal__.' + _where if _where else '__internal__'), _name, _object)
for _path, _names in {
        'framework.ops': 'SymbolicTensor', 'eager.context': 'get_config get_device_name is_tfrt_enabled',
        'ops.weights_broadcast_ops': 'broadcast_weights', 'ops.resource_variable_ops': 'is_resource_variable',
        'ops.control_flow_ops': 'get_enclosing_xla_context', 'training.moving_averages': 'assign_moving_average',
        'checkpoint.graph_view': 'ObjectGraphView', 'checkpoint.checkpoint': 'add_variable gather_initializers list_objects',
        'ops.ragged.ragged_util': 'assert_splits_match',
        'saved_model.model_utils.mode_keys': 'EstimatorModeKeys KerasModeKeys is_eval is_predict is_train',
        'trackable.base': 'CheckpointInitialValue CheckpointInitialValueCallable', 'eager.monitoring': 'BoolGauge'}.items():
    for _name in _names.split():
        setattr(_engine.namespace('python.' + _path), _name, globals()[_name])
_engine.namespace('python.trackable.data_structures').NoDependency = _trackable.NoDependency
_engine.namespace('python.trackable.base').VARIABLE_VALUE_KEY = _trackable.VARIABLE_VALUE
_engine.namespace('python.ops.ref_variable').RefVariable = tf.compat.v1.Variable
_engine.namespace('python.checkpoint.checkpoint').CheckpointV1 = tf.compat.v1.train.Checkpoint
_engine.namespace('python.trackable.resource').RestoredResource = _loaded_functions.RestoredResource
_engine.namespace('python.saved_model.load').load_partial = _load.load_partial
_engine.namespace('python.saved_model.loader_impl').parse_saved_model = _load.parse_saved_model
_engine.namespace('python.ops.lookup_ops').LookupInterface = _lookup.LookupInterface
_engine.namespace('python.pywrap_tfe').TF_ListPluggablePhysicalDevices = lambda: []
for _module, _name in (('from_generator', '_GeneratorDataset'), ('range', '_RangeDataset'),
                       ('from_sparse_tensor_slices', '_SparseTensorSliceDataset'), ('from_tensors', '_TensorDataset'),
                       ('from_tensor_slices', '_TensorSliceDataset')):
    setattr(_engine.namespace('python.data.ops.%s_op' % _module), _name, _dataset_kind(_name))
