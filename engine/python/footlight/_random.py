"""tf.random.Generator and tf.random.Algorithm: streams of random numbers whose state is a variable."""
from __future__ import annotations

import enum

import footlight as tf
from footlight import _engine
from footlight._public import publish
from footlight._saving.trackable import AutoTrackable
from footlight._typing import Any, DTypeLike, ShapeLike, TensorLike

_parts = _engine.namespace('_generator')
_UNIFORM, _NORMAL, _TRUNCATED, _WHOLE, _RANGE = range(5)
_WORD = (1 << 64) - 1


class Algorithm(enum.Enum):
    """The algorithms of stateless ops and generators."""
    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3

    def __index__(self) -> int:
        return self.value


def _number(alg: int) -> int:
    if isinstance(alg, Algorithm):
        return alg.value
    if isinstance(alg, int):
        if alg in (1, 2, 3):
            return alg
    elif isinstance(alg, str):
        plain = alg.strip().lower().replace('-', '').replace('_', '')
        for one in Algorithm:
            if plain == one.name.lower().replace('_', ''):
                return one.value
    elif isinstance(alg, tf.Tensor):
        return _number(int(alg))
    else:
        raise TypeError(f"Can't convert argument `alg` (of value {alg!r} and type {type(alg)}) to int: give 'philox', "
                        "'threefry', 'auto_select' or a tf.random.Algorithm")
    raise ValueError(f'Argument `alg` got unsupported value {alg!r}: it is one of 1 (philox), 2 (threefry) and '
                     '3 (auto_select)')


def _state_size(alg: int) -> int:
    return 2 if alg == 2 else 3


def _signed(value):
    """Integers above the largest int64 as the int64 with the same bits, also in lists."""
    if isinstance(value, (list, tuple)):
        return [_signed(v) for v in value]
    if isinstance(value, int) and value >= 1 << 63:
        return value - (1 << 64)
    return value


def _state(value: Any) -> tf.Tensor:
    value = _signed(value)
    if isinstance(value, (list, tuple)) and any(isinstance(v, tf.Tensor) for v in value):
        return tf.stack([tf.cast(v, tf.int64) for v in value])
    if isinstance(value, (list, tuple, int)):
        return tf.constant(value, tf.int64)
    return tf.cast(value, tf.int64)


def _check_shape(state: tf.Tensor, wanted: list[Any], what: str) -> None:
    if not state.shape.is_compatible_with(wanted):
        raise ValueError(f'Shapes {state.shape} and {tf.TensorShape(wanted)} are incompatible: {what} of this algorithm '
                         f'has shape {tf.TensorShape(wanted)}')


def create_rng_state(seed: Any, alg: Any) -> tf.Tensor:
    """The state of a generator from an integer or a vector of them."""
    size = _state_size(_number(alg))
    if isinstance(seed, int):
        seed = [(seed >> 64 * i) & _WORD for i in range(size)]
    words = tf.reshape(_state(seed), [-1])[:size]
    missing = size - (words.shape[0] if words.shape[0] is not None else tf.shape(words)[0])
    if isinstance(missing, int) and missing <= 0:
        return words
    state = tf.concat([tf.zeros([missing], tf.int64), words], 0)
    return state


def _joined(key, counter, alg):
    counter, key = _state(counter), _state(key)
    _check_shape(counter, [_state_size(alg) - 1], 'the counter')
    _check_shape(key, [], 'the key')
    return tf.concat([counter, tf.reshape(key, [1])], 0)


def _shape(shape: list[Any]) -> tf.Tensor:
    if isinstance(shape, (list, tuple)) and not len(shape):
        return tf.constant([], tf.int64)
    if isinstance(shape, tf.TensorShape):
        shape = shape.as_list()
    return tf.convert_to_tensor(shape)


class Generator(AutoTrackable):
    """A stream of random numbers. Its state is a variable, so the stream continues across calls of a function."""

    def __init__(self, copy_from: Any = None, state: Any = None, alg: int | None = None) -> None:
        if copy_from is not None:
            if state is not None or alg is not None:
                raise AssertionError('tf.random.Generator: give copy_from alone, or state and alg')
            self._state_var = self._variable(copy_from.state)
            self._alg = copy_from.algorithm
            return
        if alg is None or state is None:
            raise AssertionError('tf.random.Generator: state and alg must both be given; or use '
                                 'tf.random.Generator.from_seed')
        self._alg = alg = _number(alg)
        if not isinstance(state, tf.Variable):
            state = _state(state)
        _check_shape(state, [_state_size(alg)], 'the state')
        self._state_var = state if isinstance(state, tf.Variable) else self._variable(state)

    @staticmethod
    def _variable(value: tf.Tensor) -> tf.Variable:
        return tf.Variable(value, dtype=tf.int64, trainable=False, name='StateVar')

    @classmethod
    def from_state(cls, state, alg):
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        alg = 1 if alg is None else _number(alg)
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg=None):
        if tf.config.experimental._deterministic():
            raise RuntimeError('"from_non_deterministic_state" cannot be called when determinism is enabled')
        alg = 1 if alg is None else _number(alg)
        return cls(state=_parts.non_deterministic(_state_size(alg)), alg=alg)

    @classmethod
    def from_key_counter(cls, key, counter, alg):
        alg = _number(alg)
        return cls(state=_joined(key, counter, alg), alg=alg)

    def reset(self, state: Any) -> None:
        state = _state(state)
        _check_shape(state, [_state_size(self._alg)], 'the state')
        self._state_var.assign(state)

    def reset_from_seed(self, seed: Any) -> None:
        self._state_var.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        self._state_var.assign(_joined(key, counter, self._alg))

    @property
    def state(self) -> Any:
        return self._state_var

    @property
    def algorithm(self) -> Any:
        return self._alg

    @property
    def key(self) -> Any:
        return self._state_var[-1]

    def skip(self, delta: TensorLike) -> tf.Tensor:
        """Skips `delta` numbers; returns the previous state."""
        return _parts.read_and_skip(self._state_var.handle, self._alg, delta)

    def _draw(self, which: int, shape: Any, dtype: Any, *bounds: Any) -> Any:
        shape = _shape(shape)
        before = self.skip(tf.reduce_prod(shape))
        return _parts.draw(before, self._alg, which, shape, dtype, *bounds)

    def normal(self, shape: ShapeLike, mean: Any = 0.0, stddev: Any = 1.0, dtype: DTypeLike = tf.float32,
               name: str | None = None) -> tf.Tensor:
        return self._scaled(_NORMAL, shape, mean, stddev, dtype, name or 'stateful_normal')

    def truncated_normal(self, shape: ShapeLike, mean: Any = 0.0, stddev: Any = 1.0, dtype: DTypeLike = tf.float32,
                         name: str | None = None) -> Any:
        return self._scaled(_TRUNCATED, shape, mean, stddev, dtype, name or 'truncated_normal')

    def _scaled(self, which, shape, mean, stddev, dtype, name):
        with tf.name_scope(name):
            mean = tf.convert_to_tensor(mean, dtype)
            stddev = tf.convert_to_tensor(stddev, dtype)
            return self._draw(which, shape, dtype) * stddev + mean

    def uniform(self, shape: ShapeLike, minval: Any = 0, maxval: Any = None, dtype: DTypeLike = tf.float32,
                name: str | None = None) -> Any:
        dtype = tf.as_dtype(dtype)
        if dtype.is_integer:
            if (minval is None) != (maxval is None):
                raise ValueError(f'For integer dtype {dtype}, minval and maxval must be both `None` or both '
                                 f'non-`None`; got minval={minval} and maxval={maxval}.')
        elif maxval is None:
            maxval = 1
        if dtype.is_integer and minval is None:
            return self.uniform_full_int(shape, dtype, name)
        with tf.name_scope(name or 'stateful_uniform'):
            minval = tf.convert_to_tensor(minval, dtype)
            maxval = tf.convert_to_tensor(maxval, dtype)
            if dtype.is_integer:
                return self._draw(_RANGE, shape, dtype, minval, maxval)
            return self._draw(_UNIFORM, shape, dtype) * (maxval - minval) + minval

    def uniform_full_int(self, shape: ShapeLike, dtype: DTypeLike = tf.uint64, name: str | None = None) -> Any:
        with tf.name_scope(name or 'stateful_uniform_full_int'):
            return self._draw(_WHOLE, shape, dtype)

    def binomial(self, shape: Any, counts: Any, probs: Any, dtype: Any = tf.int32, name: str | None = None) -> Any:
        return _parts.binomial(self._state_var.handle, self._alg, _shape(shape), tf.convert_to_tensor(counts),
                               tf.convert_to_tensor(probs), dtype, name=name)

    def make_seeds(self, count=1):
        """Pairs of seeds for stateless ops, [2, count]."""
        keys = self.uniform_full_int([count], tf.int64)
        return tf.stack([keys, tf.zeros_like(keys)])

    def split(self, count: Any = 1) -> list[Any]:
        """A list of new generators, independent of this one and of each other."""
        zeros = [0] * (_state_size(self._alg) - 1)
        keys = self.uniform_full_int([count], tf.int64)
        return [Generator(state=zeros + [key], alg=self._alg) for key in tf.unstack(keys, num=count)]


_global_generator = None


def get_global_generator():
    """The global generator; created at the first call."""
    global _global_generator
    if _global_generator is None:
        if tf.config.experimental._deterministic():
            raise RuntimeError('"get_global_generator" cannot be called if determinism is enabled, unless '
                               '"set_global_generator" has already been called')
        with tf._eager_scope():
            _global_generator = Generator.from_non_deterministic_state()
    return _global_generator


def set_global_generator(generator: Any) -> None:
    """Replaces the global generator."""
    global _global_generator
    _global_generator = generator


publish('tf.random tf.random.experimental', Algorithm, Generator, create_rng_state, get_global_generator,
        set_global_generator)
