"""tf.compat.v1.distributions.Distribution: what all distributions have, by a few methods that each one defines."""
from __future__ import annotations

import contextlib
import inspect

import footlight as tf
from footlight._public import alias, publish
from footlight._typing import Any, Iterator


class ReparameterizationType:
    """Whether samples have gradients with respect to the parameters."""

    def __init__(self, rep_type: Any) -> None:
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f'<Reparameterization Type: {self._rep_type}>'

    def __eq__(self, other: Any) -> bool:
        return self is other

    __hash__ = object.__hash__


FULLY_REPARAMETERIZED = ReparameterizationType('FULLY_REPARAMETERIZED')
NOT_REPARAMETERIZED = ReparameterizationType('NOT_REPARAMETERIZED')


def checked(value, checks):
    """The value after checks, of which those that were made at once are None."""
    with tf.control_dependencies([check for check in checks if check is not None]):
        return tf.identity(value)


def known_shape(tensor):
    """A shape that is given as a tensor, as far as it is known."""
    return tf.TensorShape(tf.get_static_value(tensor)) if tf.get_static_value(tensor) is not None else tf.TensorShape(
        [None] * tensor.shape[0] if tensor.shape.rank == 1 and tensor.shape[0] is not None else None)


class Distribution:
    """A distribution of random values. Derived classes define _batch_shape_tensor, _event_shape_tensor, _batch_shape,
    _event_shape, _sample_n, and of _log_prob, _prob, _log_cdf, _cdf ... those that they have."""

    def __init__(self, dtype: Any, reparameterization_type: Any, validate_args: Any, allow_nan_stats: Any,
                 parameters: Any = None, graph_parents: Any = None, name: str | None = None) -> None:
        for i, parent in enumerate(graph_parents or ()):
            if parent is None or not tf.is_tensor(parent):
                raise ValueError(f'Graph parent item {i} is not a Tensor; {parent}.')
        if not name or name[-1] != '/':
            with tf.name_scope(name or type(self).__name__) as name:
                pass
        self._dtype, self._reparameterization_type = dtype, reparameterization_type
        self._validate_args, self._allow_nan_stats = validate_args, allow_nan_stats
        self._parameters, self._graph_parents, self._name = parameters or {}, list(graph_parents or ()), name

    name = property(lambda self: self._name)
    dtype = property(lambda self: self._dtype)
    reparameterization_type = property(lambda self: self._reparameterization_type)
    allow_nan_stats = property(lambda self: self._allow_nan_stats)
    validate_args = property(lambda self: self._validate_args)

    @property
    def parameters(self) -> dict[Any, Any]:
        """The arguments of the constructor, by name."""
        return {k: v for k, v in self._parameters.items() if k not in ('self', '__class__') and not k.startswith('__')}

    def copy(self, **override_parameters_kwargs):
        """The same with other parameters."""
        return type(self)(**{**self.parameters, **override_parameters_kwargs})

    @classmethod
    def param_shapes(cls, sample_shape: Any, name: str | None = 'DistributionParamShapes') -> Any:
        """The shapes of the parameters for samples of a shape, as tensors."""
        with tf.name_scope(name):
            return cls._param_shapes(sample_shape)

    @classmethod
    def _param_shapes(cls, sample_shape):
        raise NotImplementedError(f'_param_shapes is not implemented: {cls.__name__}')

    @classmethod
    def param_static_shapes(cls, sample_shape):
        """The shapes of the parameters for samples of a shape that is known."""
        if isinstance(sample_shape, tf.TensorShape):
            if not sample_shape.is_fully_defined():
                raise ValueError('TensorShape sample_shape must be fully defined')
            sample_shape = sample_shape.as_list()
        found = {}
        for name, shape in cls.param_shapes(sample_shape).items():
            known = tf.get_static_value(shape)
            if known is None:
                raise ValueError('sample_shape must be a fully-defined TensorShape or list/tuple')
            found[name] = tf.TensorShape(known)
        return found

    # --- shapes ---
    @property
    def batch_shape(self):
        """The shape of the parameters of several distributions, as far as it is known."""
        return tf.TensorShape(self._batch_shape())

    @property
    def event_shape(self):
        """The shape of one value, as far as it is known."""
        return tf.TensorShape(self._event_shape())

    def batch_shape_tensor(self, name='batch_shape_tensor'):
        """The shape of the parameters of several distributions."""
        with self._scope(name):
            known = self.batch_shape
            return tf.constant(known.as_list(), tf.int32) if known.is_fully_defined() else self._batch_shape_tensor()

    def event_shape_tensor(self, name='event_shape_tensor'):
        """The shape of one value."""
        with self._scope(name):
            known = self.event_shape
            return tf.constant(known.as_list(), tf.int32) if known.is_fully_defined() else self._event_shape_tensor()

    def is_scalar_event(self, name: str | None = 'is_scalar_event') -> Any:
        """Whether a value is a scalar."""
        with self._scope(name):
            rank = self.event_shape.rank
            return tf.equal(tf.size(self.event_shape_tensor()), 0) if rank is None else tf.constant(rank == 0)

    def is_scalar_batch(self, name: str | None = 'is_scalar_batch') -> Any:
        """Whether this is one distribution."""
        with self._scope(name):
            rank = self.batch_shape.rank
            return tf.equal(tf.size(self.batch_shape_tensor()), 0) if rank is None else tf.constant(rank == 0)

    # --- samples ---
    def sample(self, sample_shape=(), seed=None, name='sample'):
        """Values of shape `sample_shape`, then the batch, then one event."""
        with self._scope(name):
            shape = tf.convert_to_tensor(sample_shape, tf.int32)
            shape = tf.reshape(shape, [-1])
            drawn = self._sample_n(tf.reduce_prod(shape), seed)
            static = known_shape(shape).concatenate(self.batch_shape).concatenate(self.event_shape)
            drawn = tf.reshape(drawn, tf.concat([shape, tf.shape(drawn)[1:]], 0))
            drawn.set_shape(static)
            return drawn

    # --- probabilities ---
    def _method(self, name):
        """The method of a derived class, or None."""
        return getattr(self, '_' + name, None)

    def _by_first_method(self, name, value, ways):
        """By the first method that the class has: [(method, what is made of its result)]."""
        with self._scope(name):
            value = self._value(value)
            for method, made in ways:
                if self._method(method) is not None:
                    return made(self._method(method)(value))
            raise NotImplementedError(f'{name} is not implemented: {type(self).__name__}')

    def _value(self, value):
        return tf.convert_to_tensor(value, dtype_hint=self.dtype, name='value')

    def log_prob(self, value: Any, name: str | None = 'log_prob') -> Any:
        """The logarithm of the density, or of the probability."""
        return self._by_first_method(name, value, [('log_prob', _identity), ('prob', tf.math.log)])

    def prob(self, value: Any, name: str | None = 'prob') -> Any:
        """The density, or the probability."""
        return self._by_first_method(name, value, [('prob', _identity), ('log_prob', tf.exp)])

    def log_cdf(self, value: Any, name: str | None = 'log_cdf') -> Any:
        """The logarithm of how likely what is not larger is."""
        return self._by_first_method(name, value, [('log_cdf', _identity), ('cdf', tf.math.log)])

    def cdf(self, value: Any, name: str | None = 'cdf') -> Any:
        """How likely what is not larger is."""
        return self._by_first_method(name, value, [('cdf', _identity), ('log_cdf', tf.exp)])

    def log_survival_function(self, value: Any, name: str | None = 'log_survival_function') -> Any:
        """The logarithm of how likely what is larger is."""
        return self._by_first_method(name, value, [
            ('log_survival_function', _identity), ('survival_function', tf.math.log),
            ('cdf', lambda p: tf.math.log1p(-p)), ('log_cdf', lambda p: tf.math.log1p(-tf.exp(p)))])

    def survival_function(self, value: Any, name: str | None = 'survival_function') -> Any:
        """How likely what is larger is."""
        return self._by_first_method(name, value, [
            ('survival_function', _identity), ('log_survival_function', tf.exp),
            ('cdf', lambda p: 1. - p), ('log_cdf', lambda p: 1. - tf.exp(p))])

    def quantile(self, value: Any, name: str | None = 'quantile') -> Any:
        """The value below which this part of all lies."""
        return self._by_first_method(name, value, [('quantile', _identity)])

    # --- moments ---
    def _moment(self, name, ways):
        with self._scope(name):
            for method, made in ways:
                if self._method(method) is not None:
                    return made(self._method(method)())
            raise NotImplementedError(f'{name} is not implemented: {type(self).__name__}')

    def entropy(self, name: str | None = 'entropy') -> Any:
        """The entropy, in nats."""
        return self._moment(name, [('entropy', _identity)])

    def mean(self, name: str | None = 'mean') -> Any:
        """The mean."""
        return self._moment(name, [('mean', _identity)])

    def variance(self, name: str | None = 'variance') -> Any:
        """The variance of each element."""
        return self._moment(name, [('variance', _identity), ('stddev', tf.square)])

    def stddev(self, name: str | None = 'stddev') -> Any:
        """The standard deviation of each element."""
        return self._moment(name, [('stddev', _identity), ('variance', tf.sqrt)])

    def covariance(self, name: str | None = 'covariance') -> Any:
        """The covariance of the elements of an event."""
        return self._moment(name, [('covariance', _identity)])

    def mode(self, name: str | None = 'mode') -> Any:
        """The most likely value."""
        return self._moment(name, [('mode', _identity)])

    def cross_entropy(self, other: Any, name: str | None = 'cross_entropy') -> Any:
        """The entropy of this one, plus its divergence from `other`."""
        from footlight._tensorflow.compat.v1.distributions import kullback_leibler
        with self._scope(name):
            return kullback_leibler.cross_entropy(self, other, self._allow_nan_stats)

    def kl_divergence(self, other: Any, name: str | None = 'kl_divergence') -> Any:
        """The Kullback-Leibler divergence from `other`."""
        from footlight._tensorflow.compat.v1.distributions import kullback_leibler
        with self._scope(name):
            return kullback_leibler.kl_divergence(self, other, self._allow_nan_stats)

    @contextlib.contextmanager
    def _scope(self, name: Any) -> Iterator[Any]:
        with tf.name_scope(self._name), tf.name_scope(name):
            yield

    def _or_nan(self, value: Any, is_defined: Any, words: str) -> Any:
        """The value where it is defined; elsewhere NaN, or an error where statistics may not be NaN."""
        if self.allow_nan_stats:
            return tf.where(is_defined, value, tf.constant(float('nan'), value.dtype))
        return checked(value, [tf.debugging.Assert(tf.reduce_all(is_defined), [words])])

    def __str__(self) -> str:
        return f'tfp.distributions.{type(self).__name__}("{self.name}", {self._in_words()})'

    def __repr__(self) -> str:
        return f"<tfp.distributions.{type(self).__name__} '{self.name}' {self._in_words(' ')}>"

    def _in_words(self, between: str = ', ') -> str:
        parts = [('batch_shape', self.batch_shape), ('event_shape', self.event_shape)]
        words = [f'{name}={shape if shape.rank is not None else "<unknown>"}' for name, shape in parts]
        return between.join([*words, f'dtype={self.dtype.name if self.dtype else "unknown"}'])


def _identity(value):
    return value


def arguments():
    """The arguments of the constructor that calls this, by name."""
    return dict(inspect.currentframe().f_back.f_locals)


publish('tf.compat.v1.distributions', Distribution, ReparameterizationType)
alias('tf.compat.v1.distributions', FULLY_REPARAMETERIZED=FULLY_REPARAMETERIZED,
      NOT_REPARAMETERIZED=NOT_REPARAMETERIZED)
