"""tf.experimental.numpy: NumPy's functions on tensors, with its rules for dtypes. Made of the public functions of tf."""
from __future__ import annotations

import builtins
import math
import numbers
import sys

import numpy as np

import footlight as tf
from footlight import _engine
from footlight._typing import Any, Callable, DTypeLike, ShapeLike

_prefer_float32 = False


# --- dtypes ---
def _numpy_dtype(dtype: tf.DType) -> Any:
    return np.dtype(dtype.as_numpy_dtype if isinstance(dtype, tf.DType) else dtype)


def _kind(x):
    """The argument of np.result_type for x: a dtype, or a Python number, which is weaker than arrays."""
    if isinstance(x, numbers.Number) and not isinstance(x, np.generic):
        return x
    if isinstance(x, tf.DType) or tf.is_tensor(x) or hasattr(x, 'dtype') and isinstance(x.dtype, tf.DType):
        return _numpy_dtype(x if isinstance(x, tf.DType) else x.dtype)
    return x.dtype if isinstance(x, (np.ndarray, np.generic)) else np.dtype(x)


def _weak() -> Any:
    """The module of weak dtypes where those decide, else None."""
    weak = sys.modules.get('footlight._numpy.weak_dtypes')
    return weak if weak and weak.is_on() else None


def result_type(*arrays_and_dtypes: Any) -> tf.DType:
    """The dtype that NumPy would compute in; in the modes 'all' and 'safe', the one that weak dtypes leave."""
    weak = _weak()
    return weak.result_type(*arrays_and_dtypes)[0] if weak else _numpy_result_type(*arrays_and_dtypes)


def _numpy_result_type(*arrays_and_dtypes: Any) -> tf.DType:
    kinds = [_kind(x) for x in tf.nest.flatten([x for x in arrays_and_dtypes if x is not None])] or [1.0]
    if _prefer_float32:
        kinds = [np.float32(k) if isinstance(k, builtins.float) else np.complex64(k) if isinstance(k, builtins.complex)
                 else k for k in kinds]
    return tf.as_dtype(np.result_type(*kinds))


def promote_types(type1, type2):
    """The smallest dtype that holds both."""
    return tf.as_dtype(np.promote_types(_numpy_dtype(tf.as_dtype(type1)), _numpy_dtype(tf.as_dtype(type2))))


def _float() -> tf.DType:
    return tf.float32 if _prefer_float32 or _weak() else tf.float64


def _chosen(dtype: tf.DType) -> tf.DType:
    """A dtype that was asked for."""
    if dtype is builtins.float:
        return _float()
    return tf.as_dtype(_numpy_dtype(dtype))


def _is_inexact(x):
    return x.dtype.is_floating or x.dtype.is_complex


def finfo(dtype: DTypeLike) -> Any:
    """The limits of a floating-point dtype."""
    return np.finfo(_numpy_dtype(tf.as_dtype(dtype)))


def iinfo(dtype: DTypeLike) -> Any:
    """The limits of a dtype of whole numbers."""
    return np.iinfo(_numpy_dtype(tf.as_dtype(dtype)))


def issubdtype(arg1, arg2):
    """Whether a dtype is of a kind."""
    return np.issubdtype(_numpy_dtype(arg1) if isinstance(arg1, tf.DType) else arg1,
                         _numpy_dtype(arg2) if isinstance(arg2, tf.DType) else arg2)


# --- made of values ---
def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: Any = 0) -> Any:
    """A tensor of a value; numbers of Python are int64 and float64, as in NumPy."""
    dtype = _chosen(dtype) if dtype is not None and dtype is not False else None
    if tf.is_tensor(val) or isinstance(val, tf.Variable):
        made = tf.convert_to_tensor(val)
        made = tf.cast(made, dtype) if dtype is not None else made
    else:
        if dtype is None:
            is_text = builtins.any(isinstance(x, (str, bytes)) for x in tf.nest.flatten(val))
            dtype = tf.string if is_text else result_type(val)
        made = tf.cast(tf.convert_to_tensor(val, dtype_hint=dtype), dtype)
    if copy:
        made = tf.identity(made)
    if ndmin > 32:
        raise ValueError('ndmin bigger than allowable number of dimensions: 32.')
    missing = ndmin - made.shape.rank if ndmin else 0
    return tf.reshape(made, tf.concat([[1] * missing, tf.shape(made)], 0)) if missing > 0 else made


def asarray(a, dtype=None):
    """The tensor itself where it has the dtype already."""
    if tf.is_tensor(a) and not isinstance(a, tf.Variable) and (dtype is None or _chosen(dtype) == a.dtype):
        return a
    return array(a, dtype, copy=False)


def asanyarray(a, dtype=None):
    return asarray(a, dtype)


def ascontiguousarray(a, dtype=None):
    return array(a, dtype, ndmin=1)


def copy(a):
    return array(a, copy=True)


def _promoted(*arrays: Any) -> list[Any]:
    dtype = _numpy_result_type(*arrays)
    return [asarray(a, dtype) for a in arrays]


def zeros(shape, dtype=float):
    return tf.zeros(shape, _chosen(dtype or float))


def ones(shape, dtype=float):
    return tf.ones(shape, _chosen(dtype or float))


def empty(shape: ShapeLike, dtype: DTypeLike = float) -> Any:
    return zeros(shape, dtype)


def _like(a, dtype):
    return _chosen(dtype) if dtype is not None else asarray(a).dtype


def zeros_like(a, dtype=None):
    return tf.zeros_like(asarray(a), _like(a, dtype))


def ones_like(a: Any, dtype: DTypeLike | None = None) -> Any:
    return tf.ones_like(asarray(a), _like(a, dtype))


def empty_like(a: Any, dtype: DTypeLike | None = None) -> Any:
    return zeros_like(a, dtype)


def full(shape, fill_value, dtype=None):
    """fill_value, repeated to a shape."""
    return tf.broadcast_to(asarray(fill_value, dtype), tf.reshape(tf.cast(shape, tf.int32), [-1]))


def full_like(a: Any, fill_value: Any, dtype: DTypeLike | None = None, order: str = 'K', subok: bool = True,
              shape: ShapeLike | None = None) -> Any:
    if order != 'K':
        raise ValueError('Non-standard orders are not supported.')
    if not subok:
        raise ValueError('subok being False is not supported.')
    if shape:
        raise ValueError('Overriding the shape is not supported.')
    a = asarray(a)
    return tf.broadcast_to(asarray(fill_value, dtype or a.dtype), tf.shape(a))


def eye(N, M=None, k=0, dtype=float):
    dtype, N = _chosen(dtype or float), int(N)
    M = int(M) if M else N
    if k >= M or -k >= N:
        return tf.zeros([N, M], dtype)
    if k == 0:
        return tf.eye(N, M, dtype=dtype)
    return tf.linalg.diag(tf.ones([builtins.min(N + builtins.min(k, 0), M - builtins.max(k, 0))], dtype), k=k, num_rows=N,
                          num_cols=M)


def identity(n: Any, dtype: DTypeLike = float) -> Any:
    return eye(n, n, dtype=dtype)


def arange(start, stop=None, step=1, dtype=None):
    if not step:
        raise ValueError('step must be non-zero.')
    dtype = _chosen(dtype) if dtype else result_type(*[x for x in (start, step, stop) if x is not None])
    if stop is None:
        start, stop = 0, start
    if step > 0 and start > stop or step < 0 and start < stop:
        return array([], dtype)
    return tf.cast(tf.range(start, stop, step), dtype)


def linspace(start: Any, stop: Any, num: Any = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = float,
             axis: Any = 0) -> Any:
    """num numbers at equal distances."""
    dtype = result_type([start * 1.0, stop * 1.0]) if dtype else None
    start, stop = array(start, dtype), array(stop, dtype)
    if num < 0:
        raise ValueError(f'Argument `num` (number of samples) must be a non-negative integer. Received: num={num!s}')
    step = tf.constant(math.nan)
    if endpoint:
        made = tf.linspace(start, stop, num, axis=axis)
        step = (stop - start) / (num - 1) if num > 1 else step
    else:
        step = (stop - start) / num if num > 0 else step
        made = tf.linspace(start, stop - step if num > 1 else stop, num, axis=axis)
    made = tf.cast(made, dtype) if dtype else made
    return (made, step) if retstep else made


def logspace(start: Any, stop: Any, num: Any = 50, endpoint: bool = True, base: Any = 10.0,
             dtype: DTypeLike | None = None, axis: Any = 0) -> Any:
    dtype = result_type([start * 1.0, stop * 1.0])
    made = linspace(start, stop, num, endpoint, dtype=dtype, axis=axis)
    return tf.cast(tf.pow(tf.cast(base, made.dtype), made), dtype)


def geomspace(start: Any, stop: Any, num: Any = 50, endpoint: bool = True, dtype: DTypeLike | None = None,
              axis: Any = 0) -> Any:
    dtype = tf.as_dtype(dtype) if dtype else result_type(start, stop, builtins.float(num), zeros(()))
    inner = np.promote_types(dtype.as_numpy_dtype, np.float32)
    start, stop = asarray(start, inner), asarray(stop, inner)
    flip = 1 - (1 - tf.sign(start)) * (1 - tf.sign(stop)) // 2
    made = flip * logspace(tf.math.log(flip * start) / np.log(10), tf.math.log(flip * stop) / np.log(10), num, endpoint, 10.0)
    return tf.cast(moveaxis(made, 0, axis) if axis else made, dtype)


def tri(N, M=None, k=0, dtype=None):
    M, dtype = N if M is None else M, _chosen(dtype if dtype is not None else float)
    return tf.cast(tf.range(N)[:, tf.newaxis] + k >= tf.range(M), dtype)


def _triangle(name: str, below: bool) -> Callable[..., Any]:
    def part(m, k=0):
        m = asarray(m)
        if m.shape.rank is None or m.shape.rank < 2:
            raise ValueError(f'Argument to {name} must have rank at least 2')
        inside = tri(*m.shape[-2:], k=k if below else k - 1, dtype=bool)
        zero = tf.zeros([], m.dtype)
        return tf.where(inside, m, zero) if below else tf.where(inside, zero, m)
    part.__name__ = part.__qualname__ = name
    return part


tril, triu = _triangle('tril', True), _triangle('triu', False)


def vander(x: Any, N: Any = None, increasing: bool = False) -> Any:
    x = asarray(x)
    if x.shape.rank != 1:
        raise ValueError('x must be a one-dimensional array')
    N = tf.shape(x)[0] if N is None else N
    if not tf.is_tensor(N) and N < 0:
        raise ValueError('N must be nonnegative')
    powers = tf.range(N) if increasing else tf.range(N - 1, -1, -1)
    return tf.pow(x[:, tf.newaxis], tf.cast(powers, x.dtype))


def diag_indices(n, ndim=2):
    if n < 0 or ndim < 0:
        raise ValueError(f"{'n' if n < 0 else 'ndim'} argument to diag_indices must be nonnegative")
    return (tf.range(n),) * ndim


def ix_(*args):
    found = []
    for i, a in enumerate(args):
        a = asarray(a)
        if a.shape.rank != 1:
            raise ValueError(f'Arguments must be 1-d, got arg {i} of rank {a.shape.rank}')
        if a.dtype != tf.bool and not a.dtype.is_integer:
            raise ValueError(f'Only integer and bool dtypes are supported, got {a.dtype}')
        shape = [1] * len(args)
        shape[i] = -1
        found.append(tf.reshape(tf.where(a)[:, 0] if a.dtype == tf.bool else a, shape))
    return found


def meshgrid(*xi: Any, sparse: bool = False, copy: bool = True, indexing: str = 'xy') -> Any:
    if sparse or not copy:
        raise ValueError(f'Function `meshgrid` only supports sparse=False and copy=True. Received: sparse={sparse}, '
                         f'copy={copy!s}')
    return tf.meshgrid(*[asarray(x) for x in xi], indexing=indexing)


# --- shapes ---
def shape(a):
    return asarray(a).shape


def ndim(a):
    return asarray(a).shape.rank


def isscalar(num):
    return ndim(num) == 0


def size(x, axis=None):
    if axis is not None:
        raise NotImplementedError('axis argument is not supported in the current `np.size` implementation')
    if isinstance(x, (int, builtins.float, np.generic)):
        return 1
    x = asarray(x)
    return np.prod(x.shape.as_list(), dtype=int) if x.shape.is_fully_defined() else tf.size(x)


def reshape(a: Any, newshape: Any, order: str = 'C') -> Any:
    if order not in ('C', 'F'):
        raise ValueError(f'Unsupported order argument {order}')
    a, newshape = asarray(a), [newshape] if isinstance(newshape, int) else newshape
    return tf.transpose(tf.reshape(tf.transpose(a), newshape[::-1])) if order == 'F' else tf.reshape(a, newshape)


def ravel(a):
    return tf.reshape(asarray(a), [-1])


def flatten(a: Any, order: str = 'C') -> Any:
    if order not in ('C', 'A', 'K', 'F'):
        raise ValueError('order can only be C, A, K (all row major) or F (column major).')
    return ravel(tf.transpose(asarray(a)) if order == 'F' else a)


def expand_dims(a, axis):
    return tf.expand_dims(asarray(a), axis)


def squeeze(a, axis=None):
    return tf.squeeze(asarray(a), axis)


def transpose(a, axes=None):
    return tf.transpose(asarray(a), axes)


def swapaxes(a, axis1, axis2):
    a = asarray(a)
    order = list(range(a.shape.rank))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return tf.transpose(a, order)


def moveaxis(a, source, destination):
    a = asarray(a)
    source = (source,) if isinstance(source, int) else source
    destination = (destination,) if isinstance(destination, int) else destination
    if len(source) != len(destination):
        raise ValueError('The lengths of source and destination must equal')
    rank = a.shape.rank
    source, destination = [s % rank for s in source], [d % rank for d in destination]
    order = [i for i in range(rank) if i not in source]
    for to, of in sorted(zip(destination, source)):
        order.insert(to, of)
    return tf.transpose(a, order)


def broadcast_to(array: Any, shape: ShapeLike) -> Any:
    return full(shape, array)


def broadcast_arrays(*args, subok=False):
    if subok:
        raise ValueError('subok=True is not supported.')
    args = [asarray(a) for a in args]
    shape = tf.shape(args[0])
    for a in args[1:]:
        shape = tf.broadcast_dynamic_shape(shape, tf.shape(a))
    return [tf.broadcast_to(a, shape) for a in args]


def _at_least(rank, shaped, arys):
    found = [a if a.shape.rank >= rank else tf.reshape(a, shaped(tf.shape(a), a.shape.rank)) for a in map(asarray, arys)]
    return found[0] if len(found) == 1 else found


def atleast_1d(*arys):
    return _at_least(1, lambda shape, rank: [1], arys)


def atleast_2d(*arys):
    return _at_least(2, lambda shape, rank: tf.concat([[1] * (2 - rank), shape], 0), arys)


def atleast_3d(*arys):
    return _at_least(3, lambda shape, rank: tf.concat([[1] if rank < 2 else [], shape, [1] if rank else [1, 1]], 0)
                     if rank != 2 else tf.concat([shape, [1]], 0), arys)


# --- the dtypes and the methods that tensors have with NumPy's behaviour ---
def _reshape_to(a: Any, *newshape: Any, order: str = 'C') -> Any:
    return reshape(a, newshape[0] if len(newshape) == 1 and not isinstance(newshape[0], int) else newshape, order)


def _members() -> dict[Any, Any]:
    from footlight._numpy import math as _numpy_math, slicing as _slicing
    return {'T': property(transpose), 'astype': lambda a, dtype: tf.cast(a, dtype), 'clip': _numpy_math.clip, 'flatten': flatten, 'ravel': ravel,
            'max': _slicing.amax, 'mean': _slicing.mean, 'min': _slicing.amin, 'reshape': _reshape_to,
            'size': property(size), 'tolist': lambda a: a.numpy().tolist(), 'transpose': transpose,
            'data': property(lambda a: a)}


def experimental_enable_numpy_behavior(prefer_float32: bool = False, dtype_conversion_mode: str = 'legacy') -> None:
    """From now on tensors have methods of NumPy's arrays, operators convert dtypes and index as NumPy does, and this
    module makes float32 where that is preferred. In the mode 'off' operators still want one dtype; in 'all' and 'safe' numbers
    of Python have weak dtypes, and 'safe' refuses what could lose bits.
    """
    global _prefer_float32
    if dtype_conversion_mode not in ('legacy', 'off', 'safe', 'all'):
        raise ValueError("dtype_conversion_mode must be 'legacy', 'off', 'safe' or 'all', not "
                         f'{dtype_conversion_mode!r}')
    from footlight._numpy import operators as _numpy_operators
    _prefer_float32 = bool(prefer_float32)
    _engine.tensor_members(_members())
    _numpy_operators.install(dtype_conversion_mode)


bool_, int_, float_, complex_, object_, string_, unicode_ = (
    np.bool_, np.int_, np.float64, np.complex128, np.object_, np.bytes_, np.str_)
int8, int16, int32, int64 = np.int8, np.int16, np.int32, np.int64
uint8, uint16, uint32, uint64 = np.uint8, np.uint16, np.uint32, np.uint64
float16, float32, float64, complex64, complex128 = np.float16, np.float32, np.float64, np.complex64, np.complex128
inexact, pi, e, inf, newaxis, ndarray = np.inexact, np.pi, np.e, np.inf, None, tf.Tensor
