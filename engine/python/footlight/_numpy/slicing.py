"""tf.experimental.numpy: parts of tensors, their joints, and reductions along axes."""
from __future__ import annotations

import builtins

import numpy as np

import footlight as tf
from footlight._numpy.arrays import (_chosen, _float, _is_inexact, _promoted, _weak, asarray, atleast_1d, atleast_2d,
                                     atleast_3d, broadcast_to, moveaxis, ravel, result_type, swapaxes)
from footlight._typing import Any, Callable, DTypeLike


# --- parts and joints ---
def concatenate(arys, axis=0):
    arys = arys if isinstance(arys, (list, tuple)) else [arys]
    if not arys:
        raise ValueError(f'Need at least one array to concatenate. Received empty input: arys={arys!s}')
    return tf.concat(_promoted(*arys), axis)


def append(arr, values, axis=None):
    return concatenate([ravel(arr), ravel(values)] if axis is None else [arr, values], axis or 0)


def stack(arrays, axis=0):
    if tf.is_tensor(arrays):
        return arrays if axis == 0 else swapaxes(arrays, 0, axis)
    return tf.stack(_promoted(*arrays), axis)


def hstack(tup):
    arrays = _promoted(*[atleast_1d(a) for a in tup])
    return tf.concat(arrays, 0 if arrays[0].shape.rank == 1 else 1)


def vstack(tup):
    return tf.concat(_promoted(*[atleast_2d(a) for a in tup]), 0)


def dstack(tup):
    return tf.concat(_promoted(*[atleast_3d(a) for a in tup]), 2)


def split(ary, indices_or_sections, axis=0):
    ary = asarray(ary)
    if isinstance(indices_or_sections, int):
        return tf.split(ary, indices_or_sections, axis)
    if axis >= len(ary.shape):
        raise ValueError(f'axis {axis} is out of bound for shape {ary.shape}')
    total, sizes, before = ary.shape[axis], [], 0
    for i, bound in enumerate(indices_or_sections):
        if bound < before:
            raise ValueError(f'The {i}-th boundary {bound!s} is smaller than the previous boundary {before!s}')
        sizes.append(builtins.min(bound - before, builtins.max(0, total - builtins.sum(sizes))))
        before = bound
    return tf.split(ary, [*sizes, builtins.max(0, total - builtins.sum(sizes))], axis)


def _splitter(name: str, axis: int) -> Callable[..., Any]:
    def cut(ary, indices_or_sections):
        ary = asarray(ary)
        along = 0 if axis == 1 and ary.shape.rank == 1 else axis
        if isinstance(indices_or_sections, int) and ary.shape[along] and ary.shape[along] % indices_or_sections:
            raise ValueError('array split does not result in an equal division')
        return split(ary, indices_or_sections, along)
    cut.__name__ = cut.__qualname__ = name
    return cut


vsplit, hsplit, dsplit = _splitter('vsplit', 0), _splitter('hsplit', 1), _splitter('dsplit', 2)


def tile(a, reps):
    a, reps = asarray(a), tf.reshape(tf.cast(reps, tf.int32), [-1])
    rank, count = a.shape.rank, reps.shape[0]
    a = tf.reshape(a, tf.concat([[1] * builtins.max(0, count - rank), tf.shape(a)], 0))
    return tf.tile(a, tf.concat([[1] * builtins.max(0, rank - count), reps], 0))


def repeat(a, repeats, axis=None):
    return tf.repeat(asarray(a), asarray(repeats), axis)


def roll(a, shift, axis=None):
    a = asarray(a)
    return tf.roll(a, shift, axis) if axis is not None else tf.reshape(tf.roll(ravel(a), shift, 0), tf.shape(a))


def flip(m, axis=None):
    m = asarray(m)
    return tf.reverse(m, tf.range(tf.rank(m)) if axis is None else [axis])


def flipud(m):
    return flip(m, 0)


def fliplr(m):
    return flip(m, 1)


def rot90(m, k=1, axes=(0, 1)):
    m, k = asarray(m), k % 4
    one, other = axes
    if k == 0:
        return m
    if k == 2:
        return flip(flip(m, one), other)
    return swapaxes(flip(m, other), one, other) if k == 1 else flip(swapaxes(m, one, other), other)


def pad(array, pad_width, mode, **kwargs):
    if mode not in ('constant', 'reflect', 'symmetric'):
        raise ValueError('Unsupported padding mode: ' + mode)
    return tf.pad(asarray(array), asarray(pad_width, tf.int32), mode.upper(),
                  constant_values=kwargs.get('constant_values', 0))


def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = 'clip') -> Any:
    if out is not None:
        raise ValueError('out argument is not supported in take.')
    if mode not in ('clip', 'wrap'):
        raise ValueError("The 'raise' mode to take is not supported." if mode == 'raise' else
                         f'Invalid mode {mode!r} for take')
    a, indices = asarray(a), asarray(indices)
    a, axis = (ravel(a), 0) if axis is None else (a, axis)
    count = tf.shape(a, indices.dtype)[axis]
    places = tf.clip_by_value(indices, 0, count - 1) if mode == 'clip' else tf.math.floormod(indices, count)
    return tf.gather(a, places, axis=axis)


def take_along_axis(arr, indices, axis):
    arr, indices = asarray(arr), asarray(indices)
    if axis is None:
        return take_along_axis(ravel(arr), indices, 0)
    arr, indices = swapaxes(arr, axis, -1), swapaxes(indices, axis, -1)
    shape = tf.broadcast_dynamic_shape(tf.shape(arr)[:-1], tf.shape(indices)[:-1])
    arr = tf.broadcast_to(arr, tf.concat([shape, tf.shape(arr)[-1:]], 0))
    indices = tf.broadcast_to(indices, tf.concat([shape, tf.shape(indices)[-1:]], 0))
    count = tf.shape(arr, indices.dtype)[-1]
    places = tf.where(indices < 0, indices + count, indices)
    return swapaxes(tf.gather(arr, places, batch_dims=arr.shape.rank - 1), axis, -1)


def compress(condition, a, axis=None):
    condition, a = asarray(condition, bool), asarray(a)
    if condition.shape.rank != 1:
        raise ValueError('condition must be a 1-d array.')
    if axis is None or a.shape.rank == 0:
        a, axis = ravel(a), 0
    axis %= a.shape.rank
    missing = a.shape[axis] - condition.shape[0]
    condition = tf.concat([condition, tf.fill([builtins.max(0, missing)], False)], 0)
    return tf.boolean_mask(a, condition, axis=axis)


def where(condition, x=None, y=None):
    condition = asarray(condition, bool)
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError('Both x and y must be ndarrays, or both must be None.')
    return tf.where(condition, *_promoted(x, y))


def select(condlist, choicelist, default=0):
    """Elements of the first choice whose condition holds, else the default."""
    if len(condlist) != len(choicelist):
        raise ValueError(f'condlist must have length equal to choicelist ({len(condlist)} vs {len(choicelist)})')
    if not condlist:
        raise ValueError('condlist must be non-empty')
    found, *choices = _promoted(default, *choicelist)
    for condition, choice in zip(condlist[::-1], choices[::-1]):
        found = where(condition, choice, found)
    return found


def nonzero(a):
    a = atleast_1d(a)
    if a.shape.rank is None:
        raise ValueError("The rank of `a` is unknown, so we can't decide how many arrays to return.")
    return tf.unstack(tf.where(tf.cast(a, tf.bool)), a.shape.rank, axis=1)


def diag(v, k=0):
    v = asarray(v)
    if v.shape.rank not in (1, 2):
        raise ValueError(f'Shape {v.shape} must have rank at most 2')
    if v.shape.rank == 1:
        return tf.linalg.diag(v, k=k) if v.shape[0] else tf.zeros([builtins.abs(k)] * 2, v.dtype)
    if k <= -v.shape[0] or k >= v.shape[1]:
        return tf.zeros([0], v.dtype)
    return tf.linalg.diag_part(v, k=k)


def diagflat(v, k=0):
    return diag(ravel(v), k)


def diagonal(a, offset=0, axis1=0, axis2=1):
    a = moveaxis(a, (axis1, axis2), (-2, -1))
    if offset <= -a.shape[-2] or offset >= a.shape[-1]:
        return tf.zeros([*a.shape[:-2], 0], a.dtype)
    return tf.linalg.diag_part(a, k=offset)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None):
    return sum(diagonal(asarray(a, dtype), offset, axis1, axis2), -1, dtype)


# --- reductions ---
def _reduced(function: Any, a: Any, axis: Any, dtype: Any, keepdims: Any, promote: Any, of_bool: Any = None,
             keep_bool: bool = False) -> Any:
    dtype = _chosen(dtype) if dtype is not None else None
    a, keepdims = asarray(a, dtype), bool(keepdims)
    if of_bool is not None and a.dtype == tf.bool and (dtype == tf.bool or keep_bool):
        return of_bool(a, axis, keepdims)
    if dtype is None and (a.dtype.is_integer or a.dtype == tf.bool):
        if promote == 'float':
            a = tf.cast(a, _float())
        elif promote == 'int' and a.dtype.size < (4 if _weak() else 8):
            bits = 32 if _weak() else 64
            a = tf.cast(a, f'uint{bits}' if a.dtype.is_unsigned else f'int{bits}')
    return function(a, axis, keepdims)


def all(a, axis=None, keepdims=None):
    return tf.reduce_all(asarray(a, bool), axis, bool(keepdims))


def any(a, axis=None, keepdims=None):
    return tf.reduce_any(asarray(a, bool), axis, bool(keepdims))


def sum(a: Any, axis: Any = None, dtype: DTypeLike | None = None, keepdims: Any = None) -> Any:
    return _reduced(tf.reduce_sum, a, axis, dtype, keepdims, 'int', tf.reduce_any)


def prod(a: Any, axis: Any = None, dtype: DTypeLike | None = None, keepdims: Any = None) -> Any:
    return _reduced(tf.reduce_prod, a, axis, dtype, keepdims, 'int', tf.reduce_all)


def _no_out(out: Any) -> None:
    if out is not None:
        raise ValueError('Setting out is not supported.')


def mean(a: Any, axis: Any = None, dtype: DTypeLike | None = None, out: Any = None, keepdims: Any = None) -> Any:
    _no_out(out)
    return _reduced(tf.reduce_mean, a, axis, dtype, keepdims, 'float')


def amax(a, axis=None, out=None, keepdims=None):
    _no_out(out)
    return _reduced(tf.reduce_max, a, axis, None, keepdims, None, tf.reduce_any, True)


def amin(a, axis=None, out=None, keepdims=None):
    _no_out(out)
    return _reduced(tf.reduce_min, a, axis, None, keepdims, None, tf.reduce_all, True)


def max(a, axis=None, keepdims=None):
    return amax(a, axis, keepdims=keepdims)


def min(a, axis=None, keepdims=None):
    return amin(a, axis, keepdims=keepdims)


def ptp(a, axis=None, keepdims=None):
    return amax(a, axis, keepdims=keepdims) - amin(a, axis, keepdims=keepdims)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=None):
    _no_out(out)

    def spread(x, axis, keepdims):
        if not ddof:
            return tf.math.reduce_variance(x, axis, keepdims)
        away = x - tf.reduce_mean(x, axis, True)
        squares = tf.reduce_sum(tf.cast(tf.square(tf.abs(away)), x.dtype), axis, keepdims)
        count = tf.size(x) if axis is None else tf.reduce_prod(tf.gather(tf.shape(x), axis))
        return squares / tf.cast(count - ddof, x.dtype)
    made = _reduced(spread, a, axis, result_type(asarray(a), dtype) if dtype else None, keepdims, 'float')
    return tf.cast(made, _chosen(dtype)) if dtype else made


def std(a, axis=None, keepdims=None):
    return _reduced(tf.math.reduce_std, a, axis, None, keepdims, 'float')


def _running(function: Callable[..., Any]) -> Callable[..., Any]:
    def over(a, axis=None, dtype=None):
        a = asarray(a, dtype)
        if dtype is None and a.dtype.is_integer:
            a = asarray(a, np.promote_types(a.dtype.as_numpy_dtype, np.int32 if _weak() else int))
        return function(ravel(a), 0) if axis is None else function(a, axis)
    return over


cumsum, cumprod = _running(tf.cumsum), _running(tf.math.cumprod)


def count_nonzero(a, axis=None):
    return tf.math.count_nonzero(asarray(a), axis)


def _extreme_place(function: Callable[..., Any]) -> Callable[..., Any]:
    def place(a, axis=None):
        a = asarray(a)
        return function(ravel(a), 0) if axis is None else function(atleast_1d(a), axis)
    return place


argmax, argmin = _extreme_place(tf.argmax), _extreme_place(tf.argmin)


def _of_nan(reduction: Callable[..., Any], instead: int) -> Callable[..., Any]:
    def over(a, axis=None, dtype=None, keepdims=False):
        a = asarray(a)
        return reduction(where(tf.math.is_nan(a), tf.cast(instead, a.dtype), a) if _is_inexact(a) else a, axis=axis, dtype=dtype, keepdims=keepdims)
    return over


nansum, nanprod = _of_nan(sum, 0), _of_nan(prod, 1)


def nanmean(a, axis=None, dtype=None, keepdims=None):
    a = asarray(a)
    if not _is_inexact(a):
        return mean(a, axis, dtype, keepdims=keepdims)
    dtype = a.dtype if dtype is None else dtype
    return nansum(a, axis, dtype, keepdims) / sum(~tf.math.is_nan(a), axis, dtype, keepdims)


def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    if axis is not None and not isinstance(axis, int):
        raise ValueError(f'Argument `axis` must be an integer. Received axis={axis} (of type {type(axis)})')
    a = asarray(a)
    if weights is None:
        a = a if _is_inexact(a) else tf.cast(a, result_type(a.dtype, _float()))
        found = tf.reduce_mean(a, axis)
        total = tf.cast(tf.size(a) if axis is None else tf.shape(a)[axis], a.dtype)
    else:
        dtype = result_type(a.dtype, weights, *[] if _is_inexact(a) else [_float()])
        a, weights = tf.cast(a, dtype), asarray(weights, dtype)
        if axis is None or a.shape.rank == weights.shape.rank:
            tf.debugging.assert_equal(tf.shape(a), tf.shape(weights))
            total = tf.reduce_sum(weights, axis)
            found = tf.reduce_sum(a * weights, axis) / total
        else:
            total = tf.reduce_sum(weights)
            found = tf.tensordot(a, weights, [[axis], [0]]) / total
    return (found, broadcast_to(total, tf.shape(found))) if returned else found


def argsort(a: Any, axis: Any = -1, kind: str = 'quicksort', order: Any = None) -> Any:
    if kind not in ('quicksort', 'stable'):
        raise ValueError('Invalid value for argument `kind`. Only kind="quicksort" and kind="stable" are supported. '
                         f'Received: kind={kind}')
    if order is not None:
        raise ValueError('The `order` argument is not supported. Pass order=None')
    a = asarray(a)
    if a.dtype.is_complex:
        raise TypeError(f'argsort does not support complex64/complex128 dtypes. Received dtype: {a.dtype}')
    if a.shape.rank == 0:
        return tf.constant([0], tf.int64)
    places = tf.argsort(ravel(a) if axis is None else a, 0 if axis is None else axis, stable=kind == 'stable')
    return tf.cast(places, tf.int32 if _weak() else tf.int64)


def sort(a: Any, axis: Any = -1, kind: str = 'quicksort', order: Any = None) -> Any:
    if kind != 'quicksort':
        raise ValueError('Invalid value for argument `kind`. Only kind="quicksort" is supported. Received: '
                         f'kind={kind}')
    if order is not None:
        raise ValueError('The `order` argument is not supported. Pass order=None')
    return tf.sort(ravel(a), 0) if axis is None else tf.sort(asarray(a), axis)


def diff(a, n=1, axis=-1):
    a = asarray(a)
    if a.shape.rank is None or not -a.shape.rank <= axis < a.shape.rank:
        raise ValueError(f'Argument `axis` (received axis={axis}) is out of bounds for input {a!s}')
    if n < 0:
        raise ValueError(f'Argument `order` must be a non-negative integer. Received: axis={n}')
    places = [slice(None)] * a.shape.rank
    for _ in range(n):
        later, before = list(places), list(places)
        later[axis], before[axis] = slice(1, None), slice(None, -1)
        later, before = a[tuple(later)], a[tuple(before)]
        a = tf.not_equal(later, before) if a.dtype == tf.bool else later - before
    return a
