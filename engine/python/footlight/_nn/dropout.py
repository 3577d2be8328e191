"""Dropout with random numbers from the user's own function."""
from __future__ import annotations

import numbers

import footlight as tf
from footlight._public import publish
from footlight._typing import Any, TensorLike


def _noise_shape(x, given):
    if given is None:
        return tf.shape(x)
    if isinstance(given, (list, tuple, tf.TensorShape)) and x.shape.rank is not None and len(given) == x.shape.rank:
        return [own if wanted is None else wanted for wanted, own in zip(given, x.shape)]
    return given


def general_dropout(x: TensorLike, rate: Any, uniform_sampler: Any, noise_shape: Any = None,
                    name: str | None = None) -> Any:
    """Elements set to 0 with the probability `rate`, the others scaled up; `uniform_sampler(shape, dtype)` draws from [0, 1)."""
    with tf.name_scope(name or 'general_dropout'):
        is_number = isinstance(rate, numbers.Real)
        if is_number and not 0 <= rate < 1:
            raise ValueError(f'rate must be a scalar tensor or a number of the range [0, 1), not {rate!r}')
        x = tf.convert_to_tensor(x)
        if not x.dtype.is_floating:
            raise ValueError(f'x must be a tensor of floats, as it will be scaled, not of {x.dtype.name}')
        if is_number and rate == 0:
            return x
        if is_number:
            scaled = x * tf.constant(1 / (1 - rate), x.dtype)
            bound = tf.constant(rate, x.dtype)
        elif tf.is_tensor(rate):
            if rate.dtype != x.dtype:
                raise ValueError(f'x and rate must have one dtype, they are {x.dtype.name} and {rate.dtype.name}')
            bound = tf.convert_to_tensor(rate)
            scaled = x / (tf.constant(1, x.dtype) - bound)
        else:
            raise ValueError(f'rate must be a number or a scalar tensor, not {rate!r}')
        drawn = uniform_sampler(shape=_noise_shape(x, noise_shape), dtype=x.dtype)
        return tf.where(drawn >= bound, scaled, tf.constant(0, x.dtype))


publish('tf.nn.experimental', general_dropout)
