"""Names for hardware and converters that the engine does not support; using one says what to do instead."""
from __future__ import annotations

import enum

import footlight as tf
from footlight import _engine
from footlight._distribute.cluster_resolvers import ClusterResolver
from footlight._typing import Any, Callable

_resolvers, _tpu, _lite = (_engine.namespace(name) for name in ('distribute.cluster_resolver', 'tpu', 'lite'))
_ONE_MACHINE = 'a program of Footlight runs on one machine'


def _refusing_class(name, home, why, error=NotImplementedError, base=object, **members):
    def refuse(self, *args, **kwargs):
        raise error(f'tf.{home}.{name}: {why}')
    return type(name, (base,), {'__init__': refuse, '__doc__': f'Says what to do instead: {why}.',
                           '__module__': 'footlight.' + home, **members})


def _refusing(name: str, home: Any, why: Any, make: Any = NotImplementedError) -> Callable[..., Any]:
    def refuse(*args, **kwargs):
        raise make(f'tf.{home}.{name}: {why}')
    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__, refuse.__module__ = f'Says what to do instead: {why}.', 'footlight.' + home
    return refuse


_NO_TPU = 'there is no TPU here, and Footlight uses none; take tf.distribute.get_strategy() or tf.distribute.MirroredStrategy()'
for _name in ('GCEClusterResolver', 'KubernetesClusterResolver', 'SlurmClusterResolver'):
    setattr(_resolvers, _name, _refusing_class(
        _name, 'distribute.cluster_resolver', f'{_ONE_MACHINE}; use tf.distribute.get_strategy()', base=ClusterResolver))
# Programs look for a TPU by trying: without one TensorFlow raises a ValueError here.
TPUClusterResolver = _refusing_class('TPUClusterResolver', 'distribute.cluster_resolver', _NO_TPU, ValueError,
                                     connect=staticmethod(_refusing('TPUClusterResolver.connect', 'distribute.cluster_resolver', _NO_TPU,
                                                                    ValueError)))
_resolvers.TPUClusterResolver = TPUClusterResolver


def _not_found(words: str) -> Any:
    return tf.errors.NotFoundError(None, None, words)


_tpu_experimental = _engine.namespace('tpu.experimental')
for _name in ('initialize_tpu_system', 'shutdown_tpu_system'):
    setattr(_tpu_experimental, _name, _refusing(_name, 'tpu.experimental', _NO_TPU, _not_found))
for _name in ('DeviceAssignment', 'Topology', 'TPUSystemMetadata', 'HardwareFeature'):
    setattr(_tpu_experimental, _name, _refusing_class(_name, 'tpu.experimental', _NO_TPU))
_TABLES = 'embeddings of TPUs are not in Footlight; use tf.keras.layers.Embedding'
for _name in ('Adagrad AdagradMomentum Adam CustomOptimizer FTRL FeatureConfig QuantizationConfig RowIdInitializer SGD '
              'SparseCoreEmbeddingConfig TPUEmbedding TPUEmbeddingForServing TPUEmbeddingV0 TPUEmbeddingV2 TableConfig').split():
    setattr(_engine.namespace('tpu.experimental.embedding'), _name, _refusing_class(_name, 'tpu.experimental.embedding', _TABLES))
_tpu_experimental.embedding.serving_embedding_lookup = _refusing('serving_embedding_lookup', 'tpu.experimental.embedding', _TABLES)
_tpu.XLAOptions = _refusing_class('XLAOptions', 'tpu', _NO_TPU)
for _name in ('batch_parallel cross_replica_sum initialize_system outside_compilation replicate rewrite shard '
              'shutdown_system').split():
    setattr(_engine.namespace('compat.v1.tpu'), _name, _refusing(_name, 'compat.v1.tpu', _NO_TPU))
_engine.namespace('compat.v1.tpu').CrossShardOptimizer = _refusing_class(
    'CrossShardOptimizer', 'compat.v1.tpu', 'there is no TPU here; use the optimizer that it was to wrap')

for _name in ('experimental_connect_to_cluster', 'experimental_connect_to_host'):
    setattr(tf.config, _name, _refusing(_name, 'config', f'{_ONE_MACHINE}, so that there is nothing to connect to; leave the call out'))

# --- tf.distribute.experimental: the strategies by their old places ---
_strategies = _engine.namespace('distribute.experimental')
for _name in ('CentralStorageStrategy', 'MultiWorkerMirroredStrategy', 'ParameterServerStrategy', 'TPUStrategy'):
    setattr(_strategies, _name, getattr(tf.distribute, _name))


class CommunicationImplementation(enum.Enum):
    """How several machines add up: kept, there is one machine."""

    AUTO, RING, NCCL = 'AUTO', 'RING', 'NCCL'


_strategies.CommunicationImplementation = _strategies.CollectiveCommunication = CommunicationImplementation

for _name in ('ClusterCoordinator', 'PerWorkerValues', 'RemoteValue'):
    setattr(_engine.namespace('distribute.experimental.coordinator'), _name, _refusing_class(
        _name, 'distribute.experimental.coordinator', f'{_ONE_MACHINE}; call the tf.function itself'))
_strategies.PreemptionCheckpointHandler = _refusing_class(
    'PreemptionCheckpointHandler', 'distribute.experimental', f'{_ONE_MACHINE}; save with tf.train.CheckpointManager')

# --- tf.lite ---
_CONVERT = ('Footlight writes no TensorFlow Lite files; save the model with tf.saved_model.save(model, folder) or model.export(folder) '
            'and convert the folder with TensorFlow: tf.lite.TFLiteConverter.from_saved_model(folder)')


class Optimize(enum.Enum):
    """What a converter optimizes for."""

    DEFAULT, OPTIMIZE_FOR_SIZE, OPTIMIZE_FOR_LATENCY, EXPERIMENTAL_SPARSITY = (
        'DEFAULT', 'OPTIMIZE_FOR_SIZE', 'OPTIMIZE_FOR_LATENCY', 'EXPERIMENTAL_SPARSITY')


class OpsSet(enum.Enum):
    """Which ops a converted model may use."""

    TFLITE_BUILTINS, SELECT_TF_OPS, TFLITE_BUILTINS_INT8 = 'TFLITE_BUILTINS', 'SELECT_TF_OPS', 'TFLITE_BUILTINS_INT8'
    EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8 = 'EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8'
    EXPERIMENTAL_STABLEHLO_OPS = 'EXPERIMENTAL_STABLEHLO_OPS'

    def __str__(self) -> str:
        return str(self.value)


class RepresentativeDataset:
    """What a converter takes to see of which size values are."""

    def __init__(self, input_gen: Any) -> None:
        self.input_gen = input_gen


class TargetSpec:
    """What a converted model is for."""

    def __init__(self, supported_ops: Any = None, supported_types: Any = None,
                 experimental_select_user_tf_ops: Any = None, experimental_supported_backends: Any = None) -> None:
        self.supported_ops = {OpsSet.TFLITE_BUILTINS} if supported_ops is None else supported_ops
        self.supported_types = set(supported_types or ())


for _kind in (Optimize, OpsSet, RepresentativeDataset, TargetSpec):
    _kind.__module__ = 'footlight.lite'
    setattr(_lite, _kind.__name__, _kind)
_lite.TFLiteConverter = _refusing_class('TFLiteConverter', 'lite', _CONVERT, **{
    _name: staticmethod(_refusing('TFLiteConverter.' + _name, 'lite', _CONVERT))
    for _name in ('from_keras_model', 'from_saved_model', 'from_concrete_functions', 'experimental_from_jax')})
_lite.Interpreter = _refusing_class('Interpreter', 'lite', 'Footlight runs no TensorFlow Lite files; load the SavedModel that the '
                                    'file was made from with tf.saved_model.load(folder)')
