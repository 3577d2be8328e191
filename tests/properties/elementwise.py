"""Ops on each element, with broadcasting, against NumPy."""
import numpy as np

from drawing import (ALL, COMPLEX, FLOATS, HALVES, NUMBERS, SIGNED, TOLERANCE, UNSIGNED, WHOLE, Case, Property, array,
                     broadcastable, find, prop, shape, wide)


def unary(name, answer, dtypes=FLOATS + HALVES, low=-3.0, high=3.0):
    def make(random):
        dtype = random.choice(dtypes)
        x = array(random, dtype, shape(random), low, high)

        def expected():
            out = np.asarray(answer(wide(x)))
            return out if out.dtype == bool else out.astype(dtype)
        return Case(name, [x], lambda tf, t: find(tf, name)(t), expected)
    ALL.append(Property(name, make))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


for name_, answer_, *more_ in (
        ('math.abs', np.abs, NUMBERS), ('math.negative', np.negative, NUMBERS + COMPLEX),
        ('math.sign', np.sign, NUMBERS), ('math.square', np.square, FLOATS + HALVES + ('int32', 'int64') + COMPLEX),
        ('math.exp', np.exp, FLOATS + HALVES + COMPLEX), ('math.expm1', np.expm1),
        ('math.log', np.log, FLOATS + HALVES, 0.1), ('math.log1p', np.log1p, FLOATS + HALVES, -0.9),
        ('math.sqrt', np.sqrt, FLOATS + HALVES, 0.0), ('math.rsqrt', lambda x: 1 / np.sqrt(x), FLOATS + HALVES, 0.1),
        ('math.reciprocal', lambda x: 1 / x, FLOATS + HALVES, 0.2), ('math.sin', np.sin), ('math.cos', np.cos),
        ('math.tan', np.tan, FLOATS, -1.2, 1.2), ('math.asin', np.arcsin, FLOATS, -1.0, 1.0),
        ('math.acos', np.arccos, FLOATS, -1.0, 1.0), ('math.atan', np.arctan), ('math.sinh', np.sinh),
        ('math.cosh', np.cosh), ('math.tanh', np.tanh), ('math.asinh', np.arcsinh),
        ('math.acosh', np.arccosh, FLOATS, 1.1), ('math.atanh', np.arctanh, FLOATS, -0.9, 0.9),
        ('math.floor', np.floor), ('math.ceil', np.ceil), ('math.rint', np.rint), ('math.round', np.rint),
        ('math.is_nan', np.isnan), ('math.is_inf', np.isinf), ('math.is_finite', np.isfinite),
        ('math.conj', np.conj, COMPLEX), ('nn.relu', lambda x: np.maximum(x, 0)), ('math.sigmoid', sigmoid),
        ('nn.softplus', lambda x: np.log1p(np.exp(x)), FLOATS), ('nn.softsign', lambda x: x / (1 + np.abs(x))),
        ('nn.relu6', lambda x: np.minimum(np.maximum(x, 0), 6)), ('math.logical_not', np.logical_not, ('bool',)),
        ('bitwise.invert', np.invert, SIGNED + UNSIGNED), ('ones_like', np.ones_like, NUMBERS),
        ('zeros_like', np.zeros_like, NUMBERS + COMPLEX + ('bool',)), ('identity', np.asarray, NUMBERS + ('bool',))):
    unary(name_, answer_, *more_)


@prop('math.real')
def _(random):
    x = array(random, random.choice(COMPLEX), shape(random))
    return Case('math.real', [x], lambda tf, t: tf.math.real(t), lambda: x.real.copy())


@prop('math.imag')
def _(random):
    x = array(random, random.choice(COMPLEX), shape(random))
    return Case('math.imag', [x], lambda tf, t: tf.math.imag(t), lambda: x.imag.copy())


def binary(name, answer, dtypes, low=-3.0, high=3.0, low_right=None):
    def make(random):
        dtype = random.choice(dtypes)
        dims = shape(random)
        x = array(random, dtype, dims, low, high)
        y = array(random, dtype, broadcastable(random, dims), low if low_right is None else low_right, high)
        if random.random() < 0.5:
            x, y = (x, y) if low_right is not None else (y, x)

        def expected():
            out = np.asarray(answer(wide(x), wide(y)))
            return out if out.dtype == bool else out.astype(dtype)
        return Case(name, [x, y], lambda tf, a, b: find(tf, name)(a, b), expected)
    ALL.append(Property(name, make))


for name_, answer_, *more_ in (
        ('math.add', np.add, FLOATS + HALVES + WHOLE + COMPLEX), ('math.subtract', np.subtract, FLOATS + HALVES + WHOLE + COMPLEX),
        ('math.multiply', np.multiply, FLOATS + HALVES + WHOLE + COMPLEX),
        ('math.divide', np.divide, FLOATS + HALVES + COMPLEX, -3.0, 3.0, 0.5),
        ('math.floordiv', np.floor_divide, SIGNED + UNSIGNED, -3.0, 3.0, 0.3), ('math.floormod', np.mod, SIGNED, -3.0, 3.0, 0.3),
        ('math.maximum', np.maximum, FLOATS + HALVES + WHOLE), ('math.minimum', np.minimum, FLOATS + HALVES + WHOLE),
        ('math.pow', np.power, FLOATS, 0.2, 3.0), ('math.squared_difference', lambda x, y: (x - y) ** 2, FLOATS + HALVES),
        ('math.atan2', np.arctan2, FLOATS), ('math.less', np.less, FLOATS + HALVES + WHOLE),
        ('math.less_equal', np.less_equal, FLOATS + WHOLE), ('math.greater', np.greater, FLOATS + WHOLE),
        ('math.greater_equal', np.greater_equal, FLOATS + HALVES + WHOLE),
        ('math.equal', np.equal, FLOATS + WHOLE + COMPLEX + ('bool',)), ('math.not_equal', np.not_equal, FLOATS + WHOLE + ('bool',)),
        ('math.logical_and', np.logical_and, ('bool',)), ('math.logical_or', np.logical_or, ('bool',)),
        ('math.logical_xor', np.logical_xor, ('bool',)), ('bitwise.bitwise_and', np.bitwise_and, WHOLE),
        ('bitwise.bitwise_or', np.bitwise_or, WHOLE), ('bitwise.bitwise_xor', np.bitwise_xor, WHOLE)):
    binary(name_, answer_, *more_)


@prop('where')
def _(random):
    dtype = random.choice(NUMBERS + COMPLEX)
    dims = shape(random)
    x, y = array(random, dtype, broadcastable(random, dims)), array(random, dtype, dims)
    mask = array(random, 'bool', broadcastable(random, dims))
    return Case('where', [mask, x, y], lambda tf, m, a, b: tf.where(m, a, b), lambda: np.where(mask, x, y))


@prop('cast')
def _(random):
    kinds = FLOATS + HALVES + WHOLE + ('bool',)
    source, target = random.choice(kinds), random.choice(kinds)
    # In the range of every dtype: results beyond it are not defined.
    x = array(random, source, shape(random), 0.0 if target in UNSIGNED else -3.0, 3.0)
    return Case('cast', [x], lambda tf, t: tf.cast(t, target), lambda: x.astype(target), f"'{target}'",
                TOLERANCE.get(target, 0.0))


@prop('clip_by_value')
def _(random):
    x = array(random, random.choice(FLOATS + ('int32',)), shape(random))
    low, high = (-1, 1) if x.dtype == np.int32 else (-0.5, 1.5)
    return Case('clip_by_value', [x], lambda tf, t: tf.clip_by_value(t, low, high), lambda: np.clip(x, low, high))
