"""tf.distribute with the one strategy that a program on one device has, and the names of those for several."""
from __future__ import annotations

import collections
import contextlib
import enum
import threading

import footlight as tf
from footlight import _engine
from footlight._typing import Any, Callable, Iterator

_home = _engine.namespace('distribute')
_local = threading.local()


class ReduceOp(enum.Enum):
    """How the values of replicas become one."""
    SUM = 'SUM'
    MEAN = 'MEAN'

    @staticmethod
    def from_variable_aggregation(aggregation):
        """The one that a variable's aggregation stands for."""
        return {tf.VariableAggregation.SUM: ReduceOp.SUM, tf.VariableAggregation.MEAN: ReduceOp.MEAN}[aggregation]


class DistributedValues:
    """A value for each of several replicas: there is one replica here, so that none are made."""


class DistributedDataset:
    """A dataset for each of several replicas: none are made."""


class DistributedIterator:
    """An iterator for each of several replicas: none are made."""


class ReplicaContext:
    """What a function that Strategy.run() calls knows of the replica that it runs on."""

    num_replicas_in_sync = 1
    replica_id_in_sync_group = 0

    def __init__(self, strategy: Any) -> None:
        self._strategy = strategy

    strategy = property(lambda self: self._strategy)
    devices = property(lambda self: (tf.config.list_logical_devices()[-1].name,))

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        return None

    def merge_call(self, merge_fn, args=(), kwargs=None):
        """merge_fn(strategy, ...), outside of all replicas."""
        before = getattr(_local, 'across', False)
        _local.across = True
        try:
            return merge_fn(self._strategy, *args, **(kwargs or {}))
        finally:
            _local.across = before

    def all_reduce(self, reduce_op, value, options=None):
        """The sum or the mean over replicas of each tensor of a structure: with one replica, the same."""
        _op_of(reduce_op)
        return tf.nest.map_structure(lambda t: t if isinstance(t, tf.IndexedSlices) else tf.identity(t), value)

    def all_gather(self, value, axis, options=None):
        """The values of all replicas, joined."""
        return tf.nest.map_structure(tf.identity, value)


def _op_of(reduce_op):
    try:
        return reduce_op if isinstance(reduce_op, ReduceOp) else ReduceOp(str(reduce_op).upper())
    except ValueError:
        raise ValueError("reduce_op must be tf.distribute.ReduceOp.SUM or MEAN (or 'SUM', 'MEAN'), not "
                         f'{reduce_op!r}') from None


class StrategyExtended:
    """What libraries ask of a strategy."""

    worker_devices = parameter_devices = property(lambda self: (tf.config.list_logical_devices()[-1].name,))
    experimental_require_static_shapes = False
    # This program is alone, so it saves and summarizes.
    experimental_between_graph, experimental_should_init = False, True
    should_checkpoint = should_save_summary = True
    _num_replicas_in_sync, _global_batch_size = 1, True

    def __init__(self, strategy: Any) -> None:
        self._strategy = strategy

    def _in_multi_worker_mode(self) -> bool:
        """Whether other programs have replicas too."""
        return False

    def _use_merge_call(self) -> bool:
        """Whether merge_call() is how variables are updated."""
        return True

    def _container_strategy(self) -> Any:
        return self._strategy

    def call_for_each_replica(self, fn, args=(), kwargs=None):
        """fn(...) on each replica."""
        return self._strategy.run(fn, args, kwargs)

    def broadcast_to(self, tensor, destinations):
        """The value on all devices: on the only one."""
        return tensor

    def non_slot_devices(self, var_list):
        """Where variables lie that belong to no other one."""
        return self.parameter_devices

    def update_non_slot(self, colocate_with: Any, fn: Callable[..., Any], args: Any = (), kwargs: Any = None,
                        group: bool = True) -> Any:
        """fn(...), where such variables lie."""
        return fn(*args, **(kwargs or {}))

    def colocate_vars_with(self, colocate_with_variable):
        """A context in which variables are made on the device of another one: the only one."""
        return contextlib.nullcontext()

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether the strategy's scope was entered when the variable was made."""
        return True

    def update(self, var: Any, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, group: bool = True) -> Any:
        """fn(var, ...), on the device of the variable."""
        with tf.name_scope('update'):
            return fn(var, *args, **(kwargs or {}))

    def value_container(self, value):
        """What holds the value on all replicas: itself."""
        return value

    def reduce_to(self, reduce_op, value, destinations, options=None):
        """The sum or mean over replicas."""
        _op_of(reduce_op)
        return value

    def batch_reduce_to(self, reduce_op: Any, value_destination_pairs: Any, options: Any = None) -> list[Any]:
        """The sums or means over replicas."""
        return [self.reduce_to(reduce_op, value, place) for value, place in value_destination_pairs]

    def read_var(self, v):
        """The value of a variable."""
        return v.read_value()


class Strategy:
    """Runs a step on each replica: the default strategy has one, where the program runs."""

    def __init__(self, extended: Any = None) -> None:
        self._extended = extended or StrategyExtended(self)

    extended = property(lambda self: self._extended)
    num_replicas_in_sync = 1
    cluster_resolver = None
    _should_use_with_coordinator = False

    @contextlib.contextmanager
    def scope(self) -> Iterator[Any]:
        """A context in which tf.distribute.get_strategy() is this one."""
        before = getattr(_local, 'strategy', None)
        _local.strategy = self
        try:
            yield self
        finally:
            _local.strategy = before

    def run(self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: Any = None) -> int | tf.Tensor:
        """fn(*args, **kwargs) on each replica."""
        if not isinstance(args, (list, tuple)):
            raise ValueError(f'positional args must be a list or tuple, got {type(args)}')
        before = getattr(_local, 'across', False)
        _local.across = False
        try:
            return tf.autograph.experimental.do_not_convert(fn)(*args, **(kwargs or {}))
        finally:
            _local.across = before

    def experimental_run(self, fn: Callable[..., Any], input_iterator: Any = None) -> int | tf.Tensor:
        """fn() on each replica, or fn(the next element of an iterator); run() is newer."""
        with self.scope():
            args = () if input_iterator is None else (input_iterator.get_next(),)
        return self.run(fn, args)

    def reduce(self, reduce_op, value, axis):
        """The sum or mean over replicas, and along `axis` if that is given."""
        op = _op_of(reduce_op)
        if axis is None:
            return value
        along = tf.reduce_sum if op is ReduceOp.SUM else tf.reduce_mean
        return tf.nest.map_structure(lambda t: along(t, axis=axis), value)

    def gather(self, value, axis):
        """The values of all replicas, joined."""
        return tf.nest.map_structure(tf.identity, value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The values of the replicas of this program."""
        return (value,)

    def experimental_distribute_dataset(self, dataset, options=None):
        """The dataset, of which every replica takes its part."""
        return dataset

    def distribute_datasets_from_function(self, dataset_fn, options=None):
        """The dataset that a function makes for this program."""
        return dataset_fn(InputContext())

    def experimental_distribute_values_from_function(self, value_fn):
        """The value that a function makes for the replica."""
        return value_fn(ValueContext())

    def __deepcopy__(self, memo):
        return self


class InputContext:
    """What a function that makes a dataset knows of the programs that read."""
    num_input_pipelines, input_pipeline_id, num_replicas_in_sync = 1, 0, 1

    def get_per_replica_batch_size(self, global_batch_size):
        """The part of a batch that one replica takes."""
        return global_batch_size


class InputReplicationMode(enum.Enum):
    """How often the function that makes a dataset is called."""
    PER_WORKER, PER_REPLICA = 'PER_WORKER', 'PER_REPLICA'


class InputOptions(collections.namedtuple('InputOptions', (
        'experimental_fetch_to_device', 'experimental_replication_mode', 'experimental_place_dataset_on_device',
        'experimental_per_replica_buffer_size'), defaults=(True, InputReplicationMode.PER_WORKER, False, 1))):
    """How elements of datasets reach the replicas: with one of these they are there already."""

    def __new__(cls, experimental_fetch_to_device=None, *others, **named):
        return super().__new__(cls, experimental_fetch_to_device is not False, *others, **named)


class ValueContext:
    """What a function that makes a value knows of its replica."""
    replica_id_in_sync_group, num_replicas_in_sync = 0, 1


class OneDeviceStrategy(Strategy):
    """One replica, on a device that is named."""

    def __init__(self, device: Any) -> None:
        super().__init__()
        self._device = device

    @contextlib.contextmanager
    def scope(self) -> Iterator[Any]:
        """A context in which this is the strategy, and ops are placed on its device."""
        with super().scope(), tf.device(self._device):
            yield self

    def run(self, fn, args=(), kwargs=None, options=None):
        """fn(*args, **kwargs) on the device."""
        with tf.device(self._device):
            return super().run(fn, args, kwargs, options)


def _several(name: str, what: str) -> type[Any]:
    def refuse(self, *args, **kwargs):
        raise NotImplementedError(f'tf.distribute.{name}: {what}; a program here has one replica: use '
                                  'tf.distribute.get_strategy() or tf.distribute.OneDeviceStrategy(device)')
    return type(name, (Strategy,), {'__init__': refuse, '__doc__': f'Not available: {what}.'})


class MirroredStrategy(Strategy):
    """A replica on each of several devices: here, on one."""

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        if devices is None:
            devices = [d.name for d in tf.config.list_logical_devices('GPU')] or ['/device:CPU:0']
        if len(devices) != 1:
            raise NotImplementedError(f'tf.distribute.MirroredStrategy: {len(devices)} devices; a program here has one '
                                      'replica: name one device')
        super().__init__()
        self._device = devices[0]


_default = Strategy()


def get_strategy() -> Strategy:
    """The strategy whose scope was entered, else the default one."""
    return getattr(_local, 'strategy', None) or _default


def has_strategy() -> bool:
    """Whether another strategy than the default one is in use."""
    return get_strategy() is not _default


def get_replica_context() -> Any:
    """The context of the replica that runs, or None outside of all."""
    if in_cross_replica_context():
        return None
    return ReplicaContext(get_strategy())


def in_cross_replica_context() -> Any:
    """Whether the program is outside of all replicas: in a strategy's scope, but not in its run()."""
    return getattr(_local, 'across', False)


def experimental_set_strategy(strategy: Any) -> None:
    """Makes a strategy the one in use."""
    _local.strategy = strategy


for _object in (ReduceOp, DistributedValues, DistributedDataset, DistributedIterator, ReplicaContext, StrategyExtended,
                Strategy, InputContext, InputOptions, InputReplicationMode, OneDeviceStrategy, get_strategy, has_strategy, get_replica_context,
                in_cross_replica_context, experimental_set_strategy,
                MirroredStrategy,
                _several('MultiWorkerMirroredStrategy', 'it has replicas in several programs'),
                _several('ParameterServerStrategy', 'it has replicas in several programs'),
                _several('TPUStrategy', 'it has replicas on a TPU'),
                _several('CentralStorageStrategy', 'it has a replica on every device')):
    _object.__module__ = 'footlight.distribute'
    setattr(_home, _object.__name__, _object)

# --- tf.experimental.dtensor: tensors spread over devices ---
_dtensor = _engine.namespace('experimental.dtensor')
_dtensor.UNSHARDED, _dtensor.MATCH = 'unsharded', 'match'


def _spread_class(name: str, instead: str) -> None:
    def __init__(self, *args, **kwargs):
        raise NotImplementedError(f'tf.experimental.dtensor.{name}: tensors are not spread over devices here; use '
                                  f'{instead}')
    setattr(_dtensor, name, type(name, (), {
        '__init__': __init__, '__module__': 'footlight.experimental.dtensor',
        '__doc__': 'For isinstance(): tensors are not spread over devices here.'}))


_spread_class('DTensorDataset', 'the tf.data.Dataset itself')
_spread_class('DVariable', 'tf.Variable')


def _spread(name: str) -> None:
    def refuse(*args, **kwargs):
        raise NotImplementedError(f'tf.experimental.dtensor.{name}: tensors are not spread over devices here; keep the '
                                  'tensor whole')
    refuse.__name__ = refuse.__qualname__ = name
    refuse.__module__ = 'footlight.experimental.dtensor'
    setattr(_dtensor, name, refuse)


for _name in ('Layout', 'Mesh', 'create_distributed_mesh', 'create_mesh', 'call_with_layout', 'relayout', 'pack', 'unpack',
              'copy_to_mesh', 'fetch_layout', 'run_on'):
    _spread(_name)
