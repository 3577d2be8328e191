"""Reductions, running sums, orders and softmax along an axis, against NumPy."""
import numpy as np

from drawing import ALL, COMPLEX, FLOATS, HALVES, TOLERANCE, WHOLE, Case, Property, array, axis_of, find, shape, wide


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
    """Ops along one axis."""
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
    # Equal elements keep their order, in both directions.
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
