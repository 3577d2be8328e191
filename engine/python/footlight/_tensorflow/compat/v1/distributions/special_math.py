"""The distribution function of the normal distribution and what distributions compute from it, exact in the tails too."""
from __future__ import annotations

import math

import footlight as tf
from footlight._typing import Any


def _float(x, name):
    x = tf.convert_to_tensor(x, name='x')
    if x.dtype not in (tf.float32, tf.float64):
        raise TypeError(f'{name}: x.dtype={x.dtype} is not handled, see docstring for supported types.')
    return x


def ndtr(x: Any, name: str | None = 'ndtr') -> Any:
    """The area under the normal density up to x."""
    with tf.name_scope(name):
        return .5 * tf.math.erfc(-_float(x, 'ndtr') * math.sqrt(.5))


def log_ndtr(x: Any, series_order: Any = 3, name: str | None = 'log_ndtr') -> Any:
    """The logarithm of ndtr(x): far to the left by a series of so many terms."""
    with tf.name_scope(name):
        x = _float(x, 'log_ndtr')
        least, most = (-20., 8.) if x.dtype == tf.float64 else (-10., 5.)
        far = tf.minimum(x, least)  # elsewhere it may not overflow, whose gradient would be NaN
        square, total, term = tf.square(far), tf.ones_like(far), tf.ones_like(far)
        for n in range(1, series_order + 1):
            term *= -(2. * n - 1.) / square
            total += term
        left = -.5 * square - tf.math.log(-far) - .5 * math.log(2. * math.pi) + tf.math.log(total)
        middle = tf.math.log(ndtr(tf.maximum(x, least)))
        return tf.where(x > most, -ndtr(-x), tf.where(x > least, middle, left))


def ndtri(p: Any, name: str | None = 'ndtri') -> Any:
    """The x with ndtr(x) = p."""
    with tf.name_scope(name):
        return tf.math.ndtri(_float(p, 'ndtri'))


def erfinv(x: Any, name: str | None = 'erfinv') -> Any:
    """The y with erf(y) = x."""
    with tf.name_scope(name):
        return tf.math.erfinv(_float(x, 'erfinv'))


def log_cdf_laplace(x: Any, name: str | None = 'log_cdf_laplace') -> Any:
    """The logarithm of the distribution function of the Laplace distribution."""
    with tf.name_scope(name):
        x = tf.convert_to_tensor(x, name='x')
        return tf.where(x < 0., x - math.log(2.), tf.math.log1p(-.5 * tf.exp(-tf.abs(x))))
