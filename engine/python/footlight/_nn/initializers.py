"""Initializers: objects that make a tensor of a given shape."""
from __future__ import annotations

import math

import footlight as tf
from footlight._public import publish
from footlight._typing import Any

_ALLOWED = {'partition_shape', 'partition_offset', 'layout'}


def _check(name: str, kwargs: dict[Any, Any]) -> None:
    for key in kwargs:
        if key not in _ALLOWED:
            raise TypeError(f'{name}: unknown keyword argument {key!r}; known ones are {sorted(_ALLOWED)}')


def _dims(shape: list[Any]) -> list[Any]:
    if isinstance(shape, tf.Tensor):
        return shape
    if isinstance(shape, int):
        return [shape]
    return shape.as_list() if isinstance(shape, tf.TensorShape) else list(shape)


def _float(dtype: tf.DType, name: str) -> tf.DType:
    dtype = tf.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f'{name}: argument `dtype` expected to be floating point, got {dtype}')
    return dtype


class Initializer:
    """Base class of initializers: get_config() returns the arguments of the constructor."""

    def __call__(self, shape, dtype=None, **kwargs):
        raise NotImplementedError(f'{type(self).__name__} does not say what __call__ does')

    def get_config(self) -> dict[Any, Any]:
        return {}

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        config.pop('dtype', None)
        return cls(**config)


def _numeric(dtype: tf.DType, name: str) -> tf.DType:
    dtype = tf.as_dtype(dtype)
    if dtype == tf.string or not (dtype.is_floating or dtype.is_integer or dtype.is_complex or dtype.is_bool):
        raise ValueError(f'{name}: argument `dtype` expected to be numeric or boolean, got {dtype}')
    return dtype


class zeros_initializer(Initializer):
    def __call__(self, shape: list[Any], dtype: tf.DType = tf.float32, **kwargs: Any) -> tf.Tensor:
        _check('zeros_initializer', kwargs)
        return tf.zeros(_dims(kwargs.get('partition_shape', shape)), _numeric(dtype, 'zeros_initializer'))


class ones_initializer(Initializer):
    def __call__(self, shape: list[Any], dtype: tf.DType = tf.float32, **kwargs: Any) -> tf.Tensor:
        _check('ones_initializer', kwargs)
        return tf.ones(_dims(kwargs.get('partition_shape', shape)), _numeric(dtype, 'ones_initializer'))


class constant_initializer(Initializer):
    def __init__(self, value: float = 0, support_partition: bool = False) -> None:
        if not (isinstance(value, (int, float, complex, str, bytes, list, tuple)) or hasattr(value, '__array__')):
            raise TypeError(f'constant_initializer: `value` must be a scalar, a list or an array, not {type(value)}')
        self.value, self.support_partition = value, support_partition

    def __call__(self, shape: list[Any], dtype: tf.DType | None = None, **kwargs: Any) -> tf.Tensor:
        _check('constant_initializer', kwargs)
        return tf.constant(self.value, dtype=None if dtype is None else tf.as_dtype(dtype), shape=_dims(shape))

    def get_config(self) -> dict[Any, Any]:
        return {'value': self.value}


class random_uniform_initializer(Initializer):
    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: Any = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape, dtype=tf.float32, **kwargs):
        _check('random_uniform_initializer', kwargs)
        dtype = tf.as_dtype(dtype)
        if not dtype.is_floating and not dtype.is_integer:
            raise ValueError(f'random_uniform_initializer: `dtype` expected to be float or integer, got {dtype}')
        shape = _dims(kwargs.get('partition_shape', shape))
        if self.seed:  # the same numbers in every call
            return tf.random.stateless_uniform(shape, [self.seed, 0], self.minval, self.maxval, dtype)
        return tf.random.uniform(shape, self.minval, self.maxval, dtype)

    def get_config(self) -> dict[Any, Any]:
        return {'minval': self.minval, 'maxval': self.maxval, 'seed': self.seed}


class random_normal_initializer(Initializer):
    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape, dtype=tf.float32, **kwargs):
        _check('random_normal_initializer', kwargs)
        dtype = _float(dtype, 'random_normal_initializer')
        shape = _dims(kwargs.get('partition_shape', shape))
        if self.seed:
            return tf.random.stateless_normal(shape, [self.seed, 0], self.mean, self.stddev, dtype)
        return tf.random.normal(shape, self.mean, self.stddev, dtype)

    def get_config(self) -> dict[Any, Any]:
        return {'mean': self.mean, 'stddev': self.stddev, 'seed': self.seed}


class _Scaled(Initializer):
    """Random numbers with variance scale / n; n is the number of inputs, of outputs, or the mean of both."""

    def __init__(self, scale: float, mode: str, distribution: str, seed: Any, dtype: Any) -> None:
        self.scale, self.mode, self.distribution, self.seed, self.dtype = scale, mode, distribution, seed, dtype

    def __call__(self, shape, dtype=None, partition_info=None):
        shape = _dims(shape)
        field = math.prod(shape[:-2])
        inputs = (shape[-2] if len(shape) > 1 else shape[0] if shape else 1) * field
        outputs = (shape[-1] if shape else 1) * field
        count = {'fan_in': inputs, 'fan_out': outputs, 'fan_avg': (inputs + outputs) / 2}[self.mode]
        scale = self.scale / max(1.0, count)
        dtype = _float(dtype or self.dtype, type(self).__name__)
        if self.distribution == 'uniform':
            limit = math.sqrt(3.0 * scale)
            return tf.random.uniform(shape, -limit, limit, dtype, seed=self.seed)
        # Truncating at two standard deviations makes the standard deviation smaller.
        stddev = math.sqrt(scale) / .87962566103423978
        return tf.random.truncated_normal(shape, 0.0, stddev, dtype, seed=self.seed)

    def get_config(self) -> dict[Any, Any]:
        return {'seed': self.seed, 'dtype': tf.as_dtype(self.dtype).name}


def _scaled(name: str, scale: Any, mode: Any, distribution: Any, doc: str) -> Any:
    def __init__(self, seed=None, dtype=tf.float32):
        _Scaled.__init__(self, scale, mode, distribution, seed, dtype)
    return type(name, (_Scaled,), {'__init__': __init__, '__doc__': doc, '__module__': 'footlight'})


glorot_uniform_initializer = _scaled('glorot_uniform_initializer', 1.0, 'fan_avg', 'uniform',
                                     'Numbers evenly from -limit to limit, limit = sqrt(6 / (inputs + outputs)).')
glorot_normal_initializer = _scaled('glorot_normal_initializer', 1.0, 'fan_avg', 'truncated_normal',
                                    'Normal numbers of variance 2 / (inputs + outputs).')

publish('tf', zeros_initializer, ones_initializer, constant_initializer, random_uniform_initializer,
        random_normal_initializer)
for _object in (glorot_uniform_initializer, glorot_normal_initializer):
    for _namespace in (tf, tf.compat.v1):
        setattr(_namespace, _object.__name__, _object)
