"""Operators of tf.RaggedTensor: those of tensors, on values whose rows have the same lengths."""
from __future__ import annotations

import footlight as tf
from footlight._typing import Any, Callable

math, bits = tf.math, tf.bitwise


def _operator(name: str, function: Callable[..., Any], swapped: bool = False) -> Callable[..., Any]:
    def operator(self, other):
        if isinstance(other, (str, bytes)) or other is None or (
                not isinstance(other, (tf.RaggedTensor, tf.Tensor, tf.Variable, int, float, complex, list, tuple)) and
                not hasattr(other, '__array__') and not hasattr(type(other), '_as_tensor')):
            return NotImplemented
        if hasattr(type(other), '_as_tensor'):  # arrays, which take the dtype of the tensor unless that loses fractions
            other = other._as_tensor()
            if self.dtype.is_floating or not other.dtype.is_floating:
                other = tf.cast(other, self.dtype)
        return function(other, self) if swapped else function(self, other)
    operator.__name__ = name
    return operator


def _both_ways(name: str, function: Callable[..., Any]) -> tuple[Any, ...]:
    return _operator(f'__{name}__', function), _operator(f'__r{name}__', function, swapped=True)


def _compared(function: Callable[..., Any], where_unlike: bool) -> Callable[..., Any]:
    """`==` or `!=`, which give one truth value where shapes do not fit each other."""
    def operator(self, other):
        if other is None or isinstance(other, (str, tf.SparseTensor)):
            return where_unlike
        try:
            return function(self, other)
        except (tf.errors.InvalidArgumentError, ValueError):  # a rule about shapes raises ValueError while tracing
            return where_unlike
    return operator


def _by_type(flags: Callable[..., Any], bits: Callable[..., Any]) -> Callable[..., Any]:
    def function(x, y):
        dtype = next(v.dtype for v in (x, y) if hasattr(v, 'dtype'))
        return (flags if dtype == tf.bool else bits)(x, y)
    return function


class Operators:
    """Mixin of tf.RaggedTensor: its operators."""

    __add__, __radd__ = _both_ways('add', math.add)
    __sub__, __rsub__ = _both_ways('sub', math.subtract)
    __mul__, __rmul__ = _both_ways('mul', math.multiply)
    __truediv__, __rtruediv__ = _both_ways('truediv', math.truediv)
    __floordiv__, __rfloordiv__ = _both_ways('floordiv', math.floordiv)
    __mod__, __rmod__ = _both_ways('mod', math.floormod)
    __pow__, __rpow__ = _both_ways('pow', math.pow)
    __and__, __rand__ = _both_ways('and', _by_type(math.logical_and, bits.bitwise_and))
    __or__, __ror__ = _both_ways('or', _by_type(math.logical_or, bits.bitwise_or))
    __xor__, __rxor__ = _both_ways('xor', _by_type(math.logical_xor, bits.bitwise_xor))
    __lt__ = _operator('__lt__', math.less)
    __le__ = _operator('__le__', math.less_equal)
    __gt__ = _operator('__gt__', math.greater)
    __ge__ = _operator('__ge__', math.greater_equal)
    __eq__, __ne__ = _compared(math.equal, False), _compared(math.not_equal, True)
    __array_priority__ = 100

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> bool:
        raise TypeError('RaggedTensor may not be used as a boolean.')

    __nonzero__ = __bool__

    def __neg__(self):
        return math.negative(self)

    def __abs__(self):
        return math.abs(self)

    def __invert__(self):
        return (math.logical_not if self.dtype == tf.bool else bits.invert)(self)
