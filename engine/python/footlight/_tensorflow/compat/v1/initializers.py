"""Initializers of tf.compat.v1, which know their dtype, and those that tf itself no longer has."""
from __future__ import annotations

import footlight as tf
from footlight import _engine
from footlight._nn import initializers as _today
from footlight._public import publish
from footlight._typing import Any

_v1, _initializers = tf.compat.v1, _engine.namespace('compat.v1.initializers')


class zeros_initializer(_today.Initializer):
    """Zeros."""

    def __init__(self, dtype: Any = tf.float32) -> None:
        self.dtype = tf.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return tf.zeros(_today._dims(shape), dtype or self.dtype)

    def get_config(self) -> dict[Any, Any]:
        return {'dtype': self.dtype.name}


class ones_initializer(zeros_initializer):
    """Ones."""

    def __call__(self, shape, dtype=None, partition_info=None):
        return tf.ones(_today._dims(shape), dtype or self.dtype)


class constant_initializer(_today.Initializer):
    """A value, or the elements of a list in order."""

    def __init__(self, value: Any = 0, dtype: Any = tf.float32, verify_shape: bool = False) -> None:
        self.value, self.dtype, self._verify_shape = value, tf.as_dtype(dtype), verify_shape

    def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None):
        if verify_shape or (verify_shape is None and self._verify_shape):
            given = tf.constant(self.value, dtype=dtype or self.dtype)
            if given.shape.as_list() != list(_today._dims(shape)):
                raise TypeError(f"Expected Tensor's shape: {tuple(_today._dims(shape))}, got {tuple(given.shape)}.")
            return given
        return tf.constant(self.value, dtype=dtype or self.dtype, shape=_today._dims(shape))

    def get_config(self) -> dict[Any, Any]:
        return {'value': self.value, 'dtype': self.dtype.name}


class truncated_normal_initializer(_today.Initializer):
    """Normal numbers; those beyond two standard deviations are drawn anew."""

    def __init__(self, mean: Any = 0.0, stddev: Any = 1.0, seed: Any = None, dtype: Any = tf.float32) -> None:
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, _today._float(dtype, 'truncated_normal_initializer')

    def __call__(self, shape, dtype=None, partition_info=None):
        return tf.random.truncated_normal(_today._dims(shape), self.mean, self.stddev, dtype or self.dtype, seed=self.seed)

    def get_config(self) -> dict[Any, Any]:
        return {'mean': self.mean, 'stddev': self.stddev, 'seed': self.seed, 'dtype': self.dtype.name}


class random_normal_initializer(truncated_normal_initializer):
    """Normal numbers."""

    def __call__(self, shape, dtype=None, partition_info=None):
        return tf.random.normal(_today._dims(shape), self.mean, self.stddev, dtype or self.dtype, seed=self.seed)


class random_uniform_initializer(_today.Initializer):
    """Numbers evenly between two."""

    def __init__(self, minval: Any = 0.0, maxval: Any = None, seed: Any = None, dtype: Any = tf.float32) -> None:
        self.minval, self.maxval, self.seed, self.dtype = minval, maxval, seed, tf.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        most = 1 if self.maxval is None else self.maxval
        return tf.random.uniform(_today._dims(shape), self.minval, most, dtype or self.dtype, seed=self.seed)

    def get_config(self) -> dict[Any, Any]:
        return {'minval': self.minval, 'maxval': self.maxval, 'seed': self.seed, 'dtype': self.dtype.name}


class uniform_unit_scaling_initializer(_today.Initializer):
    """Numbers evenly from -limit to limit, limit = sqrt(3 / inputs) * factor."""

    def __init__(self, factor: Any = 1.0, seed: Any = None, dtype: Any = tf.float32) -> None:
        self.factor, self.seed, self.dtype = factor, seed, _today._float(dtype, 'uniform_unit_scaling_initializer')

    def __call__(self, shape, dtype=None, partition_info=None):
        shape, inputs = _today._dims(shape), 1.0
        for size in shape[:-1]:
            inputs *= float(size)
        limit = (3 / max(inputs, 1.0)) ** 0.5 * self.factor
        return tf.random.uniform(shape, -limit, limit, dtype or self.dtype, seed=self.seed)

    def get_config(self) -> dict[Any, Any]:
        return {'factor': self.factor, 'seed': self.seed, 'dtype': self.dtype.name}


class variance_scaling_initializer(_today._Scaled):
    """Random numbers with variance scale / n; n is the number of inputs, of outputs, or the mean of both."""

    def __init__(self, scale: Any = 1.0, mode: str = 'fan_in', distribution: str = 'truncated_normal', seed: Any = None,
                 dtype: Any = tf.float32) -> None:
        if scale <= 0.:
            raise ValueError(f'Argument `scale` must be a positive float. Received: {scale}')
        if mode not in ('fan_in', 'fan_out', 'fan_avg'):
            raise ValueError(f'Argument `mode` should be one of fan_in, fan_out, fan_avg. Received: {mode}')
        kind = distribution.lower()
        if kind not in ('normal', 'uniform', 'truncated_normal', 'untruncated_normal'):
            raise ValueError('Argument `distribution` should be one of normal, uniform, truncated_normal, untruncated_normal. '
                             f'Received: {kind}')
        super().__init__(scale, mode, kind, seed, _today._float(dtype, 'variance_scaling_initializer'))

    def __call__(self, shape, dtype=None, partition_info=None):
        if self.distribution != 'untruncated_normal':
            return super().__call__(shape, dtype, partition_info)
        sizes = _today._dims(shape)
        field = 1
        for size in sizes[:-2]:
            field *= size
        inputs, outputs = (sizes[-2] if len(sizes) > 1 else sizes[0] if sizes else 1) * field, (sizes[-1] if sizes else 1) * field
        count = {'fan_in': inputs, 'fan_out': outputs, 'fan_avg': (inputs + outputs) / 2}[self.mode]
        return tf.random.normal(sizes, 0.0, (self.scale / max(1.0, count)) ** 0.5, dtype or self.dtype, seed=self.seed)

    def get_config(self) -> dict[Any, Any]:
        return {'scale': self.scale, 'mode': self.mode, 'distribution': self.distribution, 'seed': self.seed,
                'dtype': self.dtype.name}


class orthogonal_initializer(_today.Initializer):
    """A matrix whose rows or columns are orthogonal, times gain."""

    def __init__(self, gain: Any = 1.0, seed: Any = None, dtype: Any = tf.float32) -> None:
        self.gain, self.seed, self.dtype = gain, seed, _today._float(dtype, 'orthogonal_initializer')

    def __call__(self, shape, dtype=None, partition_info=None):
        shape = _today._dims(shape)
        if len(shape) < 2:
            raise ValueError(f'The tensor to initialize, specified by argument `shape` must be at least two-dimensional. '
                             f'Received shape={shape}')
        rows = 1
        for size in shape[:-1]:
            rows *= size
        flat = (rows, shape[-1]) if rows > shape[-1] else (shape[-1], rows)
        q, r = tf.linalg.qr(tf.random.normal(flat, dtype=dtype or self.dtype, seed=self.seed), full_matrices=False)
        q *= tf.sign(tf.linalg.diag_part(r))
        if rows < shape[-1]:
            q = tf.linalg.matrix_transpose(q)
        return self.gain * tf.reshape(q, shape)

    def get_config(self) -> dict[Any, Any]:
        return {'gain': self.gain, 'seed': self.seed, 'dtype': self.dtype.name}


class identity(_today.Initializer):
    """The identity matrix, times `gain`."""

    def __init__(self, gain: float = 1.0, dtype: Any = tf.float32) -> None:
        self.gain, self.dtype = gain, _today._float(dtype, 'identity')

    def __call__(self, shape, dtype=None, partition_info=None):
        shape = _today._dims(shape)
        if len(shape) != 2:
            raise ValueError(f'Identity matrix initializer can only be used for 2D matrices, the shape is {tuple(shape)}')
        return self.gain * tf.eye(*shape, dtype=dtype or self.dtype)

    def get_config(self) -> dict[Any, Any]:
        return {'gain': self.gain, 'dtype': self.dtype.name}


def _scaled(name: str, scale: float, mode: str, distribution: str, doc: str) -> None:
    def make(seed=None):
        return variance_scaling_initializer(scale, mode, distribution, seed)
    make.__name__ = make.__qualname__ = name
    make.__doc__, make.__module__ = doc, 'footlight.compat.v1.initializers'
    setattr(_initializers, name, make)


identity.__module__, identity.__qualname__ = 'footlight.compat.v1.initializers', 'identity'
_initializers.identity = identity
_scaled('he_normal', 2., 'fan_in', 'truncated_normal', 'Normal numbers of variance 2 / inputs.')
_scaled('he_uniform', 2., 'fan_in', 'uniform', 'Numbers evenly from -limit to limit, limit = sqrt(6 / inputs).')
_scaled('lecun_normal', 1., 'fan_in', 'truncated_normal', 'Normal numbers of variance 1 / inputs.')
_scaled('lecun_uniform', 1., 'fan_in', 'uniform', 'Numbers evenly from -limit to limit, limit = sqrt(3 / inputs).')
publish('tf.compat.v1', zeros_initializer, ones_initializer, constant_initializer, truncated_normal_initializer,
        random_normal_initializer, random_uniform_initializer, uniform_unit_scaling_initializer,
        variance_scaling_initializer, orthogonal_initializer)
