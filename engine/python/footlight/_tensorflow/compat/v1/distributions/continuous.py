"""tf.compat.v1.distributions: Normal, Laplace, Uniform, Gamma, Exponential, Beta and StudentT."""
from __future__ import annotations

import math

import numpy as np

import footlight as tf
from footlight._tensorflow.compat.v1.distributions.kullback_leibler import RegisterKL
from footlight._tensorflow.compat.v1.distributions.distribution import (
    Distribution, FULLY_REPARAMETERIZED, arguments, checked)
from footlight._public import publish
from footlight._tensorflow.compat.v1.distributions.special_math import log_cdf_laplace, log_ndtr, ndtr, ndtri
from footlight._typing import Any

_positive = tf.debugging.assert_positive


def _shapes_of(*names):
    """The method that gives the shapes of these parameters: each has the shape of the samples."""
    @staticmethod
    def _param_shapes(sample_shape):
        return dict.fromkeys(names, tf.convert_to_tensor(sample_shape, tf.int32))
    return _param_shapes


class _Scalars(Distribution):
    """Distributions of numbers, whose parameters stand in `_tensors`: a batch has the shape that they broadcast to."""

    def _set(self, validate_args, checks, **tensors):
        """Keeps the parameters as tensors of one dtype; `checks` is of pairs of a check and of the name it is for."""
        tensors = {name: tf.convert_to_tensor(value, name=name) for name, value in tensors.items()}
        tf.debugging.assert_same_float_dtype(list(tensors.values()))
        for name, check in checks if validate_args else ():
            tensors[name] = checked(tensors[name], [check(tensors[name])])
        self._tensors = tensors
        for name, value in tensors.items():
            setattr(self, '_' + name, value)
        return list(tensors.values())

    def _batch_shape(self) -> Any:
        shape = tf.TensorShape([])
        for one in self._tensors.values():
            shape = tf.broadcast_static_shape(shape, one.shape)
        return shape

    def _batch_shape_tensor(self) -> Any:
        shape = tf.constant([], tf.int32)
        for one in self._tensors.values():
            shape = tf.broadcast_dynamic_shape(shape, tf.shape(one))
        return shape

    def _event_shape(self) -> list[Any]:
        return []

    def _event_shape_tensor(self) -> Any:
        return tf.constant([], tf.int32)

    def _sizes(self, n):
        return tf.concat([[n], self.batch_shape_tensor()], 0)

    def _wide(self, value):
        """The value for each of the batch."""
        return tf.broadcast_to(value, self.batch_shape_tensor())

    def _positive_value(self, x):
        return checked(x, [_positive(x, message='value must be positive')]) if self.validate_args else x


class _LocationScale(_Scalars):
    loc = property(lambda self: self._loc)
    scale = property(lambda self: self._scale)

    _param_shapes = _shapes_of('loc', 'scale')

    def _z(self, x):
        return (x - self._loc) / self._scale

    def _mean(self):
        return self._wide(self._loc)

    def _mode(self) -> Any:
        return self._mean()


class Normal(_LocationScale):
    """The normal distribution with mean `loc` and standard deviation `scale`."""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name='Normal'):
        parameters = arguments()
        with tf.name_scope(name) as name:
            parents = self._set(validate_args, [('scale', _positive)], loc=loc, scale=scale)
        super().__init__(self._scale.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, parents, name)

    def _sample_n(self, n, seed=None):
        return tf.random.normal(self._sizes(n), dtype=self.dtype, seed=seed) * self._scale + self._loc

    def _log_prob(self, x):
        return -.5 * tf.square(self._z(x)) - (.5 * math.log(2. * math.pi) + tf.math.log(self._scale))

    def _log_cdf(self, x):
        return log_ndtr(self._z(x))

    def _cdf(self, x):
        return ndtr(self._z(x))

    def _log_survival_function(self, x):
        return log_ndtr(-self._z(x))

    def _survival_function(self, x):
        return ndtr(-self._z(x))

    def _quantile(self, p):
        return ndtri(p) * self._scale + self._loc

    def _entropy(self):
        return self._wide(.5 * math.log(2. * math.pi * math.e) + tf.math.log(self._scale))

    def _stddev(self):
        return self._wide(self._scale)


class Laplace(_LocationScale):
    """The distribution whose density falls exponentially on both sides of `loc`."""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name='Laplace'):
        parameters = arguments()
        with tf.name_scope(name) as name:
            parents = self._set(validate_args, [('scale', _positive)], loc=loc, scale=scale)
        super().__init__(self._loc.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, parents, name)

    def _sample_n(self, n, seed=None):
        dtype = self.dtype.as_numpy_dtype
        uniform = tf.random.uniform(self._sizes(n), np.nextafter(dtype(-1.), dtype(0.)), 1., self.dtype, seed=seed)
        return self._loc - self._scale * tf.sign(uniform) * tf.math.log1p(-tf.abs(uniform))

    def _log_prob(self, x):
        return -tf.abs(self._z(x)) - math.log(2.) - tf.math.log(self._scale)

    def _log_cdf(self, x):
        return log_cdf_laplace(self._z(x))

    def _log_survival_function(self, x):
        return log_cdf_laplace(-self._z(x))

    def _cdf(self, x):
        z = self._z(x)
        return .5 + .5 * tf.sign(z) * (1. - tf.exp(-tf.abs(z)))

    def _entropy(self):
        return self._wide(math.log(2.) + 1 + tf.math.log(self._scale))

    def _stddev(self):
        return self._wide(math.sqrt(2.) * self._scale)


class Uniform(_Scalars):
    """The distribution that is even from `low` to `high`, which is not part of it."""

    low = property(lambda self: self._low)
    high = property(lambda self: self._high)

    def __init__(self, low=0., high=1., validate_args=False, allow_nan_stats=True, name='Uniform'):
        parameters = arguments()
        with tf.name_scope(name) as name:
            parents = self._set(validate_args, [('low', lambda x: tf.debugging.assert_less(
                x, tf.convert_to_tensor(high, x.dtype), message='uniform not defined when low >= high.'))], low=low, high=high)
        super().__init__(self._low.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, parents, name)

    _param_shapes = _shapes_of('low', 'high')

    def range(self, name='range'):
        """high - low."""
        with self._scope(name):
            return self._high - self._low

    def _sample_n(self, n, seed=None):
        return self._low + self.range() * tf.random.uniform(self._sizes(n), dtype=self.dtype, seed=seed)

    def _prob(self, x):
        wide = x + tf.zeros_like(self._low + self._high)
        inside = (wide >= self._low) & (wide < self._high)
        return tf.where(tf.math.is_nan(wide), wide, tf.where(inside, tf.ones_like(wide) / self.range(), tf.zeros_like(wide)))

    def _cdf(self, x):
        return tf.where(x < self._low, tf.zeros([], self.dtype),
                        tf.where(x >= self._high, tf.ones([], self.dtype), (x - self._low) / self.range()))

    def _entropy(self) -> Any:
        return tf.math.log(self.range())

    def _mean(self):
        return (self._low + self._high) / 2.

    def _variance(self) -> Any:
        return tf.square(self.range()) / 12.

    def _stddev(self) -> Any:
        return self.range() / math.sqrt(12.)


class Gamma(_Scalars):
    """The gamma distribution: its shape is `concentration`, and `rate` is one over its scale."""

    concentration = property(lambda self: self._concentration)
    rate = property(lambda self: self._rate)

    def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True, name='Gamma'):
        parameters = arguments()
        with tf.name_scope(name) as name:
            parents = self._set(validate_args, [('concentration', _positive), ('rate', _positive)],
                                concentration=concentration, rate=rate)
        super().__init__(self._concentration.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, parents, name)

    _param_shapes = _shapes_of('concentration', 'rate')

    def _sample_n(self, n, seed=None):
        return tf.random.gamma([n], self._concentration, self._rate, self.dtype, seed)

    def _log_prob(self, x):
        x = self._positive_value(x)
        scaled = tf.math.xlogy(self._concentration - 1., x) - self._rate * x
        return scaled - (tf.math.lgamma(self._concentration) - self._concentration * tf.math.log(self._rate))

    def _cdf(self, x):
        return tf.math.igamma(self._concentration, self._rate * self._positive_value(x))

    def _entropy(self):
        a = self._concentration
        return a - tf.math.log(self._rate) + tf.math.lgamma(a) + (1. - a) * tf.math.digamma(a)

    def _mean(self):
        return self._concentration / self._rate

    def _variance(self):
        return self._concentration / tf.square(self._rate)

    def _stddev(self):
        return tf.sqrt(self._concentration) / self._rate

    def _mode(self):
        return self._or_nan((self._concentration - 1.) / self._rate, self._concentration > 1.,
                            'mode not defined when any concentration <= 1')


class Exponential(Gamma):
    """The exponential distribution."""

    def __init__(self, rate: Any, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str | None = 'Exponential') -> None:
        parameters = arguments()
        with tf.name_scope(name) as name:
            rate = tf.convert_to_tensor(rate, name='rate')
            super().__init__(tf.ones([], rate.dtype), rate, validate_args, allow_nan_stats, name)
        self._parameters = parameters

    _param_shapes = _shapes_of('rate')

    def _sample_n(self, n, seed=None):
        least = float(np.finfo(self.dtype.as_numpy_dtype).tiny)
        return -tf.math.log(tf.random.uniform(self._sizes(n), least, 1., self.dtype, seed=seed)) / self._rate


class Beta(_Scalars):
    """The beta distribution on 0 to 1."""

    concentration1 = property(lambda self: self._concentration1)
    concentration0 = property(lambda self: self._concentration0)
    total_concentration = property(lambda self: self._concentration1 + self._concentration0)

    def __init__(self, concentration1=None, concentration0=None, validate_args=False, allow_nan_stats=True, name='Beta'):
        parameters = arguments()
        with tf.name_scope(name) as name:
            check = _concentration_check
            parents = self._set(validate_args, [('concentration1', check), ('concentration0', check)],
                                concentration1=concentration1, concentration0=concentration0)
        super().__init__(self._concentration1.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, parents, name)

    _param_shapes = _shapes_of('concentration1', 'concentration0')

    def _sample_n(self, n, seed=None):
        ones = tf.ones_like(self.total_concentration)
        first = tf.random.gamma([n], ones * self._concentration1, dtype=self.dtype, seed=seed)
        second = tf.random.gamma([n], ones * self._concentration0, dtype=self.dtype, seed=None if seed is None else seed + 1)
        return first / (first + second)

    def _inside(self, x):
        if not self.validate_args:
            return x
        return checked(x, [_positive(x, message='sample must be positive'),
                           tf.debugging.assert_less(x, tf.ones([], x.dtype), message='sample must be less than `1`.')])

    def _log_beta(self):
        lgamma = tf.math.lgamma
        return lgamma(self._concentration1) + lgamma(self._concentration0) - lgamma(self.total_concentration)

    def _log_prob(self, x):
        x = self._inside(x)
        scaled = tf.math.xlogy(self._concentration1 - 1., x) + tf.math.xlog1py(self._concentration0 - 1., -x)
        return scaled - self._log_beta()

    def _cdf(self, x):
        return tf.math.betainc(self._concentration1, self._concentration0, self._inside(x))

    def _entropy(self):
        total, digamma = self.total_concentration, tf.math.digamma
        return self._log_beta() - (self._concentration1 - 1.) * digamma(self._concentration1) - (
            self._concentration0 - 1.) * digamma(self._concentration0) + (total - 2.) * digamma(total)

    def _mean(self):
        return self._concentration1 / self.total_concentration

    def _variance(self) -> Any:
        return self._mean() * (1. - self._mean()) / (1. + self.total_concentration)

    def _mode(self):
        is_defined = (self._concentration1 > 1.) & (self._concentration0 > 1.)
        return self._or_nan((self._concentration1 - 1.) / (self.total_concentration - 2.), is_defined,
                            'Mode undefined for concentration1 <= 1 or concentration0 <= 1.')


def _concentration_check(value):
    return _positive(value, message='Concentration parameter must be positive.')


class StudentT(_LocationScale):
    """Student's distribution with `df` degrees of freedom, moved and stretched."""

    df = property(lambda self: self._df)

    def __init__(self, df, loc, scale, validate_args=False, allow_nan_stats=True, name='StudentT'):
        parameters = arguments()
        with tf.name_scope(name) as name:
            parents = self._set(validate_args, [('df', _positive)], df=df, loc=loc, scale=scale)
        super().__init__(self._scale.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, parents, name)

    _param_shapes = _shapes_of('df', 'loc', 'scale')

    def _sample_n(self, n, seed=None):
        drawn = tf.random.normal(self._sizes(n), dtype=self.dtype, seed=seed)
        df = self._wide(self._df)
        squares = tf.random.gamma([n], .5 * df, .5, self.dtype, None if seed is None else seed + 1)
        return drawn * tf.math.rsqrt(squares / df) * self._scale + self._loc

    def _log_prob(self, x):
        y, lgamma = self._z(x), tf.math.lgamma
        norm = tf.math.log(tf.abs(self._scale)) + .5 * tf.math.log(self._df) + .5 * math.log(math.pi) + lgamma(
            .5 * self._df) - lgamma(.5 * (self._df + 1.))
        return -.5 * (self._df + 1.) * tf.math.log1p(tf.square(y) / self._df) - norm

    def _cdf(self, x):
        y = (x - self._loc) / tf.abs(self._scale)
        below = .5 * tf.math.betainc(.5 * self._df, tf.constant(.5, self.dtype), self._df / (tf.square(y) + self._df))
        return tf.where(y < 0., below, 1. - below)

    def _entropy(self):
        v, lgamma, digamma = self._wide(self._df), tf.math.lgamma, tf.math.digamma
        log_beta = lgamma(.5 * v) + math.lgamma(.5) - lgamma(.5 * (v + 1.))
        return tf.math.log(tf.abs(self._scale)) + .5 * tf.math.log(v) + log_beta + .5 * (v + 1.) * (
            digamma(.5 * (v + 1.)) - digamma(.5 * v))

    def _mean(self):
        return self._or_nan(self._wide(self._loc), self._wide(self._df) > 1., 'mean not defined for components of df <= 1')

    def _variance(self):
        df = self._wide(self._df)
        safe = tf.where(df > 2., df - 2., tf.ones_like(df))
        found = tf.where(df > 2., tf.square(self._scale) * df / safe, tf.constant(float('inf'), self.dtype))
        return self._or_nan(found, df > 1., 'variance not defined for components of df <= 1')

    def _mode(self):
        return tf.identity(self._loc)


@RegisterKL(Normal, Normal)
def _kl_normal(a: Any, b: Any, name: str | None = None) -> Any:
    with tf.name_scope(name or 'kl_normal_normal'):
        ratio = tf.square(a.scale / b.scale)
        return tf.square(a.loc - b.loc) / (2. * tf.square(b.scale)) + .5 * (ratio - 1. - tf.math.log(ratio))


@RegisterKL(Gamma, Gamma)
def _kl_gamma(a: Any, b: Any, name: str | None = None) -> Any:
    with tf.name_scope(name or 'kl_gamma_gamma'):
        p, q, lgamma = a.concentration, b.concentration, tf.math.lgamma
        return (p - q) * tf.math.digamma(p) + lgamma(q) - lgamma(p) + q * tf.math.log(a.rate) - q * tf.math.log(
            b.rate) + p * (b.rate / a.rate - 1.)


@RegisterKL(Beta, Beta)
def _kl_beta(a: Any, b: Any, name: str | None = None) -> Any:
    with tf.name_scope(name or 'kl_beta_beta'):
        digamma = tf.math.digamma
        return b._log_beta() - a._log_beta() - digamma(a.concentration1) * (b.concentration1 - a.concentration1) - digamma(
            a.concentration0) * (b.concentration0 - a.concentration0) + digamma(a.total_concentration) * (
                b.total_concentration - a.total_concentration)


publish('tf.compat.v1.distributions', Normal, Laplace, Uniform, Gamma, Exponential, Beta, StudentT)
