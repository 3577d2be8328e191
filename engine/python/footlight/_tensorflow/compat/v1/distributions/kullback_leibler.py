"""tf.compat.v1.distributions.kl_divergence and RegisterKL: divergences by the classes of two distributions."""
from __future__ import annotations

import inspect

import footlight as tf
from footlight._public import publish
from footlight._typing import Any

_DIVERGENCES: dict[tuple[type[Any], type[Any]], Any] = {}


def _registered_kl(type_a, type_b):
    """The function for two classes or the nearest of those that they derive from, or None."""
    found = [(i + j, i, function) for i, a in enumerate(inspect.getmro(type_a)) for j, b in enumerate(inspect.getmro(type_b))
             for function in [_DIVERGENCES.get((a, b))] if function is not None]
    return min(found, key=lambda one: one[:2])[2] if found else None


def kl_divergence(distribution_a: Any, distribution_b: Any, allow_nan_stats: bool = True,
                  name: str | None = None) -> Any:
    """The Kullback-Leibler divergence of two distributions, of each in a batch."""
    function = _registered_kl(type(distribution_a), type(distribution_b))
    if function is None:
        raise NotImplementedError(
            f'No KL(distribution_a || distribution_b) registered for distribution_a type {type(distribution_a).__name__} and '
            f'distribution_b type {type(distribution_b).__name__}')
    with tf.name_scope('KullbackLeibler'):
        found = function(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return found
        words = (f'KL calculation between {distribution_a.name} and {distribution_b.name} returned NaN values (and was called '
                 'with allow_nan_stats=False). Values:')
        check = tf.debugging.Assert(tf.logical_not(tf.reduce_any(tf.math.is_nan(found))), [words, found])
        with tf.control_dependencies([check] if check is not None else []):
            return tf.identity(found, name='checked_kl')


def cross_entropy(ref: Any, other: Any, allow_nan_stats: bool = True, name: str | None = None) -> Any:
    """The entropy of `ref`, plus its divergence from `other`."""
    with tf.name_scope(name or 'cross_entropy'):
        return ref.entropy() + kl_divergence(ref, other, allow_nan_stats=allow_nan_stats)


class RegisterKL:
    """Decorates the function f(a, b, name=None) that computes the divergence of distributions of two classes."""

    def __init__(self, dist_cls_a: Any, dist_cls_b: Any) -> None:
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn):
        if not callable(kl_fn):
            raise TypeError(f'kl_fn must be callable, received: {kl_fn}')
        if self._key in _DIVERGENCES:
            raise ValueError(f'KL({self._key[0].__name__} || {self._key[1].__name__}) has already been registered to: '
                             f'{_DIVERGENCES[self._key]}')
        _DIVERGENCES[self._key] = kl_fn
        return kl_fn


publish('tf.compat.v1.distributions', kl_divergence, RegisterKL)
