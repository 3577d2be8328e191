"""tf.compat.v1.distributions: Bernoulli, Categorical, Multinomial, Dirichlet and DirichletMultinomial."""
from __future__ import annotations

import footlight as tf
from footlight._tensorflow.compat.v1.distributions.kullback_leibler import RegisterKL
from footlight._tensorflow.compat.v1.distributions.distribution import (
    Distribution, FULLY_REPARAMETERIZED, NOT_REPARAMETERIZED, arguments, checked)
from footlight._public import publish
from footlight._typing import Any


def _logits_and_probs(logits: Any, probs: Any, is_multidimensional: Any, validate_args: Any) -> tuple[Any, ...]:
    """Both of them, of the one that is given."""
    if (probs is None) == (logits is None):
        raise ValueError('Must pass probs or logits, but not both.')
    if probs is None:
        logits = tf.convert_to_tensor(logits, name='logits')
        if not logits.dtype.is_floating:
            raise TypeError('logits must have a floating type.')
        return logits, tf.nn.softmax(logits) if is_multidimensional else tf.sigmoid(logits)
    probs = tf.convert_to_tensor(probs, name='probs')
    if not probs.dtype.is_floating:
        raise TypeError('probs must have a floating type.')
    if validate_args:
        one = tf.ones([], probs.dtype)
        checks = [tf.debugging.assert_non_negative(probs, message='probs may contain negative components')]
        if is_multidimensional:
            checks.append(tf.debugging.assert_near(tf.reduce_sum(probs, -1), one, message='probs does not sum to 1.'))
        else:
            checks.append(tf.debugging.assert_less_equal(probs, one, message='probs has components greater than 1.'))
        probs = checked(probs, checks)
    logits = tf.math.log(probs) if is_multidimensional else tf.math.log(probs) - tf.math.log1p(-probs)
    return logits, probs


def _whole_and_not_negative(x: Any, words: str) -> Any:
    checks = [tf.debugging.assert_non_negative(x, message=f'{words} must be non-negative.')]
    if not x.dtype.is_integer:
        checks.append(tf.debugging.assert_equal(x, tf.round(x), message=f'{words} cannot contain fractional components.'))
    return checks


def _log_combinations(n, counts):
    """The logarithm of how many orders of the elements there are."""
    return tf.math.lgamma(n + 1.) - tf.reduce_sum(tf.math.lgamma(counts + 1.), -1)


class Bernoulli(Distribution):
    """One with probability `probs`, else zero."""

    logits = property(lambda self: self._logits)
    probs = property(lambda self: self._probs)

    def __init__(self, logits: Any = None, probs: Any = None, dtype: Any = tf.int32, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str | None = 'Bernoulli') -> None:
        parameters = arguments()
        with tf.name_scope(name) as name:
            self._logits, self._probs = _logits_and_probs(logits, probs, False, validate_args)
        super().__init__(tf.as_dtype(dtype), NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [self._logits, self._probs], name)

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[Any, Any]:
        return {'logits': tf.convert_to_tensor(sample_shape, tf.int32)}

    def _batch_shape(self) -> Any:
        return self._logits.shape

    def _batch_shape_tensor(self) -> Any:
        return tf.shape(self._logits)

    def _event_shape(self) -> list[Any]:
        return []

    def _event_shape_tensor(self) -> Any:
        return tf.constant([], tf.int32)

    def _sample_n(self, n, seed=None):
        drawn = tf.random.uniform(tf.concat([[n], self.batch_shape_tensor()], 0), dtype=self._probs.dtype, seed=seed)
        return tf.cast(drawn < self._probs, self.dtype)

    def _log_prob(self, event):
        if self.validate_args:
            event = checked(event, [*_whole_and_not_negative(event, 'event'), tf.debugging.assert_less_equal(
                event, tf.ones([], event.dtype), message='Elements cannot exceed 1.')])
        event = tf.cast(event, self._logits.dtype)
        labels, logits = event + tf.zeros_like(self._logits), self._logits + tf.zeros_like(event)
        return -tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    def _entropy(self) -> Any:
        return -self._logits * (tf.sigmoid(self._logits) - 1.) + tf.nn.softplus(-self._logits)

    def _mean(self) -> Any:
        return tf.identity(self._probs)

    def _variance(self) -> Any:
        return self._mean() * (1. - self._probs)

    def _mode(self) -> Any:
        return tf.cast(self._probs > .5, self.dtype)


class Categorical(Distribution):
    """The number of a class."""

    logits = property(lambda self: self._logits)
    probs = property(lambda self: self._probs)
    event_size = property(lambda self: self._event_size)

    def __init__(self, logits: Any = None, probs: Any = None, dtype: Any = tf.int32, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str | None = 'Categorical') -> None:
        parameters = arguments()
        with tf.name_scope(name) as name:
            self._logits, self._probs = _logits_and_probs(logits, probs, True, validate_args)
            if self._logits.shape.rank is not None and self._logits.shape.rank < 1:
                raise ValueError('Argument `logits` must have rank at least 1.')
            self._event_size = tf.shape(self._logits)[-1]
        super().__init__(tf.as_dtype(dtype), NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [self._logits, self._probs], name)

    def _batch_shape(self) -> Any:
        return self._logits.shape[:-1]

    def _batch_shape_tensor(self) -> Any:
        return tf.shape(self._logits)[:-1]

    def _event_shape(self) -> list[Any]:
        return []

    def _event_shape_tensor(self) -> Any:
        return tf.constant([], tf.int32)

    def _sample_n(self, n, seed=None):
        matrix = tf.reshape(self._logits, [-1, self._event_size])
        drawn = tf.transpose(tf.random.categorical(matrix, n, tf.int64 if self.dtype.size > 4 else tf.int32, seed))
        return tf.cast(tf.reshape(drawn, tf.concat([[n], self.batch_shape_tensor()], 0)), self.dtype)

    def _numbers(self, k):
        k = tf.convert_to_tensor(k, name='k')
        if self.validate_args:
            k = checked(k, [*_whole_and_not_negative(k, 'k'), tf.debugging.assert_less(
                k, tf.cast(self._event_size, k.dtype), message='k must be less than the number of classes.')])
        return tf.cast(k, tf.int32) + tf.zeros(self.batch_shape_tensor(), tf.int32)

    def _log_prob(self, k):
        k = self._numbers(k)
        logits = tf.broadcast_to(self._logits, tf.concat([tf.shape(k), [self._event_size]], 0))
        return -tf.nn.sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _cdf(self, k):
        k = self._numbers(k)
        below = tf.sequence_mask(k, self._event_size)  # without k itself, as in TensorFlow
        return tf.reduce_sum(tf.where(below, self._probs, tf.zeros([], self._probs.dtype)), -1)

    def _entropy(self) -> Any:
        return -tf.reduce_sum(tf.nn.log_softmax(self._logits) * self._probs, -1)

    def _mode(self) -> Any:
        return tf.cast(tf.argmax(self._logits, -1), self.dtype)


class _Vectors(Distribution):
    """Distributions of vectors, as many to the batch as `self._vectors` has."""

    def _batch_shape(self):
        return self._vectors.shape[:-1]

    def _batch_shape_tensor(self):
        return tf.shape(self._vectors)[:-1]

    def _event_shape(self):
        return self._vectors.shape[-1:]

    def _event_shape_tensor(self):
        return tf.shape(self._vectors)[-1:]

    def _covariance_of(self, mean, scale, total):
        """The covariance matrix of shares of a total."""
        outer = mean[..., :, tf.newaxis] * mean[..., tf.newaxis, :] / total[..., tf.newaxis, tf.newaxis]
        whole = tf.linalg.set_diag(-outer, mean * (1. - mean / total[..., tf.newaxis]))
        return whole * scale[..., tf.newaxis, tf.newaxis]


class _Counts(_Vectors):
    total_count = property(lambda self: self._total_count)

    def _counted(self, counts):
        counts = tf.cast(counts, self.dtype)
        if not self.validate_args:
            return counts
        return checked(counts, [*_whole_and_not_negative(counts, 'counts'), tf.debugging.assert_equal(
            self._total_count, tf.reduce_sum(counts, -1), message='counts last-dimension must sum to `self.total_count`')])

    @staticmethod
    def _total(total_count, dtype, validate_args):
        total = tf.convert_to_tensor(total_count, dtype, name='total_count')
        return checked(total, _whole_and_not_negative(total, 'total_count')) if validate_args else total

    def _mean_count(self, share):
        return self._total_count[..., tf.newaxis] * share

    def _draw(self, n, logits, seed):
        """Counts of as many draws as each one of the batch has; those beyond its number are left out."""
        shape, size = self.batch_shape_tensor(), self.event_shape_tensor()[0]
        totals = tf.reshape(tf.broadcast_to(tf.cast(self._total_count, tf.int32), shape), [-1])
        most = tf.reduce_max(tf.concat([totals, [0]], 0))
        matrix = tf.reshape(logits, [-1, size])  # n * batch rows
        drawn = tf.random.categorical(matrix, most, tf.int32, seed)
        drawn = tf.where(tf.sequence_mask(tf.tile(totals, [n]), most), drawn, size)  # `size` is no class, so it is not counted
        counts = tf.math.bincount(drawn, minlength=size, maxlength=size, axis=-1)
        return tf.cast(tf.reshape(counts, tf.concat([[n], shape, [size]], 0)), self.dtype)


class Multinomial(_Counts):
    """How often each class was drawn."""

    _vectors = property(lambda self: self._expected)
    logits = property(lambda self: self._logits)
    probs = property(lambda self: self._probs)

    def __init__(self, total_count: Any, logits: Any = None, probs: Any = None, validate_args: bool = False,
                 allow_nan_stats: bool = True, name: str | None = 'Multinomial') -> None:
        parameters = arguments()
        with tf.name_scope(name) as name:
            self._logits, self._probs = _logits_and_probs(logits, probs, True, validate_args)
            self._total_count = self._total(total_count, self._logits.dtype, validate_args)
            self._expected = self._mean_count(self._probs)
        super().__init__(self._probs.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [self._total_count, self._logits, self._probs], name)

    def _sample_n(self, n, seed=None):
        logits = tf.broadcast_to(self._logits, tf.shape(self._expected))
        return self._draw(n, tf.tile(logits[tf.newaxis], tf.concat([[n], tf.ones([tf.rank(logits)], tf.int32)], 0)), seed)

    def _log_prob(self, counts):
        counts = self._counted(counts)
        return tf.reduce_sum(counts * tf.nn.log_softmax(self._logits), -1) + _log_combinations(self._total_count, counts)

    def _mean(self) -> Any:
        return tf.identity(self._expected)

    def _covariance(self) -> Any:
        share = self._probs * tf.ones_like(self._total_count)[..., tf.newaxis]
        return self._covariance_of(share, self._total_count, tf.ones_like(self._total_count))

    def _variance(self) -> Any:
        return self._expected * (1. - self._probs)


def _checked_concentration(value, validate_args):
    value = tf.convert_to_tensor(value, name='concentration')
    if not validate_args:
        return value
    size = tf.shape(value)[-1:]
    return checked(value, [
        tf.debugging.assert_positive(value, message='Concentration parameter must be positive.'),
        tf.debugging.assert_rank_at_least(value, 1, message='Concentration parameter must have >=1 dimensions.'),
        tf.debugging.assert_less(tf.ones_like(size), size, message='Concentration parameter must have event_size >= 2.')])


class Dirichlet(_Vectors):
    """Shares that sum to one."""

    _vectors = property(lambda self: self._concentration)
    concentration = property(lambda self: self._concentration)
    total_concentration = property(lambda self: self._total_concentration)

    def __init__(self, concentration: Any, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str | None = 'Dirichlet') -> None:
        parameters = arguments()
        with tf.name_scope(name) as name:
            self._concentration = _checked_concentration(concentration, validate_args)
            self._total_concentration = tf.reduce_sum(self._concentration, -1)
        super().__init__(self._concentration.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [self._concentration, self._total_concentration], name)

    def _sample_n(self, n, seed=None):
        drawn = tf.random.gamma([n], self._concentration, dtype=self.dtype, seed=seed)
        return drawn / tf.reduce_sum(drawn, -1, keepdims=True)

    def _inside(self, x):
        if not self.validate_args:
            return x
        return checked(x, [
            tf.debugging.assert_positive(x, message='samples must be positive'),
            tf.debugging.assert_near(tf.ones([], self.dtype), tf.reduce_sum(x, -1), message='sample last-dimension must sum to `1`')])

    def _log_prob(self, x):
        a = self._concentration
        return tf.reduce_sum(tf.math.xlogy(a - 1., self._inside(x)), -1) - tf.math.lbeta(a)

    def _size(self) -> Any:
        return tf.cast(self.event_shape_tensor()[0], self.dtype)

    def _entropy(self) -> Any:
        a, total, digamma = self._concentration, self._total_concentration, tf.math.digamma
        return tf.math.lbeta(a) + (total - self._size()) * digamma(total) - tf.reduce_sum((a - 1.) * digamma(a), -1)

    def _mean(self) -> Any:
        return self._concentration / self._total_concentration[..., tf.newaxis]

    def _covariance(self) -> Any:
        total = self._total_concentration
        return self._covariance_of(self._mean(), 1. / (1. + total), tf.ones_like(total))

    def _variance(self) -> Any:
        return self._mean() * (1. - self._mean()) / (1. + self._total_concentration)[..., tf.newaxis]

    def _mode(self) -> Any:
        is_defined = self._concentration > 1.
        found = (self._concentration - 1.) / (self._total_concentration[..., tf.newaxis] - self._size())
        if self.allow_nan_stats:
            return tf.where(tf.reduce_all(is_defined, -1, keepdims=True), found, tf.constant(float('nan'), self.dtype))
        return self._or_nan(found, is_defined, 'Mode undefined when any concentration <= 1')


class DirichletMultinomial(_Counts):
    """How often each class was drawn, of shares that a Dirichlet distribution gave."""

    _vectors = property(lambda self: self._concentration)
    concentration = property(lambda self: self._concentration)
    total_concentration = property(lambda self: self._total_concentration)

    def __init__(self, total_count: Any, concentration: Any, validate_args: bool = False, allow_nan_stats: bool = True,
                 name: str | None = 'DirichletMultinomial') -> None:
        parameters = arguments()
        with tf.name_scope(name) as name:
            self._concentration = _checked_concentration(concentration, validate_args)
            self._total_count = self._total(total_count, self._concentration.dtype, validate_args)
            self._total_concentration = tf.reduce_sum(self._concentration, -1)
        super().__init__(self._concentration.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [self._total_count, self._concentration], name)

    def _batch_shape(self) -> Any:
        return tf.broadcast_static_shape(self._total_concentration.shape, self._total_count.shape)

    def _batch_shape_tensor(self) -> Any:
        return tf.broadcast_dynamic_shape(tf.shape(self._total_concentration), tf.shape(self._total_count))

    def _sample_n(self, n, seed=None):
        whole = tf.broadcast_to(self._concentration, tf.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0))
        shares = tf.random.gamma([n], whole, dtype=self.dtype, seed=seed)
        return self._draw(n, tf.math.log(shares), None if seed is None else seed + 1)

    def _log_prob(self, counts):
        counts, a = self._counted(counts), self._concentration
        return tf.math.lbeta(a + counts) - tf.math.lbeta(a) + _log_combinations(self._total_count, counts)

    def _mean(self) -> Any:
        return self._mean_count(self._concentration / self._total_concentration[..., tf.newaxis])

    def _scale(self) -> Any:
        return (self._total_concentration + self._total_count) / (1. + self._total_concentration)

    def _covariance(self) -> Any:
        total = self._total_count + tf.zeros_like(self._total_concentration)
        return self._covariance_of(self._mean(), self._scale(), total)

    def _variance(self) -> Any:
        mean = self._mean()
        return mean * (1. - mean / self._total_count[..., tf.newaxis]) * self._scale()[..., tf.newaxis]


@RegisterKL(Bernoulli, Bernoulli)
def _kl_bernoulli(a: Any, b: Any, name: str | None = None) -> Any:
    with tf.name_scope(name or 'kl_bernoulli_bernoulli'):
        softplus, sigmoid = tf.nn.softplus, tf.sigmoid
        return sigmoid(a.logits) * (softplus(-b.logits) - softplus(-a.logits)) + sigmoid(-a.logits) * (
            softplus(b.logits) - softplus(a.logits))


@RegisterKL(Categorical, Categorical)
def _kl_categorical(a: Any, b: Any, name: str | None = None) -> Any:
    with tf.name_scope(name or 'kl_categorical_categorical'):
        return tf.reduce_sum(tf.nn.softmax(a.logits) * (tf.nn.log_softmax(a.logits) - tf.nn.log_softmax(b.logits)), -1)


@RegisterKL(Dirichlet, Dirichlet)
def _kl_dirichlet(a: Any, b: Any, name: str | None = None) -> Any:
    with tf.name_scope(name or 'kl_dirichlet_dirichlet'):
        less = tf.math.digamma(a.concentration) - tf.math.digamma(a.total_concentration)[..., tf.newaxis]
        return tf.reduce_sum((a.concentration - b.concentration) * less, -1) - tf.math.lbeta(a.concentration) + tf.math.lbeta(
            b.concentration)


publish('tf.compat.v1.distributions', Bernoulli, Categorical, Multinomial, Dirichlet, DirichletMultinomial)
