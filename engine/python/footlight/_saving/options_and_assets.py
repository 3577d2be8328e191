"""tf.saved_model besides save and load: options, assets, resources, fingerprints, constants."""
from __future__ import annotations

import enum
import os

import footlight as tf
from footlight import _engine, _proto
from footlight._public import alias, publish
from footlight._saving.trackable import SAVEDMODEL, Trackable
from footlight._typing import Any, DTypeLike

saved_model = _engine.namespace('saved_model')


class Asset(Trackable):
    """A file that saving copies into the SavedModel; `asset_path` is the tensor with its path."""

    def __init__(self, path):
        with tf._eager_scope():
            self._path = tf.convert_to_tensor(os.fspath(path) if isinstance(path, os.PathLike) else path, tf.string,
                                              name='asset_path')

    @property
    def asset_path(self):
        """The path, as a tensor."""
        if tf.executing_eagerly() or tf.inside_function():
            return self._path
        graph = tf.compat.v1.get_default_graph()
        constants = graph._state.setdefault('asset_paths', {})
        if self not in constants:
            with tf._eager_scope():
                path = self._path.numpy()
            constants[self] = tf.constant(path)
            tf.compat.v1.add_to_collection(tf.compat.v1.GraphKeys.ASSET_FILEPATHS, constants[self])
        return constants[self]

    def __tf_tensor__(self, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
        return self._path


class VariablePolicy(enum.Enum):
    """Whether the devices of variables are saved."""
    NONE = None
    SAVE_VARIABLE_DEVICES = 'save_variable_devices'
    EXPAND_DISTRIBUTED_VARIABLES = 'expand_distributed_variables'

    def _save_variable_devices(self) -> bool:
        return self is not VariablePolicy.NONE

    @staticmethod
    def from_obj(obj: Any) -> VariablePolicy:
        """The policy that None, a policy or its name stands for."""
        if obj is None:
            return VariablePolicy.NONE
        if isinstance(obj, VariablePolicy):
            return obj
        name = str(obj).lower()
        for policy in VariablePolicy:
            if policy.value == name:
                return policy
        raise ValueError(f'Received invalid VariablePolicy value: {obj!s}.')


class SaveOptions:
    """How tf.saved_model.save writes."""

    def __init__(self, namespace_whitelist: Any = None, save_debug_info: bool = False, function_aliases: Any = None,
                 experimental_debug_stripper: bool = False, experimental_io_device: Any = None,
                 experimental_variable_policy: Any = None, experimental_custom_gradients: bool = True,
                 experimental_image_format: bool = False, experimental_skip_saver: bool = False,
                 experimental_sharding_callback: Any = None, extra_tags: Any = None) -> None:
        names = namespace_whitelist or []
        if not isinstance(names, list):
            raise TypeError(f'Unsupported type for `namespace_whitelist`: {type(names)}. Expected a list.')
        for name in names:
            if not isinstance(name, str):
                raise ValueError(f'Whitelisted namespace must be a string. Got: {name} of type {type(name)}.')
        if experimental_image_format:
            raise NotImplementedError('SaveOptions: experimental_image_format is not supported')
        self.namespace_whitelist, self.save_debug_info = names, save_debug_info
        self.function_aliases = dict(function_aliases or {})
        self.experimental_debug_stripper, self.experimental_io_device = experimental_debug_stripper, experimental_io_device
        self.experimental_variable_policy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = extra_tags


class LoadOptions:
    """How tf.saved_model.load reads."""

    def __init__(self, allow_partial_checkpoint: bool = False, experimental_io_device: Any = None,
                 experimental_skip_checkpoint: bool = False, experimental_variable_policy: Any = None,
                 experimental_load_function_aliases: bool = False) -> None:
        self.allow_partial_checkpoint = allow_partial_checkpoint
        self.experimental_io_device = experimental_io_device
        self.experimental_skip_checkpoint = experimental_skip_checkpoint
        self.experimental_variable_policy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_load_function_aliases = experimental_load_function_aliases


class TrackableResource(Trackable):
    """A resource that functions use, made and filled anew where a SavedModel is loaded.

    Subclasses define _create_resource(), which returns the handle, and where it is to be filled _initialize().
    """

    _resource_device, _resource_handle_made = '', None
    _saveable_name: str | None = None  # prefix of the keys of its values in files, if it has values

    def __init__(self, device: str = '') -> None:
        self._resource_device = device

    def _create_resource(self) -> Any:
        raise NotImplementedError('TrackableResource._create_resource not implemented.')

    def _initialize(self) -> None:
        """Fills the resource."""

    def _destroy_resource(self) -> None:
        """Frees the resource."""

    @property
    def resource_handle(self):
        """The handle: made when it is first asked for."""
        if self._resource_handle_made is None:
            with tf._eager_scope(), tf.device(self._resource_device or None):
                self._resource_handle_made = self._create_resource()
        return self._resource_handle_made

    def _trackable_children(self, save_type: str = 'checkpoint', **kwargs: Any) -> dict[Any, Any]:
        children = super()._trackable_children(save_type, **kwargs)
        if save_type != SAVEDMODEL:
            return children

        def as_function(method, gives):
            def body():
                found = method()
                return found if gives else tf.constant(1)
            body.__name__ = method.__name__.strip('_')
            return tf.function(body, input_signature=[], autograph=False)
        made = {'_create_resource': as_function(self._create_resource, True),
                '_initialize': as_function(self._initialize, False),
                '_destroy_resource': as_function(self._destroy_resource, False)}
        for function in made.values():
            function.get_concrete_function()
        children.update(made)
        return children


class Fingerprint:
    """Hashes that identify a SavedModel."""

    def __init__(self, saved_model_checksum: int | None = None, graph_def_program_hash: int | None = None,
                 signature_def_hash: int | None = None, saved_object_graph_hash: int | None = None,
                 checkpoint_hash: int | None = None, version: Any = None) -> None:
        self.saved_model_checksum, self.graph_def_program_hash = saved_model_checksum, graph_def_program_hash
        self.signature_def_hash, self.saved_object_graph_hash = signature_def_hash, saved_object_graph_hash
        self.checkpoint_hash, self.version = checkpoint_hash, version

    _names = ('saved_model_checksum', 'graph_def_program_hash', 'signature_def_hash', 'saved_object_graph_hash',
              'checkpoint_hash')

    @classmethod
    def from_proto(cls, proto):
        """The fingerprint of a message (or of its bytes)."""
        if isinstance(proto, bytes):
            try:
                proto = _proto.FingerprintDef.FromString(proto)
            except ValueError as error:
                raise ValueError(f'Given proto could not be deserialized as fingerprint: {error}') from None
        return cls(*[getattr(proto, name) for name in cls._names], version=proto.version)

    def __eq__(self, other: Any) -> bool:
        try:
            return all(getattr(self, name) == getattr(other, name) for name in self._names)
        except AttributeError:
            return False

    __hash__ = object.__hash__

    def __str__(self) -> str:
        return '\n'.join(['SavedModel Fingerprint'] + [f'  {name}: {getattr(self, name)}' for name in self._names])

    def __repr__(self) -> str:
        return f"Fingerprint({', '.join(f'{name}={getattr(self, name)}' for name in self._names)})"

    def singleprint(self) -> str:
        """The four hashes that do not depend on how the file is laid out, as one string."""
        values = [getattr(self, name) for name in self._names[1:]]
        if None in values:
            raise ValueError(f'Encounted invalid fingerprint values when constructing singleprint. {self!r}')
        return '/'.join(str(value) for value in values)


def read_fingerprint(export_dir: Any) -> Fingerprint:
    """The Fingerprint in a SavedModel."""
    path = os.path.join(os.fspath(export_dir), 'fingerprint.pb')
    if not os.path.isfile(path):
        raise FileNotFoundError(f'SavedModel Fingerprint Error: Could not find fingerprint in {export_dir}')
    with open(path, 'rb') as file:
        content = file.read(1 << 20)
    try:
        return Fingerprint.from_proto(content)
    except ValueError as error:
        raise RuntimeError(f'SavedModel Fingerprint Error: {error}') from None


constants: dict[str, Any] = {
    'ASSETS_DIRECTORY': 'assets', 'ASSETS_KEY': 'saved_model_assets', 'CLASSIFY_INPUTS': 'inputs',
    'CLASSIFY_METHOD_NAME': 'tensorflow/serving/classify', 'CLASSIFY_OUTPUT_CLASSES': 'classes',
    'CLASSIFY_OUTPUT_SCORES': 'scores', 'DEBUG_DIRECTORY': 'debug', 'DEBUG_INFO_FILENAME_PB': 'saved_model_debug_info.pb',
    'DEFAULT_SERVING_SIGNATURE_DEF_KEY': 'serving_default', 'GPU': 'gpu', 'PREDICT_INPUTS': 'inputs',
    'PREDICT_METHOD_NAME': 'tensorflow/serving/predict', 'PREDICT_OUTPUTS': 'outputs', 'REGRESS_INPUTS': 'inputs',
    'REGRESS_METHOD_NAME': 'tensorflow/serving/regress', 'REGRESS_OUTPUTS': 'outputs',
    'SAVED_MODEL_FILENAME_PB': 'saved_model.pb', 'SAVED_MODEL_FILENAME_PBTXT': 'saved_model.pbtxt',
    'SAVED_MODEL_SCHEMA_VERSION': 1, 'SERVING': 'serve', 'TPU': 'tpu', 'TRAINING': 'train',
    'VARIABLES_DIRECTORY': 'variables', 'VARIABLES_FILENAME': 'variables'}


def contains_saved_model(export_dir: Any) -> bool:
    """Whether a folder holds a SavedModel."""
    folder = os.fspath(export_dir)
    return any(os.path.isfile(os.path.join(folder, 'saved_model.' + kind)) for kind in ('pb', 'pbtxt'))


publish('tf.saved_model tf.compat.v1.saved_model', Asset, SaveOptions, LoadOptions, contains_saved_model)
publish('tf.saved_model.experimental', Fingerprint, TrackableResource, VariablePolicy, read_fingerprint)
alias('tf.saved_model tf.compat.v1.saved_model', **constants)
alias('tf.compat.v1.saved_model', LEGACY_INIT_OP_KEY='legacy_init_op', MAIN_OP_KEY='saved_model_main_op')
