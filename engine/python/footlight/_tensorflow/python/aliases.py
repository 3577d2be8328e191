"""Names inside of TensorFlow that are public here, or lie in other parts of the package."""
from __future__ import annotations

import collections
import collections.abc

import footlight as tf
from footlight import _lookup
from footlight._data import readers as _readers
from footlight._public import alias
from footlight._saving import (
    containers as _containers, load as _load, loaded_functions as _loaded_functions, trackable as _trackable)
from footlight._tensorflow.compat.v1.distributions import (
    kullback_leibler as _kullback_leibler, special_math as _special_math)
from footlight._types import trace_types as _trace_types
from footlight._typing import Any


def _unchanged(*given, **named):
    """A decorator for something that is always so here."""
    return given[0] if len(given) == 1 and callable(given[0]) else lambda test: test


def _is_never() -> bool:
    """Whether the machine has what this engine does not use: no."""
    return False


def _is_always(*unused: Any) -> bool:
    """Whether something that this engine always does is done: yes."""
    return True


_ALIASES: dict[str, dict[str, Any]] = {
    'python.lib.io.tf_record': {'tf_record_iterator': _readers.tf_record_iterator},
    'python.trackable.base': {'VARIABLE_VALUE_KEY': _trackable.VARIABLE_VALUE},
    'python.trackable.data_structures': {'ListWrapper': _containers.ListWrapper, '_DictWrapper': _containers._DictWrapper,
                                         'NoDependency': _trackable.NoDependency},
    'python.trackable.resource': {'RestoredResource': _loaded_functions.RestoredResource},
    'python.checkpoint.checkpoint': {'CheckpointV1': tf.compat.v1.train.Checkpoint},
    'python.saved_model.load': {'load_partial': _load.load_partial},
    'python.saved_model.loader_impl': {'parse_saved_model': _load.parse_saved_model},
    'python.ops.lookup_ops': {'LookupInterface': _lookup.LookupInterface},
    'python.ops.ref_variable': {'RefVariable': tf.compat.v1.Variable},
    'python.pywrap_tfe': {'TF_ListPluggablePhysicalDevices': lambda: []},
    'python.types.trace': {'CastContext': _trace_types.CastContext, 'PlaceholderContext': _trace_types.PlaceholderContext,
                           'TracingContext': _trace_types.TracingContext},
    'python.ops.array_ops': {'newaxis': None},
    'python.ops.distributions.kullback_leibler': {
        name: getattr(_kullback_leibler, name) for name in ('_DIVERGENCES', '_registered_kl', 'cross_entropy')},
    'python.ops.distributions.special_math': {
        name: getattr(_special_math, name) for name in ('erfinv', 'log_cdf_laplace', 'log_ndtr', 'ndtr', 'ndtri')},
    'python.ops.tensor_getitem_override': {'_SLICE_TYPE_ERROR': (
        'Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are '
        'valid indices')},
    'python.tf2': {'enabled': _is_always},
    'python.compat.compat': {'forward_compatible': lambda year, month, day: True},
    'python.framework.test_util': {
        'matmul_without_tf32': tf.matmul, 'GpuSupportsHalfMatMulAndConv': _is_never, 'IsGoogleCudaEnabled': _is_never,
        'enable_tf_xla_constant_folding': _unchanged, 'run_in_async_and_sync_mode': _unchanged,
        'with_forward_compatibility_horizons': _unchanged},
    'python.pywrap_sanitizers': {f'is_{one}_enabled': _is_never for one in ('asan', 'msan', 'tsan', 'ubsan')},
    'python.util.compat': {'collections_abc': collections.abc},
}
for _path, _named in _ALIASES.items():
    alias('tf.' + _path, **_named)
