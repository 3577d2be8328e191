"""tf.experimental.numpy: mathematics of elements, products, comparisons and random numbers; adds the names of the module."""
from __future__ import annotations

import builtins
import itertools
import numbers

import numpy as np

import footlight as tf
from footlight import _engine
from footlight._numpy import arrays as _numpy, slicing as _slicing
from footlight._numpy.arrays import _float, _is_inexact, _promoted, asarray, moveaxis, result_type
from footlight._typing import Any, Callable, DTypeLike


def _named(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"NumPy's `{name}` on tensors."
    return function


# --- of two arguments ---
def _two(name: str, function: Callable[..., Any], of_bools: Callable[..., Any] | None = None,
         bools_as: tf.DType | None = None) -> Callable[..., Any]:
    """function(x1, x2) in their common dtype; bools have a function of their own, or become another dtype."""
    def apply(x1, x2):
        x1, x2 = _promoted(x1, x2)
        if x1.dtype == tf.bool:
            if of_bools is not None:
                return of_bools(x1, x2)
            if bools_as is not None:
                x1, x2 = tf.cast(x1, bools_as), tf.cast(x2, bools_as)
        return function(x1, x2)
    return _named(apply, name)


add = _two('add', tf.add, tf.logical_or)
subtract = _two('subtract', tf.subtract)
multiply = _two('multiply', tf.multiply, tf.logical_and)
floor_divide = _two('floor_divide', tf.math.floordiv, bools_as=tf.int8)
mod = _two('mod', tf.math.floormod, bools_as=tf.int8)
remainder = _named(lambda x1, x2: mod(x1, x2), 'remainder')
minimum = _two('minimum', tf.minimum, tf.logical_and)
_maximum = _two('maximum', tf.maximum, tf.logical_or)
power = _two('power', tf.pow)
float_power = _two('float_power', tf.pow)
arctan2 = _two('arctan2', tf.atan2)
nextafter = _two('nextafter', tf.math.nextafter)
outer = _two('outer', lambda a, b: tf.reshape(a, [-1, 1]) * tf.reshape(b, [-1]))


def true_divide(x1, x2):
    """The quotient; bools are numbers."""
    x1, x2 = _promoted(x1, x2)
    if x1.dtype == tf.bool:
        x1, x2 = tf.cast(x1, _float()), tf.cast(x2, _float())
    return tf.truediv(x1, x2)


def divide(x1, x2):
    return true_divide(x1, x2)


def divmod(x1: Any, x2: Any) -> tuple[Any, ...]:
    return floor_divide(x1, x2), mod(x1, x2)


def maximum(x1, x2):
    """The larger of two."""
    if isinstance(x2, numbers.Real) and not isinstance(x2, builtins.bool) and x2 == 0 and tf.is_tensor(x1) and (
            x1.dtype != tf.bool):
        return tf.nn.relu(x1)
    return _maximum(x1, x2)


def clip(a, a_min, a_max):
    """a, not below a_min and not above a_max."""
    if a_min is None and a_max is None:
        raise ValueError('Not more than one of `a_min` and `a_max` may be `None`.')
    if a_min is None or a_max is None:
        return minimum(a, a_max) if a_min is None else maximum(a, a_min)
    return tf.clip_by_value(*_numpy.broadcast_arrays(*_promoted(a, a_min, a_max)))


def heaviside(x1, x2):
    x1, x2 = _promoted(x1, x2)
    made = tf.where(x1 < 0, tf.cast(0, x2.dtype), tf.where(x1 > 0, tf.cast(1, x2.dtype), x2))
    return made if _is_inexact(made) else tf.cast(made, _float())


def hypot(x1, x2):
    return sqrt(add(square(x1), square(x2)))


def _log_sum(exp_of: Callable[..., Any], factor: Any) -> Callable[..., Any]:
    def apply(x1, x2):
        away = subtract(x1, x2)
        larger = add(maximum(x1, x2), log1p(exp_of(-tf.abs(away))) / factor)
        return _slicing.where(isnan(away), add(x1, x2), larger)
    return apply


def _common_divisor(x1, x2):
    if not x1.dtype.is_integer or not x2.dtype.is_integer:
        raise ValueError('Arguments to gcd must be integers.')
    x1, x2 = _numpy.broadcast_arrays(x1, x2)

    def step(x1, x2):
        rest = tf.where(tf.not_equal(x2, 0), tf.math.floormod(x1, tf.where(tf.not_equal(x2, 0), x2, 1)), 0)
        one = tf.where(tf.not_equal(x2, 0), x2, x1)
        return tf.maximum(one, rest), tf.minimum(one, rest)
    return tf.while_loop(lambda _, x2: tf.reduce_any(tf.not_equal(x2, 0)), step, (tf.abs(x1), tf.abs(x2)))[0]


gcd = _two('gcd', _common_divisor)


def lcm(x1, x2):
    """The least common multiple."""
    x1, x2 = _promoted(x1, x2)
    divisor = _common_divisor(x1, x2)
    return tf.where(tf.equal(divisor, 0), tf.cast(0, divisor.dtype),
                    tf.abs(x1) * (tf.abs(x2) // tf.where(tf.equal(divisor, 0), tf.cast(1, divisor.dtype), divisor)))


def _bits(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    return _two(name, function, lambda x1, x2: tf.cast(function(tf.cast(x1, tf.int8), tf.cast(x2, tf.int8)), tf.bool))


bitwise_and = _bits('bitwise_and', tf.bitwise.bitwise_and)
bitwise_or = _bits('bitwise_or', tf.bitwise.bitwise_or)
bitwise_xor = _bits('bitwise_xor', tf.bitwise.bitwise_xor)
equal, not_equal = _two('equal', tf.equal), _two('not_equal', tf.not_equal)
greater = _two('greater', tf.greater, bools_as=tf.int32)
greater_equal = _two('greater_equal', tf.greater_equal, bools_as=tf.int32)
less, less_equal = _two('less', tf.less, bools_as=tf.int32), _two('less_equal', tf.less_equal, bools_as=tf.int32)


def _logical(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    return _named(lambda x1, x2: function(asarray(x1, bool), asarray(x2, bool)), name)


logical_and = _logical('logical_and', tf.logical_and)
logical_or = _logical('logical_or', tf.logical_or)
logical_xor = _logical('logical_xor', tf.math.logical_xor)


def logical_not(x):
    return tf.logical_not(asarray(x, bool))


def array_equal(a1, a2):
    """Whether both have one shape and equal elements."""
    a1, a2 = _promoted(a1, a2)
    if a1.shape.rank != a2.shape.rank or a1.shape.is_fully_defined() and a2.shape.is_fully_defined() and a1.shape != a2.shape:
        return tf.constant(False)
    return tf.reduce_all(tf.equal(a1, a2))


def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    a, b = _promoted(a, b)
    if not _is_inexact(a):
        return tf.equal(a, b)
    real = a.dtype.real_dtype
    near = tf.abs(a - b) <= tf.cast(atol, real) + tf.cast(rtol, real) * tf.abs(b)
    return near | (tf.math.is_nan(a) & tf.math.is_nan(b)) if equal_nan else near


def allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    return tf.reduce_all(isclose(a, b, rtol, atol, equal_nan))


# --- products ---
def dot(a, b):
    a, b = _promoted(a, b)
    if 0 in (a.shape.rank, b.shape.rank):
        return a * b
    return tf.tensordot(a, b, [[-1], [-1 if b.shape.rank == 1 else -2]])


def inner(a, b):
    a, b = _promoted(a, b)
    return a * b if 0 in (a.shape.rank, b.shape.rank) else tf.tensordot(a, b, [[-1], [-1]])


def vdot(a, b):
    a, b = _promoted(a, b)
    a, b = tf.reshape(a, [-1]), tf.reshape(b, [-1])
    return dot(tf.math.conj(a) if a.dtype.is_complex else a, b)


def matmul(x1: Any, x2: Any) -> tf.Tensor:
    """The product of matrices."""
    x1, x2 = _promoted(x1, x2)
    try:
        if x2.shape.rank == 1:
            return tf.tensordot(x1, x2, 1)
        if x1.shape.rank == 1:
            return tf.tensordot(x1, x2, [[0], [-2]])
        return tf.matmul(x1, x2)
    except tf.errors.InvalidArgumentError as error:
        raise ValueError(str(error)) from None


def tensordot(a, b, axes=2):
    return tf.tensordot(*_promoted(a, b), axes)


def einsum(subscripts: Any, *operands: Any, casting: str = 'safe', optimize: bool = False) -> Any:
    if casting not in ('safe', 'no'):
        raise ValueError('Invalid value for argument `casting`. Expected casting="safe" or casting="no". Received: '
                         f'casting={casting}')
    if optimize not in (True, False, 'greedy', 'optimal'):
        raise ValueError('Invalid value for argument `optimize`. Expected one of {True, "greedy", "optimal"}. '
                         f'Received: optimize={optimize}')
    return tf.einsum(subscripts, *(_promoted(*operands) if casting == 'safe' else map(asarray, operands)))


def kron(a, b):
    """Kronecker's product."""
    a, b = _promoted(a, b)
    rank = builtins.max(a.shape.rank, b.shape.rank)
    first, second = ([1] * (rank - len(x.shape)) + x.shape.as_list() for x in (a, b))
    spread = tf.reshape(a, list(itertools.chain(*[(d, 1) for d in first]))) * tf.reshape(
        b, list(itertools.chain(*[(1, d) for d in second])))
    return tf.reshape(spread, [d * k for d, k in zip(first, second)])


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The product of vectors of two or three elements."""
    a, b = _promoted(a, b)
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    flat = a.shape[-1] == b.shape[-1] == 2
    a, b = (tf.pad(x, [[0, 0]] * (x.shape.rank - 1) + [[0, 1]]) if x.shape[-1] == 2 else x for x in (a, b))
    made = tf.linalg.cross(*_numpy.broadcast_arrays(a, b))
    return made[..., 2] if flat else moveaxis(made, -1, axisc)


def polyval(p, x):
    p, x = _promoted(p, x)
    parts = tf.unstack(tf.reshape(p, [1]) if p.shape.rank == 0 else p)
    made = tf.math.polyval(parts, x)
    return tf.broadcast_to(made, tf.shape(x)) if len(parts) == 1 else made


# --- of one argument ---
def _one(name: str, function: Callable[..., Any], as_float: bool = False) -> Callable[..., Any]:
    def apply(x):
        x = asarray(x)
        return function(tf.cast(x, _float()) if as_float and not _is_inexact(x) else x)
    return _named(apply, name)


log, exp, sqrt = _one('log', tf.math.log, True), _one('exp', tf.exp, True), _one('sqrt', tf.sqrt, True)
abs, absolute, fabs = _one('abs', tf.abs), _one('absolute', tf.abs), _one('fabs', tf.abs)
ceil, floor = _one('ceil', tf.math.ceil, True), _one('floor', tf.floor, True)
conj, conjugate = _one('conj', tf.math.conj), _one('conjugate', tf.math.conj)
negative, reciprocal = _one('negative', tf.negative), _one('reciprocal', tf.math.reciprocal)
signbit = _one('signbit', lambda x: tf.fill(tf.shape(x), False) if x.dtype == tf.bool else x < 0)
sin, cos, tan = _one('sin', tf.sin, True), _one('cos', tf.cos, True), _one('tan', tf.tan, True)
sinh, cosh, tanh = _one('sinh', tf.sinh, True), _one('cosh', tf.cosh, True), _one('tanh', tf.tanh, True)
arcsin, arccos, arctan = _one('arcsin', tf.asin, True), _one('arccos', tf.acos, True), _one('arctan', tf.atan, True)
arcsinh, arccosh = _one('arcsinh', tf.asinh, True), _one('arccosh', tf.acosh, True)
arctanh = _one('arctanh', tf.atanh, True)
deg2rad = _one('deg2rad', lambda x: x * (np.pi / 180.0), True)
rad2deg = _one('rad2deg', lambda x: x * (180.0 / np.pi), True)
cbrt = _one('cbrt', lambda x: tf.sign(x) * tf.abs(x) ** (1.0 / 3), True)
exp2 = _one('exp2', lambda x: 2 ** x, True)
logaddexp, logaddexp2 = _named(_log_sum(exp, 1), 'logaddexp'), _named(_log_sum(exp2, np.log(2)), 'logaddexp2')
expm1, log1p = _one('expm1', tf.math.expm1, True), _one('log1p', tf.math.log1p, True)
log2, log10 = _one('log2', lambda x: tf.math.log(x) / np.log(2), True), _one('log10', lambda x: tf.math.log(x) / np.log(10), True)
fix = _one('fix', lambda x: tf.where(x < 0, tf.math.ceil(x), tf.floor(x)), True)
isnan, isfinite = _one('isnan', tf.math.is_nan, True), _one('isfinite', tf.math.is_finite, True)
positive, square = _one('positive', lambda x: x), _one('square', tf.square)
bitwise_not = _one('bitwise_not', lambda x: tf.logical_not(x) if x.dtype == tf.bool else tf.bitwise.invert(x))
real, imag = _one('real', tf.math.real), _one('imag', tf.math.imag)
sinc = _one('sinc', lambda x: tf.where(tf.equal(x, 0), tf.ones_like(x), tf.sin(x * np.pi) / (x * np.pi)), True)


def angle(z: Any, deg: bool = False) -> Any:
    z = asarray(z)
    z = z if _is_inexact(z) else tf.cast(z, _float())
    made = tf.math.angle(z) if z.dtype.is_complex else tf.where(z < 0, np.pi, 0)
    return rad2deg(made) if deg else made


def sign(x, out=None, where=None, **kwargs):
    if out or where or kwargs:
        raise ValueError(f"tf.numpy doesnt support setting {'out.' if out else 'where.' if where else list(kwargs)}")
    return tf.sign(asarray(x))


def around(a, decimals=0):
    a = asarray(a)
    floats = a if _is_inexact(a) else tf.cast(a, _float())
    factor = tf.cast(10.0 ** decimals, floats.dtype)
    return tf.cast(tf.round(floats * factor) / factor, a.dtype)


def iscomplex(x):
    part = imag(x)
    return tf.not_equal(part, tf.zeros_like(part))


def isreal(x):
    part = imag(x)
    return tf.equal(part, tf.zeros_like(part))


def iscomplexobj(x):
    return asarray(x).dtype.is_complex


def isrealobj(x: Any) -> bool:
    return not iscomplexobj(x)


def isinf(x):
    return tf.math.is_inf(x) if x.dtype.is_floating else False


def isneginf(x):
    return tf.equal(x, tf.cast(-np.inf, x.dtype)) if x.dtype.is_floating else False


def isposinf(x):
    return tf.equal(x, tf.cast(np.inf, x.dtype)) if x.dtype.is_floating else False


round = around

# --- random numbers ---
_random = _engine.namespace('experimental.numpy.random')


def _sizes(size):
    return () if size is None else (size,) if isinstance(size, int) else size


def _random_function(function: Callable[..., Any]) -> Callable[..., Any]:
    setattr(_random, function.__name__, function)
    return function


@_random_function
def seed(s: Any) -> None:
    """Sets the seed of all random numbers."""
    try:
        s = int(s)
    except TypeError:
        raise ValueError(f'Argument `s` got an invalid value {s!s}. Only integers are supported.') from None
    tf.random.set_seed(s)


@_random_function
def standard_normal(size=None):
    """Numbers of the normal distribution."""
    return tf.random.normal(_sizes(size), dtype=_float())


@_random_function
def randn(*args):
    """Numbers of the normal distribution."""
    return standard_normal(args)


@_random_function
def uniform(low=0.0, high=1.0, size=None):
    """Numbers between two limits."""
    low, high = asarray(low, _float()), asarray(high, _float())
    shape = tf.broadcast_dynamic_shape(tf.shape(low), tf.shape(high)) if size is None else _sizes(size)
    return tf.random.uniform(shape, low, high, _float())


@_random_function
def random(size=None):
    """Numbers from 0 to 1."""
    return uniform(0.0, 1.0, () if size is None else size)


@_random_function
def rand(*size):
    """Numbers from 0 to 1."""
    return uniform(0.0, 1.0, size)


@_random_function
def poisson(lam=1.0, size=None):
    """Counts of events."""
    return tf.random.poisson(_sizes(size), lam, tf.int64)


@_random_function
def randint(low: Any, high: Any = None, size: Any = None, dtype: DTypeLike = np.int64) -> Any:
    """Whole numbers below a limit, or between two."""
    low, high = (0, int(low)) if high is None else (int(low), high)
    chosen = result_type(dtype)
    if chosen not in (tf.int32, tf.int64):
        raise ValueError(f'Argument `dtype` got an invalid value {dtype}. Only those convertible to int32 and int64 '
                         'are supported.')
    return tf.random.uniform(_sizes(size), low, high, chosen)


def _publish() -> None:
    module = _engine.namespace('experimental.numpy')
    hidden = {'annotations', 'builtins', 'itertools', 'math', 'numbers', 'np', 'tf', 'seed', 'standard_normal', 'randn',
              'uniform', 'random', 'rand', 'poisson', 'randint'}
    for home in (vars(_numpy), vars(_slicing), globals()):
        for name, value in home.items():
            if not name.startswith('_') and name not in hidden:
                setattr(module, name, value)


_publish()
