"""One op of each family at three sizes, called from Python: 1, 1,000 and 1,000,000 elements, beside the same call of the
peers. The floor of the cheap ones is a C loop that reads two arrays and writes one.
FOOTLIGHT_BENCH_ONLY names the families that are wanted."""
import math
import os

import bench

SIZES = (1, 1000) if bench.QUICK else (1, 1000, 1000000)

# name: (inputs, TensorFlow and Footlight, PyTorch, jax.numpy). Inputs: letter = kind(shape); n is the size, s its root,
# c its root by columns.
CASES = {
    'add': ('x=u(n) y=u(n)', 'x + y', 'x + y', 'x + y'),
    'add, broadcast': ('x=u(s,s) y=u(s)', 'x + y', 'x + y', 'x + y'),
    'divide by a number': ('x=u(n)', 'x / 3.0', 'x / 3.0', 'x / 3.0'),
    'maximum': ('x=u(n) y=u(n)', 'lib.maximum(x, y)', 'lib.maximum(x, y)', 'lib.maximum(x, y)'),
    'exp': ('x=u(n)', 'lib.exp(x)', 'lib.exp(x)', 'lib.exp(x)'),
    'log': ('x=u(n)', 'lib.math.log(x)', 'lib.log(x)', 'lib.log(x)'),
    'tanh': ('x=u(n)', 'lib.tanh(x)', 'lib.tanh(x)', 'lib.tanh(x)'),
    'sigmoid': ('x=u(n)', 'lib.sigmoid(x)', 'lib.sigmoid(x)', 'jax.nn.sigmoid(x)'),
    'sin': ('x=u(n)', 'lib.sin(x)', 'lib.sin(x)', 'lib.sin(x)'),
    'erf': ('x=u(n)', 'lib.math.erf(x)', 'lib.erf(x)', 'jax.scipy.special.erf(x)'),
    'sqrt': ('x=u(n)', 'lib.sqrt(x)', 'lib.sqrt(x)', 'lib.sqrt(x)'),
    'pow': ('x=u(n) y=u(n)', 'lib.pow(x, y)', 'lib.pow(x, y)', 'lib.power(x, y)'),
    'exp, double': ('x=d(n)', 'lib.exp(x)', 'lib.exp(x)', None),
    'exp, half': ('x=h(n)', 'lib.exp(x)', 'lib.exp(x)', 'lib.exp(x)'),
    'relu': ('x=u(n)', 'lib.nn.relu(x)', 'lib.relu(x)', 'jax.nn.relu(x)'),
    'less': ('x=u(n) y=u(n)', 'x < y', 'x < y', 'x < y'),
    'cast to int32': ('x=u(n)', 'lib.cast(x, lib.int32)', 'x.to(lib.int32)', 'x.astype(lib.int32)'),
    'cast to half': ('x=u(n)', 'lib.cast(x, lib.float16)', 'x.to(lib.float16)', 'x.astype(lib.float16)'),
    'where': ('x=u(n) y=u(n) b=b(n)', 'lib.where(b, x, y)', 'lib.where(b, x, y)', 'lib.where(b, x, y)'),
    'sum of all': ('x=u(n)', 'lib.reduce_sum(x)', 'lib.sum(x)', 'lib.sum(x)'),
    'sum of rows': ('x=u(s,s)', 'lib.reduce_sum(x, axis=1)', 'lib.sum(x, dim=1)', 'lib.sum(x, axis=1)'),
    'sum of columns': ('x=u(s,s)', 'lib.reduce_sum(x, axis=0)', 'lib.sum(x, dim=0)', 'lib.sum(x, axis=0)'),
    'mean': ('x=u(n)', 'lib.reduce_mean(x)', 'lib.mean(x)', 'lib.mean(x)'),
    'max of rows': ('x=u(s,s)', 'lib.reduce_max(x, axis=1)', 'lib.amax(x, dim=1)', 'lib.max(x, axis=1)'),
    'all': ('b=b(n)', 'lib.reduce_all(b)', 'lib.all(b)', 'lib.all(b)'),
    'argmax': ('x=u(s,s)', 'lib.argmax(x, axis=1)', 'lib.argmax(x, dim=1)', 'lib.argmax(x, axis=1)'),
    'softmax': ('x=u(s,s)', 'lib.nn.softmax(x)', 'lib.softmax(x, -1)', 'jax.nn.softmax(x)'),
    'cumsum': ('x=u(s,s)', 'lib.cumsum(x, axis=1)', 'lib.cumsum(x, 1)', 'lib.cumsum(x, axis=1)'),
    'matmul': ('x=u(s,s) y=u(s,s)', 'lib.matmul(x, y)', 'lib.matmul(x, y)', 'lib.matmul(x, y)'),
    'matmul, double': ('x=d(s,s) y=d(s,s)', 'lib.matmul(x, y)', 'lib.matmul(x, y)', None),
    'matrix by vector': ('x=u(s,s) y=u(s)', 'lib.linalg.matvec(x, y)', 'lib.mv(x, y)', 'lib.matmul(x, y)'),
    'matmul, batched': ('x=u(k,16,16) y=u(k,16,16)', 'lib.matmul(x, y)', 'lib.matmul(x, y)', 'lib.matmul(x, y)'),
    'conv 3x3': ('x=u(1,i,i,8) f=u(3,3,8,8)', 'lib.nn.conv2d(x, f, 1, "SAME")',
                 'lib.nn.functional.conv2d(xt, ft, padding=1)', None),
    'max pool 2x2': ('x=u(1,i,i,8)', 'lib.nn.max_pool2d(x, 2, 2, "SAME")',
                     'lib.nn.functional.max_pool2d(xt, 2, 2, ceil_mode=True)', None),
    'transpose': ('x=u(s,s)', 'lib.transpose(x)', 'x.t().contiguous()', 'lib.transpose(x) + 0'),
    'reshape': ('x=u(s,s)', 'lib.reshape(x, [-1])', 'lib.reshape(x, [-1])', 'lib.reshape(x, [-1])'),
    'slice': ('x=u(n)', 'x[0:1]', 'x[0:1].clone()', 'x[0:1]'),
    'one element': ('x=u(n)', 'x[0]', 'x[0].clone()', 'x[0]'),
    'concat': ('x=u(n) y=u(n)', 'lib.concat([x, y], 0)', 'lib.cat([x, y], 0)', 'lib.concatenate([x, y], 0)'),
    'stack': ('x=u(n) y=u(n)', 'lib.stack([x, y])', 'lib.stack([x, y])', 'lib.stack([x, y])'),
    'tile': ('x=u(s,s)', 'lib.tile(x, [2, 2])', 'lib.tile(x, [2, 2])', 'lib.tile(x, [2, 2])'),
    'pad': ('x=u(s,s)', 'lib.pad(x, [[1, 1], [1, 1]])', 'lib.nn.functional.pad(x, (1, 1, 1, 1))', 'lib.pad(x, 1)'),
    'gather': ('x=u(s,s) i=i(s)', 'lib.gather(x, i)', 'x[i]', 'x[i]'),
    'segment sum': ('x=u(n) i=z(n)', 'lib.math.unsorted_segment_sum(x, i, 10)',
                    'lib.zeros(10).index_add_(0, i, x)', 'jax.ops.segment_sum(x, i, 10)'),
    'sort': ('x=u(n)', 'lib.sort(x)', 'lib.sort(x)', 'lib.sort(x)'),
    'top 10': ('x=u(n10)', 'lib.math.top_k(x, 10)', 'lib.topk(x, 10)', 'jax.lax.top_k(x, 10)'),
    'random uniform': ('', 'lib.random.uniform([n])', 'lib.rand([n])', None),
    'random normal': ('', 'lib.random.normal([n])', 'lib.randn([n])', None),
    'zeros': ('', 'lib.zeros([n])', 'lib.zeros([n])', 'lib.zeros([n])'),
    'inverse': ('x=u(r,r)', 'lib.linalg.inv(x)', 'lib.linalg.inv(x)', 'lib.linalg.inv(x)'),
    'cholesky': ('x=p(r,r)', 'lib.linalg.cholesky(x)', 'lib.linalg.cholesky(x)', 'lib.linalg.cholesky(x)'),
}
FLOORED = ('add', 'add, broadcast', 'maximum', 'exp', 'log', 'tanh', 'sqrt', 'relu', 'less', 'where')


def makers(library):
    """kind -> function of a shape, with this library."""
    if library == 'torch':
        import torch
        make = {'u': torch.rand, 'd': lambda s: torch.rand(s, dtype=torch.float64), 'h': lambda s: torch.rand(s).half(),
                'b': lambda s: torch.rand(s) < 0.5, 'i': lambda s: torch.randint(0, s[0], s),
                'z': lambda s: torch.randint(0, 10, s), 'p': lambda s: torch.eye(s[0]) * s[0] + torch.ones(s)}
        return torch, make
    if library == 'jax':
        import jax
        import jax.numpy as jnp
        key = jax.random.PRNGKey(0)
        make = {'u': lambda s: jax.random.uniform(key, s), 'h': lambda s: jax.random.uniform(key, s, jnp.float16),
                'b': lambda s: jax.random.uniform(key, s) < 0.5, 'i': lambda s: jax.random.randint(key, s, 0, s[0]),
                'z': lambda s: jax.random.randint(key, s, 0, 10), 'p': lambda s: jnp.eye(s[0]) * s[0] + jnp.ones(s)}
        return jnp, make
    tf = __import__(library)
    make = {'u': tf.random.uniform, 'd': lambda s: tf.random.uniform(s, dtype=tf.float64),
            'h': lambda s: tf.cast(tf.random.uniform(s), tf.float16), 'b': lambda s: tf.random.uniform(s) < 0.5,
            'i': lambda s: tf.random.uniform(s, 0, s[0], tf.int32), 'z': lambda s: tf.random.uniform(s, 0, 10, tf.int32),
            'p': lambda s: tf.eye(s[0]) * s[0] + tf.ones(s)}
    return tf, make


def work(library, case, n):
    """(statement, names) of a case at a size."""
    inputs, ours, torchs, jaxs = CASES[case]
    lib, make = makers(library)
    root = math.isqrt(n)
    dims = {'n': n, 's': root, 'k': max(1, n // 256), 'i': max(1, math.isqrt(n // 8)), 'r': max(1, round(n ** 0.4)),
            'n10': max(10, n)}
    names = {'lib': lib, 'n': n}
    for item in inputs.split():
        letter, rest = item.split('=')
        shape = [dims.get(d) or int(d) for d in rest[2:-1].split(',')]
        names[letter] = make[rest[0]](shape)
    if library == 'torch':
        if '(xt' in torchs:  # its own order of dimensions; the memory is in ours
            names['xt'] = names['x'].permute(0, 3, 1, 2)
        if ' ft' in torchs:
            names['ft'] = names['f'].permute(3, 2, 0, 1).contiguous()
        return torchs, names
    if library == 'jax':
        import jax
        names['jax'] = jax
        return 'jax.block_until_ready(%s)' % jaxs, names
    return ours, names


def floor(n):
    import _floor
    return 'add()', {'add': _floor.Arrays(n).add}


def row_name(case, n):
    return '%s, %s' % (case, {1: '1', 1000: '1e3', 1000000: '1e6'}[n])


WANTED = [c.strip() for c in os.environ.get('FOOTLIGHT_BENCH_ONLY', '').split(';') if c.strip()] or list(CASES)
ROWS = [bench.Row(row_name(case, n), lambda case=case, n=n: work('footlight', case, n),
                  (lambda n=n: floor(n)) if case in FLOORED else None)
        for case in WANTED for n in SIZES]
PEERS_ARE_MADE = True


def peers(library):
    column = {'torch': 2, 'jax': 3}.get(library, 1)
    return {row_name(case, n): lambda case=case, n=n: work(library, case, n)
            for case in WANTED if CASES[case][column] for n in SIZES}


if __name__ == '__main__':
    bench.main()
