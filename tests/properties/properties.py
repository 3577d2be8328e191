"""What run.py tries: for every op how to draw a case, and NumPy's answer to it."""
import dataclasses
import typing

import numpy as np

FLOATS = ('float32', 'float64')
HALVES = ('float16',)
SIGNED = ('int8', 'int16', 'int32', 'int64')
UNSIGNED = ('uint8', 'uint16', 'uint32', 'uint64')
COMPLEX = ('complex64', 'complex128')
TOLERANCE = {'float16': 4e-3, 'float32': 3e-5, 'float64': 1e-10, 'complex64': 1e-4, 'complex128': 1e-10}


@dataclasses.dataclass
class Case:
    name: str
    inputs: list
    call: typing.Callable       # of tf and the inputs as tensors
    expected: typing.Callable   # NumPy's answer, or several
    words: str = ''             # the attributes, for a failure's line
    tolerance: float = 0.0

    def __post_init__(self):
        kinds = [str(x.dtype) for x in self.inputs]
        self.tolerance = max([self.tolerance] + [TOLERANCE.get(k, 0.0) for k in kinds])


@dataclasses.dataclass
class Property:
    name: str
    make: typing.Callable


ALL = []
NEED_A_RANK = {'repeat', 'nn.softmax', 'nn.log_softmax'}  # of their first argument, while tracing


def prop(name):
    def take(make):
        ALL.append(Property(name, make))
        return make
    return take


# --- drawing ------------------------------------------------------------------------------------------------------------

def shape(random, least=0, most=4, empty=True):
    dims = [random.choice([1, 2, 3, 4, 5, 7]) for _ in range(random.randint(least, most))]
    if dims and empty and random.random() < 0.06:
        dims[random.randrange(len(dims))] = 0
    return tuple(dims)


def array(random, dtype, dims, low=-3.0, high=3.0):
    draw = np.random.default_rng(random.getrandbits(32))
    if dtype == 'bool':
        return draw.random(dims) < 0.5
    if dtype in COMPLEX:
        return (draw.uniform(low, high, dims) + 1j * draw.uniform(low, high, dims)).astype(dtype)
    if dtype in SIGNED + UNSIGNED:
        return draw.integers(int(max(low * 10, 0 if dtype in UNSIGNED else low * 10)), int(high * 10), dims).astype(dtype)
    return np.asarray(draw.uniform(low, high, dims)).astype(dtype)


def broadcastable(random, dims):
    """A shape that broadcasts with `dims`."""
    dims = [1 if random.random() < 0.25 else d for d in dims]
    return tuple(dims[random.randint(0, len(dims)) if random.random() < 0.3 else 0:])


def axis_of(random, x):
    """An axis of x, from the front or from behind."""
    return random.randrange(-x.ndim, x.ndim)


def wide(x):
    """What NumPy computes in for a float16: what the result is rounded from."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


# --- elementwise --------------------------------------------------------------------------------------------------------

def unary(name, answer, dtypes=FLOATS + HALVES, low=-3.0, high=3.0):
    def make(random):
        dtype = random.choice(dtypes)
        x = array(random, dtype, shape(random), low, high)

        def expected():
            out = np.asarray(answer(wide(x)))
            return out if out.dtype == bool else out.astype(dtype)
        return Case(name, [x], lambda tf, t: find(tf, name)(t), expected)
    ALL.append(Property(name, make))


def find(tf, name):
    for part in name.split('.'):
        tf = getattr(tf, part)
    return tf


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


NUMBERS = FLOATS + HALVES + SIGNED
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


WHOLE = SIGNED + UNSIGNED
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
    # Within what every kind holds: what is beyond is nobody's rule.
    x = array(random, source, shape(random), 0.0 if target in UNSIGNED else -3.0, 3.0)
    return Case('cast', [x], lambda tf, t: tf.cast(t, target), lambda: x.astype(target), f"'{target}'",
                TOLERANCE.get(target, 0.0))


@prop('clip_by_value')
def _(random):
    x = array(random, random.choice(FLOATS + ('int32',)), shape(random))
    low, high = (-1, 1) if x.dtype == np.int32 else (-0.5, 1.5)
    return Case('clip_by_value', [x], lambda tf, t: tf.clip_by_value(t, low, high), lambda: np.clip(x, low, high))


# --- reductions ---------------------------------------------------------------------------------------------------------

def reduction(name, answer, dtypes, empty=True, result=None):
    def make(random):
        dtype = random.choice(dtypes)
        x = array(random, dtype, shape(random, empty=empty), -1.0, 1.0)
        some = random.sample(range(x.ndim), random.randint(0, x.ndim))
        axis = random.choice([None, tuple(a - x.ndim if random.random() < 0.3 else a for a in some)])
        if axis and len(axis) == 1 and random.random() < 0.5:
            axis = axis[0]
        keep = random.random() < 0.4
        listed = list(axis) if isinstance(axis, tuple) else axis
        return Case(name, [x], lambda tf, t: find(tf, name)(t, axis=listed, keepdims=keep),
                    lambda: np.asarray(answer(wide(x), axis=axis, keepdims=keep)).astype(result or dtype),
                    f'axis={listed}, keepdims={keep}', 2 * TOLERANCE.get(dtype, 0.0))
    ALL.append(Property(name, make))


def log_sum_exp(x, axis, keepdims):
    return np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims))


for name_, answer_, *more_ in (
        ('math.reduce_sum', np.sum, FLOATS + HALVES + ('int32', 'int64', 'uint8') + COMPLEX), ('math.reduce_mean', np.mean, FLOATS + HALVES, False),
        ('math.reduce_prod', np.prod, FLOATS + ('int32', 'int64')), ('math.reduce_max', np.max, FLOATS + HALVES + WHOLE, False),
        ('math.reduce_min', np.min, FLOATS + HALVES + WHOLE, False), ('math.reduce_all', np.all, ('bool',)),
        ('math.reduce_any', np.any, ('bool',)), ('math.reduce_variance', np.var, FLOATS, False),
        ('math.reduce_std', np.std, FLOATS, False), ('math.reduce_logsumexp', log_sum_exp, FLOATS, False),
        ('math.count_nonzero', lambda x, axis, keepdims: np.count_nonzero(x, axis=axis, keepdims=keepdims),
         ('int32', 'float32', 'bool'), True, 'int64')):
    reduction(name_, answer_, *more_)


def along(name, answer, dtypes, draw=lambda random: {}, empty=True):
    """Ops that go along one axis."""
    def make(random):
        x = array(random, random.choice(dtypes), shape(random, 1, 4, empty))
        axis, more = axis_of(random, x), draw(random)
        words = ', '.join([f'axis={axis}'] + [f'{k}={v!r}' for k, v in more.items()])
        return Case(name, [x], lambda tf, t: find(tf, name)(t, axis=axis, **more), lambda: answer(x, axis, **more), words)
    ALL.append(Property(name, make))


def running(accumulate, first):
    def answer(x, axis, exclusive, reverse):
        y = np.flip(x, axis) if reverse else x
        out = accumulate(wide(y), axis=axis).astype(x.dtype)
        if exclusive:
            start = np.full_like(np.take(out, [0], axis) if out.shape[axis] else out, first)
            out = np.concatenate([start, np.take(out, range(out.shape[axis] - 1), axis)], axis) if out.shape[axis] else out
        return np.flip(out, axis) if reverse else out
    return answer


def either(random):
    return {'exclusive': random.random() < 0.5, 'reverse': random.random() < 0.5}


def direction(random):
    return {'direction': random.choice(['ASCENDING', 'DESCENDING'])}


def sorted_along(x, axis, direction):
    out = np.sort(x, axis)
    return np.flip(out, axis) if direction == 'DESCENDING' else out


def order_along(x, axis, direction):
    # Equal ones stay in their order, both ways.
    key = -x.astype(np.float64) if direction == 'DESCENDING' else x
    return np.argsort(key, axis, kind='stable').astype(np.int32)


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


for name_, answer_, *more_ in (
        ('math.cumsum', running(np.cumsum, 0), FLOATS + ('int32', 'int64'), either),
        ('math.cumprod', running(np.cumprod, 1), FLOATS, either),
        ('math.argmax', lambda x, axis: np.argmax(x, axis), FLOATS + ('int32', 'uint8'), lambda r: {}, False),
        ('math.argmin', lambda x, axis: np.argmin(x, axis), FLOATS + ('int32', 'int64'), lambda r: {}, False),
        ('sort', sorted_along, FLOATS + ('int32', 'int64'), direction),
        ('argsort', order_along, ('float32', 'int32'), lambda r: {**direction(r)}, False),
        ('nn.softmax', softmax, FLOATS, lambda r: {}, False),
        ('nn.log_softmax', lambda x, axis: np.log(softmax(x, axis)), FLOATS, lambda r: {}, False),
        ('reverse', lambda x, axis: np.flip(x, axis), ())):
    if more_[0]:
        along(name_, answer_, *more_)


# --- shapes -------------------------------------------------------------------------------------------------------------

ANY = NUMBERS + COMPLEX + ('bool', 'uint8')


@prop('reverse')
def _(random):
    x = array(random, random.choice(ANY), shape(random, 1))
    axes = random.sample(range(x.ndim), random.randint(0, x.ndim))
    return Case('reverse', [x], lambda tf, t: tf.reverse(t, axes), lambda: np.flip(x, axes).copy(), str(axes))


@prop('reshape')
def _(random):
    x = array(random, random.choice(ANY), shape(random))
    dims, left = [], x.size
    for d in (2, 3, 5, 7):
        if left and left % d == 0 and random.random() < 0.6:
            dims.append(d)
            left //= d
    dims.append(left)
    random.shuffle(dims)
    said = list(dims)
    if x.size and random.random() < 0.5:
        said[random.randrange(len(said))] = -1
    return Case('reshape', [x], lambda tf, t: tf.reshape(t, said), lambda: x.reshape(dims), str(said))


@prop('transpose')
def _(random):
    x = array(random, random.choice(ANY), shape(random, 0, 5))
    perm = random.choice([None, random.sample(range(x.ndim), x.ndim)])
    return Case('transpose', [x], lambda tf, t: tf.transpose(t, perm), lambda: np.transpose(x, perm).copy(), str(perm))


@prop('expand_dims')
def _(random):
    x = array(random, random.choice(ANY), shape(random))
    axis = random.randint(-x.ndim - 1, x.ndim)
    return Case('expand_dims', [x], lambda tf, t: tf.expand_dims(t, axis), lambda: np.expand_dims(x, axis), str(axis))


@prop('squeeze')
def _(random):
    x = array(random, random.choice(ANY), shape(random))
    ones = [i for i, d in enumerate(x.shape) if d == 1]
    axis = random.choice([None, random.sample(ones, random.randint(0, len(ones)))])
    axes = tuple(axis) if axis else None  # an empty list means all
    return Case('squeeze', [x], lambda tf, t: tf.squeeze(t, axis), lambda: np.squeeze(x, axes), str(axis))


@prop('concat')
def _(random):
    first = array(random, random.choice(ANY), shape(random, 1))
    axis = axis_of(random, first)
    arrays = [first]
    for _ in range(random.randint(0, 3)):
        dims = list(first.shape)
        dims[axis] = random.randint(0, 4)
        arrays.append(array(random, str(first.dtype), tuple(dims)))
    return Case('concat', arrays, lambda tf, *ts: tf.concat(ts, axis), lambda: np.concatenate(arrays, axis), f'axis={axis}')


@prop('stack')
def _(random):
    first = array(random, random.choice(ANY), shape(random, 0, 3))
    arrays = [first] + [array(random, str(first.dtype), first.shape) for _ in range(random.randint(0, 3))]
    axis = random.randint(-first.ndim - 1, first.ndim)
    return Case('stack', arrays, lambda tf, *ts: tf.stack(ts, axis), lambda: np.stack(arrays, axis), f'axis={axis}')


@prop('split')
def _(random):
    parts, x = random.randint(1, 4), array(random, random.choice(ANY), shape(random, 1))
    axis = axis_of(random, x)
    dims = list(x.shape)
    dims[axis] *= parts
    x = array(random, str(x.dtype), tuple(dims))
    return Case('split', [x], lambda tf, t: tf.split(tf.ensure_shape(t, dims), parts, axis), lambda: np.split(x, parts, axis),
                f'{parts}, axis={axis}')


@prop('unstack')
def _(random):
    x = array(random, random.choice(ANY), shape(random, 1))
    axis = axis_of(random, x)
    return Case('unstack', [x], lambda tf, t: tf.unstack(t, x.shape[axis], axis),
                lambda: [np.take(x, i, axis) for i in range(x.shape[axis])], f'axis={axis}')


@prop('tile')
def _(random):
    x = array(random, random.choice(ANY), shape(random, 0, 3))
    times = [random.randint(0, 3) for _ in x.shape]
    return Case('tile', [x], lambda tf, t: tf.tile(t, times), lambda: np.tile(x, times) if times else x, str(times))


@prop('pad')
def _(random):
    mode = random.choice(['CONSTANT', 'REFLECT', 'SYMMETRIC'])
    x = array(random, random.choice(FLOATS + ('int32', 'int64')), shape(random, 1, 3, mode == 'CONSTANT'))
    most = [3 if mode == 'CONSTANT' else d - (mode == 'REFLECT') for d in x.shape]
    pads = [[random.randint(0, m), random.randint(0, m)] for m in most]
    return Case('pad', [x], lambda tf, t: tf.pad(t, pads, mode), lambda: np.pad(x, pads, mode.lower()), f'{pads}, {mode}')


@prop('roll')
def _(random):
    x = array(random, random.choice(ANY), shape(random, 1))
    axis, by = axis_of(random, x), random.randint(-6, 6)
    return Case('roll', [x], lambda tf, t: tf.roll(t, by, axis), lambda: np.roll(x, by, axis), f'{by}, axis={axis}')


@prop('broadcast_to')
def _(random):
    dims = shape(random)
    x = array(random, random.choice(ANY), broadcastable(random, dims))
    return Case('broadcast_to', [x], lambda tf, t: tf.broadcast_to(t, dims), lambda: np.broadcast_to(x, dims).copy(), str(dims))


@prop('repeat')
def _(random):
    x = array(random, random.choice(ANY), shape(random, 1, 3))
    axis = axis_of(random, x)
    times = random.choice([random.randint(0, 3), [random.randint(0, 2) for _ in range(x.shape[axis])]])
    return Case('repeat', [x], lambda tf, t: tf.repeat(t, times, axis), lambda: np.repeat(x, times, axis), f'{times}, axis={axis}')


@prop('getitem')
def _(random):
    x = array(random, random.choice(ANY), shape(random, 0, 4))
    index, left = [], x.ndim
    for d in x.shape:
        what = random.random()
        if what < 0.25 and d:
            index.append(random.randrange(-d, d))
        elif what < 0.75:
            ends = [None] + list(range(-d - 1, d + 2))
            index.append(slice(random.choice(ends), random.choice(ends), random.choice([None, 1, 2, -1, -2])))
        elif what < 0.85:
            index += [None, slice(None)]
        else:
            index.append(slice(None))
    keep = random.randint(0, len(index))
    if random.random() < 0.3:
        index = index[:keep] + [...] + (index[keep:] if keep + left == len(index) else [])
    index = tuple(index)
    return Case('getitem', [x], lambda tf, t: t[index], lambda: np.asarray(x[index]).copy(), repr(index))


@prop('gather')
def _(random):
    x = array(random, random.choice(ANY), shape(random, 1, 4, False))
    axis = axis_of(random, x)
    indices = np.random.default_rng(random.getrandbits(32)).integers(
        0, x.shape[axis], shape(random, 0, 2)).astype(random.choice(['int32', 'int64']))
    return Case('gather', [x, indices], lambda tf, t, i: tf.gather(t, i, axis=axis), lambda: np.take(x, indices, axis),
                f'axis={axis}')


@prop('gather_nd')
def _(random):
    x = array(random, random.choice(ANY), shape(random, 1, 4, False))
    depth, dims = random.randint(1, x.ndim), shape(random, 0, 2)
    draw = np.random.default_rng(random.getrandbits(32))
    indices = np.stack([draw.integers(0, x.shape[i], dims) for i in range(depth)], -1).astype(np.int32)
    return Case('gather_nd', [x, indices], lambda tf, t, i: tf.gather_nd(t, i),
                lambda: x[tuple(np.moveaxis(indices, -1, 0))])


@prop('boolean_mask')
def _(random):
    x = array(random, random.choice(ANY), shape(random, 1))
    mask = array(random, 'bool', x.shape[:random.randint(1, x.ndim)])
    return Case('boolean_mask', [x], lambda tf, t: tf.boolean_mask(tf.ensure_shape(t, x.shape), mask), lambda: x[mask])


@prop('one_hot')
def _(random):
    depth = random.randint(1, 6)
    x = array(random, random.choice(['int32', 'int64', 'uint8']), shape(random), 0.0, 0.9)
    axis = random.randint(-1, x.ndim)

    def expected():
        out = (x[..., None] == np.arange(depth)).astype(np.float32)
        return np.moveaxis(out, -1, axis)
    return Case('one_hot', [x], lambda tf, t: tf.one_hot(t, depth, axis=axis), expected, f'{depth}, axis={axis}')


@prop('linalg.band_part')
def _(random):
    x = array(random, random.choice(FLOATS + ('int32',)), shape(random, 2))
    low, up = random.randint(-1, x.shape[-2]), random.randint(-1, x.shape[-1])
    i, j = np.indices(x.shape[-2:])
    keep = ((low < 0) | (i - j <= low)) & ((up < 0) | (j - i <= up))
    return Case('linalg.band_part', [x], lambda tf, t: tf.linalg.band_part(t, low, up),
                lambda: np.where(keep, x, np.zeros((), x.dtype)), f'{low}, {up}')


@prop('linalg.diag')
def _(random):
    x = array(random, random.choice(FLOATS + ('int32', 'bool')), shape(random, 1, 3))
    return Case('linalg.diag', [x], lambda tf, t: tf.linalg.diag(t),
                lambda: np.where(np.eye(x.shape[-1], dtype=bool), x[..., None], np.zeros((), x.dtype)))


@prop('linalg.diag_part')
def _(random):
    x = array(random, random.choice(FLOATS + ('int32', 'bool')), shape(random, 2))
    return Case('linalg.diag_part', [x], lambda tf, t: tf.linalg.diag_part(t), lambda: np.diagonal(x, axis1=-2, axis2=-1).copy())


@prop('math.segment_sum')
def _(random):
    x = array(random, random.choice(FLOATS + ('int32',)), shape(random, 1, 3, False))
    ids = np.sort(np.random.default_rng(random.getrandbits(32)).integers(0, 5, x.shape[0])).astype(np.int32)

    def expected():
        out = np.zeros((ids[-1] + 1,) + x.shape[1:], x.dtype)
        np.add.at(out, ids, x)
        return out
    return Case('math.segment_sum', [x], lambda tf, t: tf.math.segment_sum(t, ids), expected, str(ids))


@prop('math.unsorted_segment_max')
def _(random):
    x = array(random, random.choice(FLOATS + ('int32',)), shape(random, 1, 3, False))
    ids = np.random.default_rng(random.getrandbits(32)).integers(-1, 4, x.shape[0]).astype(np.int32)

    def expected():
        least = np.finfo(x.dtype).min if x.dtype.kind == 'f' else np.iinfo(x.dtype).min
        out = np.full((4,) + x.shape[1:], least, x.dtype)
        np.maximum.at(out, ids[ids >= 0], x[ids >= 0])
        return out
    return Case('math.unsorted_segment_max', [x], lambda tf, t: tf.math.unsorted_segment_max(t, ids, 4), expected, str(ids))


@prop('unique')
def _(random):
    x = array(random, random.choice(('int32', 'int64', 'float32')), (random.randint(0, 12),), -0.4, 0.4)

    def expected():
        seen = list(dict.fromkeys(x.tolist()))
        return [np.array(seen, x.dtype), np.array([seen.index(v) for v in x.tolist()], np.int32)]
    return Case('unique', [x], lambda tf, t: tf.unique(t), expected)


@prop('searchsorted')
def _(random):
    dtype, side = random.choice(('float32', 'int32', 'int64')), random.choice(['left', 'right'])
    edges, values = np.sort(array(random, dtype, (random.randint(1, 8),))), array(random, dtype, (random.randint(0, 6),))
    return Case('searchsorted', [edges, values], lambda tf, e, v: tf.searchsorted(e, v, side=side),
                lambda: np.searchsorted(edges, values, side).astype(np.int32), side)


@prop('math.top_k')
def _(random):
    x = array(random, random.choice(FLOATS), shape(random, 1, 3, False))
    k = random.randint(0, x.shape[-1])

    def expected():
        order = np.argsort(-x, -1, kind='stable')[..., :k].astype(np.int32)
        return [np.take_along_axis(x, order, -1), order]
    return Case('math.top_k', [x], lambda tf, t: tf.math.top_k(t, k), expected, f'k={k}')


# --- products -----------------------------------------------------------------------------------------------------------

@prop('linalg.matmul')
def _(random):
    dtype = random.choice(FLOATS + HALVES + ('int32', 'int64') + COMPLEX)
    m, k, n = (random.choice([0, 1, 2, 3, 5, 8, 17] if random.random() < 0.3 else [1, 2, 4, 9]) for _ in range(3))
    batch = shape(random, 0, 2)
    flip_x, flip_y = random.random() < 0.3, random.random() < 0.3
    x = array(random, dtype, batch + ((k, m) if flip_x else (m, k)), -1.0, 1.0)
    y = array(random, dtype, broadcastable(random, batch) + ((n, k) if flip_y else (k, n)), -1.0, 1.0)

    def expected():
        a = np.swapaxes(x, -1, -2) if flip_x else x
        b = np.swapaxes(y, -1, -2) if flip_y else y
        return (wide(a) @ wide(b)).astype(dtype)
    return Case('linalg.matmul', [x, y], lambda tf, a, b: tf.linalg.matmul(a, b, transpose_a=flip_x, transpose_b=flip_y),
                expected, f'transpose_a={flip_x}, transpose_b={flip_y}', 4 * TOLERANCE.get(dtype, 0.0))


@prop('tensordot')
def _(random):
    dtype, axes = random.choice(FLOATS), random.randint(0, 2)
    shared = shape(random, axes, axes, False)
    x, y = array(random, dtype, shape(random, 0, 2) + shared), array(random, dtype, shared + shape(random, 0, 2))
    return Case('tensordot', [x, y], lambda tf, a, b: tf.tensordot(a, b, axes), lambda: np.asarray(np.tensordot(x, y, axes)),
                f'axes={axes}', 1e-4)


@prop('einsum')
def _(random):
    sizes = {c: random.randint(1, 4) for c in 'abcd'}
    equation = random.choice(['ab,bc->ac', 'ab,cb->ac', 'abc,abd->acd', 'ab,ab->', 'abc->cab', 'ab->b',
                              'a,b->ab', 'abc,c->ab', 'abc,acd->abd', 'abcd,ad->bc'])
    left = equation.partition('->')[0].split(',')
    arrays = [array(random, random.choice(FLOATS) if i == 0 else 'float32', tuple(sizes[c] for c in part))
              for i, part in enumerate(left)]
    arrays = [a.astype(arrays[0].dtype) for a in arrays]
    return Case('einsum', arrays, lambda tf, *ts: tf.einsum(equation, *ts), lambda: np.asarray(np.einsum(equation, *arrays)),
                equation, 1e-4)


def square(name, answer, symmetric=False):
    def make(random):
        n = random.randint(1, 5)
        x = array(random, random.choice(FLOATS), shape(random, 0, 2) + (n, n), -1.0, 1.0)
        x = (x @ np.swapaxes(x, -1, -2) if symmetric else x) + (3 * np.eye(n)).astype(x.dtype)
        return Case(name, [x], lambda tf, t: find(tf, name)(t), lambda: np.asarray(answer(x)), '', 1e-3 if x.dtype == np.float32 else 1e-8)
    ALL.append(Property(name, make))


square('linalg.det', np.linalg.det)
square('linalg.inv', np.linalg.inv)
square('linalg.cholesky', np.linalg.cholesky, True)
square('linalg.trace', lambda x: np.trace(x, axis1=-2, axis2=-1))


@prop('linalg.solve')
def _(random):
    n, dtype, batch = random.randint(1, 5), random.choice(FLOATS), shape(random, 0, 2)
    a = array(random, dtype, batch + (n, n), -1.0, 1.0) + (3 * np.eye(n)).astype(dtype)
    b = array(random, dtype, batch + (n, random.randint(1, 4)))
    return Case('linalg.solve', [a, b], lambda tf, x, y: tf.linalg.solve(x, y), lambda: np.linalg.solve(a, b), '',
                1e-3 if dtype == 'float32' else 1e-8)


# --- made from nothing --------------------------------------------------------------------------------------------------

@prop('range')
def _(random):
    start, stop, step = random.randint(-9, 9), random.randint(-9, 9), random.choice([-3, -2, -1, 1, 2, 3])
    dtype = random.choice(('int32', 'int64') + FLOATS)
    if (stop - start) * step < 0:
        start, stop = stop, start  # the wrong way round is an error
    return Case('range', [np.array(start, dtype)], lambda tf, t: tf.range(t, tf.constant(stop, dtype), tf.constant(step, dtype)),
                lambda: np.arange(start, stop, step).astype(dtype), f'{stop}, {step}')


@prop('eye')
def _(random):
    rows, columns = random.randint(0, 5), random.choice([None, random.randint(0, 5)])
    dtype = random.choice(FLOATS + ('int32', 'bool') + COMPLEX)
    return Case('eye', [], lambda tf: tf.eye(rows, columns, dtype=dtype), lambda: np.eye(rows, columns, dtype=dtype),
                f"{rows}, {columns}, '{dtype}'")


@prop('fill')
def _(random):
    dims, value = shape(random), array(random, random.choice(NUMBERS + ('bool',)), ())
    return Case('fill', [value], lambda tf, v: tf.fill(dims, v), lambda: np.full(dims, value), str(dims))


@prop('linspace')
def _(random):
    n, dtype = random.randint(1, 9), random.choice(FLOATS)
    a, b = array(random, dtype, ()), array(random, dtype, ())
    return Case('linspace', [a, b], lambda tf, x, y: tf.linspace(x, y, n), lambda: np.linspace(a, b, n).astype(dtype), str(n))
