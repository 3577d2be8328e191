"""Ops that rearrange, join and cut tensors, against NumPy."""
import numpy as np

from drawing import ANY, FLOATS, Case, array, axis_of, broadcastable, prop, shape


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
