"""Functions of tensors applied to sparse tensors: tf.abs and the like on the values, tf.shape on the dense shape."""
from __future__ import annotations

import footlight as tf
from footlight._typing import Any, Callable

# All of them keep zero.
_OF_VALUES = (tf.abs, tf.negative, tf.asinh, tf.sin, tf.tan, tf.atan, tf.asin, tf.atanh, tf.sign, tf.square, tf.sqrt,
              tf.math.erf, tf.tanh, tf.cast, tf.identity)


def _of_values(function, tensor, *args, **kwargs):
    made = tensor.with_values(function(tensor.values, *args, **kwargs))
    made.set_shape(tensor.shape)
    return made


def _shape(function: Callable[..., Any], tensor: tf.SparseTensor, out_type: Any = None,
           name: str | None = None) -> tf.Tensor:
    return tf.cast(tensor.dense_shape, out_type or tf.int32, name=name)


def _size(function: Callable[..., Any], tensor: Any, out_type: Any = None, name: str | None = None) -> Any:
    return tf.cast(tf.reduce_prod(tensor.dense_shape), out_type or tf.int32, name=name)


def _rank(function: Callable[..., Any], tensor: Any, name: str | None = None) -> Any:
    return tf.size(tensor.dense_shape, name=name)


def _bincount(function: Callable[..., Any], arr: tf.SparseTensor, *args: Any, **kwargs: Any) -> tf.Tensor:
    from footlight._sparse.bincount import bincount
    return bincount(arr, *args, **kwargs)


def key(function: Any) -> str:
    """The name of a function of the library, by which its rule is found."""
    return function.__module__ + '.' + function.__name__


_RULES = {**{key(function): _of_values for function in _OF_VALUES},
          key(tf.shape): _shape, key(tf.size): _size, key(tf.rank): _rank, key(tf.math.bincount): _bincount}


def of_sparse(function, args, kwargs):
    """The result of a function of the library for a sparse tensor; NotImplemented: it takes none."""
    rule = _RULES.get(key(function))
    if rule is None:
        return NotImplemented
    if args:
        return rule(function, *args, **kwargs)
    first = next((name for name, value in kwargs.items() if isinstance(value, tf.SparseTensor)), None)
    if first is None:
        return NotImplemented
    return rule(function, kwargs.pop(first), **kwargs)
