"""One op of each family at three sizes, called from Python: about 1, 1,000 and 1,000,000 elements, and the same call
with the peers. The floor of the cheap ops is a C loop that reads two arrays and writes one.
The families are listed in op_families.txt, one a line: name | inputs | TensorFlow and Footlight | PyTorch | jax.numpy
| why a peer may be faster. An input is letter=kind(dims): see `numbers` and `dims` below; a - means nothing.
FOOTLIGHT_BENCH_ONLY names the families to run."""
import math
import os

import bench

SIZES = (1, 1000) if bench.QUICK else (1, 1000, 1000000)


def read_cases():
    """name -> (inputs, TensorFlow and Footlight, PyTorch, jax.numpy, why a peer may be faster) of op_families.txt."""
    cases = {}
    with open(os.path.join(bench.HERE, 'op_families.txt'), encoding='utf-8') as file:
        for line in file:
            if line.strip() and not line.startswith('#'):
                name, *cells = (cell.strip() for cell in line.split(' | '))
                cases[name] = [None if cell == '-' else cell for cell in cells] + [''] * (5 - len(cells))
    return cases


CASES = read_cases()
FLOORED = ('add', 'add, broadcast', 'maximum', 'exp', 'log', 'tanh', 'sqrt', 'relu', 'less', 'where')


def numbers(numpy, kind, shape):
    """A NumPy array for a kind of input, the same for all libraries."""
    draw = numpy.random.default_rng(0)
    uniform = draw.random(shape)
    return {
        'u': lambda: uniform.astype(numpy.float32),
        'q': lambda: (2 * uniform - 1).astype(numpy.float32),
        'a': lambda: numpy.sort(uniform.astype(numpy.float32)),
        'd': lambda: uniform,
        'h': lambda: uniform.astype(numpy.float16),
        'c': lambda: (uniform + 1j * draw.random(shape)).astype(numpy.complex64),
        'b': lambda: uniform < 0.5,
        'j': lambda: draw.integers(1, 100, shape, numpy.int32),
        'i': lambda: draw.integers(0, shape[0], shape, numpy.int32),
        'z': lambda: draw.integers(0, 10, shape, numpy.int32),
        'o': lambda: numpy.eye(shape[-1], dtype=numpy.float32)[draw.integers(0, shape[-1], shape[:-1])],
        'p': lambda: (numpy.eye(shape[0]) * shape[0] + 1).astype(numpy.float32),
        't': lambda: numpy.array([f'{x:.6f}' for x in uniform.ravel()], dtype=object).reshape(shape),
    }[kind]()


def maker(library):
    """The library, and a function that makes its tensor from a NumPy array."""
    if library == 'torch':
        import torch
        # PyTorch needs 64-bit indices.
        return torch, lambda kind, x: torch.from_numpy(x).long() if kind in 'iz' else torch.from_numpy(x)
    if library == 'jax':
        import jax.numpy as jnp
        return jnp, lambda kind, x: jnp.asarray(x)
    tf = __import__(library)
    return tf, lambda kind, x: tf.constant(x)


def work(library, case, n):
    """(statement, names) of a case at a size."""
    import numpy
    inputs, ours, torchs, jaxs, _ = CASES[case]
    lib, make = maker(library)
    root = math.isqrt(n)
    dims = {'n': n, 's': root, 'k': max(1, n // 256), 'i': max(1, math.isqrt(n // 8)), 'r': max(1, round(n ** 0.4)),
            'w': max(1, math.isqrt(n // 128)), 'v': max(1, round((n / 32) ** (1 / 3))), 'n10': max(10, n)}
    names = {'lib': lib, 'n': n, 's': root}
    for item in (inputs or '').split():
        letter, rest = item.split('=')
        shape = [dims.get(d) or int(d) for d in rest[2:-1].split(',')]
        names[letter] = make(rest[0], numbers(numpy, rest[0], shape))
    if library == 'torch':
        if '(xt' in torchs:  # its own order of dimensions; the memory stays in ours
            names['xt'] = names['x'].permute(0, 3, 1, 2)
        if ' ft' in torchs:
            names['ft'] = names['f'].permute(3, 2, 0, 1).contiguous()
        return torchs, names
    if library == 'jax':
        import jax
        names['jax'] = jax
        return f'jax.block_until_ready({jaxs})', names
    return ours, names


def floor(n):
    import _floor
    return 'add()', {'add': _floor.Arrays(n).add}


def row_name(case, n):
    return f"{case}, { {1: '1', 1000: '1e3', 1000000: '1e6'}[n]}"


WANTED = [c.strip() for c in os.environ.get('FOOTLIGHT_BENCH_ONLY', '').split(';') if c.strip()] or list(CASES)
ROWS = [bench.Row(row_name(case, n), lambda case=case, n=n: work('footlight', case, n),
                  (lambda n=n: floor(n)) if case in FLOORED else None, why=CASES[case][4])
        for case in WANTED for n in SIZES]
PEERS_ARE_MADE = True


def peers(library):
    column = {'torch': 2, 'jax': 3}.get(library, 1)
    return {row_name(case, n): lambda case=case, n=n: work(library, case, n)
            for case in WANTED if CASES[case][column] for n in SIZES}


if __name__ == '__main__':
    bench.main()
