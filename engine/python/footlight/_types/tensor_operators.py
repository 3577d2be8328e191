"""tf.__operators__, and the operators of tf.Tensor as functions, which a library's class can take for its own symbolic values."""
from __future__ import annotations

import functools

import footlight as tf
from footlight import _engine
from footlight._public import publish
from footlight._tensorflow.python.util import dispatch as _dispatch
from footlight._typing import Any, Callable

for _name in ('div', 'rdiv'):  # division as Python 2 called it, which libraries look up
    _engine.extend(tf.Tensor, f'__{_name}__', getattr(tf.Tensor, f'__{_name}__'.replace('div', 'truediv')))
_plain = {name: getattr(tf.Tensor, name) for name in tf.Tensor.OVERLOADABLE_OPERATORS}
_VALUES = (tf.Tensor, tf.Variable)


@_dispatch.add_dispatch_support
def add(x, y, name=None):
    """x + y; text is joined."""
    if not isinstance(x, _VALUES) and not isinstance(y, _VALUES):
        x = tf.convert_to_tensor(x)
    return tf.add(x, y, name=name)


@_dispatch.add_dispatch_support
def eq(self, other):
    """self == other, element by element where shapes allow it."""
    return (self if isinstance(self, _VALUES) else tf.convert_to_tensor(self)) == other


@_dispatch.add_dispatch_support
def ne(self, other):
    """self != other, element by element where shapes allow it."""
    return (self if isinstance(self, _VALUES) else tf.convert_to_tensor(self)) != other


@_dispatch.add_dispatch_support
def getitem(tensor, slice_spec, var=None):
    """tensor[slice_spec]; with `var` a slice of a variable, which has assign()."""
    if var is not None:
        return var[slice_spec]
    return (tensor if isinstance(tensor, _VALUES) else tf.convert_to_tensor(tensor))[slice_spec]


@_dispatch.add_dispatch_support
def ragged_getitem(rt_input, key):
    """rt_input[key] of a ragged tensor."""
    if not isinstance(rt_input, tf.RaggedTensor):
        raise TypeError(f'ragged_getitem: a tf.RaggedTensor is wanted, not {type(rt_input).__name__}')
    return rt_input[key]


_namespace = _engine.namespace('__operators__')
publish('tf.__operators__', add, eq, ne, getitem, ragged_getitem)


def _of_bits(on_bits: Callable[..., Any], on_bools: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, *y: (on_bools if getattr(x, 'dtype', None) == tf.bool else on_bits)(x, *y)


_FUNCTIONS = {
    'add': add, 'sub': tf.subtract, 'mul': tf.multiply, 'div': tf.math.divide, 'truediv': tf.truediv,
    'floordiv': tf.math.floordiv, 'mod': tf.math.floormod, 'pow': tf.pow, 'matmul': tf.matmul, 'lt': tf.less,
    'le': tf.less_equal, 'gt': tf.greater, 'ge': tf.greater_equal, 'eq': eq, 'ne': ne, 'neg': tf.negative, 'abs': tf.abs,
    'and': _of_bits(tf.bitwise.bitwise_and, tf.logical_and), 'or': _of_bits(tf.bitwise.bitwise_or, tf.logical_or),
    'xor': _of_bits(tf.bitwise.bitwise_xor, tf.math.logical_xor), 'invert': _of_bits(tf.bitwise.invert, tf.logical_not),
    'getitem': getitem}


def _as_function(name: str) -> Callable[..., Any]:
    """The operator as a function of any value: tensors have their own, for others the public function asks dispatchers."""
    plain, function = _plain[name], _FUNCTIONS.get(name.strip('_'))
    is_reflected = function is None
    if is_reflected:
        function = _FUNCTIONS[name.strip('_')[1:]]

    @functools.wraps(plain)
    def operator(self, *others):
        if isinstance(self, tf.Tensor):
            return plain(self, *others)
        if not is_reflected:
            return function(self, *others)
        try:
            other = tf.convert_to_tensor(others[0], dtype_hint=getattr(self, 'dtype', None))
        except (TypeError, ValueError):
            return NotImplemented
        return function(other, self)
    return operator


def _truth(self: Any) -> bool:
    return bool(self if isinstance(self, tf.Tensor) else tf.convert_to_tensor(self))


# The type's slots stay unchanged, so operators on tensors do not call these functions.
for _name in _plain:
    _engine.extend(tf.Tensor, _name, _as_function(_name))
for _name in ('__bool__', '__nonzero__'):
    _engine.extend(tf.Tensor, _name, _truth)
_engine.extend(tf.Tensor, '__array_priority__', 100)  # also set on the class, without running an op
