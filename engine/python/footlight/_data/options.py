"""tf.data.Options and the groups of options in it."""
from __future__ import annotations

import enum

import footlight as tf
from footlight._public import publish
from footlight._typing import Any


class AutoShardPolicy(enum.IntEnum):
    """How a dataset is divided between workers."""
    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """How to handle a dataset with external state when it is copied."""
    WARN = 0
    IGNORE = 1
    FAIL = 2


class AutotuneAlgorithm(enum.Enum):
    """Names for ways of choosing what is AUTOTUNE."""
    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class _Group:
    """Options with checked names and types; None: not said."""
    _kinds: dict[str, Any] = {}

    def __init__(self) -> None:
        object.__setattr__(self, '_said', {})
        object.__setattr__(self, '_fixed', False)

    def __init_subclass__(cls):
        for name in cls._kinds:  # names of the class too, as completion and documentation look for them there
            setattr(cls, name, property(lambda self, name=name: self._value(name)))

    def _value(self, name):
        kind = self._kinds[name]
        if isinstance(kind, type) and issubclass(kind, _Group):
            return self._said.setdefault(name, kind())
        return self._said.get(name)

    def __setattr__(self, name, value):
        if self._fixed:
            raise ValueError('Mutating `tf.data.Options()` returned by `tf.data.Dataset.options()` has no effect. Use '
                             '`tf.data.Dataset.with_options(options)` to set or update dataset options.')
        if name not in self._kinds:
            raise AttributeError(f'Cannot set the property {name} on {type(self).__name__}.')
        kind = self._kinds[name]
        if value is not None and not isinstance(value, kind):
            raise TypeError(f'Property {name!r} must be of type {kind!r}, got: {value!r} (type: {type(value)!r})')
        self._said[name] = value

    def __eq__(self, other):
        return type(other) is type(self) and all(
            getattr(self, n) == getattr(other, n) for n in self._kinds)

    def __ne__(self, other: Any) -> bool:
        return not self == other

    def _fix(self):
        object.__setattr__(self, '_fixed', True)
        for value in self._said.values():
            if isinstance(value, _Group):
                value._fix()
        return self

    def _merged(self, other):
        made = type(self)()
        for name, kind in self._kinds.items():
            if isinstance(kind, type) and issubclass(kind, _Group):
                made._said[name] = getattr(self, name)._merged(getattr(other, name))
            else:
                later = other._said.get(name)
                made._said[name] = self._said.get(name) if later is None else later
        return made


class AutotuneOptions(_Group):
    """Options of what AUTOTUNE chooses by measuring."""
    _kinds = {'enabled': bool, 'cpu_budget': int, 'ram_budget': int, 'autotune_algorithm': AutotuneAlgorithm,
              'initial_parallelism': int, 'min_parallelism': int}


class DistributeOptions(_Group):
    """How elements are divided between workers."""
    _kinds = {'auto_shard_policy': AutoShardPolicy, 'num_devices': int}

    def _value(self, name):
        value = super()._value(name)
        return AutoShardPolicy.AUTO if name == 'auto_shard_policy' and value is None else value


class OptimizationOptions(_Group):
    """Rewrites of the pipeline."""
    _kinds = dict.fromkeys(('apply_default_optimizations', 'filter_fusion', 'filter_parallelization', 'inject_prefetch',
                            'map_and_batch_fusion', 'map_and_filter_fusion', 'map_fusion', 'map_parallelization',
                            'noop_elimination', 'parallel_batch', 'shuffle_and_repeat_fusion', 'seq_interleave_prefetch'),
                           bool)


class ThreadingOptions(_Group):
    """Threads of the pipeline."""
    _kinds = {'max_intra_op_parallelism': int, 'private_threadpool_size': int}


class ServiceOptions(_Group):
    """Options of the data service."""
    _kinds = {'pinned': bool}


class Options(_Group):
    """Options of how a dataset runs; `with_options` applies them."""
    _kinds = {'autotune': AutotuneOptions, 'deterministic': bool, 'dataset_name': str, 'framework_type': list,
              'experimental_deterministic': bool, 'experimental_distribute': DistributeOptions,
              'experimental_external_state_policy': ExternalStatePolicy,
              'experimental_optimization': OptimizationOptions, 'experimental_service': ServiceOptions,
              'experimental_slack': bool, 'experimental_symbolic_checkpoint': bool,
              'experimental_threading': ThreadingOptions, 'experimental_warm_start': bool,
              'threading': ThreadingOptions}
    _other_names = {'experimental_deterministic': 'deterministic', 'experimental_threading': 'threading'}

    def _value(self, name: str) -> Any:
        return super()._value(self._other_names.get(name, name))

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(self._other_names.get(name, name), value)

    def merge(self, options: Any) -> Options:
        """These options, and where `options` says something, that."""
        return self._merged(options)

    def _text(self):
        """The options as the text that the engine reads."""
        said = [] if self.deterministic is None else ['deterministic=' + ('true' if self.deterministic else 'false')]
        if self.experimental_external_state_policy in (ExternalStatePolicy.WARN, ExternalStatePolicy.IGNORE):
            said.append('any_state')
        passes = self.experimental_optimization
        if passes.map_and_batch_fusion is False or passes.apply_default_optimizations is False:
            said.append('separate_batch')
        return ' '.join(said)


publish('tf.data', Options)
publish('tf.data tf.data.experimental', ThreadingOptions)
publish('tf.data.experimental', AutoShardPolicy, ExternalStatePolicy, AutotuneAlgorithm, AutotuneOptions,
        DistributeOptions, OptimizationOptions)
