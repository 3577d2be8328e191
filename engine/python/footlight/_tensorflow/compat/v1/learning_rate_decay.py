"""tf.compat.v1.train's learning rates that fall with the step: a tensor in a graph, a function in eager."""
from __future__ import annotations

import math

import footlight as tf
from footlight._public import alias, publish
from footlight._typing import Any, Callable, TensorLike


def _decay(make: Callable[..., Any]) -> Callable[..., Any]:
    """The public form of `make(rate, step, number, ...)`, which computes in the dtype of the rate: `number` casts to it."""
    def at(learning_rate, global_step, *given, **named):
        if global_step is None:
            raise ValueError('Argument `global_step` cannot be None.')

        def rate():
            with tf.name_scope(named.get('name') or make.__name__.strip('_')):
                start = tf.convert_to_tensor(learning_rate() if callable(learning_rate) else learning_rate)
                start = start if start.dtype.is_floating else tf.cast(start, tf.float32)

                def number(value):
                    return tf.cast(value() if callable(value) else value, start.dtype)
                settings = {key: value for key, value in named.items() if key != 'name'}
                return make(start, number(global_step), number, *given, **settings)
        return rate if tf.executing_eagerly() else rate()
    return at


@_decay
def _exponential(rate: tf.Tensor, step: tf.Tensor, number: Callable[..., Any], decay_steps: int, decay_rate: float,
                 staircase: bool) -> tf.Tensor:
    share = step / number(decay_steps)
    return rate * number(decay_rate) ** (tf.floor(share) if staircase else share)


@_decay
def _natural(rate: tf.Tensor, step: tf.Tensor, number: Callable[..., Any], decay_steps: int, decay_rate: float,
             staircase: bool) -> tf.Tensor:
    share = step / number(decay_steps)
    return rate * tf.exp(-number(decay_rate) * (tf.floor(share) if staircase else share))


@_decay
def _inverse(rate: tf.Tensor, step: tf.Tensor, number: Callable[..., Any], decay_steps: int, decay_rate: float,
             staircase: bool) -> tf.Tensor:
    share = step / number(decay_steps)
    return rate / (1 + number(decay_rate) * (tf.floor(share) if staircase else share))


@_decay
def _polynomial(rate: tf.Tensor, step: tf.Tensor, number: Callable[..., Any], decay_steps: int,
                end_learning_rate: float, power: float, cycle: bool) -> tf.Tensor:
    last, end = number(decay_steps), number(end_learning_rate)
    if cycle:
        last *= tf.maximum(tf.math.ceil(step / last), 1)
    else:
        step = tf.minimum(step, last)
    return (rate - end) * (1 - step / last) ** number(power) + end


@_decay
def _cosine(rate: tf.Tensor, step: tf.Tensor, number: Callable[..., Any], decay_steps: int, alpha: float) -> tf.Tensor:
    share = tf.minimum(step, number(decay_steps)) / number(decay_steps)
    return rate * ((1 - alpha) * 0.5 * (1 + tf.cos(math.pi * share)) + alpha)


@_decay
def _restarts(rate: tf.Tensor, step: tf.Tensor, number: Callable[..., Any], first_decay_steps: int, t_mul: float,
              m_mul: float, alpha: float) -> tf.Tensor:
    share, longer, higher = step / number(first_decay_steps), number(t_mul), number(m_mul)
    if float(t_mul) == 1.0:
        period = tf.floor(share)
        share -= period
    else:
        period = tf.floor(tf.math.log(1 - share * (1 - longer)) / tf.math.log(longer))
        share = (share - (1 - longer ** period) / (1 - longer)) / longer ** period
    return rate * ((1 - alpha) * 0.5 * higher ** period * (1 + tf.cos(math.pi * share)) + alpha)


def _wave(rate: tf.Tensor, step: tf.Tensor, number: Callable[..., Any], decay_steps: int, num_periods: float,
          alpha: float, beta: float, noise: Callable[..., Any]) -> tf.Tensor:
    last = number(decay_steps)
    step = tf.minimum(step, last)
    cosine = 0.5 * (1 + tf.cos(math.pi * 2 * number(num_periods) * step / last))
    return rate * ((number(alpha) + (last - step) / last + noise(step)) * cosine + number(beta))


@_decay
def _linear_cosine(rate: tf.Tensor, step: tf.Tensor, number: Callable[..., Any], decay_steps: int, num_periods: float,
                   alpha: float, beta: float) -> tf.Tensor:
    return _wave(rate, step, number, decay_steps, num_periods, alpha, beta, lambda step: 0)


@_decay
def _noisy(rate: tf.Tensor, step: tf.Tensor, number: Callable[..., Any], decay_steps: int, initial_variance: float,
           variance_decay: float, num_periods: float, alpha: float, beta: float) -> tf.Tensor:
    def noise(step):
        deviation = tf.sqrt(number(initial_variance) / (1 + step) ** number(variance_decay))
        return tf.random.normal(tf.shape(step), dtype=step.dtype) * deviation
    return _wave(rate, step, number, decay_steps, num_periods, alpha, beta, noise)


def exponential_decay(learning_rate: Any, global_step: TensorLike, decay_steps: Any, decay_rate: Any,
                      staircase: bool = False, name: str | None = None) -> Any:
    """learning_rate * decay_rate ** (global_step / decay_steps)"""
    return _exponential(learning_rate, global_step, decay_steps, decay_rate, staircase, name=name)


def natural_exp_decay(learning_rate: Any, global_step: TensorLike, decay_steps: Any, decay_rate: Any,
                      staircase: bool = False, name: str | None = None) -> Any:
    """learning_rate * exp(-decay_rate * global_step / decay_steps)"""
    return _natural(learning_rate, global_step, decay_steps, decay_rate, staircase, name=name)


def inverse_time_decay(learning_rate: Any, global_step: TensorLike, decay_steps: Any, decay_rate: Any,
                       staircase: bool = False, name: str | None = None) -> Any:
    """learning_rate / (1 + decay_rate * global_step / decay_steps)"""
    return _inverse(learning_rate, global_step, decay_steps, decay_rate, staircase, name=name)


def polynomial_decay(learning_rate: Any, global_step: TensorLike, decay_steps: Any, end_learning_rate: Any = 0.0001,
                     power: Any = 1.0, cycle: bool = False, name: str | None = None) -> Any:
    """From learning_rate to end_learning_rate in decay_steps, along a power of the steps that are left."""
    return _polynomial(learning_rate, global_step, decay_steps, end_learning_rate, power, cycle, name=name)


def cosine_decay(learning_rate: Any, global_step: TensorLike, decay_steps: Any, alpha: Any = 0.0,
                 name: str | None = None) -> Any:
    """From learning_rate to alpha * learning_rate along half a wave."""
    return _cosine(learning_rate, global_step, decay_steps, alpha, name=name)


def cosine_decay_restarts(learning_rate: Any, global_step: TensorLike, first_decay_steps: Any, t_mul: Any = 2.0,
                          m_mul: Any = 1.0, alpha: Any = 0.0, name: str | None = None) -> Any:
    """Half waves, each t_mul times as long and m_mul times as high as the one before."""
    return _restarts(learning_rate, global_step, first_decay_steps, t_mul, m_mul, alpha, name=name)


def linear_cosine_decay(learning_rate: Any, global_step: TensorLike, decay_steps: Any, num_periods: Any = 0.5,
                        alpha: Any = 0.0, beta: Any = 0.001, name: str | None = None) -> Any:
    """A wave under a line that falls."""
    return _linear_cosine(learning_rate, global_step, decay_steps, num_periods, alpha, beta, name=name)


def noisy_linear_cosine_decay(learning_rate: Any, global_step: Any, decay_steps: Any, initial_variance: Any = 1.0,
                              variance_decay: Any = 0.55, num_periods: Any = 0.5, alpha: Any = 0.0, beta: Any = 0.001,
                              name: str | None = None) -> Callable[..., Any]:
    """A wave under a line that falls, with noise that falls too."""
    return _noisy(learning_rate, global_step, decay_steps, initial_variance, variance_decay, num_periods, alpha, beta, name=name)


def piecewise_constant(x: TensorLike, boundaries: Any, values: Any, name: str | None = None) -> Any:
    """values[i], where x is above boundaries[i - 1] and not above boundaries[i]."""
    if len(values) != len(boundaries) + 1:
        raise ValueError(f'There must be one value more than boundaries: got {len(values)} values and '
                         f'{len(boundaries)} boundaries')

    def rate():
        step = tf.convert_to_tensor(x() if callable(x) else x)
        limits, results = [tf.convert_to_tensor(limit) for limit in boundaries], [tf.convert_to_tensor(v) for v in values]
        for limit in limits:
            if limit.dtype != step.dtype and not (limit.dtype == tf.int32 and step.dtype == tf.int64):
                raise ValueError(f'Boundaries ({limit.dtype}) must have the same dtype as x ({step.dtype}).')
        for result in results[1:]:
            if result.dtype != results[0].dtype:
                raise ValueError(f'Values must have elements all with the same dtype ({results[0].dtype} vs '
                                 f'{result.dtype}).')
        with tf.name_scope(name or 'PiecewiseConstant'):
            above = [tf.cast(step > tf.cast(limit, step.dtype), tf.int32) for limit in limits]
            return tf.gather(tf.stack(results), tf.add_n(above) if above else 0)
    return rate if tf.executing_eagerly() else rate()


for _name, _object in list(globals().items()):
    if getattr(_object, '__module__', None) == __name__ and not _name.startswith('_'):
        publish('tf.compat.v1.train', _object)
alias('tf.compat.v1.train', piecewise_constant_decay=piecewise_constant)
