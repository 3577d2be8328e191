"""Convolutions and their input gradients against sums that NumPy makes tap by tap: strides, dilation, padding, groups."""
import numpy as np

from drawing import Case, array, prop


def drawn(random, spatial):
    """Sizes, attributes and values of a convolution, wide and deep ones among them."""
    size = [random.choice([1, 2, 5, 7, 13, 30] if random.random() < 0.5 else [3, 6, 8]) for _ in range(spatial)]
    kernel = [random.randint(1, 3) for _ in range(spatial)]
    stride = [random.randint(1, 3)] * spatial
    dilation = [random.randint(1, 2)] * spatial if max(stride) == 1 else [1] * spatial
    groups = random.choice([1, 1, 1, 2, 3])
    seen, made = random.choice([1, 3, 4, 17]), random.choice([1, 3, 8, 16, 33, 70])
    padding = random.choice(['SAME', 'VALID'])
    if padding == 'VALID':
        size = [max(s, (k - 1) * d + 1) for s, k, d in zip(size, kernel, dilation)]
    dtype = random.choice(['float32', 'float32', 'float64'])
    x = array(random, dtype, [random.randint(1, 3), *size, seen * groups], -1.0, 1.0)
    f = array(random, dtype, [*kernel, seen, made * groups], -1.0, 1.0)
    return x, f, stride, dilation, groups, padding


def taps(x, f, stride, dilation, padding):
    """Count and padding of the output, and for each tap the slice of the padded input that it reads."""
    count, before, after = [], [], []
    for n, k, s, d in zip(x.shape[1:-1], f.shape, stride, dilation):
        reach = (k - 1) * d + 1
        out = -(-n // s) if padding == 'SAME' else (n - reach) // s + 1
        lacking = max((out - 1) * s + reach - n, 0) if padding == 'SAME' else 0
        count.append(out), before.append(lacking // 2), after.append(lacking - lacking // 2)
    pads = [(0, 0), *zip(before, after), (0, 0)]
    reads = {tap: tuple(slice(t * d, t * d + (c - 1) * s + 1, s) for t, d, c, s in zip(tap, dilation, count, stride))
             for tap in np.ndindex(*f.shape[:-2])}
    return count, pads, reads


def convolved(x, f, stride, dilation, groups, padding):
    count, pads, reads = taps(x, f, stride, dilation, padding)
    padded = np.pad(x.astype('float64'), pads)
    out = np.zeros([x.shape[0], *count, f.shape[-1]])
    seen, made = f.shape[-2], f.shape[-1] // groups
    for tap, read in reads.items():
        for g in range(groups):
            out[..., g * made:(g + 1) * made] += (padded[(slice(None), *read, slice(g * seen, (g + 1) * seen))]
                                                  @ f[tap][:, g * made:(g + 1) * made].astype('float64'))
    return out.astype(x.dtype)


def gradient(x, f, arriving, stride, dilation, padding):
    count, pads, reads = taps(x, f, stride, dilation, padding)
    padded = np.zeros([n + a + b for n, (a, b) in zip(x.shape, pads)])
    for tap, read in reads.items():
        padded[(slice(None), *read)] += arriving.astype('float64') @ f[tap].astype('float64').T
    return padded[tuple(slice(a, a + n) for n, (a, b) in zip(x.shape, pads))].astype(x.dtype)


@prop('nn.conv2d')
def _(random):
    x, f, *how = drawn(random, 2)
    stride, dilation, groups, padding = how
    return Case('nn.conv2d', [x, f], lambda tf, a, b: tf.nn.conv2d(a, b, stride, padding, dilations=dilation),
                lambda: convolved(x, f, *how), f'{stride}, {dilation}, groups={groups}, {padding}', 1e-4)


@prop('nn.conv3d')
def _(random):
    x, f, *how = drawn(random, 3)
    stride, dilation, groups, padding = how
    steps, spread = [1, *stride, 1], [1, *dilation, 1]
    return Case('nn.conv3d', [x, f], lambda tf, a, b: tf.nn.conv3d(a, b, steps, padding, dilations=spread),
                lambda: convolved(x, f, *how), f'{stride}, {dilation}, groups={groups}, {padding}', 1e-4)


@prop('nn.conv2d_transpose')
def _(random):
    x, f, stride, dilation, groups, padding = drawn(random, 2)
    f = f[..., :f.shape[-1] // groups]
    x = x[..., :f.shape[-2]]
    count, _, _ = taps(x, f, stride, dilation, padding)
    arriving = array(random, x.dtype.name, [x.shape[0], *count, f.shape[-1]], -1.0, 1.0)
    return Case('nn.conv2d_transpose', [arriving, f],
                lambda tf, a, b: tf.nn.conv2d_transpose(a, b, x.shape, stride, padding, dilations=dilation),
                lambda: gradient(x, f, arriving, stride, dilation, padding), f'{x.shape}, {stride}, {dilation}, {padding}', 1e-4)
