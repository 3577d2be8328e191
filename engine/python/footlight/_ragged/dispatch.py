"""Functions of tensors applied to ragged tensors. The engine calls dispatch() if an argument is ragged."""
from __future__ import annotations

import builtins
import sys

import footlight as tf
from footlight._ragged import partition_checks
from footlight._ragged.tensor import RaggedTensor, _count, _plain, gather as _gather_rows
from footlight._sparse.dispatch import key as _key, of_sparse
from footlight._typing import Any, Callable, DTypeLike, TensorLike

_RULES: dict[Any, Callable[..., Any]] = {}


def _key_of(name: str) -> str:
    found = tf
    for part in name.split('.'):
        found = getattr(found, part)
    return _key(found)


def _rule(*names: Any) -> Callable[..., Any]:
    def add(rule):
        _RULES.update((_key_of(name), rule) for name in names)
        return rule
    return add


def is_ragged(value: TensorLike) -> bool:
    """Whether it is a ragged tensor."""
    return isinstance(value, RaggedTensor)


def dispatch(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """The result of a function of the library for arguments of which some are ragged; NotImplemented: it takes none."""
    given = [v for a in [*args, *kwargs.values()] for v in (a if isinstance(a, (list, tuple)) else (a,))]
    if any(hasattr(v, '_is_extension_value') for v in given):  # an extension type, to which none of the rules apply
        own, weak = sys.modules.get('footlight._types.api_dispatch'), sys.modules.get('footlight._numpy.weak_dtypes')
        result = own.dispatched(function, args, kwargs) if own else NotImplemented
        if result is NotImplemented and weak and any(isinstance(v, weak.WeakTensor) for v in given):
            return weak.dispatched(function, args, kwargs)
        return result
    own = next((v for v in given if hasattr(v, '_answer_to')), None)  # a LinearOperator
    if own is not None:
        return own._answer_to(function, args, kwargs)
    if any(hasattr(type(v), '_as_tensor') for v in given):  # a RaggedTensorValue
        return function(*map(_with_tensors, args), **{name: _with_tensors(value) for name, value in kwargs.items()})
    if any(isinstance(v, tf.SparseTensor) for v in given):
        return of_sparse(function, args, kwargs)
    rule = _RULES.get(_key(function))
    return NotImplemented if rule is None else rule(function, *args, **kwargs)


def _with_tensors(value):
    if isinstance(value, (list, tuple)):
        return [_with_tensors(v) for v in value]
    return _plain(value)


# --- element by element ---
def _unary(function, *args, **kwargs):
    args = list(args)
    given, at = (args, 0) if args else (kwargs, next(k for k, v in kwargs.items() if is_ragged(v)))
    value = given[at]
    if not is_ragged(value) or sum(is_ragged(v) for v in [*args, *kwargs.values()]) > 1:
        raise TypeError(f'{function.__name__} takes one ragged tensor, as its first argument')
    given[at] = value.flat_values
    return value.with_flat_values(function(*args, **kwargs))


def _deepened(value: Any, ragged_rank: int) -> Any:
    """Converts to this ragged rank; the dimensions of a dense tensor stay known as uniform."""
    if not ragged_rank:
        return value
    if is_ragged(value):
        if value.ragged_rank >= ragged_rank:
            return value
        return value.with_values(_deepened(value.values, ragged_rank - 1))
    shape = tf.shape(value)
    flat = tf.reshape(value, tf.concat([[shape[0] * shape[1]], shape[2:]], 0))
    known = value.shape[1]
    splits = tf.range(tf.cast(shape[0], tf.int64) + 1) * tf.cast(shape[1], tf.int64)
    return RaggedTensor(_deepened(flat, ragged_rank - 1), splits, known)


def _raised(value: tf.RaggedTensor, rank: int) -> tf.RaggedTensor:
    for _ in range(rank - value.shape.rank):
        value = expand_dims(None, value, 0)
    return value


def _taken(values, places):
    if not is_ragged(values):
        return tf.gather(values, places)
    return RaggedTensor(*_gathered_parts(values, places), values._uniform)


def _sure(value):
    known = tf.get_static_value(value)
    return None if known is None else bool(known)


def _aligned(values: list[Any]) -> tuple[Any, ...]:
    """(flat values, ragged tensor whose rows the result has) of values of one ragged rank."""
    if not is_ragged(values[0]):
        return values, None
    dtype = tf.int64 if any(v.row_splits.dtype == tf.int64 for v in values) else tf.int32
    values = [v.with_row_splits_dtype(dtype) for v in values]
    if all(_same_rows(v, values[0]) for v in values[1:]):
        return [v.flat_values for v in values], values[0]
    counts = [tf.size(v.row_splits) - 1 for v in values]
    most = counts[0]
    for count in counts[1:]:
        most = tf.where(tf.equal(most, 1), count, most)
    values = [v if _sure(tf.equal(c, most)) else _repeated(v, c, most) for v, c in zip(values, counts)]
    # Rows of length 1 are broadcast only if that length is static: in a ragged dimension it may be chance.
    leader = next((v for v in values if v._uniform != 1), values[0])
    longest = leader.row_lengths()
    fits = [tf.equal(count, most) | tf.equal(count, 1) for count in counts]
    fits += [_all_equal(v.row_lengths(), longest) for v in values if v._uniform != 1 and v is not leader]
    check = tf.debugging.Assert(tf.reduce_all(fits), ['Unable to broadcast: dimension size mismatch between ragged tensors'])
    with tf.control_dependencies([check] if check is not None else []):
        splits = tf.identity(leader.row_splits)
    rows = tf.repeat(tf.range(tf.size(longest)), longest)
    inner = [v.values if v._uniform != 1 or leader._uniform == 1 else _taken(v.values, rows) for v in values]
    flat, below = _aligned(inner)
    return flat, RaggedTensor(inner[0] if below is None else below, splits, leader._uniform)


def _all_equal(a, b):
    same = tf.equal(tf.size(a), tf.size(b))
    count = tf.minimum(tf.size(a), tf.size(b))
    return same & tf.reduce_all(tf.equal(a[:count], b[:count]))


def _repeated(value, count, most):
    places = tf.where(tf.equal(count, 1), tf.zeros([most], tf.int32), tf.minimum(tf.range(most), tf.maximum(count - 1, 0)))
    return RaggedTensor(*_gathered_parts(value, places), value._uniform)


def _gathered_parts(value: Any, places: Any) -> tuple[Any, ...]:
    taken = _gather_rows(value, places)
    return taken.values, taken.row_splits


def _same_rows(a: tf.RaggedTensor, b: tf.RaggedTensor) -> bool:
    if a is b:
        return True
    if len(a.nested_row_splits) != len(b.nested_row_splits):
        return False
    for one, other in zip(a.nested_row_splits, b.nested_row_splits):
        if one is other:
            continue
        known, wanted = tf.get_static_value(one), tf.get_static_value(other)
        if known is None or wanted is None or len(known) != len(wanted) or (known != wanted).any():
            return False
    return True


def broadcast(values: Any) -> tuple[Any, ...]:
    """(flat values, ragged tensor whose rows the result of an op on them has) of ragged and whole tensors."""
    dtype = next((v.dtype for v in values if is_ragged(v) or tf.is_tensor(v)), None)
    values = [v if is_ragged(v) else tf.convert_to_tensor(v, None if tf.is_tensor(v) or isinstance(v, tf.Variable) else dtype)
              for v in values]
    if any(v.shape.rank is None for v in values):
        raise ValueError('Unable to broadcast: unknown rank')
    ragged = [v for v in values if is_ragged(v)]
    scalars = [not is_ragged(v) and v.shape.rank == 0 for v in values]
    rank = builtins.max(v.shape.rank for v in values)
    # The op itself broadcasts a tensor that has only the inner dimensions of the flat values.
    small = [s or (not is_ragged(v) and all(v.shape.rank <= r.flat_values.shape.rank - 1 for r in ragged))
             for s, v in zip(scalars, values)]
    depth = builtins.max(v.ragged_rank + rank - v.shape.rank for v in ragged)
    full = [_deepened(_raised(v, rank), depth) for v, s in zip(values, small) if not s]
    flat, top = _aligned(full)
    flat = iter(flat)
    return [v if s else next(flat) for v, s in zip(values, small)], top


def _binary(function: Callable[..., Any], x: tf.RaggedTensor, y: Any, *args: Any, **kwargs: Any) -> tf.RaggedTensor:
    (x, y), top = broadcast([x, y])
    return top.with_flat_values(function(x, y, *args, **kwargs))


def _binary_named(function: Callable[..., Any], *args: Any, **kwargs: Any) -> tf.RaggedTensor:
    given = list(args)
    for name in ('x', 'y', 'a', 'b'):
        if name in kwargs and builtins.len(given) < 2:
            given.append(kwargs.pop(name))
    return _binary(function, *given, **kwargs)


def _add_n(function: Callable[..., Any], inputs: Any, name: str | None = None) -> Any:
    flat, top = broadcast(list(inputs))
    return top.with_flat_values(function(flat, name=name))


def _clip(function: Callable[..., Any], t: Any, clip_value_min: Any, clip_value_max: Any,
          name: str | None = None) -> Any:
    (t, low, high), top = broadcast([t, clip_value_min, clip_value_max])
    return top.with_flat_values(function(t, low, high, name=name))


def _where(function: Callable[..., Any], condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    if x is None and y is None:
        return coordinates(condition)
    dtype = next((v.dtype for v in (x, y) if hasattr(v, 'dtype')), None)
    x, y = (v if is_ragged(v) else tf.convert_to_tensor(v, dtype) for v in (x, y))
    (condition, x, y), top = broadcast([condition, x, y])
    return top.with_flat_values(function(condition, x, y, name=name))


def coordinates(condition):
    """The indices of the elements of a ragged tensor that hold."""
    if not is_ragged(condition):
        return tf.where(condition)
    inner = coordinates(condition.values)
    rows = tf.cast(condition.value_rowids(), tf.int64)
    at = inner[:, 0]
    row = tf.gather(rows, at)
    column = at - tf.gather(tf.cast(condition.row_starts(), tf.int64), row)
    return tf.concat([row[:, tf.newaxis], column[:, tf.newaxis], inner[:, 1:]], 1)


# --- along dimensions ---
def axis_of(axis: Any, rank: Any, what: str = 'axis') -> int:
    """The axis counted from the front; ValueError where there is none."""
    axis = int(tf.get_static_value(axis)) if tf.is_tensor(axis) else axis
    if not isinstance(axis, int) and not hasattr(axis, '__index__'):
        raise TypeError(f'{what} must be an int; got {type(axis).__name__}')
    axis = axis.__index__()
    if rank is None:
        if axis < 0:
            raise ValueError(f'{what}={axis} may only be negative if ndims is statically known.')
        return axis
    if not -rank <= axis < rank:
        raise ValueError(f'{what}={axis} out of bounds: expected {-rank}<={what}<{rank}')
    return axis % rank


def axes_of(axis: Any, rank: Any) -> list[Any]:
    """Several axes counted from the front."""
    if tf.is_tensor(axis):
        known = tf.get_static_value(axis)
        if known is None:
            raise ValueError('axis must be known at graph construction time.')
        axis = known.tolist()
    if isinstance(axis, (list, tuple)):
        found = [axis_of(a, rank, f'axis[{i}]') for i, a in enumerate(axis)]
        if builtins.len(set(found)) != builtins.len(found):
            raise ValueError(f'Duplicate axes: {axis}')
        return found
    return [axis_of(axis, rank)]


# --- parts and wholes ---
def _as_ragged(values):
    dtype = next((v.dtype for v in values if is_ragged(v) or tf.is_tensor(v)), None)
    values = [v if is_ragged(v) else tf.convert_to_tensor(v, None if tf.is_tensor(v) else dtype) for v in values]
    ranks = {v.shape.rank for v in values}
    if builtins.len(ranks) > 1:
        raise ValueError(f'Inputs must have identical ranks: {sorted(ranks)}')
    depth = builtins.max((v.ragged_rank for v in values if is_ragged(v)), default=0)
    dtypes = {v.row_splits.dtype for v in values if is_ragged(v)}
    splits = tf.int32 if dtypes == {tf.int32} else tf.int64
    found = []
    for v in values:
        v = _deepened(v, builtins.max(depth, 1)) if v.shape.rank > 1 else v
        found.append(v.with_row_splits_dtype(splits) if is_ragged(v) else v)
    return found


def _concat_rows(values):
    """Along the first dimension."""
    if not any(is_ragged(v) for v in values):
        return tf.concat(values, 0)
    dtype = values[0].row_splits.dtype
    lengths = tf.concat([v.row_lengths() for v in values], 0)
    splits = tf.concat([tf.zeros([1], dtype), tf.cumsum(lengths)], 0)
    return RaggedTensor(_concat_rows([v.values for v in values]), splits)


@_rule('concat')
def concat(function: Callable[..., Any], values: Any, axis: Any, name: str | None = None) -> tf.RaggedTensor:
    """Joined along a dimension."""
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    rank = values[0].shape.rank if is_ragged(values[0]) else tf.convert_to_tensor(values[0]).shape.rank
    axis = axis_of(axis, rank)
    values = _as_ragged(values)
    if builtins.len(values) == 1:
        return values[0]
    return _joined(values, axis)


def _joined(values: Any, axis: int) -> Any:
    if axis == 0:
        return _concat_rows(values)
    if axis == 1:
        whole = _concat_rows(values)
        counts = [v.nrows() for v in values]
        same = tf.reduce_all([tf.equal(c, counts[0]) for c in counts])
        check = tf.debugging.Assert(same, ['Input tensors have incompatible shapes'])
        with tf.control_dependencies([check] if check is not None else []):
            count = tf.identity(counts[0])
        order = tf.reshape(tf.transpose(tf.reshape(tf.range(count * builtins.len(values)), [builtins.len(values), count])), [-1])
        rows = _gather_rows(whole, order)
        lengths = tf.reduce_sum(tf.reshape(rows.row_lengths(), [count, builtins.len(values)]), 1)
        return RaggedTensor.from_row_lengths(rows.values, lengths, validate=False)
    inner = [v.values for v in values]
    joined = _joined(inner, axis - 1) if any(is_ragged(v) for v in inner) else tf.concat(inner, axis - 1)
    splits = partition_checks.checked('', values[0].row_splits, [
        ('Inputs must have identical ragged splits', lambda v=v: _all_equal(v.row_splits, values[0].row_splits))
        for v in values[1:] if v.row_splits is not values[0].row_splits])
    return RaggedTensor(joined, splits, values[0]._uniform)


@_rule('stack')
def stack(function: Callable[..., Any], values: Any, axis: Any = 0, name: str | None = 'stack') -> Any:
    """Joined along a new dimension, as ragged tensors."""
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    if not values:
        raise ValueError('rt_inputs may not be empty.')
    values = [v if is_ragged(v) else tf.convert_to_tensor(v) for v in values]
    rank = values[0].shape.rank
    axis = axis_of(axis, None if rank is None else rank + 1)
    if not any(is_ragged(v) for v in values) and rank == 0:
        return tf.stack(values)
    if axis == 0 and rank is not None and rank >= 1:
        values = _as_ragged(values)
        counts = tf.stack([tf.cast(_count(v), tf.int64) for v in values])
        splits = values[0].row_splits.dtype if is_ragged(values[0]) else tf.int64
        return RaggedTensor.from_row_lengths(_concat_rows(values), tf.cast(counts, splits), validate=False)
    return concat(None, [expand_dims(None, v, axis) for v in values], axis)


@_rule('expand_dims')
def expand_dims(function: Callable[..., Any], input: Any, axis: Any, name: str | None = None) -> Any:
    """With another dimension of size one."""
    if not is_ragged(input):
        return tf.expand_dims(input, axis)
    rank = input.shape.rank
    axis = axis_of(axis, None if rank is None else rank + 1)
    if axis == 0:
        return RaggedTensor.from_uniform_row_length(input, input.nrows(), nrows=1, validate=False)
    if axis == 1:
        return RaggedTensor.from_uniform_row_length(input, 1, nrows=input.nrows(), validate=False)
    if is_ragged(input.values):
        return input.with_values(expand_dims(None, input.values, axis - 1))
    return input.with_values(tf.expand_dims(input.values, axis - 1))


@_rule('squeeze')
def squeeze(function: Callable[..., Any], input: Any, axis: Any = None, name: str | None = None) -> Any:
    """Without dimensions of size one, which `axis` names."""
    if axis is None:
        raise ValueError('Ragged.squeeze must have an axis argument.')
    axes = sorted(axes_of(axis, input.shape.rank), reverse=True)
    for a in axes:
        input = _squeezed(input, a)
    return input


def _squeezed(value, axis):
    if not is_ragged(value):
        return tf.squeeze(value, [axis])
    if axis <= 1:
        sizes = value.row_lengths() if axis else value.nrows()
        check = tf.debugging.Assert(tf.reduce_all(tf.equal(sizes, 1)), [f'squeeze: the dimension {axis} is not of size 1'])
        with tf.control_dependencies([check] if check is not None else []):
            return tf.nest.map_structure(tf.identity, value.values, expand_composites=True)
    return value.with_values(_squeezed(value.values, axis - 1))


@_rule('tile')
def tile(function: Callable[..., Any], input: Any, multiples: Any, name: str | None = None) -> Any:
    """Repeated along dimensions."""
    known = tf.get_static_value(multiples) if tf.is_tensor(multiples) else multiples
    if known is None:
        raise ValueError('tf.tile of a ragged tensor: multiples must be known')
    times = [int(m) for m in known]
    if builtins.len(times) != input.shape.rank:
        raise IndexError(f'multiples must have one number for each of {input.shape.rank} dimensions: {times!s}')
    return _tiled(input, times)


def _tiled(value, times):
    if not is_ragged(value):
        return tf.tile(value, times)
    inner = _tiled(value.values, [1] + times[2:])
    value = value.with_values(inner)
    if times[1] != 1:
        order = tf.repeat(tf.range(value.nrows()), times[1])
        rows = _gather_rows(value, order)
        value = RaggedTensor.from_row_lengths(rows.values, value.row_lengths() * times[1], validate=False)
    if times[0] != 1:
        value = _gather_rows(value, tf.tile(tf.range(value.nrows()), [times[0]]))
    return value


@_rule('reverse')
def reverse(function: Callable[..., Any], tensor: Any, axis: Any, name: str | None = None) -> Any:
    """With the elements of dimensions in reverse."""
    known = tf.get_static_value(axis) if tf.is_tensor(axis) else axis
    if known is None or not all(hasattr(a, '__index__') for a in known):
        raise TypeError(f'`axis` must be a list of int or a constant tensor when reversing axes in a ragged tensor, not {axis}')
    axis = known
    for a in sorted(axes_of(list(axis), tensor.shape.rank)):
        tensor = _reversed(tensor, a)
    return tensor


def _reversed(value, axis):
    if not is_ragged(value):
        return tf.reverse(value, [axis])
    if axis == 0:
        return _gather_rows(value, tf.range(value.nrows() - 1, -1, -1))
    if axis == 1:
        rows = value.value_rowids()
        at = tf.range(tf.cast(_count(value.values), rows.dtype))
        places = tf.gather(value.row_starts(), rows) + tf.gather(value.row_limits(), rows) - 1 - at
        return value.with_values(_taken(value.values, places))
    return value.with_values(_reversed(value.values, axis - 1))


@_rule('one_hot')
def _one_hot(function: Callable[..., Any], indices: tf.RaggedTensor, depth: int, on_value: Any = None,
             off_value: Any = None, axis: Any = None, dtype: DTypeLike | None = None,
             name: str | None = None) -> tf.RaggedTensor:
    if axis is not None and axis != -1 and axis < indices.ragged_rank + 1:
        raise ValueError(f'axis must be >= -1 and, if not -1, greater than indices.ragged_rank ({indices.ragged_rank}), not {axis}')
    inner = axis if axis in (None, -1) else axis - indices.ragged_rank
    return indices.with_flat_values(tf.one_hot(indices.flat_values, depth, on_value, off_value, inner, dtype, name))


@_rule('nn.softmax')
def _softmax(function: Callable[..., Any], logits: Any, axis: Any = None, name: str | None = None) -> Any:
    if axis not in (None, -1):
        raise ValueError('tf.nn.softmax of a ragged tensor: only the last axis')
    padded = logits.to_tensor(default_value=logits.dtype.min)
    return RaggedTensor.from_tensor(tf.nn.softmax(padded), lengths=logits.nested_row_lengths() if logits.ragged_rank > 1 else
                                    logits.row_lengths(), ragged_rank=logits.ragged_rank)


@_rule('strings.join')
def _join(function: Callable[..., Any], inputs: Any, separator: str = '', name: str | None = None) -> Any:
    flat, top = broadcast(list(inputs))
    return top.with_flat_values(tf.strings.join(flat, separator))


@_rule('unstack')
def _unstack(function: Callable[..., Any], value: Any, num: Any = None, axis: Any = 0,
             name: str | None = 'unstack') -> Any:
    raise TypeError('tf.unstack takes no ragged tensor; iterate over it')


@_rule('zeros_like', 'ones_like')
def _like(function: Callable[..., Any], input: Any, dtype: DTypeLike | None = None, name: str | None = None,
          layout: Any = None) -> Any:
    return input.with_flat_values(function(input.flat_values, dtype=dtype))


UNARY = '''abs bitcast bitwise.invert cast clip_by_norm debugging.check_numerics identity image.convert_image_dtype
    math.acos math.acosh math.angle math.asin math.asinh math.atan math.atanh math.bessel_i0 math.bessel_i0e math.bessel_i1
    math.bessel_i1e math.ceil math.conj math.cos math.cosh math.digamma math.erf math.erfc math.erfcinv math.erfinv math.exp
    math.expm1 math.floor math.imag math.is_finite math.is_inf math.is_nan math.lgamma math.log math.log1p math.log_sigmoid
    math.logical_not math.ndtri math.negative math.nextafter math.real math.reciprocal math.reciprocal_no_nan math.rint
    math.round math.rsqrt math.sigmoid math.sign math.sin math.sinh math.softplus math.sqrt math.square math.tan math.tanh
    nn.elu nn.gelu nn.leaky_relu nn.relu nn.relu6 nn.selu nn.silu nn.softsign saturate_cast stop_gradient
    strings.as_string strings.length strings.lower strings.regex_full_match strings.regex_replace strings.strip strings.substr
    strings.to_hash_bucket strings.to_hash_bucket_fast strings.to_hash_bucket_strong strings.to_number strings.upper
    dtypes.cast dtypes.saturate_cast nn.dropout reverse_sequence'''
BINARY = '''bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift bitwise.right_shift dtypes.complex
    math.add math.atan2 math.divide math.divide_no_nan math.equal math.floordiv math.floormod math.greater math.greater_equal
    math.less math.less_equal math.logical_and math.logical_or math.logical_xor math.maximum math.minimum math.multiply
    math.multiply_no_nan math.not_equal math.pow math.squared_difference math.subtract math.truediv math.xdivy math.xlog1py
    math.xlogy math.zeta math.polygamma math.igamma math.igammac math.mod realdiv truncatediv truncatemod'''

for _names, _elementwise in ((UNARY, _unary), (BINARY, _binary_named)):
    for _name in _names.split():
        _RULES.setdefault(_key_of(_name), _elementwise)
for _name, _f in (('math.add_n', _add_n), ('clip_by_value', _clip), ('where', _where)):
    _rule(_name)(_f)


@_rule('nn.embedding_lookup')
def _embedding_lookup(function, params, ids, *args, **kwargs):
    return ids.with_flat_values(function(params, ids.flat_values, *args, **kwargs))


@_rule('math.bincount')
def _bincount(function: Callable[..., Any], arr: tf.RaggedTensor, *args: Any, **kwargs: Any) -> tf.Tensor:
    from footlight._sparse.bincount import bincount
    return bincount(arr, *args, **kwargs)


from footlight._ragged import (  # noqa: E402,F401  (they add their rules)
    gather as _gather, matmul as _matmul, reductions as _ragged_reductions,
    segments as _ragged_segments, shape as _ragged_shape, split as _ragged_split, formatting as _formatting)
