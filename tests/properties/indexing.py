"""Indexing, gathering, diagonals, segments and look-ups, against NumPy."""
import numpy as np

from drawing import ANY, FLOATS, Case, array, axis_of, prop, shape


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
