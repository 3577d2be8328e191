"""tf.nn.fractional_max_pool and fractional_avg_pool: cells of two sizes, one apart, so that the mean size is a fraction."""
from __future__ import annotations

import collections

import footlight as tf
from footlight import _engine
from footlight._public import publish
from footlight._typing import Any, Callable, TensorLike

_KINDS = {name: collections.namedtuple(name, ('output', 'row_pooling_sequence', 'col_pooling_sequence'))
          for name in ('FractionalMaxPool', 'FractionalAvgPool')}
_DTYPES = (tf.float32, tf.float64, tf.int32, tf.int64)


def _ratios(given: list[Any], name: str) -> tuple[Any, ...]:
    """The ratios of rows and of columns."""
    if not isinstance(given, (list, tuple)) or len(given) != 4:
        raise ValueError(f'`pooling_ratio` of {name} must be a list of 4 numbers, those of batch, rows, columns and channels. '
                         f'Received: pooling_ratio={given}')
    if any(not ratio >= 1.0 for ratio in given):
        raise ValueError(f'`pooling_ratio` elements should be >= 1.0. Received: pooling_ratio={given}')
    if given[0] != 1.0 or given[3] != 1.0:
        raise ValueError(f'`pooling_ratio` should have first and last elements with value 1.0. Received: pooling_ratio={given}')
    return given[1], given[2]


class _Draws:
    """Random numbers: the same at each call where it is `deterministic`."""

    def __init__(self, deterministic: bool, seed: int, seed2: int) -> None:
        self.seeds = [seed, seed2] if deterministic else None

    def numbers(self, shape: list[Any]) -> tf.Tensor:
        """Numbers in [0, 1)."""
        if self.seeds is None:
            return tf.random.uniform(shape, dtype=tf.float64)
        self.seeds[1] += 1
        return tf.random.stateless_uniform(shape, tf.constant(self.seeds, tf.int64), dtype=tf.float64)


def _borders(size: tf.Tensor, ratio: float, pseudo_random: bool, draws: _Draws) -> tf.Tensor:
    """Where cells begin, and where the last one ends: numbers from 0 to `size`."""
    real = tf.cast(size, tf.float64)
    cells = tf.math.floor(real / ratio)
    check = tf.debugging.Assert(cells >= 1, [f'Pooling ratio {ratio} is higher than the input dimension size ', size])
    with tf.control_dependencies([check] if check is not None else []):
        count = tf.cast(cells, tf.int64)
    least = size // tf.maximum(count, 1)
    if pseudo_random:
        step = real / cells  # cell i begins at ceil(step * (i + u)), less what the first one would begin at
        k = tf.cast(least, tf.float64)
        most = tf.minimum((k + 2) / step - 1, (real + 1 - k) / step - (cells - 1))
        begins = tf.math.ceil(step * (tf.range(cells) + draws.numbers([]) * most))
        begins = tf.cast(begins - begins[0], tf.int64)
    else:
        sizes = tf.fill([count], least) + tf.cast(tf.range(count) < size % count, tf.int64)
        sizes = tf.gather(sizes, tf.argsort(draws.numbers([count])))
        begins = tf.cumsum(sizes, exclusive=True)
    return tf.concat([begins, [size]], 0)


def _places(borders: tf.Tensor, size: tf.Tensor, overlapping: bool) -> tuple[Any, ...]:
    """The places of each cell, filled up to the longest cell, and which of them belong to it."""
    begins, ends = borders[:-1], borders[1:] + (1 if overlapping else 0)
    ends = tf.minimum(ends, size)
    places = begins[:, tf.newaxis] + tf.range(tf.reduce_max(ends - begins))
    return tf.minimum(places, size - 1), places < ends[:, tf.newaxis]


def _largest(value, rows, columns):
    """The largest of each cell: the first one, which alone has a gradient, where several are."""
    (at_row, in_row), (at_column, in_column) = rows, columns
    size, width = tf.shape(value, tf.int64), tf.shape(value, tf.int64)[2]
    places = at_row[:, tf.newaxis, :, tf.newaxis] * width + at_column[tf.newaxis, :, tf.newaxis, :]
    there = in_row[:, tf.newaxis, :, tf.newaxis] & in_column[tf.newaxis, :, tf.newaxis, :]
    shape = tf.shape(places)
    places, there = (tf.reshape(t, [shape[0] * shape[1], -1]) for t in (places, there))
    flat = tf.reshape(value, tf.stack([size[0], size[1] * width, size[3]]))
    least = value.dtype.min if value.dtype.is_integer else -float('inf')
    inside = tf.where(there[tf.newaxis, :, :, tf.newaxis], tf.gather(flat, places, axis=1), tf.cast(least, value.dtype))
    first = tf.argmax(inside, 2)
    # NaN is never larger, so a place outside may win where all are NaN or the least number: then it is the first.
    first = tf.where(tf.gather(tf.reshape(there, [-1]), first + tf.range(tf.shape(there, tf.int64)[0])[:, tf.newaxis] *
                               tf.shape(there, tf.int64)[1]), first, 0)
    chosen = tf.gather(tf.reshape(places, [-1]), first + tf.range(tf.shape(places, tf.int64)[0])[:, tf.newaxis] *
                       tf.shape(places, tf.int64)[1])
    found = tf.gather(tf.transpose(flat, [0, 2, 1]), tf.transpose(chosen, [0, 2, 1]), batch_dims=2, axis=2)
    rows, columns = tf.cast(shape[0], tf.int64), tf.cast(shape[1], tf.int64)
    return tf.reshape(tf.transpose(found, [0, 2, 1]), tf.stack([size[0], rows, columns, size[3]]))


def _mean(value: tf.Tensor, rows: tuple[Any, ...], columns: tuple[Any, ...]) -> tf.Tensor:
    total, count = value, tf.ones([], value.dtype)
    for axis, (places, there) in ((1, rows), (2, columns)):
        parts = tf.gather(total, places, axis=axis)
        there = tf.reshape(there, tf.concat([tf.shape(there), tf.ones([3 - axis], tf.int32)], 0))
        total = tf.reduce_sum(tf.where(there, parts, tf.zeros([], value.dtype)), axis + 1)
        count = count * tf.reshape(tf.reduce_sum(tf.cast(there, value.dtype), 1), [-1, 1, 1] if axis == 1 else [-1, 1])
    return tf.truncatediv(total, count) if value.dtype.is_integer else total / count


def _pooled(kind, combine, value, ratio, pseudo_random, overlapping, draws, name):
    rows_ratio, columns_ratio = _ratios(ratio, kind)
    with tf.name_scope(name or kind):
        value = tf.convert_to_tensor(value)
        if value.dtype not in _DTYPES:
            raise tf.errors.InvalidArgumentError(None, None, f"Value for attr 'T' of {value.dtype.name} is not in the list of "
                                                 f'allowed values: float, double, int32, int64 [Op:{kind}]')
        if value.shape.rank not in (None, 4):
            raise tf.errors.InvalidArgumentError(None, None, f'the value must be 4-dimensional, its shape is {value.shape} [Op:{kind}]')
        value = tf.ensure_shape(value, [None] * 4)
        size = tf.shape(value, tf.int64)
        rows = _borders(size[1], rows_ratio, pseudo_random, draws)
        columns = _borders(size[2], columns_ratio, pseudo_random, draws)
        output = combine(value, _places(rows, size[1], overlapping), _places(columns, size[2], overlapping))
        known = [None if d is None else int(d / r) for d, r in zip(value.shape[1:3], (rows_ratio, columns_ratio))]
        output.set_shape([value.shape[0], *known, value.shape[3]])
        for borders, count in zip((rows, columns), known):
            borders.set_shape([None if count is None else count + 1])
        return _KINDS[kind](output, rows, columns)


# --- gradients by where cells begin ---
def _sequence(borders: Any, size: Any, count: Any, words: str) -> Any:
    """Where cells begin and the last one ends, checked."""
    borders = tf.cast(borders, tf.int64)
    if borders.shape.rank not in (None, 1):
        raise tf.errors.InvalidArgumentError(
            None, None, f'{words.lower()}_pooling_sequence must be a vector, its shape is {borders.shape}')
    checks = [tf.debugging.Assert(tf.equal(tf.size(borders, tf.int64), count + 1),
                                  [f'{words} sequence must have one element more than the gradient has cells']),
              tf.debugging.Assert(tf.reduce_all(borders >= 0), [f'{words} sequence tensor values must not be negative']),
              tf.debugging.Assert(tf.reduce_all(borders[1:] > borders[:-1]), [f'{words} sequence tensor values must increase']),
              tf.debugging.Assert(tf.reduce_all(borders[:-1] < size),
                                  [f'{words} sequence tensor values must be less than {words.lower()}s'])]
    with tf.control_dependencies([check for check in checks if check is not None]):
        return tf.identity(borders)


def _gradient_of(combine, value, output, out_backprop, row_pooling_sequence, col_pooling_sequence, overlapping):
    """The gradient of cells that begin at these places; `output` is what they must have, where not None."""
    out_backprop = tf.convert_to_tensor(out_backprop, value.dtype)
    if out_backprop.shape.rank not in (None, 4) or value.shape.rank not in (None, 4):
        raise tf.errors.InvalidArgumentError(None, None, f'the input and out_backprop must have 4 dimensions, they have the shapes '
                                                         f'{value.shape} and {out_backprop.shape}')
    size, cells = tf.shape(value, tf.int64), tf.shape(out_backprop, tf.int64)
    places = [_places(_sequence(borders, size[axis], cells[axis], words), size[axis], overlapping) for axis, borders, words in
              ((1, row_pooling_sequence, 'Row'), (2, col_pooling_sequence, 'Column'))]
    with tf.GradientTape() as tape:
        tape.watch(value)
        found = combine(value, *places)
    checks = [tf.debugging.assert_equal(tf.shape(found, tf.int64), cells, 'out_backprop must have the shape of the output')]
    if output is not None:
        output = tf.convert_to_tensor(output, value.dtype)
        checks.append(tf.debugging.assert_equal(tf.shape(output, tf.int64), cells, 'orig_output must have the shape of out_backprop'))
    with tf.control_dependencies([check for check in checks if check is not None]):
        out_backprop = tf.identity(out_backprop)
    if output is not None:
        same = tf.debugging.Assert(tf.reduce_all(tf.equal(found, output)), ['orig_output is not the output for orig_input'])
        with tf.control_dependencies([same] if same is not None else []):
            out_backprop = tf.identity(out_backprop)
    gradient = tape.gradient(found, value, out_backprop)
    gradient.set_shape(value.shape)
    return gradient


def _mean_gradient(*, orig_input_tensor_shape: Any, out_backprop: Any, row_pooling_sequence: Any,
                   col_pooling_sequence: Any, overlapping: bool = False, name: str | None = None) -> Any:
    """The gradient of FractionalAvgPool, of which only the shape of the input is needed."""
    with tf.name_scope(name or 'FractionalAvgPoolGrad'):
        out_backprop, shape = tf.convert_to_tensor(out_backprop), tf.convert_to_tensor(orig_input_tensor_shape, tf.int64)
        if not shape.shape.is_compatible_with([4]):
            raise tf.errors.InvalidArgumentError(None, None, 'orig_input_tensor_shape must be a vector of 4 elements, its own shape is '
                                                             f'{shape.shape}')
        known = tf.get_static_value(shape)
        if known is not None and min(known) < 0:
            raise tf.errors.InvalidArgumentError(None, None, f'orig_input_tensor_shape must not be negative: {known.tolist()}')
        return _gradient_of(_mean, tf.zeros(shape, out_backprop.dtype), None, out_backprop, row_pooling_sequence, col_pooling_sequence,
                            overlapping)


def _largest_gradient(*, orig_input: Any, orig_output: Any, out_backprop: Any, row_pooling_sequence: Any,
                      col_pooling_sequence: Any, overlapping: bool = False, name: str | None = None) -> Any:
    """The gradient of FractionalMaxPool: to the first of the largest elements of each cell."""
    with tf.name_scope(name or 'FractionalMaxPoolGrad'):
        return _gradient_of(_largest, tf.convert_to_tensor(orig_input), orig_output, out_backprop, row_pooling_sequence,
                            col_pooling_sequence, overlapping)


def _seeded(seed: int) -> _Draws:
    if not seed:
        return _Draws(False, 0, 0)
    return _Draws(True, *_engine.dataset_seeds(seed))


def fractional_max_pool(value: TensorLike, pooling_ratio: Any, pseudo_random: bool = False, overlapping: bool = False,
                        seed: Any = 0, name: str | None = None) -> Any:
    """The largest of each cell of rows and columns, and where the cells begin.

    pooling_ratio: how much smaller the image gets, 1 or more: one number, or a list of 4 of which the first and the last are 1.
    seed: not zero, for the same cells at each call.
    """
    if isinstance(pooling_ratio, (int, float)):
        if pooling_ratio < 1.0:
            raise ValueError(f'`pooling_ratio` should be >= 1.0. Received: pooling_ratio={pooling_ratio}')
        pooling_ratio = [1.0, pooling_ratio, pooling_ratio, 1.0]
    elif not isinstance(pooling_ratio, (list, tuple)):
        raise ValueError(f'`pooling_ratio` should be an int or a list of ints. Received: pooling_ratio={pooling_ratio}')
    return _pooled('FractionalMaxPool', _largest, value, pooling_ratio, pseudo_random, overlapping, _seeded(seed), name)


def fractional_avg_pool(value: TensorLike, pooling_ratio: Any, pseudo_random: bool = False, overlapping: bool = False,
                        seed: Any = 0, name: str | None = None) -> Any:
    """The mean of each cell of rows and columns, and where the cells begin.

    pooling_ratio: how much smaller the image gets, a list of 4 numbers of which the first and the last are 1.
    seed: not zero, for the same cells at each call.
    """
    if not isinstance(pooling_ratio, (list, tuple)):
        raise TypeError(f"Expected list for 'pooling_ratio' argument to 'fractional_avg_pool' Op, not {pooling_ratio}.")
    return _pooled('FractionalAvgPool', _mean, value, pooling_ratio, pseudo_random, overlapping, _seeded(seed), name)


def _old(kind: str, combine: Callable[..., Any]) -> Callable[..., Any]:
    def pool(value, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0, name=None):
        if not isinstance(pooling_ratio, (list, tuple)):
            raise TypeError(f"Expected list for 'pooling_ratio' argument to '{pool.__name__}' Op, not {pooling_ratio}.")
        return _pooled(kind, combine, value, pooling_ratio, pseudo_random, overlapping, _Draws(deterministic, seed, seed2), name)
    return pool


def _raw(pool: Callable[..., Any]) -> Callable[..., Any]:
    def op(*, value, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0, name=None):
        return pool(value, pooling_ratio, pseudo_random, overlapping, deterministic, seed, seed2, name)
    return op


RAW = {'FractionalAvgPoolGrad': _mean_gradient, 'FractionalMaxPoolGrad': _largest_gradient,
       'FractionalMaxPool': _raw(_old('FractionalMaxPool', _largest)), 'FractionalAvgPool': _raw(_old('FractionalAvgPool', _mean))}
for _name, _op in RAW.items():
    _op.__name__ = _op.__qualname__ = _name
publish('tf.nn', fractional_max_pool, fractional_avg_pool)
for _new, _old_form in ((fractional_max_pool, _old('FractionalMaxPool', _largest)),
                        (fractional_avg_pool, _old('FractionalAvgPool', _mean))):
    _old_form.__doc__ = _new.__doc__
    publish('tf.compat.v1.nn', **{_new.__name__: _old_form})
